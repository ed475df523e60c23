package capfilter

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"golang.org/x/net/bpf"
)

// A comparison of our program with tcpdump's.
type outcomes struct {
	ours, theirs string // verdicts, or refused
	failure      string // "" if they agree, or if only we refuse
}

// compareWith compares the programs of an expression on packets, and on so many
// more that are steered through both.
func compareWith(t testing.TB, d *tcpdump, expr string, link uint32, all []packet, steer int) outcomes {
	c := outcomes{refused, refused, ""}
	theirs, refusal := d.program(t, expr, link)
	prog, err := Compile(expr, link)
	if refusal != "" {
		if err == nil {
			c.failure = "we accept what tcpdump refuses: " + refusal
		}
		return c
	}
	vt, errT := NewVM(theirs)
	if errT != nil {
		if err == nil {
			c.failure = "tcpdump's program can't be run: " + errT.Error()
		}
		return c
	}
	c.theirs = verdicts(vt, all)
	if err != nil {
		return c
	}
	vo, err := NewVM(prog)
	if err != nil {
		c.failure = err.Error()
		return c
	}
	c.ours = verdicts(vo, all)
	for i, p := range all {
		if vo.Match(p.data, p.wire) != vt.Match(p.data, p.wire) {
			c.failure = fmt.Sprintf("packet %d, %d bytes of %d: ours %v: %x", i, len(p.data), p.wire, vo.Match(p.data, p.wire), p.data)
			return c
		}
	}
	c.failure = steerBoth(prog, theirs, vo, vt, steer)
	return c
}

// steerBoth compares programs on packets that are steered through them.
func steerBoth(prog, theirs []bpf.Instruction, vo, vt *VM, n int) string {
	r := rand.New(rand.NewPCG(7, uint64(len(theirs))))
	for i := range n {
		through := prog
		if i%2 == 0 {
			through = theirs
		}
		p := steered(r, through, nil)
		if ours := vo.Match(p.data, p.wire); ours != vt.Match(p.data, p.wire) {
			return fmt.Sprintf("steered packet of %d bytes of %d: ours %v: %x", len(p.data), p.wire, ours, p.data)
		}
	}
	return ""
}
