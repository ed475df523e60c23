package report

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// DefaultWidth is the number of columns that tables take where nothing is known of who reads them.
const DefaultWidth = 100

// A shortage is what a table leaves out because it would be too wide.
type shortage struct {
	width int      // that was asked for
	needs int      // columns in which nothing is left out
	gone  []string // heads of the columns that left
	cut   []string // of those whose texts are cut, each with where they stand whole
}

// fit leaves columns out until the table is as narrow as asked for: first those in
// which all is dim, then those that say the same in all rows, then all that may go, those
// of high rank before others. What then has room again comes back, the lowest rank first.
// Texts that may be cut take what is left, and no column leaves for more of them than the
// least they are cut to.
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
	room := t.leave(gone, w, width-full)
	for i := range t.cols {
		if gone[i] && !(t.cols[i].rare && t.allDim(i)) {
			t.short.gone = append(t.short.gone, t.goneWords(i))
		}
	}
	t.cutTexts(gone, w, room)
	t.cols = without(t.cols, gone)
	for i := range t.rows {
		t.rows[i] = without(t.rows[i], gone)
	}
}

// leave leaves columns out until there is room for the others, brings those back that
// have room all the same, and gives what is left of it.
func (t *table) leave(gone []bool, w []int, room int) int {
	takes := func(i int) int { return t.leastOf(i, w[i]) + len(columnGap) }
	order := t.leavers(gone)
	n := 0
	for ; n < len(order) && room < 0; n++ {
		gone[order[n]] = true
		room += takes(order[n])
	}
	for _, i := range slices.Backward(order[:n]) {
		if takes(i) <= room {
			gone[i] = false
			room -= takes(i)
		}
	}
	return room
}

// leavers are the columns that may leave, in the order in which they do.
func (t *table) leavers(gone []bool) (order []int) {
	tells := make([]int, len(t.cols)) // 0 nothing, 1 the same in all rows, 2 more
	for i := range t.cols {
		if gone[i] || t.cols[i].rank == 0 {
			continue
		}
		order = append(order, i)
		switch {
		case t.allDim(i):
		case t.inAll(i) != "":
			tells[i] = 1
		default:
			tells[i] = 2
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(tells[a], tells[b]), cmp.Compare(t.cols[b].rank, t.cols[a].rank))
	})
	return order
}

// inAll is what a column says where several rows say the same, "" where they differ. A row
// that sums up others has nothing in columns that it does not sum up.
func (t *table) inAll(i int) (text string) {
	n := 0
	for _, row := range t.rows {
		if row[i].text == "" {
			continue
		}
		if n++; n > 1 && row[i].text != text {
			return ""
		}
		text = row[i].text
	}
	if n < 2 {
		return ""
	}
	return text
}

// leastOf is the least width of a column, in columns of the screen.
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
		if t.cols[i].wraps {
			t.wrapTexts(i, most)
			continue
		}
		for _, row := range t.rows {
			row[i].text = CutText(row[i].text, most, t.cols[i].ends)
		}
		t.short.addCut(t.cols[i].head, t.cols[i].whole)
	}
}

// wrapTexts breaks the texts of a column at words. What goes on stands in rows that have
// nothing in the other columns.
func (t *table) wrapTexts(i, most int) {
	var rows [][]cell
	for _, row := range t.rows {
		lines := wrapWords(row[i].text, most)
		row[i].text = lines[0]
		rows = append(rows, row)
		for _, line := range lines[1:] {
			more := make([]cell, len(row))
			more[i] = cell{text: line, style: row[i].style}
			rows = append(rows, more)
		}
	}
	t.rows = rows
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

// CutText is text in at most so many columns, with … for what is left out: the end of
// it, or with ends the middle.
func CutText(s string, columns int, ends bool) string {
	if TextWidth(s) <= columns {
		return s
	}
	if columns <= 0 {
		return ""
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

// goneWords name a column that left, with what all of its rows say: "Protocol (all dp8)".
func (t *table) goneWords(i int) string {
	if text := t.inAll(i); text != "" {
		return t.cols[i].head + " (all " + text + ")"
	}
	return t.cols[i].head
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
