package annotate

import (
	"strconv"

	"github.com/dpdissect/dpdissect/dissect"
)

// Mark is what the line for machines begins with: its version.
const Mark = "dpd1"

// maxLine bounds the line for machines, in bytes: a comment has room for it and for some
// lines after it. Lists end where they would pass it.
const maxLine = 48 << 10

// A Key is a word of the line for machines, key=value. What it says is what the record of the
// frame says under another name or the same.
type Key struct {
	Name   string
	Record string // where `decode --format ndjson` has it
	Doc    string
	append func(dst []byte, fr *dissect.Frame) []byte // the value, nothing when there is none
}

// Keys are those of the line for machines, in their order.
func Keys() []Key {
	keys := []Key{
		{"frame", "frame", "number of the packet in the input, where packets are left out of the output; links between frames are by this number", nil},
		{"conn", "connection", "number of the connection", connection},
		{"dir", "direction", "sending side: `a` sent the first frame, `b` is the other", direction},
		{"protocol", "protocol", "protocol", protocol},
		{"type", "type", "type of the frame", frameType},
		{"analysis", "analysis", "list of the analysis words", words},
		{"note.rule", "notes[].rule", "list of the rules of the findings", rules},
		{"note.severity", "notes[].severity", "list of their severities, in the same order", severities},
		{"error.field", "error.field", "field at which decoding stopped", errorField},
		{"error.offset", "error.offset", "its byte in the payload", errorOffset},
		{"length", "length", "bytes of the payload, in a packet that stands for several datagrams; each begins where the one before ends", partLength},
	}
	for i := range dissect.LayoutFields {
		f := &dissect.LayoutFields[i]
		name := "layout." + f.Name
		keys = append(keys, Key{name, name, f.Doc, func(dst []byte, fr *dissect.Frame) []byte { return f.Append(dst, &fr.Layout) }})
	}
	return append(keys, generated()...)
}

// generated are what the analysis gives a frame: lists stand last, for they may be cut.
func generated() (keys []Key) {
	var lists []Key
	for i := range dissect.GeneratedFields {
		v := &dissect.GeneratedFields[i]
		switch k := (Key{Name: v.Record(), Record: v.Record(), Doc: v.In("milliseconds")}); {
		case v.All != nil:
			k.Doc = "list of the " + k.Doc
			k.append = func(dst []byte, fr *dissect.Frame) []byte { return numbers(dst, v.All(fr)) }
			lists = append(lists, k)
		case v.Time:
			k.append = func(dst []byte, fr *dissect.Frame) []byte { return millis(dst, v.Of(fr)) }
			keys = append(keys, k)
		default:
			k.append = func(dst []byte, fr *dissect.Frame) []byte { return link(dst, v.Of(fr)) }
			keys = append(keys, k)
		}
	}
	return append(keys, lists...)
}

// appendLine appends the line for machines. here is nil where all packets are written.
func appendLine(dst []byte, keys []Key, fr *dissect.Frame, here *places) []byte {
	dst = append(dst, Mark...)
	if here != nil {
		dst = strconv.AppendUint(append(dst, " frame="...), fr.Frame, 10)
	}
	for i := range keys {
		if keys[i].append == nil {
			continue
		}
		before := len(dst)
		dst = append(append(append(dst, ' '), keys[i].Name...), '=')
		value := len(dst)
		if dst = keys[i].append(dst, fr); len(dst) == value {
			dst = dst[:before]
		}
	}
	if here != nil {
		dst = here.appendLinks(dst, fr)
	}
	return dst
}

func connection(dst []byte, fr *dissect.Frame) []byte {
	if fr.Connection < 0 {
		return dst
	}
	return strconv.AppendInt(dst, int64(fr.Connection), 10)
}

func direction(dst []byte, fr *dissect.Frame) []byte {
	if fr.Direction == 0 {
		return dst
	}
	return append(dst, fr.Direction)
}

func protocol(dst []byte, fr *dissect.Frame) []byte { return appendValue(dst, fr.Protocol) }

func frameType(dst []byte, fr *dissect.Frame) []byte { return appendValue(dst, fr.Type) }

func words(dst []byte, fr *dissect.Frame) []byte {
	first := true
	for i, name := range dissect.WordNames {
		if fr.Words.Has(1 << i) {
			dst, first = append(comma(dst, first), name...), false
		}
	}
	return dst
}

func rules(dst []byte, fr *dissect.Frame) []byte {
	return notes(dst, fr, func(n *dissect.Note) string { return n.Rule })
}

func severities(dst []byte, fr *dissect.Frame) []byte {
	return notes(dst, fr, func(n *dissect.Note) string { return n.Severity })
}

// maxNotes bounds the findings that the lists name.
const maxNotes = 100

func notes(dst []byte, fr *dissect.Frame, of func(*dissect.Note) string) []byte {
	for i := range fr.Notes[:min(len(fr.Notes), maxNotes)] {
		dst = appendValue(comma(dst, i == 0), of(&fr.Notes[i]))
	}
	return dst
}

func errorField(dst []byte, fr *dissect.Frame) []byte {
	if fr.Err == nil || fr.Err.Field == nil {
		return dst
	}
	return appendValue(dst, fr.Err.Field.Name)
}

func errorOffset(dst []byte, fr *dissect.Frame) []byte {
	if fr.Err == nil {
		return dst
	}
	return strconv.AppendInt(dst, int64(fr.Err.Offset), 10)
}

func partLength(dst []byte, fr *dissect.Frame) []byte {
	if fr.Parts == 0 {
		return dst
	}
	return strconv.AppendInt(dst, int64(fr.Length), 10)
}

func link(dst []byte, frame uint64) []byte {
	if frame == 0 {
		return dst
	}
	return strconv.AppendUint(dst, frame, 10)
}

// millis appends a time in ns, in milliseconds.
func millis(dst []byte, ns uint64) []byte {
	if ns == 0 {
		return dst
	}
	return strconv.AppendFloat(dst, float64(ns)/1e6, 'f', -1, 64)
}

func numbers(dst []byte, list []uint64) []byte {
	for i, n := range list {
		if len(dst) > maxLine {
			break
		}
		dst = strconv.AppendUint(comma(dst, i == 0), n, 10)
	}
	return dst
}

// comma goes between the values of a list.
func comma(dst []byte, first bool) []byte {
	if first {
		return dst
	}
	return append(dst, ',')
}

// appendValue appends a value without what ends one: a space, a comma, a backslash and all
// that is not printable ASCII become \x and two hex digits.
func appendValue(dst []byte, s string) []byte {
	const hex = "0123456789abcdef"
	for i := range len(s) {
		if c := s[i]; c > ' ' && c < 0x7f && c != ',' && c != '\\' {
			dst = append(dst, c)
		} else {
			dst = append(dst, '\\', 'x', hex[c>>4], hex[c&15])
		}
	}
	return dst
}
