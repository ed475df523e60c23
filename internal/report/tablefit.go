package report

import (
	"strconv"
	"strings"
)

// DefaultWidth is how many columns tables take where nothing is known of who reads them.
const DefaultWidth = 100

// A shortage is what a table leaves out because it would be too wide.
type shortage struct {
	width int      // that was asked for
	needs int      // columns in which nothing is left out
	gone  []string // heads of the columns that left
	cut   []string // of those whose texts are cut, each with where they stand whole
}

// fit leaves columns out until the table is as narrow as asked for: first those in
// which all is dim, then all that may go, those of high rank before others. Texts
// that may be cut take what is left, and no column leaves for more of them than
// the least they are cut to.
func (t *table) fit(width int) {
	w := t.widths()
	full := -len(columnGap)
	gone := make([]bool, len(t.cols))
	for i := range t.cols {
		if gone[i] = t.cols[i].rare && t.allDim(i); gone[i] {
			continue
		}
		full += t.leastOf(i, w[i]) + len(columnGap)
	}
	t.short = shortage{width: width, needs: full}
	total := full
	for _, dimOnly := range []bool{true, false} {
		for total > width {
			i := t.leaver(gone, dimOnly)
			if i < 0 {
				break
			}
			gone[i] = true
			total -= t.leastOf(i, w[i]) + len(columnGap)
		}
	}
	for i := range t.cols {
		if gone[i] && !(t.cols[i].rare && t.allDim(i)) {
			t.short.gone = append(t.short.gone, t.cols[i].head)
		}
	}
	t.cutTexts(gone, w, width-total)
	t.cols = without(t.cols, gone)
	for i := range t.rows {
		t.rows[i] = without(t.rows[i], gone)
	}
}

// leastOf is how many columns of the screen a column takes at least.
func (t *table) leastOf(i, width int) int {
	if least := t.cols[i].least; least > 0 {
		return min(width, max(least, TextWidth(t.cols[i].head)))
	}
	return width
}

// cutTexts cuts texts to the least of their columns, with the room there is besides for
// the first of them.
func (t *table) cutTexts(gone []bool, w []int, room int) {
	for i := range t.cols {
		least := t.leastOf(i, w[i])
		if gone[i] || least == w[i] {
			continue
		}
		most := min(w[i], least+max(room, 0))
		room -= most - least
		if most == w[i] {
			continue
		}
		for _, row := range t.rows {
			row[i].text = cutText(row[i].text, most, t.cols[i].ends)
		}
		t.short.addCut(t.cols[i].head, t.cols[i].whole)
	}
}

// addCut says that the texts of a column are cut. Columns that stand whole in one place
// are named together.
func (s *shortage) addCut(head, whole string) {
	for i, c := range s.cut {
		if rest, ok := strings.CutSuffix(c, " cut: "+whole); ok {
			rest = strings.TrimSuffix(strings.TrimSuffix(rest, " is"), " are")
			s.cut[i] = strings.Replace(rest, " and ", ", ", 1) + " and " + head + " are truncated: " + whole
			return
		}
	}
	s.cut = append(s.cut, head+" is truncated: "+whole)
}

// cutText is text in at most so many columns, with … for what is left out: the end of
// it, or with ends the middle.
func cutText(s string, columns int, ends bool) string {
	if TextWidth(s) <= columns {
		return s
	}
	room := columns - 1 // for the …
	tail := ""
	if ends {
		tail = lastColumns(s, room-room/2)
		room -= TextWidth(tail)
	}
	n := 0
	for at, r := range s {
		if n += TextWidth(string(r)); n > room {
			return strings.TrimRight(s[:at], " ") + "…" + tail
		}
	}
	return s
}

// lastColumns is as much of the end of a text as so many columns show.
func lastColumns(s string, columns int) string {
	runes := []rune(s)
	n := 0
	for i := len(runes) - 1; i >= 0; i-- {
		if n += TextWidth(string(runes[i])); n > columns {
			return string(runes[i+1:])
		}
	}
	return s
}

// leaver is the column to leave next, -1 when none may.
func (t *table) leaver(gone []bool, dimOnly bool) int {
	best := -1
	for i := range t.cols {
		if gone[i] || t.cols[i].rank == 0 || dimOnly && !t.allDim(i) {
			continue
		}
		if best < 0 || t.cols[i].rank > t.cols[best].rank {
			best = i
		}
	}
	return best
}

func (t *table) allDim(i int) bool {
	for _, row := range t.rows {
		if !row[i].dim {
			return false
		}
	}
	return true
}

func without[T any](list []T, gone []bool) []T {
	kept := list[:0]
	for i := range list {
		if !gone[i] {
			kept = append(kept, list[i])
		}
	}
	return kept
}

// appendShort names what was left out of the table, and how to see it.
func (t *table) appendShort(dst []byte) []byte {
	return t.short.append(dst, t.faint.Start, t.faint.Stop)
}

// append appends "Not shown, as there are 80 columns: Bytes, Data; COLUMNS=119 shows them."
func (s *shortage) append(dst []byte, start, stop string) []byte {
	text := ""
	if len(s.gone) > 0 {
		them := "them"
		if len(s.gone) == 1 {
			them = "it"
		}
		text = "Not shown for lack of width: " + strings.Join(s.gone, ", ") + "; COLUMNS=" + strconv.Itoa(s.needs) + " shows " + them + "."
	}
	for _, c := range s.cut {
		text = strings.TrimPrefix(text+" "+c+".", " ")
	}
	if text == "" {
		return dst
	}
	return appendLines(dst, start, stop, text, max(s.width, 20))
}
