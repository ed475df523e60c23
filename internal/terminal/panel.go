package terminal

import (
	"github.com/dpdissect/dpdissect/dissect/render"
)

const (
	panelIndent = 3
	panelGap    = 4
	panelColumn = 7 // least width of a number: as wide as "a → b"
)

// A Pair is one number of both directions.
type Pair struct {
	Label string
	Sides [2]Cell
}

// A panel is a block of numbers in the two columns of the directions.
type panel struct {
	pairs []Pair
	label int    // width
	sides [2]int // widths
}

func newPanel(pairs []Pair) panel {
	pn := panel{pairs: pairs, sides: [2]int{panelColumn, panelColumn}}
	for i := range pairs {
		pn.label = max(pn.label, Width(pairs[i].Label))
		for s := range pn.sides {
			pn.sides[s] = max(pn.sides[s], pairs[i].Sides[s].Width())
		}
	}
	return pn
}

func (pn *panel) width() int {
	return pn.label + pn.sides[0] + pn.sides[1] + 2*len(ColumnGap)
}

// AppendPanels appends panels side by side, as many as the width allows, and the
// others below them.
func (p *Painter) AppendPanels(dst []byte, width int, blocks ...[]Pair) []byte {
	panels := make([]panel, len(blocks))
	for i, b := range blocks {
		panels[i] = newPanel(b)
	}
	for first := 0; first < len(panels); {
		next, total := first+1, panelIndent+panels[first].width()
		for next < len(panels) && total+panelGap+panels[next].width() <= width {
			total += panelGap + panels[next].width()
			next++
		}
		if first > 0 {
			dst = append(dst, '\n')
		}
		dst = p.appendRow(dst, panels[first:next])
		first = next
	}
	return dst
}

// appendRow appends panels side by side; line -1 is their heads.
func (p *Painter) appendRow(dst []byte, panels []panel) []byte {
	last := 0
	for i := range panels {
		last = max(last, len(panels[i].pairs))
	}
	for line := -1; line < last; line++ {
		pending := panelIndent
		for i := range panels {
			dst, pending = p.appendPair(dst, &panels[i], line, pending)
			pending += panelGap
		}
		dst = append(dst, '\n')
	}
	return dst
}

// appendPair appends a line of a panel. Spaces are written only when something
// follows them; it gives how many are due.
func (p *Painter) appendPair(dst []byte, pn *panel, line, pending int) ([]byte, int) {
	if line >= len(pn.pairs) {
		return dst, pending + pn.width()
	}
	row := Pair{Sides: [2]Cell{{Text: "a → b", Style: p.Heading}, {Text: "b → a", Style: p.Heading}}}
	if line >= 0 {
		row = pn.pairs[line]
	}
	if row.Label != "" {
		dst = append(AppendSpaces(dst, pending), row.Label...)
		pending = 0
	}
	pending += pn.label - Width(row.Label)
	for s := range row.Sides {
		dst = AppendSpaces(dst, pending+len(ColumnGap)+pn.sides[s]-row.Sides[s].Width())
		dst = AppendStyled(dst, row.Sides[s].Style, row.Sides[s].Text)
		pending = 0
	}
	return dst, pending
}

func AppendStyled(dst []byte, s render.Style, text string) []byte {
	return append(append(append(dst, s.Start...), text...), s.Stop...)
}
