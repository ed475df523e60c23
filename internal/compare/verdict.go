package compare

import (
	"fmt"
	"slices"
	"time"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/internal/explain"
)

// certainties order verdicts.
var certainties = map[explain.Certainty]int{explain.Proved: 2, explain.Likely: 1}

// A joint is a connection that is judged by what both captures show.
type joint struct {
	r    *Comparison
	x    *Connection
	k    *conn
	told [2]*explain.Connection   // by each capture alone, nil where it has nothing
	pair [2]*explain.Unrecognised // the same of an address pair that is not recognised
	dirs [2]tail
}

// A tail is how what a side sends ends.
type tail struct {
	sent, arrived int      // in all
	lost          int      // after the last that arrived, those that a capture may have missed among them
	need          int      // of them, to be no chance
	lostAt        int64    // when the first of them was sent, on the axis
	frames        []uint64 // of some of them, at their first point
	last          int64    // when the last one passed its own point
	lastArrived   int64
	before        int64 // when the last one of either side was captured before lostAt
	first         int   // point, none where it is not known
}

// A finding is what a row of the table says.
type finding struct {
	cause     explain.Cause
	side      string
	at        int64 // on the axis, 0 for the side's own
	sentence  string
	decidedBy string
	refute    string
	frames    [2][]uint64
	likely    bool // else it is proved
}

// rows are tried in this order.
var rows = []func(j *joint) (finding, bool){
	changedBytes, natChanged, pathDead, natExpired, oneWay, unitLost, portClosed, noAnswer, peerSilent, bothGone,
}

// standing are the causes that a capture alone may prove and both cannot better.
var standing = map[explain.Cause]bool{
	explain.Closed: true, explain.Refused: true, explain.VersionMismatch: true, explain.SecretMismatch: true, explain.PeerRestarted: true, explain.PortClosed: true, explain.StillOpen: true,
}

// better reports whether what both captures show says more than a cause that one of them proves.
func better(alone, both explain.Cause) bool {
	switch both {
	case explain.NATRebinding, explain.NATExpired:
		return true
	case explain.RetriesExhausted, explain.SizeBlackHole: // a side that gave up closes its port
		return alone == explain.PortClosed
	}
	return false
}

// judge says how a connection ended, by both captures.
func (r *Comparison) judge(x *Connection, s *sum) {
	j := &joint{r: r, x: x, k: s.conn}
	for at := range j.told {
		j.told[at], j.pair[at] = r.explained(s.conn, at), r.unrecognisedAt(x, at)
	}
	j.tails()
	base, stands := j.alone()
	for _, row := range rows {
		if r.p.windowed() {
			break // how it ends is past what is compared
		}
		f, ok := row(j)
		if !ok || stands && !better(x.Verdict.Cause, f.cause) {
			continue
		}
		j.decide(base, &f)
		break
	}
	x.Contributing = j.contributing()
}

// alone takes the surer of what the captures say alone; stands reports that it is proved and
// that both captures cannot say more.
func (j *joint) alone() (best int, stands bool) {
	v := &j.x.Verdict
	*v = Verdict{Cause: explain.Undecided, Certainty: explain.Unsettled, Sentence: "Neither capture shows how it ended.", Frames1: []uint64{}, Frames2: []uint64{}, Alone: make([]*Alone, 2)}
	j.x.told.headline = "undecided"
	best, rank := none, -1
	for at := range j.told {
		e, side := j.verdict(at)
		if e == nil {
			continue
		}
		v.Alone[at] = &Alone{e.Cause, side, e.Certainty}
		n := 2 * certainties[e.Certainty]
		if e.Cause != explain.StillOpen && e.Cause != explain.PoorCapture && e.Cause != explain.Undecided {
			n++ // that a side still waits says less than that it is over
		}
		if n > rank {
			best, rank = at, n
			alone := v.Alone
			*v = Verdict{Cause: e.Cause, Side: side, Certainty: e.Certainty, Time: e.Time.String(), Sentence: e.Sentence, WouldRefute: e.WouldRefute,
				Candidates: e.Candidates, Reason: e.Reason, Frames1: []uint64{}, Frames2: []uint64{}, Alone: alone}
			v.cite(at, e.Frames)
			j.headline(j.next(at))
		}
	}
	if best == none {
		return best, false
	}
	return best, v.Certainty == explain.Proved && standing[v.Cause]
}

func (v *Verdict) cite(at int, frames []uint64) {
	if at == Point1 {
		v.Frames1 = frames
	} else {
		v.Frames2 = frames
	}
}

// verdict is what one capture says, and the side in the connection, nil where it says nothing.
func (j *joint) verdict(at int) (v *explain.Verdict, side string) {
	switch e, u := j.told[at], j.pair[at]; {
	case e != nil:
		return &e.Verdict, j.r.sideOf(j.x, at, e.A, e.Verdict.Side)
	case u != nil && u.Cause != "":
		return &explain.Verdict{Cause: u.Cause, Side: u.Side, Certainty: u.Certainty, Time: u.LastTime, Frames: u.Frames, Sentence: u.Sentence}, j.r.sideOf(j.x, at, u.A, u.Side)
	}
	return nil, ""
}

// decide makes a finding the verdict.
func (j *joint) decide(base int, f *finding) {
	v := &j.x.Verdict
	was, certainty := *v, explain.Proved
	if f.likely {
		certainty = explain.Likely
	}
	*v = Verdict{Cause: f.cause, Side: f.side, Certainty: certainty, Time: was.Time, Sentence: f.sentence, WouldRefute: f.refute, Reason: was.Reason,
		Frames1: orEmpty(f.frames[0]), Frames2: orEmpty(f.frames[1]), Alone: was.Alone}
	if f.at != 0 {
		v.Time = stamp(f.at)
	}
	if was.Cause != f.cause || was.Side != f.side || was.Certainty != certainty {
		v.DecidedBy = f.decidedBy
	}
	j.headline(nil)
}

// headline tells the verdict in a few words. next is the number of the connection that goes on
// with this one, nil for none.
func (j *joint) headline(next *int) {
	v := &j.x.Verdict
	end := explain.Verdict{Cause: v.Cause, Side: v.Side, Certainty: v.Certainty, Reason: v.Reason}
	t := &j.x.told
	t.headline, t.moment = end.Brief([2]string{j.x.Side("a"), j.x.Side("b")}, next), v.Time
	t.grave = end.Grave() || next != nil
}

// next is the number of the connection with which one goes on by what a capture says, nil for
// none.
func (j *joint) next(at int) *int {
	if j.told[at] == nil || j.told[at].ContinuedBy == nil {
		return nil
	}
	for _, x := range j.r.p.conns.all {
		if x != j.k && slices.Contains(x.of[at], int32(*j.told[at].ContinuedBy)) {
			return &x.id
		}
	}
	return nil
}

func orEmpty(list []uint64) []uint64 {
	if list == nil {
		return []uint64{}
	}
	return list
}

// explained is what one capture says of a connection, nil where it has nothing of it.
func (r *Comparison) explained(k *conn, at int) *explain.Connection {
	c := r.p.main(k, at)
	if c == nil || r.p.c[at].Story == nil {
		return nil
	}
	e, ok := r.p.c[at].Story.Of(c)
	if !ok {
		return nil
	}
	return &e
}

// unrecognisedAt is what one capture says of an address pair that it did not recognise.
func (r *Comparison) unrecognisedAt(x *Connection, at int) *explain.Unrecognised {
	c := r.p.c[at]
	if x.At[at] == nil || x.At[at].Connection != nil || c.Story == nil {
		return nil
	}
	if c.pairsTold == nil {
		c.pairsTold = c.Story.Telling(c.Conns).Unrecognised
	}
	for i := range c.pairsTold {
		u := &c.pairsTold[i]
		if u.A == x.At[at].A && u.B == x.At[at].B || u.A == x.At[at].B && u.B == x.At[at].A {
			return u
		}
	}
	return nil
}

// sideOf is a side of one analysis in the connection; a is the address of its side a.
func (r *Comparison) sideOf(x *Connection, at int, a, side string) string {
	if x.At[at] != nil && x.At[at].A != a {
		return otherSide(side)
	}
	return side
}

// otherSide is the other one of a and b.
func otherSide(side string) string {
	switch side {
	case "a":
		return "b"
	case "b":
		return "a"
	}
	return side
}

// mostTailFrames is how many frames of a tail are cited.
const mostTailFrames = 5

// tails finds how what both sides send ends.
func (j *joint) tails() {
	l := j.r.p.lines[j.k.line]
	var x passage
	for way := range l.dirs {
		d := &j.dirs[j.k.side(way)]
		*d = tail{first: l.dirs[way].first}
		if d.first == none {
			continue
		}
		d.need = j.r.p.notMissed(1 - d.first)
		c := j.r.p.c[d.first]
		for _, i := range l.dirs[way].lists[d.first] {
			if c.list[i].bits&copied != 0 {
				continue
			}
			if c.fate[i] == Delivered && j.r.p.conns.byFlow[d.first][c.list[i].flow] == int32(j.k.id) {
				d.deliver(j.r.axis(d.first, i, c.list[i].time)) // as most are
			} else if j.r.locate(&x, d.first, i); x.conn == j.k {
				d.add(&x, uint64(c.list[i].frame))
			}
		}
		c = j.r.p.c[1-d.first]
		for _, i := range l.dirs[way].lists[1-d.first] {
			if c.fate[i] != MissedByFirst {
				continue
			}
			if j.r.fill(&x, 1-d.first, i); x.conn == j.k {
				d.sent, d.arrived = d.sent+1, d.arrived+1
				d.last, d.lastArrived = max(d.last, x.time), max(d.lastArrived, x.time)
			}
		}
	}
	for dir := range j.dirs {
		d := &j.dirs[dir]
		d.before = d.lastArrived
		if o := &j.dirs[1-dir]; o.last < d.lostAt {
			d.before = max(d.before, o.last)
		} else {
			d.before = d.lostAt
		}
	}
}

// deliver adds what arrived.
func (d *tail) deliver(time int64) {
	d.sent++
	d.arrived++
	d.last, d.lastArrived = max(d.last, time), max(d.lastArrived, time)
	d.lost, d.frames = 0, nil
}

// add adds what passed its own point.
func (d *tail) add(x *passage, frame uint64) {
	if x.fate == Delivered || x.fate == MissedBySecond {
		d.deliver(x.time)
		return
	}
	d.sent++
	d.last = max(d.last, x.time)
	if x.fate == LostBetween || x.fate == Uncertain {
		if d.lost++; d.lost == 1 {
			d.lostAt = x.time
		}
		if len(d.frames) < mostTailFrames {
			d.frames = append(d.frames, frame)
		}
	}
}

// cite puts frames of a tail where they belong.
func (f *finding) cite(d *tail) {
	if d.first != none {
		f.frames[d.first] = append(f.frames[d.first], d.frames...)
	}
}

// name is what a point is called, and Who what a side is at the start of a sentence.
func (j *joint) name(point int) string { return j.r.p.c[point].Name }

func (j *joint) who(dir dissect.Dir) string { return j.x.Side("ab"[dir : dir+1]) }

func (j *joint) Who(dir dissect.Dir) string {
	s := j.who(dir)
	if s[0] >= 'a' && s[0] <= 'z' {
		return string(s[0]-'a'+'A') + s[1:]
	}
	return s
}

// clock is the time of the day of a time on the axis.
func clock(ns int64) string { return time.Unix(0, ns).UTC().Format("15:04:05.0") }

// datagrams is a number with its word.
func datagrams(n int) string {
	if n == 1 {
		return "1 datagram"
	}
	return fmt.Sprintf("%d datagrams", n)
}

// says reports whether one of the captures alone gives one of some causes, or none at all.
func (j *joint) says(causes ...explain.Cause) bool {
	known := false
	for at := range j.told {
		v, _ := j.verdict(at)
		if v == nil {
			continue
		}
		known = true
		for _, c := range causes {
			if v.Cause == c {
				return true
			}
		}
	}
	return !known
}
