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
	t := p.table([]column{{head: "Problems, worst first", left: true}, {head: "Who", left: true, rank: 2}, {head: "When", left: true, rank: 1}, {head: "What happened", left: true, least: 30, whole: "'dpdissect explain' has"}})
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
	when := cell{}
	if ns, ok := x.When(); ok {
		when = p.plain(opts.clock()(ns))
	}
	return []cell{{text: "#" + strconv.Itoa(x.ID)}, p.plain(p.who(x)), when, {text: escaped(x.Brief()), style: p.gravity(x)}}
}

// who is the side that a line is about: its role, and its address or name.
func (p *painter) who(x *explain.Connection) string {
	role, address := x.Who()
	if role == "" {
		return p.named(address)
	}
	return role + " " + p.named(address)
}
