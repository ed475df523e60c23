package compare

import (
	"fmt"
	"slices"
	"time"

	"github.com/dpdissect/dpdissect/dissect/stable"
)

// NothingInCommon says that two captures do not hold the same session, and what was looked for.
type NothingInCommon struct{ Lines []string }

func (e *NothingInCommon) Error() string { return e.Lines[0] }

// mostLooked is how many address pairs of each capture are listed.
const mostLooked = 4

// nothing says what was looked for, and which mistake is likelier.
func (p *pairing) nothing() error {
	a, b := p.c[0], p.c[1]
	e := p.apart(fmt.Sprintf("%s and %s have nothing in common: no address pair says at least %d different things in order at both points", a.Name, b.Name, inOrderLeast))
	e.Lines = append(e.Lines, p.mistake())
	return e
}

// apart says why two captures are none of one session, and what was looked for.
func (p *pairing) apart(why string) *NothingInCommon {
	e := &NothingInCommon{[]string{why}}
	for at, c := range p.c {
		e.Lines = append(e.Lines, fmt.Sprintf("%s: %s, %d UDP datagrams of %d address pairs", c.Name, c.when(), len(c.list), len(c.pairs)))
		e.Lines = append(e.Lines, p.looked(at)...)
	}
	return e
}

// knowEachOther reports whether an address pair that says something unique has its addresses at both points.
func (p *pairing) knowEachOther() bool {
	return slices.ContainsFunc(p.lines, func(l *line) bool {
		if len(l.dirs[0].anchors)+len(l.dirs[1].anchors) == 0 {
			return false
		}
		return slices.ContainsFunc(l.pairs[0], func(i int32) bool {
			return slices.ContainsFunc(l.pairs[1], func(k int32) bool { return p.c[0].pairs[i] == p.c[1].pairs[k] })
		})
	})
}

// alike says that two captures hold sessions that say the same, as those of one program may, and that nothing else
// makes them one.
func (p *pairing) alike() error {
	return p.apart(fmt.Sprintf("%s and %s are two sessions that say the same: no address pair is in both, and no clock, whenever it was set, tells the times of one from those of the other", p.c[0].Name, p.c[1].Name))
}

// when is from when to when a capture listened.
func (c *Capture) when() string {
	if !c.hasTime {
		return "without times"
	}
	at := func(ns int64) string { return time.Unix(0, ns).UTC().Format(time.DateTime) }
	return at(c.first) + " to " + at(c.last)
}

// looked says how many payloads of each address pair were looked for, and how many of them the
// other capture has.
func (p *pairing) looked(at int) (out []string) {
	c, other := p.c[at], p.c[1-at]
	known := make(map[uint64]bool, len(other.list))
	for i := range other.list {
		known[other.list[i].hash] = true
	}
	type count struct{ pair, all, found int }
	counts := make([]count, len(c.pairs))
	seen := map[uint64]bool{}
	for i := range c.list {
		n := &counts[c.flows[c.list[i].flow].pair]
		if n.pair = int(c.flows[c.list[i].flow].pair); seen[c.list[i].hash] {
			continue
		}
		seen[c.list[i].hash] = true
		if n.all++; known[c.list[i].hash] {
			n.found++
		}
	}
	stable.Sort(counts, func(a, b count) int { return b.all - a.all })
	for i, n := range counts {
		if i == mostLooked {
			return append(out, fmt.Sprintf("  and %d more address pairs", len(counts)-i))
		}
		x := c.pairs[n.pair]
		out = append(out, fmt.Sprintf("  %s and %s: %d payloads looked for in %s, %d found", x.lo, x.hi, n.all, other.Name, n.found))
	}
	return out
}

// mistake is what the likelier mistake is.
func (p *pairing) mistake() string {
	a, b := p.c[0], p.c[1]
	tunnels := [2]string{a.tunnels(), b.tunnels()}
	for at, c := range p.c {
		if t := tunnels[at]; t != "" && tunnels[1-at] != t {
			return fmt.Sprintf("%s holds %s: what it carries cannot be compared; capture before it is encrypted", c.Name, t)
		}
	}
	day := int64(24 * time.Hour)
	switch apart := max(a.first-b.last, b.first-a.last); {
	case len(a.list) == 0 || len(b.list) == 0:
		return "a capture has no UDP: another interface, or a capture filter that leaves it out"
	case a.hasTime && b.hasTime && apart > day/2:
		return fmt.Sprintf("the captures are %s apart: of another day, unless a clock is wrong", Length(apart))
	case a.hasTime && b.hasTime && apart > 0:
		return fmt.Sprintf("the captures are %s apart: of another session, unless a clock is wrong", Length(apart))
	case !p.shareAddress():
		return "no address is in both: another server, or one of them was captured within a VPN or tunnel"
	}
	return "addresses are in both, payloads are not: another session, or something between them changes all bytes"
}

// tunnels names what hides datagrams of a capture, "" for nothing: it is read once more.
func (c *Capture) tunnels() string {
	src, err := c.Open()
	if err != nil {
		return "" // it was read before: readers have told
	}
	defer src.Close()
	for {
		p, ok := src.Next()
		if !ok {
			return ""
		}
		if p == nil {
			continue
		}
		if t := tunnelOf(p); t != "" {
			return t
		}
	}
}

// shareAddress reports whether a machine is in both captures.
func (p *pairing) shareAddress() bool {
	known := map[[16]byte]bool{}
	for _, x := range p.c[0].pairs {
		known[x.lo.IP], known[x.hi.IP] = true, true
	}
	return slices.ContainsFunc(p.c[1].pairs, func(x pair) bool { return known[x.lo.IP] || known[x.hi.IP] })
}
