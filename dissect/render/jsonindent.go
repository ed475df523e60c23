package render

// A Document is a JSON array of records, indented for people: what `--format
// json` prints. An empty document is "[]".
type Document struct{ records int }

// AppendRecord appends a compact record, indented, as the next element.
func (d *Document) AppendRecord(dst, record []byte) []byte {
	if d.records == 0 {
		dst = append(dst, "[\n  "...)
	} else {
		dst = append(dst, ",\n  "...)
	}
	d.records++
	return AppendIndented(dst, record, 1)
}

// AppendEnd appends the end of the document.
func (d *Document) AppendEnd(dst []byte) []byte {
	if d.records == 0 {
		return append(dst, "[]\n"...)
	}
	return append(dst, "\n]\n"...)
}

// AppendIndented appends compact JSON over several lines, two spaces a level.
// Empty objects and arrays, and arrays of numbers or strings, stay on one line.
func AppendIndented(dst, src []byte, depth int) []byte {
	return (&Indenter{depth}).Append(dst, src)
}

// An Indenter does what AppendIndented does for a document that comes in pieces,
// each of which ends after an object that is an element of an array.
type Indenter struct{ depth int }

// Append appends the next piece.
func (in *Indenter) Append(dst, src []byte) []byte {
	for i := 0; i < len(src); i++ {
		switch c := src[i]; c {
		case '"':
			end := stringEnd(src, i)
			dst = append(dst, src[i:end]...)
			i = end - 1
		case '[', '{':
			if end := flatEnd(src, i); end > 0 {
				dst = appendFlat(dst, src[i:end])
				i = end - 1
				break
			}
			in.depth++
			dst = newLine(append(dst, c), in.depth)
		case ']', '}':
			in.depth--
			dst = append(newLine(dst, in.depth), c)
		case ',':
			dst = newLine(append(dst, c), in.depth)
		case ':':
			dst = append(dst, ": "...)
		default:
			dst = append(dst, c)
		}
	}
	return dst
}

func newLine(dst []byte, depth int) []byte {
	dst = append(dst, '\n')
	for range depth {
		dst = append(dst, "  "...)
	}
	return dst
}

// stringEnd is the index after the string that starts at i.
func stringEnd(src []byte, i int) int {
	for i++; i < len(src); i++ {
		switch src[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(src)
}

// flatEnd is the index after an empty object or an array without nested ones
// that starts at i, 0 when it is neither.
func flatEnd(src []byte, i int) int {
	if i+1 < len(src) && src[i] == '{' {
		if src[i+1] == '}' {
			return i + 2
		}
		return 0
	}
	for i++; i < len(src); i++ {
		switch src[i] {
		case '"':
			i = stringEnd(src, i) - 1
		case '{', '[':
			return 0
		case ']':
			return i + 1
		}
	}
	return 0
}

func appendFlat(dst, src []byte) []byte {
	for i := 0; i < len(src); i++ {
		switch src[i] {
		case '"':
			end := stringEnd(src, i)
			dst = append(dst, src[i:end]...)
			i = end - 1
		case ',':
			dst = append(dst, ", "...)
		default:
			dst = append(dst, src[i])
		}
	}
	return dst
}
