package compare

import (
	"fmt"
	"math"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/internal/explain"
)

// What ends a connection by losses: so many after the last that arrived, over such a time.
const (
	leastTail = 3
	tailTime  = 1e9 // ns
	longIdle  = 20e9
)

// cutOff reports whether nothing of a side arrives any more, for certain.
func (d *tail) cutOff() bool {
	return d.gone() && d.lost >= leastTail && d.last-d.lostAt >= tailTime
}

// gone reports whether what did not arrive at the end was not just missed by a capture.
func (d *tail) gone() bool { return d.lost > 0 && d.lost >= d.need }

// notMissed is how many datagrams in a row a capture hardly misses by chance.
func (p *pairing) notMissed(at int) int {
	if p.needs[at] == 0 {
		p.needs[at] = p.hardlyMissed(at)
	}
	return p.needs[at]
}

func (p *pairing) hardlyMissed(at int) int {
	missed := p.missedBy(at)
	if missed == 0 {
		return 1
	}
	rate := float64(missed+1) / float64(missed+len(p.c[at].list)+1)
	return int(math.Ceil(math.Log(byChance) / math.Log(rate)))
}

// pathDead is a path that carries nothing any more, either way.
func pathDead(j *joint) (f finding, ok bool) {
	a, b := &j.dirs[0], &j.dirs[1]
	if a.first == none || b.first == none || a.lost+b.lost < 2*leastTail || !a.gone() || !b.gone() || !a.cutOff() && !b.cutOff() {
		return f, false
	}
	f = finding{cause: explain.PathDead, side: "path", at: min(a.lostAt, b.lostAt),
		sentence: fmt.Sprintf("The path died at %s: from then on %s of %s and %s of %s passed their own capture point and never the other one.", clock(min(a.lostAt, b.lostAt)), datagrams(a.lost), j.who(0), datagrams(b.lost), j.who(1)),
		refute:   "a later datagram of this connection in both captures"}
	f.decidedBy = fmt.Sprintf("both captures: what passed %s is not in %s, and the other way round", j.name(a.first), j.name(b.first))
	f.cite(a)
	f.cite(b)
	return f, true
}

// bothGone is a path that most likely carries nothing any more: captures that miss much may have missed
// what still came, but a side that one of them calls silent goes on at its own point.
func bothGone(j *joint) (f finding, ok bool) {
	v := &j.x.Verdict
	a, b := &j.dirs[0], &j.dirs[1]
	if v.Cause != explain.PeerSilent || a.lost < leastTail || b.lost < leastTail || a.last-a.lostAt < tailTime || b.last-b.lostAt < tailTime {
		return f, false
	}
	f = finding{cause: explain.PathDead, side: "path", at: min(a.lostAt, b.lostAt), likely: true,
		sentence: fmt.Sprintf("Most likely the path died at %s: both sides still sent then, and of %s of %s and %s of %s none is in the other capture, which misses some.", clock(min(a.lostAt, b.lostAt)), datagrams(a.lost), j.who(0), datagrams(b.lost), j.who(1)),
		refute:   "a later datagram of this connection in both captures"}
	f.decidedBy = fmt.Sprintf("both captures: each side sends at its own point, and nothing of %s is in %s any more, nor the other way round", j.name(a.first), j.name(b.first))
	f.cite(a)
	f.cite(b)
	return f, true
}

// oneWay is a path that carries one direction alone.
func oneWay(j *joint) (f finding, ok bool) {
	for dir := range dissect.Dirs {
		d, o := &j.dirs[dir], &j.dirs[dir.Other()]
		if d.first == none || !d.cutOff() || o.lost >= leastTail || o.lastArrived <= d.lostAt {
			continue
		}
		f = finding{cause: explain.OneWay, side: "path", at: d.lostAt,
			sentence:  fmt.Sprintf("From %s on nothing of %s arrived: %s passed %s and not %s, while what %s sent arrived until %s.", clock(d.lostAt), j.who(dir), datagrams(d.lost), j.name(d.first), j.name(1-d.first), j.who(dir.Other()), clock(o.lastArrived)),
			decidedBy: fmt.Sprintf("%s, in which %s of %s are missing that %s holds", j.name(1-d.first), datagrams(d.lost), j.who(dir), j.name(d.first)),
			refute:    fmt.Sprintf("a later datagram of %s in %s", j.who(dir), j.name(1-d.first))}
		f.cite(d)
		return f, true
	}
	return f, false
}

// natExpired is a direction that is lost from the end of an idle time on.
func natExpired(j *joint) (f finding, ok bool) {
	for dir := range dissect.Dirs {
		d, o := &j.dirs[dir], &j.dirs[dir.Other()]
		if d.first == none || !d.cutOff() || d.lostAt-d.before < longIdle || o.lost >= leastTail {
			continue
		}
		f = finding{cause: explain.NATExpired, side: "path", at: d.lostAt,
			sentence:  fmt.Sprintf("After %s without a datagram nothing of %s passed from %s to %s any more: most likely the address translation had been forgotten.", Length(d.lostAt-d.before), j.who(dir), j.name(d.first), j.name(1-d.first)),
			decidedBy: fmt.Sprintf("%s, which lacks all that %s sent after the idle time", j.name(1-d.first), j.who(dir)),
			refute:    fmt.Sprintf("a later datagram of %s in %s", j.who(dir), j.name(1-d.first))}
		f.cite(d)
		return f, true
	}
	return f, false
}

// natChanged is a connection whose addresses are others at one point from a time on.
func natChanged(j *joint) (f finding, ok bool) {
	p := j.r.p
	for at := range p.c {
		pairs := j.pairsAt(at)
		all := p.lines[j.k.line].pairs[at]
		if len(pairs) == 0 || len(all) < 2 || len(p.lines[j.k.line].pairs[1-at]) != 1 {
			continue
		}
		old, next := pairs[0], int32(none)
		began, ended := int64(0), int64(0)
		for _, i := range all {
			t0, _ := j.spanOf(at, i)
			if i != old && (next == none || t0 < began) {
				next, began = i, t0
			}
		}
		t0, t1 := j.spanOf(at, old)
		if next == none || began <= t0 {
			continue
		}
		ended = j.lastBefore(at, old, began)
		name, text := explain.NATRebinding, ""
		if began-ended >= longIdle {
			name, text = explain.NATExpired, fmt.Sprintf(" after %s without a datagram", Length(began-ended))
		}
		_ = t1
		x, y := p.c[at].pairs[old], p.c[at].pairs[next]
		from, to := x.lo, y.lo
		if x.lo == y.lo || x.lo == y.hi {
			from = x.hi
		}
		if y.lo == x.lo || y.lo == x.hi {
			to = y.hi
		}
		frame := p.c[at].list[j.firstOf(at, next)].frame
		f = finding{cause: name, side: "path", at: began,
			sentence:  fmt.Sprintf("The address translation between the points changed at %s%s: what came as %s came as %s from then on.", clock(began), text, from, to),
			decidedBy: fmt.Sprintf("%s, in which the same datagrams have another address from frame %d on than in %s", j.name(at), frame, j.name(1-at)),
			refute:    fmt.Sprintf("a datagram from %s before that time in %s", to, j.name(at))}
		f.frames[at] = []uint64{uint64(frame)}
		return f, true
	}
	return f, false
}

// pairsAt are the address pairs of the connection at a point, the earliest first.
func (j *joint) pairsAt(at int) (out []int32) {
	for _, i := range j.r.p.conns.flowsOf(at, j.k) {
		if f := &j.r.p.c[at].flows[i]; len(out) == 0 || out[len(out)-1] != f.pair {
			out = append(out, f.pair)
		}
	}
	return out
}

// firstOf is the first datagram of a pair at a point.
func (j *joint) firstOf(at int, pair int32) (first int32) {
	first = none
	for _, i := range j.r.p.flowsOfPair(at, pair) {
		if list := j.r.p.byFlow[at][i]; len(list) > 0 && (first == none || list[0] < first) {
			first = list[0]
		}
	}
	return first
}

// spanOf is from when to when a pair is at a point, on the axis.
func (j *joint) spanOf(at int, pair int32) (from, to int64) {
	c := j.r.p.c[at]
	for _, i := range j.r.p.flowsOfPair(at, pair) {
		list := j.r.p.byFlow[at][i]
		if len(list) == 0 {
			continue
		}
		t0, t1 := j.r.axis(at, list[0], c.list[list[0]].time), j.r.axis(at, list[len(list)-1], c.list[list[len(list)-1]].time)
		if from == 0 || t0 < from {
			from = t0
		}
		to = max(to, t1)
	}
	return from, to
}

// lastBefore is when the latest datagram of a pair was captured before a time.
func (j *joint) lastBefore(at int, pair int32, t int64) (last int64) {
	c := j.r.p.c[at]
	for _, i := range j.r.p.flowsOfPair(at, pair) {
		for _, k := range j.r.p.byFlow[at][i] {
			if x := j.r.axis(at, k, c.list[k].time); x < t {
				last = max(last, x)
			}
		}
	}
	return last
}
