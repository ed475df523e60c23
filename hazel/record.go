package hazel

import (
	"encoding/binary"

	"github.com/dpdissect/dpdissect/dissect"
)

// Content types of DTLS records (RFC 6347 4.1, RFC 5246 6.2.1).
const (
	RecordChangeCipherSpec = 0x14
	RecordAlert            = 0x15
	RecordHandshake        = 0x16
	RecordApplicationData  = 0x17
)

// Versions of records. Hazel's clients write plainVersion since 2022-07, so that
// records do not look like DTLS (Hazel d1c25ae Record.cs); servers answer alike.
const (
	HiddenVersion = 0x0000
	dtls10        = 0xFEFF
	DTLS12        = 0xFEFD
)

const RecordHeader = 13

// RecordsKept is how many records of a datagram a Frame holds. Flights of a
// handshake have up to five.
const RecordsKept = 8

// A Record is one DTLS record.
//
//	type:8 | version:16 | epoch:16 | sequence:48 | length:16 | body
type Record struct {
	Content  uint8
	Version  uint16
	Epoch    uint16
	Sequence uint64 // of the epoch, 48 bits
	Length   int    // of the body; Append takes that of Body
	Body     []byte // nil when the capture cut it
}

// Append appends the encoded record to b.
func (r *Record) Append(b []byte) []byte {
	b = append(b, r.Content)
	b = binary.BigEndian.AppendUint16(b, r.Version)
	b = binary.BigEndian.AppendUint16(b, r.Epoch)
	b = binary.BigEndian.AppendUint16(b, uint16(r.Sequence>>32))
	b = binary.BigEndian.AppendUint32(b, uint32(r.Sequence))
	b = binary.BigEndian.AppendUint16(b, uint16(len(r.Body)))
	return append(b, r.Body...)
}

// Sealed is what encryption adds to a message of Hazel: the tag alone. Its nonce
// is made of epoch and sequence and not sent, as DTLS would (Hazel
// AesGcmRecordProtection.cs), so that the size tells the short messages apart.
const Sealed = 16

// Plain sizes of messages that their size gives away.
const (
	SizeDisconnect = 1
	SizePing       = 3
	SizeAck        = 4
)

// Carries gives the type of the message that a sealed record holds, by its size,
// or Unknown.
func (r *Record) Carries() Type {
	if r.Content != RecordApplicationData || r.Epoch == 0 {
		return Unknown
	}
	switch r.Length - Sealed {
	case SizeDisconnect:
		return Disconnect
	case SizePing:
		return Ping
	case SizeAck:
		return Acknowledgement
	}
	return Unknown
}

// Records are the records of a datagram.
type Records struct {
	List [RecordsKept]Record
	N    int    // of List
	More []byte // records after those
}

// Append appends the encoded records to b.
func (l *Records) Append(b []byte) []byte {
	for i := range l.List[:l.N] {
		b = l.List[i].Append(b)
	}
	return append(b, l.More...)
}

// read reads the records of a datagram with the rows of a table made by
// recordTable. With hazel, the meaning of sizes is recorded, too.
func (l *Records) read(r *dissect.Reader, rows []dissect.Field, hazel bool) {
	l.N, l.More = 0, nil
	for {
		var rec Record
		r.Tree().Open(&rows[rRecords], r.Pos(), min(r.Len(), RecordHeader))
		rec.read(r, rows, hazel)
		r.Tree().Close()
		if headed := rec.Length > 0 || r.OK(); headed && l.N < RecordsKept {
			l.List[l.N] = rec
			l.N++
			if l.N == RecordsKept {
				l.More = r.Peek(r.Len())
			}
		}
		if r.Len() == 0 {
			return
		}
	}
}

func (rec *Record) read(r *dissect.Reader, rows []dissect.Field, hazel bool) {
	start := r.Pos()
	if rec.Content = r.U8(&rows[rContent]); r.OK() && (rec.Content < RecordChangeCipherSpec || rec.Content > RecordApplicationData) {
		r.FailAt(&rows[rContent], start, "not a content type of DTLS")
	}
	if rec.Version = r.B16(&rows[rVersion]); r.OK() && !recordVersion(rec.Version) {
		r.FailAt(&rows[rVersion], start+1, "not a version of DTLS")
	}
	rec.Epoch = r.B16(&rows[rEpoch])
	rec.Sequence = readBig(r, &rows[rSequence], 6)
	n := int(r.B16(&rows[rLength]))
	rec.Length = n
	if body := r.Peek(n); body != nil && r.Tree() != nil {
		rec.Body = body
		rec.readBody(r, rows, hazel)
		return
	}
	if n > 0 {
		rec.Body = r.Bytes(&rows[rData], n)
	}
}

func recordVersion(v uint16) bool { return v == DTLS12 || v == dtls10 || v == HiddenVersion }

// readBig reads a big-endian number of n bytes.
func readBig(r *dissect.Reader, f *dissect.Field, n int) (v uint64) {
	off, b := r.Pos(), r.Peek(n)
	for _, c := range b {
		v = v<<8 | uint64(c)
	}
	r.Skip(f, n)
	if b != nil {
		r.Tree().Add(f, off, n, v)
	}
	return v
}

// readBody records a body that is there in full: what is not encrypted in its
// parts.
func (rec *Record) readBody(r *dissect.Reader, rows []dissect.Field, hazel bool) {
	n := len(rec.Body)
	var h DTLSHandshake
	switch {
	case rec.Content == RecordHandshake && rec.Epoch == 0 && h.Parse(rec.Body):
		h.read(r, rows)
		return
	case rec.Content == RecordAlert && rec.Epoch == 0 && n == 2:
		r.U8(&rows[rAlertLevel])
		r.U8(&rows[rAlert])
		return
	}
	if n > 0 {
		r.Bytes(&rows[rData], n)
	}
	if t := rec.Carries(); hazel && t != Unknown {
		r.Tree().AddText(&rows[rCarries], r.Pos(), t.String())
	}
}

// AsRecords gives the number of DTLS records that fill a payload exactly, 0 when
// none do, and the content type, version and epoch of the first.
func AsRecords(b []byte) (n int, first Record) {
	for len(b) > 0 {
		if len(b) < RecordHeader || b[0] < RecordChangeCipherSpec || b[0] > RecordApplicationData {
			return 0, first
		}
		length := int(binary.BigEndian.Uint16(b[11:]))
		version := binary.BigEndian.Uint16(b[1:])
		if !recordVersion(version) || RecordHeader+length > len(b) {
			return 0, first
		}
		if n == 0 {
			first = Record{Content: b[0], Version: version, Length: length, Epoch: binary.BigEndian.Uint16(b[3:]),
				Sequence: uint64(binary.BigEndian.Uint16(b[5:]))<<32 | uint64(binary.BigEndian.Uint32(b[7:])), Body: b[RecordHeader : RecordHeader+length]}
		}
		n++
		b = b[RecordHeader+length:]
	}
	return n, first
}
