package report

import (
	"github.com/dpdissect/dpdissect/dissect/render"
)

const (
	panelIndent = 3
	panelGap    = 4
	panelColumn = 7 // least width of a number: as wide as "a → b"
)

// A panel is a block of numbers in the two columns of the directions.
type panel struct {
	pairs []pair
	label int    // width
	sides [2]int // widths
}

func newPanel(pairs []pair) panel {
	pn := panel{pairs: pairs, sides: [2]int{panelColumn, panelColumn}}
	for i := range pairs {
		pn.label = max(pn.label, TextWidth(pairs[i].label))
		for s := range pn.sides {
			pn.sides[s] = max(pn.sides[s], pairs[i].sides[s].width())
		}
	}
	return pn
}

func (pn *panel) width() int {
	return pn.label + pn.sides[0] + pn.sides[1] + 2*len(columnGap)
}

// appendPanels appends panels side by side, as many as the width allows, and the
// others below them.
func (p *painter) appendPanels(dst []byte, width int, blocks ...[]pair) []byte {
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
func (p *painter) appendRow(dst []byte, panels []panel) []byte {
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
func (p *painter) appendPair(dst []byte, pn *panel, line, pending int) ([]byte, int) {
	if line >= len(pn.pairs) {
		return dst, pending + pn.width()
	}
	row := pair{sides: [2]cell{{text: "a → b", style: p.Heading}, {text: "b → a", style: p.Heading}}}
	if line >= 0 {
		row = pn.pairs[line]
	}
	if row.label != "" {
		dst = append(appendSpaces(dst, pending), row.label...)
		pending = 0
	}
	pending += pn.label - TextWidth(row.label)
	for s := range row.sides {
		dst = appendSpaces(dst, pending+len(columnGap)+pn.sides[s]-row.sides[s].width())
		dst = appendStyled(dst, row.sides[s].style, row.sides[s].text)
		pending = 0
	}
	return dst, pending
}

func appendStyled(dst []byte, s render.Style, text string) []byte {
	return append(append(append(dst, s.Start...), text...), s.Stop...)
}
