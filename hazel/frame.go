package hazel

import "github.com/dpdissect/dpdissect/dissect"

// A Frame is one decoded datagram. Type says which of the other parts are
// filled. The byte slices in it belong to the payload. A Frame is meant to be
// reused.
type Frame struct {
	Type    Type
	Dialect Dialect // whose layout it has; what the bytes fit when none was named
	Code    byte    // first byte; Append takes that of the type when it is 0

	guess      bool // the dialect was not known
	HasID      bool // ID is there: all types but None, Disconnect and records
	HasVersion bool // Hello: Version is there
	HasRecent  bool // Acknowledgement: Recent is there
	HasOption  bool // Fragment of Fork36 with index 0: SendOption is there

	ID        uint16 // Reliable, Hello, Acknowledgement, Ping, fragments, MTUTest
	Version   uint8
	Recent    uint8  // bit i: ID-1-i is not missing
	MessageID uint16 // fragments
	Count     uint16 // FragmentStart; Fragment of Fork36
	Index     uint16 // Fragment
	Option    uint8  // send option of the whole message
	Size      uint16 // MTUTest: the size it tries

	Data    []byte  // what follows the header
	Records Records // DTLS
}

// Decode reads one UDP payload into f as dialect d, AnyDialect when it is not
// known, and, when tree is not nil, records it there. What was decoded before an
// error stays in f.
func (f *Frame) Decode(payload []byte, d Dialect, tree *dissect.Tree) *dissect.Error {
	if tree == nil && f.decodeUsual(payload, d) {
		return nil
	}
	return f.decodeAll(payload, d, tree)
}

// decodeAll is Decode for whatever may come.
func (f *Frame) decodeAll(payload []byte, d Dialect, tree *dissect.Tree) *dissect.Error {
	var r dissect.Reader
	r.Start(payload, tree)
	head := r.Peek(1)
	f.Data, f.HasID, f.HasVersion, f.HasRecent, f.HasOption = nil, false, false, false, false
	if head == nil {
		f.Type = Unknown
		r.U8(&Fields[fDataType])
		return r.Err()
	}
	f.Code, f.guess = head[0], d == AnyDialect || d == AnyPage
	f.Type, f.Dialect = TypeOf(f.Code, d)
	switch f.Type {
	case Unknown:
		r.Fail(&Fields[fDataType], "not a type of the protocol or of its dialect")
	case ChangeCipherSpec, Alert, Handshake, ApplicationData:
		f.Records.read(&r, Fields[numPlainFields:], true)
	default:
		r.U8(&Fields[typeRow(f.Code)])
		f.decodeBody(&r)
	}
	return r.Err()
}

// typeRow is the row of a first byte: that with the flags of the page, that with
// its control codes, or the one of dialects with values of their own.
func typeRow(code byte) int {
	switch {
	case code < 0x08:
		return fDataType
	case code < 0x10:
		return fControlType
	}
	return fOldType
}

func (f *Frame) decodeBody(r *dissect.Reader) {
	switch f.Type {
	case None:
		f.readData(r)
	case Reliable:
		f.readID(r)
		f.readData(r)
	case Hello:
		f.readID(r)
		if f.HasVersion = r.Len() > 0; f.HasVersion {
			f.Version = r.U8(&Fields[fVersion])
		}
		f.Data = r.Rest(&Fields[fData])
	case Disconnect:
		f.Data = r.Rest(&Fields[fData])
		if r.Tree() != nil {
			addReason(r.Tree(), f.Data)
		}
	case Acknowledgement:
		f.decodeAck(r)
	case Ping:
		f.readID(r)
		f.Data = r.Rest(&Fields[fTrailing])
	case MTUTest:
		f.decodeMTUTest(r)
	default:
		f.decodeFragment(r)
	}
}

func (f *Frame) readID(r *dissect.Reader) {
	f.ID = r.B16(&Fields[fID])
	f.HasID = r.OK()
}

// decodeAck reads an acknowledgement. Its length is evidence of the dialect, not
// ruled by it: the two sides may run different releases.
func (f *Frame) decodeAck(r *dissect.Reader) {
	f.readID(r)
	if f.HasRecent = r.Len() > 0; f.HasRecent {
		f.Recent = r.U8(&Fields[fRecent])
	}
	if f.HasID && r.Tree() != nil {
		f.addAcked(r.Tree())
	}
	if r.Len() > 0 {
		r.Fail(&Fields[fRecent], "an acknowledgement has 3 or 4 bytes")
	}
}

// addAcked records the ids an acknowledgement names.
func (f *Frame) addAcked(t *dissect.Tree) {
	var ids [9]int64
	n := 1
	ids[0] = int64(f.ID)
	for i := range 8 {
		if f.HasRecent && f.Recent>>i&1 != 0 {
			ids[n] = int64(f.ID - 1 - uint16(i))
			n++
		}
	}
	t.AddIDs(&Fields[fAcked], 1, ids[:n])
}

// decodeMTUTest reads a datagram that tries a size: zeros up to the size in its
// last two bytes, little-endian.
func (f *Frame) decodeMTUTest(r *dissect.Reader) {
	f.readID(r)
	if n := r.Len() - 2; n > 0 {
		f.Data = r.Bytes(&Fields[fPadding], n)
	}
	f.Size = r.U16(&Fields[fSize])
}

// leastMTU is the length of an MTU test without padding.
const leastMTU = 5

// FillsMTU reports whether a datagram is an MTU test: it is as long as it says, as
// far as it was captured.
func (f *Frame) FillsMTU(fr *dissect.Frame) bool {
	return f.Type == MTUTest && fr.Length >= leastMTU && (fr.Cut() || int(f.Size) == fr.Length)
}

// readData reads a payload. In a tree it is shown as the application's messages
// where those fill it exactly; the dialects before 2018 had none.
func (f *Frame) readData(r *dissect.Reader) {
	if r.Tree() != nil && f.framed() {
		if b := r.Peek(r.Len()); len(b) > 0 && Tiled(b) {
			f.Data = b
			readMessages(r)
			return
		}
	}
	f.Data = r.Rest(&Fields[fData])
}

// framed reports whether payloads of the dialect may hold messages.
func (f *Frame) framed() bool { return f.Dialect >= V01 }
