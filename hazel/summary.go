package hazel

import (
	"github.com/dpdissect/dpdissect/dissect"
)

// AppendSummary appends one line for people.
//
//	HELLO id=1 version=0 len=5
//	RELIABLE id=7 len=33 GameData(30)
//	ACKNOWLEDGEMENT id=7 missing=5,3
//	DISCONNECT len=27 Custom
//	FRAGMENT id=9 message=2 index=3 len=65500
//	DTLS Handshake ClientHello epoch=0 seq=1 len=112 cookie
//	DTLS ApplicationData epoch=1 seq=9 len=19 PING
func AppendSummary(dst []byte, f *Frame) []byte {
	if f.Type == Unknown {
		return append(dst, "not a type of Hazel"...)
	}
	dst = append(dst, f.Type.String()...)
	if f.Type.Record() {
		return f.Records.appendSummary(dst)
	}
	if f.HasID {
		dst = dissect.AppendNumber(dst, " id=", f.ID)
	}
	switch f.Type {
	case Hello:
		if f.HasVersion {
			dst = dissect.AppendNumber(dst, " version=", f.Version)
		}
		return appendLen(dst, f.Data)
	case Acknowledgement:
		return f.appendMissing(dst)
	case Ping:
		return appendTrailing(dst, f.Data)
	case MTUTest:
		return dissect.AppendNumber(dst, " size=", f.Size)
	case Disconnect:
		return appendReason(appendLen(dst, f.Data), f.Data)
	case Fragment, FragmentStart:
		return dissect.AppendNumber(f.appendFragmented(dst), " len=", len(f.Data))
	}
	dst = dissect.AppendNumber(dst, " len=", len(f.Data))
	if f.framed() {
		dst = appendMessages(dst, f.Data)
	}
	return dst
}

// AppendPartialSummary is AppendSummary of a frame that was perhaps not decoded whole:
// then only what is certainly there is named.
func AppendPartialSummary(dst []byte, f *Frame, err *dissect.Error) []byte {
	if err == nil || f.Type == Unknown {
		return AppendSummary(dst, f)
	}
	dst = append(dst, f.Type.String()...)
	if f.HasID {
		dst = dissect.AppendNumber(dst, " id=", f.ID)
	}
	return dst
}

func (f *Frame) appendFragmented(b []byte) []byte {
	if f.Type == Fragment && f.Dialect != V01 && f.Dialect != Fork36 {
		return b
	}
	b = dissect.AppendNumber(b, " message=", f.MessageID)
	if f.Type == FragmentStart || f.Dialect == Fork36 {
		b = dissect.AppendNumber(b, " count=", f.Count)
	}
	if f.Type == Fragment {
		b = dissect.AppendNumber(b, " index=", f.Index)
	}
	return b
}

// appendMissing appends the ids that clear bits of the history name.
func (f *Frame) appendMissing(b []byte) []byte {
	if !f.HasRecent {
		return b
	}
	sep := " missing="
	for i := range 8 {
		if f.Recent>>i&1 == 0 {
			b = dissect.AppendNumber(b, sep, f.ID-1-uint16(i))
			sep = ","
		}
	}
	return b
}

// maxListed bounds the messages that a summary lists.
const maxListed = 4

// appendMessages appends the messages that fill a payload, with their sizes.
func appendMessages(b, data []byte) []byte {
	if len(data) == 0 || !Tiled(data) {
		return b
	}
	for i := 0; len(data) > 0; i++ {
		if i == maxListed {
			return append(b, " ..."...)
		}
		tag, n, _ := nextMessage(data)
		b = append(b, ' ')
		if name := Fields[fTag].ValueName(uint64(tag)); name != "" {
			b = append(b, name...)
		} else {
			b = dissect.AppendNumber(b, "tag ", tag)
		}
		b = append(dissect.AppendNumber(b, "(", n), ')')
		data = data[messageHeader+n:]
	}
	return b
}

func (l *Records) appendSummary(b []byte) []byte {
	for i := range l.List[:l.N] {
		r := &l.List[i]
		if i == maxListed {
			return append(b, ", ..."...)
		}
		if i > 0 {
			b = append(append(b, ", "...), Fields[numPlainFields+rContent].ValueName(uint64(r.Content))...)
		}
		b = r.appendSummary(b)
	}
	return b
}

func (r *Record) appendSummary(b []byte) []byte {
	var h DTLSHandshake
	told := r.Content == RecordHandshake && r.Epoch == 0 && h.Parse(r.Body)
	if told {
		if name := Fields[numPlainFields+rHandshake].ValueName(uint64(h.Type)); name != "" {
			b = append(append(b, ' '), name...)
		} else {
			b = dissect.AppendNumber(b, " type ", h.Type)
		}
	}
	b = dissect.AppendNumber(b, " epoch=", r.Epoch)
	b = dissect.AppendNumber(b, " seq=", r.Sequence)
	b = dissect.AppendNumber(b, " len=", len(r.Body))
	if told && h.Readable && len(h.Cookie) > 0 {
		b = append(b, " cookie"...)
	}
	if t := r.Carries(); t != Unknown {
		b = append(append(b, ' '), t.String()...)
	}
	return b
}

// appendLen appends the length of data that need not be there.
func appendLen(b, data []byte) []byte {
	if len(data) == 0 {
		return b
	}
	return dissect.AppendNumber(b, " len=", len(data))
}

func appendTrailing(b, data []byte) []byte {
	if len(data) == 0 {
		return b
	}
	return dissect.AppendNumber(b, " trailing=", len(data))
}
