package hazel

import "github.com/dpdissect/dpdissect/dissect"

// DTLS describes the records of DTLS 1.0 and 1.2 that others send: a neighbour,
// no connection. Hazel's own are told from them by the probe.
var DTLS = &dissect.Protocol{
	Name:   "dtls",
	Title:  "Datagram Transport Layer Security",
	Texts:  []string{"RFC 4347", "RFC 6347"},
	Types:  []string{"ChangeCipherSpec", "Alert", "Handshake", "ApplicationData"},
	Fields: dissect.Refs(DTLSFields[:]),
	Decode: func(t *dissect.Tree) (string, *dissect.Error) {
		var l Records
		err := l.Decode(t.Data, t)
		return l.contentName(t.Data), err
	},
	Reencode: func(payload []byte) ([]byte, bool) {
		var l Records
		if l.Decode(payload, nil) != nil {
			return nil, false
		}
		return l.Append(nil), true
	},
	Samples: recordSamples,
}

// DTLSFields is the table of DTLS records.
var DTLSFields = recordTable("dtls")

func (l *Records) Decode(payload []byte, tree *dissect.Tree) *dissect.Error {
	r := dissect.NewReader(payload, tree)
	l.read(&r, DTLSFields[:], false)
	return r.Err()
}

// contentName is the content type of the first record, "" when it is none.
func (l *Records) contentName(payload []byte) string {
	if len(payload) == 0 {
		return ""
	}
	return DTLSFields[rContent].ValueName(uint64(payload[0]))
}

// foreignDTLS reports a datagram of DTLS records with a version that DTLS has.
// The last record may have been cut by the capture.
func foreignDTLS(d *dissect.Datagram) bool {
	b := d.Payload
	if d.Cut() {
		b = wholeRecords(b)
	}
	n, first := AsRecords(b)
	return n > 0 && first.Version != HiddenVersion
}

// wholeRecords leaves out a last record that is not there in full.
func wholeRecords(b []byte) []byte {
	end := 0
	for end+RecordHeader <= len(b) {
		next := end + RecordHeader + int(b[end+11])<<8 + int(b[end+12])
		if next > len(b) {
			break
		}
		end = next
	}
	return b[:end]
}

func appendDTLSSummary(dst, payload []byte) []byte {
	var l Records
	if l.Decode(payload, nil) != nil {
		return append(dst, "DTLS"...)
	}
	return l.appendSummary(append(dst, l.contentName(payload)...))
}
