package report

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// A cellPath is a step of the paths by which the values of a JSON record find their cells in
// lines of CSV. So a line says what the record says, and one that this program wrote need not
// be taken apart as one of anybody's would.
type cellPath struct {
	under map[string]*cellPath
	cells []int // that take the value which stands here
}

// cellsOf are the paths of columns, each in the cell of its number.
func cellsOf(columns []string) *cellPath {
	root := new(cellPath)
	for i, path := range columns {
		root.add(path, i)
	}
	return root
}

// add makes a cell take the value of a path.
func (p *cellPath) add(path string, cell int) {
	for step := range strings.SplitSeq(path, ".") {
		if p.under == nil {
			p.under = map[string]*cellPath{}
		}
		if p.under[step] == nil {
			p.under[step] = new(cellPath)
		}
		p = p.under[step]
	}
	p.cells = append(p.cells, cell)
}

// fill puts the values of a record, which is compact JSON, into cells.
func (p *cellPath) fill(cells [][]byte, record []byte) {
	for at := 1; record[at] != '}'; {
		if record[at] == ',' {
			at++
		}
		key := record[at : at+valueLen(record[at:])]
		at += len(key) + len(":")
		v := record[at : at+valueLen(record[at:])]
		at += len(v)
		switch next := p.under[string(key[1:len(key)-1])]; {
		case next == nil:
		case next.under != nil:
			next.fill(cells, v)
		default:
			text := cellText(v)
			for _, i := range next.cells {
				cells[i] = text
			}
		}
	}
}

// valueLen is the length of the value that some JSON begins with.
func valueLen(text []byte) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			for i++; text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
			if depth == 0 {
				return i + 1
			}
		case '{', '[':
			depth++
		case ',':
			if depth == 0 {
				return i
			}
		case '}', ']':
			if depth--; depth < 0 {
				return i
			} else if depth == 0 {
				return i + 1
			}
		}
	}
	return len(text)
}

// cellText is a JSON value in a cell: numbers, booleans and objects as they are written, and
// the elements of a list apart by a space, or by "; " where they are texts of several words.
func cellText(v []byte) []byte {
	switch {
	case v[0] == '"' && slices.Contains(v, '\\'):
		var s string
		if err := json.Unmarshal(v, &s); err != nil {
			panic(err) // this program wrote it
		}
		return []byte(s)
	case v[0] == '"':
		return v[1 : len(v)-1]
	case v[0] != '[':
		return v
	}
	gap := " "
	var texts [][]byte
	for at := 1; v[at] != ']'; {
		if v[at] == ',' {
			at++
		}
		n := valueLen(v[at:])
		text := cellText(v[at : at+n])
		if texts, at = append(texts, text), at+n; slices.Contains(text, ' ') {
			gap = "; "
		}
	}
	return bytes.Join(texts, []byte(gap))
}
