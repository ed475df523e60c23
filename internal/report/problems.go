package report

import (
	"strconv"

	"github.com/dpdissect/dpdissect/internal/explain"
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
	t := p.table([]column{{head: "#"}, {head: "Who", left: true, least: 22, ends: true, whole: "'dpdissect explain' has"}, {head: "When", left: true, rank: 1}, {head: "Problems, worst first", left: true, least: 36, wraps: true}})
	most := ToldProblems
	if opts.Top > 0 {
		most = opts.Top
	}
	for _, s := range arranged(list, "worst") {
		if !s.bad || len(t.rows) == most {
			rest[s.kind]++
			continue
		}
		x, _ := a.Story.Of(s.conn)
		t.rows = append(t.rows, p.problemRow(&x, opts))
	}
	if len(t.rows) > 0 {
		t.fit(opts.Width)
		dst = t.append(dst)
	}
	head := "No problems: "
	if len(t.rows) > 0 {
		head = "The others: "
	}
	if len(rest) == 0 {
		return dst
	}
	return appendWrapped(append(dst, head...), plainCells(kindsOf(rest)), len(head), opts.Width)
}

func (p *painter) problemRow(x *explain.Connection, opts *TextOptions) []cell {
	_, address := x.Who()
	when := cell{}
	if ns, ok := x.When(); ok {
		when = p.plain(opts.clock()(ns))
	}
	return []cell{{text: strconv.Itoa(x.ID)}, p.plain(p.named(address)), when, {text: escaped(x.Brief()), style: p.gravity(x)}}
}
