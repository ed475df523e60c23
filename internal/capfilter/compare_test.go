package capfilter

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/net/bpf"
)

// outcomes are what came of comparing an expression with tcpdump.
type outcomes struct {
	ours, plain, usual bool   // who has a program: we, tcpdump -O, tcpdump
	verdicts           string // of tcpdump on the packets, or refused
	parted             bool   // tcpdump selects a packet on which we get stuck
	wrong              string // a packet on which tcpdump differs from us and tcpdump -O
	failure            string // "" if all is as it should be
}

// A contest has the programs of an expression: ours, that of tcpdump -O, which makes
// the tests as they are written, and the one that tcpdump runs, which is rearranged.
type contest struct {
	progs [3][]bpf.Instruction
	vms   [3]*VM
	bare  bool // tcpdump -O has loads that decide nothing
}

// bareNetworks are expressions with a network that leaves out words of addresses:
// tcpdump -O loads them, and compares 0 with 0. tcpdump does not, nor do we.
var bareNetworks = regexp.MustCompile(`net .*(::|0/0)`)

// zeroFirst are refusals of tcpdump for divisors and widths that start with a
// number which is too small or too big, and are something else.
var zeroFirst = regexp.MustCompile("division by zero|modulus by zero|shift by more than 31 bits")

// useless is how we refuse what selects nothing.
const useless = "no packet can match this"

// compareWith compares the programs of an expression on packets, and on so many
// more that are steered through them.
func compareWith(t testing.TB, d *tcpdump, expr string, link uint32, all []packet, steer int) outcomes {
	var c contest
	var refusals [3]string
	ours, err := Compile(expr, link)
	c.progs[0] = ours
	c.progs[1], refusals[1] = d.program(t, expr, link, true)
	c.progs[2], refusals[2] = d.program(t, expr, link, false)
	c.bare = bareNetworks.MatchString(expr)
	for i, prog := range c.progs {
		if prog != nil {
			vm, err := NewVM(prog)
			if err != nil {
				return outcomes{failure: fmt.Sprintf("program %d can't be run: %v", i, err)}
			}
			c.vms[i] = vm
		}
	}
	o := outcomes{ours: err == nil, plain: c.vms[1] != nil, usual: c.vms[2] != nil, verdicts: refused}
	switch {
	case o.ours && !o.plain && !zeroFirst.MatchString(refusals[1]):
		o.failure = "we accept what tcpdump refuses: " + refusals[1]
	case o.ours && o.plain:
		o.failure = c.run(&o, all, steer)
	}
	if !o.plain {
		return o
	}
	o.verdicts = verdicts(c.vms[1], all)
	if !o.ours && strings.Contains(err.Error(), useless) && !strings.HasPrefix(o.verdicts, "    0") {
		o.failure = "we call this useless, tcpdump -O selects " + o.verdicts
	}
	if c.bare && o.usual {
		o.verdicts = verdicts(c.vms[2], all)
	}
	return o
}

// run compares verdicts, and says where one is wrong.
func (c *contest) run(o *outcomes, all []packet, steer int) string {
	for i, p := range all {
		if wrong := c.judge(o, p); wrong != "" {
			return fmt.Sprintf("packet %d, %s: %d bytes of %d: %x", i, wrong, len(p.data), p.wire, p.data)
		}
	}
	r := rand.New(rand.NewPCG(7, uint64(len(c.progs[1]))))
	for i := range steer {
		through := c.progs[i%3]
		if through == nil {
			through = c.progs[0]
		}
		p := steered(r, through, nil)
		if wrong := c.judge(o, p); wrong != "" {
			return fmt.Sprintf("steered packet, %s: %d bytes of %d: %x", wrong, len(p.data), p.wire, p.data)
		}
	}
	return ""
}

// judge says what is wrong with our verdict on a packet. It must be that of tcpdump
// -O. It is also that of tcpdump, unless we look beyond the end of the packet or
// divide by zero, and so reject it: tcpdump may have left that out, or put another
// test first. For few expressions tcpdump is wrong.
func (c *contest) judge(o *outcomes, p packet) (wrong string) {
	ours, plain := c.vms[0].Match(p.data, p.wire), c.vms[1].Match(p.data, p.wire)
	usual := ours
	if c.vms[2] != nil {
		usual = c.vms[2].Match(p.data, p.wire)
	}
	switch {
	case ours != plain && !(c.bare && ours && stuck(c.progs[1], p)):
		return fmt.Sprintf("we say %v, tcpdump -O does not", ours)
	case ours == usual:
	case !ours && stuck(c.progs[0], p):
		o.parted = true
	case o.wrong == "":
		o.wrong = fmt.Sprintf("we say %v, and so does tcpdump -O: %d bytes of %d: %x", ours, len(p.data), p.wire, p.data)
	}
	return ""
}

// TestTcpdumpIsWrong has expressions that tcpdump, unlike tcpdump -O, gets wrong on
// whole packets: it selects some that are of a network and are not.
func TestTcpdumpIsWrong(t *testing.T) {
	d := newTcpdump(t)
	all := packets(ethernet, manyPackets)
	for _, expr := range []string{
		"ip6 and (src net 2001:db8::/44 or udp) and not src net 2001:db8::/44",
		"src net 2001:db8::/44 and port 53 or src net 2001:db8::/44",
	} {
		o := compareWith(t, d, expr, ethernet, all, 300)
		if o.failure != "" {
			t.Errorf("%s: %s", expr, o.failure)
		}
		if o.wrong == "" {
			t.Logf("%s: this tcpdump gets it right", expr)
		}
	}
}
