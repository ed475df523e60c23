package lab

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dpdissect/dpdissect/dissect"
)

// An Op is one accident of capturing or of the network. It names datagrams by
// their place in the whole capture, from 0, so that leaving another out does not
// change what it does.
type Op struct {
	Kind Kind
	At   int
	To   int           // Drop: the first that is not lost
	Side int           // Drop: 1 or 2 loses those of this side alone
	By   time.Duration // Copy, Relay: so much later; Shift: for all; Coarse: the clock's step
	Len  int           // Cut: bytes left
}

// Kind is what an Op does.
type Kind uint8

const (
	Drop   Kind = iota // the capture misses datagrams At to To
	Copy               // a network or a mirror port doubles At
	Swap               // At and the one after it come the other way round
	Cut                // the capture keeps the first Len bytes of At
	Shift              // all times are wrong by By
	Coarse             // the clock of the capture goes in steps of By
	Relay              // a relay sends At again, in an IP packet of its own
)

var kindNames = [...]string{"drop", "copy", "swap", "cut", "shift", "coarse", "relay"}

func (o Op) String() string {
	switch o.Kind {
	case Drop:
		return strings.TrimSpace(fmt.Sprintf("drop %d-%d %s", o.At, o.To, []string{"", "a", "b"}[o.Side]))
	case Copy, Relay:
		return fmt.Sprintf("%s %d +%v", kindNames[o.Kind], o.At, o.By)
	case Cut:
		return fmt.Sprintf("cut %d %d", o.At, o.Len)
	case Shift, Coarse:
		return fmt.Sprintf("%s %v", kindNames[o.Kind], o.By)
	}
	return fmt.Sprintf("swap %d", o.At)
}

// Ops is an edited capture, as what was done to the whole one.
type Ops []Op

func (s Ops) String() string {
	all := make([]string, len(s))
	for i, o := range s {
		all[i] = o.String()
	}
	return strings.Join(all, "; ")
}

// ParseOps reads what Ops.String writes.
func ParseOps(text string) (ops Ops, err error) {
	for _, one := range strings.Split(text, ";") {
		if strings.TrimSpace(one) == "" {
			continue
		}
		o, err := parseOp(strings.Fields(one))
		if err != nil {
			return nil, fmt.Errorf("%q: %w", one, err)
		}
		ops = append(ops, o)
	}
	return ops, nil
}

func parseOp(f []string) (o Op, err error) {
	kind := slices.Index(kindNames[:], f[0])
	if kind < 0 || len(f) < 2 {
		return o, fmt.Errorf("want one of %v and a number", kindNames)
	}
	o.Kind = Kind(kind)
	if o.Kind == Shift || o.Kind == Coarse {
		o.By, err = time.ParseDuration(f[1])
		return o, err
	}
	from, to, _ := strings.Cut(f[1], "-")
	if o.At, err = strconv.Atoi(from); err != nil {
		return o, err
	}
	rest := strings.Join(f[2:], "")
	switch o.Kind {
	case Drop:
		o.Side = max(slices.Index([]string{"", "a", "b"}, rest), 0)
		o.To, err = strconv.Atoi(to)
	case Copy, Relay:
		o.By, err = time.ParseDuration(strings.TrimPrefix(rest, "+"))
	case Cut:
		o.Len, err = strconv.Atoi(rest)
	}
	return o, err
}

// swapSpan is how far apart datagrams may be to change places.
const swapSpan = 30 * time.Millisecond

// edited applies ops to a capture, of which it changes nothing. A datagram at fault
// stays whole: without it what is left can look like a fault of the one who acted on it.
func (s *Subject) edited(ops Ops) []dissect.Datagram {
	marks := make([]mark, len(s.all))
	var copies []Op
	for _, o := range ops {
		if o.At < 0 || o.At >= len(marks) {
			continue
		}
		switch o.Kind {
		case Drop:
			for i := o.At; i < min(o.To, len(marks)); i++ {
				marks[i].gone = marks[i].gone || o.Side == 0 || int(s.side[i]) == o.Side
			}
		case Copy, Relay:
			copies = append(copies, o)
		case Swap:
			marks[o.At].swapped = true
		case Cut:
			marks[o.At].cut, marks[o.At].len = true, o.Len
		}
	}
	for _, i := range s.faults {
		marks[i].gone, marks[i].cut = false, false
	}
	out := make([]dissect.Datagram, 0, len(s.all)+len(copies))
	order := make([]int, 0, len(s.all))
	for i := range marks {
		if !marks[i].gone {
			out, order = append(out, marks[i].of(&s.all[i])), append(order, i)
		}
	}
	swap(out, order, marks)
	return renumber(timed(s.copy(out, order, marks, copies), ops))
}

// timed changes the clock of the capture.
func timed(all []dissect.Datagram, ops Ops) []dissect.Datagram {
	for _, o := range ops {
		if o.Kind != Shift && o.Kind != Coarse {
			continue
		}
		for i := range all {
			if t := &all[i].Time; o.Kind == Shift {
				*t += int64(o.By)
			} else {
				*t -= *t % int64(max(o.By, 1))
			}
		}
	}
	return all
}

// A mark is what is done to one datagram.
type mark struct {
	gone, swapped, cut bool
	len                int
}

// of is the datagram as the capture keeps it.
func (m *mark) of(d *dissect.Datagram) dissect.Datagram {
	c := *d
	if m.cut && c.Kind == dissect.UDP {
		c.Payload = c.Payload[:min(m.len, len(c.Payload))]
	}
	return c
}

// swap exchanges neighbours; times stay in order.
func swap(out []dissect.Datagram, order []int, marks []mark) {
	for k := 0; k+1 < len(out); k++ {
		a, b := &out[k], &out[k+1]
		if marks[order[k]].swapped && b.Time-a.Time < int64(swapSpan) {
			*a, *b = *b, *a
			a.Time, b.Time = b.Time, a.Time
			order[k], order[k+1] = order[k+1], order[k]
			k++
		}
	}
}

// copy adds copies. What was not captured itself is copied only within the time
// that a late datagram may take.
func (s *Subject) copy(out []dissect.Datagram, order []int, marks []mark, copies []Op) []dissect.Datagram {
	if len(copies) == 0 {
		return out
	}
	at := make(map[int]int64, len(order))
	for k, i := range order {
		at[i] = out[k].Time
	}
	for _, o := range copies {
		t, kept := at[o.At]
		if !kept {
			if o.By >= swapSpan {
				continue
			}
			t = s.all[o.At].Time
		}
		c := marks[o.At].of(&s.all[o.At])
		c.Time = t + int64(o.By)
		if o.Kind == Relay {
			relayed(&c)
		}
		out = append(out, c)
	}
	slices.SortStableFunc(out, func(a, b dissect.Datagram) int { return int(a.Time - b.Time) })
	return out
}

// relayed makes a datagram one that a relay sent on: the same bytes in another IP packet.
func relayed(d *dissect.Datagram) {
	if d.TTL--; d.IPID != 0 {
		d.IPID ^= 0x5555
		d.IPID = max(d.IPID, 1)
	}
}

// renumber counts the packets again.
func renumber(all []dissect.Datagram) []dissect.Datagram {
	for i := range all {
		all[i].Frame = uint64(i + 1)
	}
	return all
}
