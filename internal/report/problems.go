package report

import (
	"strconv"

	"github.com/dpdissect/dpdissect/internal/explain"
	"github.com/dpdissect/dpdissect/internal/terminal"
)

// How much of what happened is told where nobody asks for more.
const (
	ToldProblems = 12 // lines of problems
	listedConns  = 20 // rows of the table of connections
	detailed     = 2  // connections in full, of those in trouble
)

// appendProblems appends a line for each connection in trouble, the worst first, and one
// that counts the others.
func (p *painter) appendProblems(dst []byte, a *Analysis, list []standing, opts *TextOptions) []byte {
	rest := map[string]int{}
	t := p.Table([]terminal.Column{{Head: "#"}, {Head: "Who", Left: true, Least: 22, Ends: true, Whole: "'dpdissect explain' has"}, {Head: "When", Left: true, Rank: 1}, {Head: "Problems, worst first", Left: true, Least: 36, Wraps: true}})
	most := ToldProblems
	if opts.Top > 0 {
		most = opts.Top
	}
	for _, s := range arranged(list, "worst") {
		if !s.bad || len(t.Rows) == most {
			rest[s.kind]++
			continue
		}
		x, _ := a.Story.Of(s.conn)
		t.Rows = append(t.Rows, p.problemRow(&x, opts))
	}
	if len(t.Rows) > 0 {
		t.Fit(opts.Width)
		dst = t.Append(dst)
	}
	head := "No problems: "
	if len(t.Rows) > 0 {
		head = "The others: "
	}
	if len(rest) == 0 {
		return dst
	}
	return terminal.AppendWrapped(append(dst, head...), terminal.Cells(kindsOf(rest)), len(head), opts.Width)
}

func (p *painter) problemRow(x *explain.Connection, opts *TextOptions) []terminal.Cell {
	_, address := x.Who()
	when := terminal.Cell{}
	if ns, ok := x.When(); ok {
		when = p.Plain(opts.clock()(ns))
	}
	return []terminal.Cell{{Text: strconv.Itoa(x.ID)}, p.Plain(p.named(address)), when, {Text: terminal.Escaped(x.Brief()), Style: p.gravity(x)}}
}
