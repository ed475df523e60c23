package render

// A Range is a range of bytes to highlight.
type Range struct{ Off, Len int }

// holds reports whether byte i is in one of the ranges.
func holds(ranges []Range, i int) bool {
	for _, r := range ranges {
		if i >= r.Off && i-r.Off < r.Len {
			return true
		}
	}
	return false
}

// AppendHexDump appends bytes as -x prints them: offset, 16 bytes, ASCII. Bytes
// in one of the ranges are highlighted in both places.
func AppendHexDump(dst, data []byte, style Style, highlight ...Range) []byte {
	if style == (Style{}) {
		highlight = nil
	}
	for off := 0; off < len(data); off += 16 {
		row := data[off:min(off+16, len(data))]
		dst = appendOffset(dst, off)
		dst = appendRow(dst, row, off, style, highlight)
		for range 16 - len(row) {
			dst = append(dst, "   "...)
		}
		dst = append(dst, "  "...)
		dst = appendASCII(dst, row, off, style, highlight)
		dst = append(dst, '\n')
	}
	return dst
}

func appendOffset(dst []byte, off int) []byte {
	digits := 4
	for off>>(4*digits) != 0 {
		digits++
	}
	for i := digits - 1; i >= 0; i-- {
		dst = append(dst, hexDigits[off>>(4*i)&15])
	}
	return append(dst, "  "...)
}

func appendRow(dst, row []byte, off int, style Style, highlight []Range) []byte {
	if len(highlight) == 0 {
		for _, c := range row {
			dst = append(dst, hexPairs[c][0], hexPairs[c][1], ' ')
		}
		return dst
	}
	lit := false
	for i, c := range row {
		dst, lit = light(dst, lit, holds(highlight, off+i), style)
		dst = append(dst, hexDigits[c>>4], hexDigits[c&15])
		if !holds(highlight, off+i+1) || i == len(row)-1 {
			dst, lit = light(dst, lit, false, style)
		}
		dst = append(dst, ' ')
	}
	return dst
}

func appendASCII(dst, row []byte, off int, style Style, highlight []Range) []byte {
	lit := false
	for i, c := range row {
		if len(highlight) > 0 {
			dst, lit = light(dst, lit, holds(highlight, off+i), style)
		}
		if c < ' ' || c >= 0x7f || c == '#' && i > 0 && row[i-1] == '#' { // ## begins a command of a log
			c = '.'
		}
		dst = append(dst, c)
	}
	dst, _ = light(dst, lit, false, style)
	return dst
}

// light switches the highlight when it has to change.
func light(dst []byte, is, want bool, style Style) ([]byte, bool) {
	switch {
	case want && !is:
		dst = append(dst, style.Start...)
	case is && !want:
		dst = append(dst, style.Stop...)
	}
	return dst, want
}
