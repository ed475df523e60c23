package compare

import (
	"fmt"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/internal/explain"
)

// leastUnanswered is how many datagrams arrive at a side that does not answer, to say that it is silent.
const leastUnanswered = 2

// peerSilent is a side at which everything arrives and that sends nothing.
func peerSilent(j *joint) (f finding, ok bool) {
	if !j.says(explain.PeerSilent, explain.PathDead, explain.OneWay, explain.NATExpired, explain.Undecided) || j.gaveUp() {
		return f, false
	}
	for dir := range dissect.Dirs {
		d, to := &j.dirs[dir], &j.dirs[dir.Other()]
		if d.first == none || d.sent == 0 || to.lost+d.lost > 0 {
			continue
		}
		n, frames := j.arrivedAfter(dir.Other(), d.last)
		if n < leastUnanswered || to.last-d.last < 2*tailTime {
			continue
		}
		f = finding{cause: explain.PeerSilent, side: "ab"[dir : dir+1], at: d.last,
			sentence:  fmt.Sprintf("%s sent nothing after %s, though all %s of %s that were sent after it arrived at its capture point: the path was sound, the program or its machine stood still, or was gone.", j.Who(dir), clock(d.last), datagrams(n), j.who(dir.Other())),
			decidedBy: fmt.Sprintf("%s, which holds all that was sent to %s and nothing that left it", j.name(d.first), j.who(dir)),
			refute:    fmt.Sprintf("a later datagram of %s in %s", j.who(dir), j.name(d.first))}
		f.frames[d.first] = frames
		return f, true
	}
	return f, false
}

// gaveUp reports whether a capture shows that a side gave up for a packet that was never acknowledged: it
// is silent for that.
func (j *joint) gaveUp() bool {
	for at := range j.told {
		if v, _ := j.verdict(at); v != nil && (v.Cause == explain.RetriesExhausted || v.Cause == explain.SizeBlackHole) {
			return true
		}
	}
	return false
}

// arrivedAfter counts what a side sent that arrived at its second point after a time, and gives
// the frames of the first and the last.
func (j *joint) arrivedAfter(dir dissect.Dir, t int64) (n int, frames []uint64) {
	l := j.r.p.lines[j.k.line]
	way := int(dir)
	if j.k.flip {
		way = 1 - way
	}
	second := 1 - l.dirs[way].first
	if second > 1 {
		return 0, nil
	}
	c := j.r.p.c[second]
	for _, i := range l.dirs[way].lists[second] {
		if c.list[i].bits&copied == 0 && j.r.axis(second, i, c.list[i].time) > t {
			if n++; n == 1 {
				frames = append(frames, uint64(c.list[i].frame))
			} else {
				frames = append(frames[:1], uint64(c.list[i].frame))
			}
		}
	}
	return n, frames
}

// noAnswer is a side at which openings arrive and that answers nothing.
func noAnswer(j *joint) (f finding, ok bool) {
	a, b := &j.dirs[0], &j.dirs[1]
	if a.first == none || b.sent > 0 || a.arrived == 0 || len(j.x.ICMP) > 0 || !j.says(explain.NoAnswer, explain.Undecided, explain.PeerSilent) {
		return f, false
	}
	n, frames := j.arrivedAfter(0, 0)
	f = finding{cause: explain.NoAnswer, side: "b", at: a.last,
		sentence:  fmt.Sprintf("%s of %s arrived at %s, and nothing left it: it refused in silence, or no program read them.", capital(datagrams(n)), j.who(0), j.name(1-a.first)),
		decidedBy: fmt.Sprintf("%s, which holds the openings and no answer", j.name(1-a.first)),
		refute:    fmt.Sprintf("a datagram of %s in %s", j.who(1), j.name(1-a.first))}
	f.frames[1-a.first] = frames
	return f, true
}

func capital(s string) string {
	if s != "" && s[0] >= 'a' && s[0] <= 'z' {
		return string(s[0]-'a'+'A') + s[1:]
	}
	return s
}

// portClosed is a machine that says that nobody listens, whether the other side learns of it or not.
func portClosed(j *joint) (f finding, ok bool) {
	for _, n := range j.x.ICMP {
		if n.Fate != LostBetween.String() {
			continue
		}
		at, frame := Point1, n.Frame1
		if frame == 0 {
			at, frame = Point2, n.Frame2
		}
		side := dissect.Dir(0)
		if j.dirs[0].first != at {
			side = 1
		}
		if j.answersAfter(side, at, frame) || !j.says(explain.NoAnswer, explain.PeerSilent, explain.Undecided, explain.PathDead, explain.RetriesExhausted, explain.OneWay) {
			continue
		}
		f = finding{cause: explain.PortClosed, side: "ab"[side : side+1],
			sentence:  fmt.Sprintf("The machine of %s said that its port was closed (ICMP, frame %d of %s); the notice was lost on the way, so %s never learned of it.", j.who(side), frame, j.name(at), j.who(side.Other())),
			decidedBy: fmt.Sprintf("%s, in which the ICMP notice left and did not arrive", j.name(at)),
			refute:    fmt.Sprintf("a datagram of %s after that frame", j.who(side))}
		f.frames[at] = []uint64{uint64(frame)}
		return f, true
	}
	return f, false
}

// answersAfter reports whether a side sent something after a frame at its own point.
func (j *joint) answersAfter(dir dissect.Dir, at int, frame uint32) bool {
	for _, i := range j.r.p.conns.flowsOf(at, j.k) {
		list := j.r.p.byFlow[at][i]
		if j.k.side(int(j.r.p.conns.dirs[at][i])) == dir && len(list) > 0 && j.r.p.c[at].list[list[len(list)-1]].frame > frame {
			return true
		}
	}
	return false
}

// changedBytes clears a side whose datagrams were changed on the way.
func changedBytes(j *joint) (f finding, ok bool) {
	for at := range j.told {
		v, side := j.verdict(at)
		if v == nil || v.Cause != explain.ProtocolViolation {
			continue
		}
		for _, frame := range v.Frames {
			c := j.r.p.c[at]
			i := c.frameIndex(uint32(frame))
			if i == none || c.list[i].bits&altered == 0 {
				continue
			}
			from := j.r.p.c[1-at].list[c.mate[i]].frame
			who := j.who(0)
			if side == "b" {
				who = j.who(1)
			}
			f = finding{cause: explain.ProtocolViolation, side: "path",
				sentence:  fmt.Sprintf("A datagram of %s was changed on the way: frame %d of %s holds other bytes than frame %d of %s. %s did not break the rule.", who, frame, j.name(at), from, j.name(1-at), capital(who)),
				decidedBy: fmt.Sprintf("%s, which holds the bytes that were sent", j.name(1-at)),
				refute:    "equal bytes in both frames"}
			f.frames[at], f.frames[1-at] = []uint64{frame}, []uint64{uint64(from)}
			return f, true
		}
	}
	return f, false
}
