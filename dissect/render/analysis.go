package render

import (
	"strconv"

	"github.com/dpdissect/dpdissect/dissect"
)

// appendAnalysis appends the block of what is known beyond the bytes; nothing
// when nothing is.
func (v *Verbose) appendAnalysis(dst []byte, fr *dissect.Frame) []byte {
	if fr.Words == 0 && fr.Connection < 0 && len(fr.Notes) == 0 && fr.Err == nil &&
		fr.RetryOf == 0 && fr.AckedIn == 0 && len(fr.Acks) == 0 {
		return dst
	}
	dst = append(append(dst, v.Palette.Heading.Start...), "[Analysis"...)
	if fr.Words != 0 {
		dst = appendWords(append(dst, ": "...), fr.Words, ", ")
	}
	dst = append(append(append(dst, ']'), v.Palette.Heading.Stop...), '\n')
	dst = appendConnection(dst, fr)
	dst = appendLink(dst, "Retry of frame: ", fr.RetryOf)
	dst = appendLink(dst, "Acknowledged in frame: ", fr.AckedIn)
	dst = appendAcks(dst, fr.Acks)
	if fr.AckRTT != 0 {
		dst = append(appendSeconds(append(dst, "    [Round trip: "...), fr.AckRTT, 9), " s]\n"...)
	}
	for i := range fr.Notes {
		dst = v.appendNote(dst, &fr.Notes[i])
	}
	if fr.Err != nil {
		dst = append(append(dst, "    "...), v.Palette.Error.Start...)
		dst = append(AppendMalformed(append(dst, '['), fr), ']')
		dst = append(append(dst, v.Palette.Error.Stop...), '\n')
	}
	return dst
}

func appendConnection(dst []byte, fr *dissect.Frame) []byte {
	if fr.Connection < 0 {
		return dst
	}
	dst = strconv.AppendInt(append(dst, "    [Connection: "...), int64(fr.Connection), 10)
	if fr.Direction != 0 {
		dst = append(append(dst, ", direction "...), fr.Direction)
	}
	return append(dst, "]\n"...)
}

func appendLink(dst []byte, label string, frame uint64) []byte {
	if frame == 0 {
		return dst
	}
	dst = append(append(dst, "    ["...), label...)
	return append(strconv.AppendUint(dst, frame, 10), "]\n"...)
}

func appendAcks(dst []byte, acks []uint64) []byte {
	if len(acks) == 1 {
		return appendLink(dst, "Acknowledges frame: ", acks[0])
	}
	for i, a := range acks {
		if i == 0 {
			dst = append(dst, "    [Acknowledges frames: "...)
		} else {
			dst = append(dst, ", "...)
		}
		dst = strconv.AppendUint(dst, a, 10)
	}
	if len(acks) > 0 {
		dst = append(dst, "]\n"...)
	}
	return dst
}

func (v *Verbose) appendNote(dst []byte, n *dissect.Note) []byte {
	style := v.Palette.severity(n.Severity)
	dst = append(append(dst, "    "...), style.Start...)
	dst = append(AppendNote(append(dst, '['), n), ']')
	return append(append(dst, style.Stop...), '\n')
}

// AppendNote appends a finding as people see it at a frame: "Error: … (DP8-2.2.1.2-CMD)".
func AppendNote(dst []byte, n *dissect.Note) []byte {
	dst = append(dst, severityTitle(n.Severity)...)
	dst = append(AppendEscaped(append(dst, ": "...), n.Message), " ("...)
	return append(append(dst, n.Rule...), ')')
}

func severityTitle(s string) string {
	switch s {
	case "error":
		return "Error"
	case "warn":
		return "Warning"
	case "note":
		return "Note"
	}
	return s
}
