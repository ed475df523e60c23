package render

import (
	"math/bits"
	"strconv"

	"github.com/dpdissect/dpdissect/dissect"
)

// FrameSchema is the name and version of the frame record.
const FrameSchema = "dpdissect/frame/1"

// A FrameEncoder writes frame records: one JSON object a frame. A record is
//
//	AppendHead + AppendConnection + AppendBody + AppendTail
//
// Head and body can be encoded where the frame was decoded, while its tree and
// datagram are valid. The connection's id and the tail are known later, and the
// two methods that append them look at nothing but the id and at the frame's
// Notes, Err, RetryOf, AckedIn, Acks and AckRTT.
//
// An encoder learns keys as it meets fields and is not for several goroutines
// at once; its records do not depend on what it learned. The two methods above
// do not use the encoder and may be called on a nil one.
type FrameEncoder struct {
	files  bool
	keys   keyTable
	levels []*level // of objects, by nesting
	dates  dateCache
	ends   Ends
	layout shownLayout
	serial uint64 // of the last object begun
}

// NewFrameEncoder makes an encoder. With files, records name the input file,
// counted from 1: for runs with more than one.
func NewFrameEncoder(files bool) *FrameEncoder { return &FrameEncoder{files: files} }

// AppendRecord appends a whole record without a newline.
func (e *FrameEncoder) AppendRecord(dst []byte, fr *dissect.Frame) []byte {
	dst = e.AppendHead(dst, fr)
	dst = e.AppendConnection(dst, fr.Connection)
	dst = e.AppendBody(dst, fr)
	return e.AppendTail(dst, fr)
}

// AppendHead appends the record up to its protocol.
func (e *FrameEncoder) AppendHead(dst []byte, fr *dissect.Frame) []byte {
	dst = append(dst, `{"schema":"`+FrameSchema+`","frame":`...)
	dst = dissect.AppendUint(dst, fr.Frame)
	if e.files {
		dst = append(dst, `,"file":`...)
		dst = strconv.AppendInt(dst, int64(fr.File)+1, 10)
	}
	if fr.HasTime {
		dst = append(dst, `,"time":"`...)
		dst = append(e.dates.appendRFC3339(dst, fr.Time), '"')
	}
	dst = append(dst, `,"src":"`...)
	dst = append(dst, e.ends.of(&fr.Src).text...)
	dst = append(dst, `","dst":"`...)
	dst = append(dst, e.ends.of(&fr.Dst).text...)
	dst = append(dst, `","length":`...)
	dst = dissect.AppendUint(dst, uint64(fr.Length))
	dst = append(dst, `,"protocol":`...)
	return AppendJSONString(dst, fr.Protocol)
}

// AppendConnection appends the connection's id, nothing when it is negative.
func (*FrameEncoder) AppendConnection(dst []byte, id int) []byte {
	if id < 0 {
		return dst
	}
	dst = append(dst, `,"connection":`...)
	return strconv.AppendInt(dst, int64(id), 10)
}

// AppendBody appends the record from its direction to the analysis.
func (e *FrameEncoder) AppendBody(dst []byte, fr *dissect.Frame) []byte {
	if fr.Direction != 0 {
		dst = append(append(append(dst, `,"direction":"`...), fr.Direction), '"')
	}
	if fr.Type != "" {
		dst = AppendJSONString(append(dst, `,"type":`...), fr.Type)
	}
	dst = AppendJSONString(append(dst, `,"summary":`...), fr.Summary)
	dst = e.AppendFields(append(dst, `,"fields":`...), fr.Tree)
	dst = append(dst, e.layout.of(&fr.Layout)...)
	return appendJSONWords(append(dst, `,"analysis":`...), fr.Words)
}

// A shownLayout is the latest layout, as it stands in a record.
type shownLayout struct {
	layout dissect.Layout
	text   []byte
}

// of gives what the decoder knew beyond the bytes, nothing where that is nothing, until the next
// call.
func (x *shownLayout) of(l *dissect.Layout) []byte {
	if x.layout != *l {
		x.layout, x.text = *l, appendJSONLayout(x.text[:0], l)
	}
	return x.text
}

func appendJSONLayout(dst []byte, l *dissect.Layout) []byte {
	if *l == (dissect.Layout{}) {
		return dst
	}
	sep := `,"layout":{`
	for i := range dissect.LayoutFields {
		if value := dissect.LayoutFields[i].Append(nil, l); len(value) > 0 {
			dst = append(append(append(append(dst, sep...), layoutKeys[i]...), value...), '"')
			sep = ","
		}
	}
	return append(dst, '}')
}

// layoutKeys are the keys of dissect.LayoutFields as they stand in a record.
var layoutKeys = func() (keys [len(dissect.LayoutFields)]string) {
	for i := range keys {
		keys[i] = `"` + dissect.LayoutFields[i].Name + `":"`
	}
	return keys
}()

// AppendTail appends the rest of the record.
func (*FrameEncoder) AppendTail(dst []byte, fr *dissect.Frame) []byte {
	dst = appendJSONNotes(append(dst, `,"notes":`...), fr.Notes)
	if fr.Err != nil {
		dst = appendJSONError(append(dst, `,"error":`...), fr.Err)
	}
	for i := range dissect.GeneratedFields {
		dst = appendJSONGenerated(dst, &dissect.GeneratedFields[i], generatedKeys[i], fr)
	}
	return append(dst, '}')
}

// generatedKeys are the keys of dissect.GeneratedFields as they stand in a record.
var generatedKeys = func() (keys [len(dissect.GeneratedFields)]string) {
	for i := range keys {
		keys[i] = `,"` + dissect.GeneratedFields[i].Record() + `":`
	}
	return keys
}()

// appendJSONGenerated appends what the analysis gives a frame, nothing where it gives none.
func appendJSONGenerated(dst []byte, v *dissect.Generated, key string, fr *dissect.Frame) []byte {
	if v.All != nil {
		return appendJSONNumbers(dst, key, v.All(fr))
	}
	switch n := v.Of(fr); {
	case n == 0:
		return dst
	case v.Time:
		return AppendMillis(append(dst, key...), int64(n))
	default:
		return dissect.AppendUint(append(dst, key...), n)
	}
}

func appendJSONNumbers(dst []byte, key string, list []uint64) []byte {
	if len(list) == 0 {
		return dst
	}
	dst = append(append(dst, key...), '[')
	for i, n := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = dissect.AppendUint(dst, n)
	}
	return append(dst, ']')
}

func appendJSONWords(dst []byte, w dissect.Words) []byte {
	dst = append(dst, '[')
	for first := true; w != 0; w &= w - 1 {
		i := bits.TrailingZeros32(uint32(w))
		if i >= len(dissect.WordNames) {
			break
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = append(append(append(dst, '"'), dissect.WordNames[i]...), '"')
	}
	return append(dst, ']')
}

func appendJSONNotes(dst []byte, notes []dissect.Note) []byte {
	dst = append(dst, '[')
	for i := range notes {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = AppendJSONString(append(dst, `{"rule":`...), notes[i].Rule)
		dst = AppendJSONString(append(dst, `,"severity":`...), notes[i].Severity)
		dst = AppendJSONString(append(dst, `,"message":`...), notes[i].Message)
		dst = append(dst, '}')
	}
	return append(dst, ']')
}

func appendJSONError(dst []byte, err *dissect.Error) []byte {
	name := ""
	if err.Field != nil {
		name = err.Field.Name
	}
	dst = AppendJSONString(append(dst, `{"field":`...), name)
	dst = strconv.AppendInt(append(dst, `,"offset":`...), int64(err.Offset), 10)
	return append(AppendJSONString(append(dst, `,"message":`...), err.Reason), '}')
}
