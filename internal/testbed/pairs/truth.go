package pairs

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"

	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/sim"
)

// Fates of datagrams, as compare names them.
const (
	Delivered      = "delivered"
	LostBetween    = "lost_between"
	MissedByFirst  = "missed_by_first"
	MissedBySecond = "missed_by_second"
	Uncertain      = "uncertain" // said, and never true
	LostBefore     = "lost_before"
	MissedByBoth   = "missed_by_both"
	Outside        = "outside"
)

// A Truth is what became of each datagram that was sent, and what the clocks
// showed.
type Truth struct {
	Start      int64      `json:"start"` // true time at which the session began, ns since 1970
	Same       bool       `json:"same_point,omitempty"`
	Identified bool       `json:"identified"` // all datagrams have identifications, the same at both points
	Datagrams  []Datagram `json:"datagrams"`
}

// A Datagram is what became of one. Points are 1 and 2 in the order of the captures, here 0
// and 1; First is the one that it passes first.
type Datagram struct {
	Index    int      `json:"index"` // in the log
	Side     int      `json:"side"`
	Player   int      `json:"player,omitempty"`
	UDP      bool     `json:"udp"`
	Other    bool     `json:"other,omitempty"` // of no connection
	Injected bool     `json:"injected,omitempty"`
	Tells    bool     `json:"tells,omitempty"` // how the session ends
	First    int      `json:"first"`
	Fate     string   `json:"fate"`
	Edge     bool     `json:"edge,omitempty"` // or Outside: it was due when the other capture had hardly begun or was about to end
	Frames   [2][]int `json:"frames"`         // captured, of all copies and fragments
	Whole    [2]int   `json:"whole"`          // the one with which it was whole, 0 for none
	Parts    int      `json:"parts"`
	Copies   int      `json:"copies,omitempty"` // made between the points, captured beyond those captured at the first
	Late     bool     `json:"reordered,omitempty"`
	Altered  bool     `json:"altered,omitempty"`
	OneWay   int64    `json:"one_way,omitempty"` // ns, of the delivered
	Sent     int64    `json:"at"`                // true time at which it passed the first point that it passed, ns
	Alike    int      `json:"alike"`             // the datagrams of its direction with the same bytes, as far as both captures keep them, have the same
}

// truth tells it once all has passed.
func (x *taking) truth() Truth {
	t := Truth{Start: x.start, Same: x.Plan.At[0] == x.Plan.At[1], Identified: x.identified}
	fastest, slowest := x.delays()
	margin := (fastest[0] + fastest[1]) / 2
	alike := map[string]int{}
	for i := range x.lives {
		d, l := &x.log.Sent[i], &x.lives[i]
		f := x.Plan.first(d.Side)
		first, second := &l[f], &l[1-f]
		key := fmt.Sprint(d.Side, d.Player, len(d.Payload), string(d.Payload[:min(len(d.Payload), x.kept(d.From.Addr().Is6()))]))
		if _, ok := alike[key]; !ok {
			alike[key] = len(alike)
		}
		o := Datagram{Index: i, Side: d.Side, Player: d.Player, UDP: d.UDP, Other: d.Other, Injected: d.Injected, Tells: d.Tells, First: f, Parts: d.Parts,
			Frames: [2][]int{l[0].frames, l[1].frames}, Whole: [2]int{l[0].whole, l[1].whole},
			Sent: cmp.Or(first.at, second.at), Alike: alike[key]}
		o.Fate = x.fate(l, f)
		due := [2]int64{first.at + fastest[d.Side] - margin, first.at + slowest[d.Side] + margin}
		if second.at != 0 {
			due = [2]int64{second.at - margin, second.at + margin}
		}
		switch o.Fate {
		case LostBetween, MissedBySecond:
			o.Edge = due[0] <= x.span[1-f][0] || due[1] >= x.span[1-f][1]
		case MissedByFirst:
			o.Edge = second.at-slowest[d.Side]-margin <= x.span[f][0] || second.at-fastest[d.Side]+margin >= x.span[f][1]
		case Outside:
			point, at := 1-f, second.at
			if o.Whole[f] == 0 {
				point, at = f, first.at
			}
			o.Edge = near(at, x.span[point][0], margin) || near(at, x.span[point][1], margin)
		case Delivered:
			o.OneWay = second.taken - first.taken
			o.Altered = d.Changed && x.Plan.At[1-f] == sim.Place(1-d.Side) // bytes are changed on the last part of the way
		}
		if d.Parts == 1 {
			o.Copies = max(0, len(second.frames)-len(first.frames))
		}
		t.Datagrams = append(t.Datagrams, o)
	}
	x.late(t.Datagrams)
	return t
}

func near(a, b, margin int64) bool { return max(a-b, b-a) <= margin }

// fate is what became of a datagram that passes a point first.
func (x *taking) fate(l *life, f int) string {
	first, second := &l[f], &l[1-f]
	switch {
	case first.whole > 0 && second.whole > 0:
		return Delivered
	case first.whole > 0 && second.at == 0:
		return LostBetween
	case first.whole > 0 && !x.taps[1-f].runs(second.at):
		return Outside
	case first.whole > 0:
		return MissedBySecond
	case second.whole > 0 && first.at != 0 && !x.taps[f].runs(first.at):
		return Outside
	case second.whole > 0:
		return MissedByFirst
	case second.at == 0:
		return LostBefore
	}
	return MissedByBoth
}

// delays are the shortest and the longest time that datagrams of each side took between the
// points.
func (x *taking) delays() (fastest, slowest [2]int64) {
	fastest = [2]int64{1 << 62, 1 << 62}
	for i := range x.lives {
		side, l := x.log.Sent[i].Side, &x.lives[i]
		f := x.Plan.first(side)
		if l[0].at == 0 || l[1].at == 0 {
			continue
		}
		took := l[1-f].at - l[f].at
		fastest[side], slowest[side] = min(fastest[side], took), max(slowest[side], took)
	}
	for side := range fastest {
		if fastest[side] == 1<<62 {
			fastest[side] = 0
		}
	}
	return fastest, slowest
}

// kept is how many bytes of a payload both captures keep.
func (x *taking) kept(ipv6 bool) int {
	least := 1 << 16
	for _, c := range x.Plan.Points {
		if c.Snaplen == 0 {
			continue
		}
		n := c.Snaplen - 8 - 20
		if ipv6 {
			n -= 20
		}
		if !c.Raw {
			n -= 14
		}
		least = min(least, max(0, n))
	}
	return least
}

// late marks datagrams that arrived after one that passed the first point later (RFC 4737).
func (x *taking) late(all []Datagram) {
	type flow struct {
		from, to netip.AddrPort
		player   int
	}
	byFlow := map[flow][]*Datagram{}
	for i := range all {
		if d := &all[i]; d.Fate == Delivered {
			s := &x.log.Sent[d.Index]
			f := flow{s.From, s.To, s.Player}
			byFlow[f] = append(byFlow[f], d)
		}
	}
	for _, list := range byFlow {
		f := list[0].First
		slices.SortFunc(list, func(a, b *Datagram) int { return a.Whole[1-f] - b.Whole[1-f] })
		top := 0
		for _, d := range list {
			d.Late = d.Whole[f] < top
			top = max(top, d.Whole[f])
		}
	}
}
