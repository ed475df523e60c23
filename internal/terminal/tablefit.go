package terminal

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/dpdissect/dpdissect/dissect/stable"
)

// DefaultWidth is the number of columns that tables take where nothing is known of who reads them.
const DefaultWidth = 100

// A shortage is what a table leaves out because it would be too wide.
type Shortage struct {
	Width int      // that was asked for
	needs int      // columns in which nothing is left out
	Gone  []string // heads of the columns that left
	Cut   []string // of those whose texts are cut, each with where they stand whole
}

// Fit leaves columns out until the table is as narrow as asked for: first those in
// which all is dim, then those that say the same in all rows, then all that may go, those
// of high rank before others. What then has room again comes back, the lowest rank first.
// Texts that may be cut take what is left, and no column leaves for more of them than the
// least they are cut to.
func (t *Table) Fit(width int) {
	w := t.widths()
	full := -len(ColumnGap)
	gone := make([]bool, len(t.Cols))
	for i := range t.Cols {
		if gone[i] = t.Cols[i].Rare && t.allDim(i); gone[i] {
			continue
		}
		full += t.leastOf(i, w[i]) + len(ColumnGap)
	}
	t.Short = Shortage{Width: width, needs: full}
	room := t.leave(gone, w, width-full)
	for i := range t.Cols {
		if gone[i] && !(t.Cols[i].Rare && t.allDim(i)) {
			t.Short.Gone = append(t.Short.Gone, t.goneWords(i))
		}
	}
	t.cutTexts(gone, w, room)
	t.Cols = without(t.Cols, gone)
	for i := range t.Rows {
		t.Rows[i] = without(t.Rows[i], gone)
	}
}

// leave leaves columns out until there is room for the others, brings those back that
// have room all the same, and gives what is left of it.
func (t *Table) leave(gone []bool, w []int, room int) int {
	takes := func(i int) int { return t.leastOf(i, w[i]) + len(ColumnGap) }
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
func (t *Table) leavers(gone []bool) (order []int) {
	tells := make([]int, len(t.Cols)) // 0 nothing, 1 the same in all rows, 2 more
	for i := range t.Cols {
		if gone[i] || t.Cols[i].Rank == 0 {
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
	stable.Sort(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(tells[a], tells[b]), cmp.Compare(t.Cols[b].Rank, t.Cols[a].Rank))
	})
	return order
}

// inAll is what a column says where several rows say the same, "" where they differ. A row
// that sums up others has nothing in columns that it does not sum up.
func (t *Table) inAll(i int) (text string) {
	n := 0
	for _, row := range t.Rows {
		if row[i].Text == "" {
			continue
		}
		if n++; n > 1 && row[i].Text != text {
			return ""
		}
		text = row[i].Text
	}
	if n < 2 {
		return ""
	}
	return text
}

// leastOf is the least width of a column, in columns of the screen.
func (t *Table) leastOf(i, width int) int {
	if least := t.Cols[i].Least; least > 0 {
		return min(width, max(least, Width(t.Cols[i].Head)))
	}
	return width
}

// cutTexts cuts texts to the least of their columns, with the room there is besides for
// the first of them.
func (t *Table) cutTexts(gone []bool, w []int, room int) {
	for i := range t.Cols {
		least := t.leastOf(i, w[i])
		if gone[i] || least == w[i] {
			continue
		}
		most := min(w[i], least+max(room, 0))
		room -= most - least
		if most == w[i] {
			continue
		}
		if t.Cols[i].Wraps {
			t.wrapTexts(i, most)
			continue
		}
		for _, row := range t.Rows {
			row[i].Text = Cut(row[i].Text, most, t.Cols[i].Ends)
		}
		t.Short.addCut(t.Cols[i].Head, t.Cols[i].Whole)
	}
}

// wrapTexts breaks the texts of a column at words. What goes on stands in rows that have
// nothing in the other columns.
func (t *Table) wrapTexts(i, most int) {
	var rows [][]Cell
	for _, row := range t.Rows {
		lines := Wrap(row[i].Text, most)
		row[i].Text = lines[0]
		rows = append(rows, row)
		for _, line := range lines[1:] {
			more := make([]Cell, len(row))
			more[i] = Cell{Text: line, Style: row[i].Style}
			rows = append(rows, more)
		}
	}
	t.Rows = rows
}

// addCut says that the texts of a column are cut. Columns that stand whole in one place
// are named together.
func (s *Shortage) addCut(head, whole string) {
	for i, c := range s.Cut {
		if rest, ok := strings.CutSuffix(c, " cut: "+whole); ok {
			rest = strings.TrimSuffix(strings.TrimSuffix(rest, " is"), " are")
			s.Cut[i] = strings.Replace(rest, " and ", ", ", 1) + " and " + head + " are truncated: " + whole
			return
		}
	}
	s.Cut = append(s.Cut, head+" is truncated: "+whole)
}

// Cut is text in at most so many columns, with … for what is left out: the end of
// it, or with ends the middle.
func Cut(s string, columns int, ends bool) string {
	if Width(s) <= columns {
		return s
	}
	if columns <= 0 {
		return ""
	}
	room := columns - 1 // for the …
	tail := ""
	if ends {
		tail = lastColumns(s, room-room/2)
		room -= Width(tail)
	}
	n := 0
	for at, r := range s {
		if n += Width(string(r)); n > room {
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
		if n += Width(string(runes[i])); n > columns {
			return string(runes[i+1:])
		}
	}
	return s
}

// goneWords name a column that left, with what all of its rows say: "Protocol (all dp8)".
func (t *Table) goneWords(i int) string {
	if text := t.inAll(i); text != "" {
		return t.Cols[i].Head + " (all " + text + ")"
	}
	return t.Cols[i].Head
}

func (t *Table) allDim(i int) bool {
	for _, row := range t.Rows {
		if !row[i].Dim {
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
func (t *Table) appendShort(dst []byte) []byte {
	return t.Short.Append(dst, t.faint.Start, t.faint.Stop)
}

// Append appends "Not shown, as there are 80 columns: Bytes, Data; COLUMNS=119 shows them."
func (s *Shortage) Append(dst []byte, start, stop string) []byte {
	text := ""
	if len(s.Gone) > 0 {
		them := "them"
		if len(s.Gone) == 1 {
			them = "it"
		}
		text = "Not shown for lack of width: " + strings.Join(s.Gone, ", ") + "; COLUMNS=" + strconv.Itoa(s.needs) + " shows " + them + "."
	}
	for _, c := range s.Cut {
		text = strings.TrimPrefix(text+" "+c+".", " ")
	}
	if text == "" {
		return dst
	}
	return AppendLines(dst, start, stop, text, max(s.Width, 20))
}
