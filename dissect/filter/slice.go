package filter

import (
	"strconv"
	"strings"
)

// maxOffset bounds the numbers in slices; a datagram is shorter than that.
const maxOffset = 1 << 20

// A byteRange is one part of a slice. Negative offsets count from the end.
type byteRange struct {
	from  int
	to    int // inclusive, when byEnd
	n     int // length otherwise, -1 for the rest
	byEnd bool
}

// bounds are the offsets the range has in a value of the given length.
func (r byteRange) bounds(length int) (from, to int, ok bool) {
	from = fromEnd(r.from, length)
	switch {
	case r.byEnd:
		to = fromEnd(r.to, length) + 1
	case r.n < 0:
		to = length
	default:
		to = from + r.n
	}
	return from, to, 0 <= from && from < to && to <= length
}

func fromEnd(offset, length int) int {
	if offset < 0 {
		return length + offset
	}
	return offset
}

// sliced parses the inside of brackets.
func (p *parser) sliced(x term, t token) term {
	s := &slice{x: x, at: t.At}
	offset := t.At.Start + 1
	for _, part := range strings.Split(t.Text, ",") {
		r, ok := parseRange(strings.TrimSpace(part))
		if !ok {
			at := span{Start: offset, End: offset + len(part)}
			if part == "" {
				at = t.At
			}
			p.Fail(at, "bad slice %q (slices are [i], [i:n], [i-j], [:n], [i:] and lists of them)", part)
		}
		s.ranges = append(s.ranges, r)
		offset += len(part) + 1
	}
	return s
}

// parseRange reads i, i:n, i-j, :n or i: .
func parseRange(s string) (byteRange, bool) {
	if from, n, ok := strings.Cut(s, ":"); ok {
		return parseLength(from, n)
	}
	if i := strings.IndexByte(s, '-'); i > 0 {
		return parseEnds(s[:i], s[i+1:])
	}
	if i := strings.IndexByte(strings.TrimPrefix(s, "-"), '-'); i >= 0 {
		i += len(s) - len(strings.TrimPrefix(s, "-"))
		return parseEnds(s[:i], s[i+1:])
	}
	from, ok := parseOffset(s)
	return byteRange{from: from, n: 1}, ok
}

// parseLength is the form i:n, where either may be left out, not both.
func parseLength(from, n string) (byteRange, bool) {
	r, okFrom, okN := byteRange{n: -1}, true, true
	if from != "" {
		r.from, okFrom = parseOffset(from)
	}
	if n != "" {
		r.n, okN = parseOffset(n)
		okN = okN && r.n > 0
	}
	return r, okFrom && okN && (from != "" || n != "")
}

// parseEnds is the form i-j. Ends of one sign must be in order.
func parseEnds(from, to string) (byteRange, bool) {
	r := byteRange{byEnd: true}
	var okFrom, okTo bool
	r.from, okFrom = parseOffset(from)
	r.to, okTo = parseOffset(to)
	sameSign := (r.from < 0) == (r.to < 0)
	return r, okFrom && okTo && (!sameSign || r.from <= r.to)
}

func parseOffset(s string) (int, bool) {
	if strings.ContainsAny(s, "_+") {
		return 0, false
	}
	v, err := strconv.ParseInt(strings.TrimSpace(s), 0, 32)
	return int(v), err == nil && -maxOffset < v && v < maxOffset
}
