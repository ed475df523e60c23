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
	dst = appendDec(dst, fr.Frame)
	if e.files {
		dst = append(dst, `,"file":`...)
		dst = strconv.AppendInt(dst, int64(fr.File)+1, 10)
	}
	if fr.HasTime {
		dst = append(dst, `,"time":"`...)
		dst = append(e.dates.appendRFC3339(dst, fr.Time), '"')
	}
	dst = append(dst, `,"src":"`...)
	dst = appendEndpoint(dst, &fr.Src)
	dst = append(dst, `","dst":"`...)
	dst = appendEndpoint(dst, &fr.Dst)
	dst = append(dst, `","length":`...)
	dst = appendDec(dst, uint64(fr.Length))
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
	return appendJSONWords(append(dst, `,"analysis":`...), fr.Words)
}

// AppendTail appends the rest of the record.
func (*FrameEncoder) AppendTail(dst []byte, fr *dissect.Frame) []byte {
	dst = appendJSONNotes(append(dst, `,"notes":`...), fr.Notes)
	if fr.Err != nil {
		dst = appendJSONError(append(dst, `,"error":`...), fr.Err)
	}
	if fr.RetryOf != 0 {
		dst = strconv.AppendUint(append(dst, `,"retry_of":`...), fr.RetryOf, 10)
	}
	if fr.AckedIn != 0 {
		dst = strconv.AppendUint(append(dst, `,"acked_in":`...), fr.AckedIn, 10)
	}
	for i, a := range fr.Acks {
		if i == 0 {
			dst = append(dst, `,"acks":[`...)
		} else {
			dst = append(dst, ',')
		}
		dst = appendDec(dst, a)
	}
	if len(fr.Acks) > 0 {
		dst = append(dst, ']')
	}
	if fr.AckRTT != 0 {
		dst = strconv.AppendFloat(append(dst, `,"ack_rtt_ms":`...), float64(fr.AckRTT)/1e6, 'f', -1, 64)
	}
	return append(dst, '}')
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
