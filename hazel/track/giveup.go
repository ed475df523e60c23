package track

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/hazel"
	"github.com/dpdissect/dpdissect/session/seq"
)

// When a sender takes the other side for lost (Hazel Reliable.cs, KeepAlive.cs).
const (
	oldTries    = 4     // transmissions of one id, to 2018-07; the interval doubles
	shortLife   = 2.5e9 // ns from the first transmission of an id, 2018-07 to 2019-03
	FullLife    = 5e9   // … since; games raise it
	DeadPings   = 6     // Pings without any acknowledgement, since 2019-10
	LongestWait = 1.5e9 // ns between two transmissions of one id, and between two Pings
	slack       = 5e8   // timers are looked at every 100 ms, and captures begin late
)

// maxTries bounds the ids that were sent again and not acknowledged that are
// remembered.
const maxTries = 8

// tries counts what one side sent that is unanswered.
type tries struct {
	// Transmissions since the other side was captured last, pings included.
	alone       int
	first, last int64 // when the first and the last of them was captured
	firstIn     uint64

	list  []Try    // maxTries at most
	most  int      // transmissions of an id that was acknowledged in the end
	pings int      // since anything was acknowledged
	beat  int64    // when the last of those was sent
	since seq.Sign // the first of those
}

// A Try is an id that was sent again and not acknowledged.
type Try struct {
	Num         seq.Num
	First, Last int64 // when it was captured, ns
	Times       int   // transmissions
	gap         int64 // the longest time between two of them
}

// next is when an id is due again where the interval doubles, in ns after its last transmission:
// its sender sends it once more then, or takes the other side for lost.
func (x *Try) next() int64 { return 2 * x.gap }

// try notes a transmission of a number.
func (c *conn) try(s *side, num seq.Num, v seq.Verdict) {
	t, at := &s.tries, c.Frame.Time
	if v.Words&dissect.Duplicate == 0 {
		t.sends(at, c.Now)
	}
	switch {
	case c.Packet.Type == hazel.MTUTest: // one that does not fit the path is never answered
	case v.Novelty == seq.First:
		if c.Packet.Type == hazel.Ping {
			t.pinged(c.Frame)
		}
	case v.Words&(dissect.Retry|dissect.Duplicate|dissect.UnneededRetry) == dissect.Retry:
		s.again(num, at)
	}
}

// pinged notes the first transmission of a Ping.
func (t *tries) pinged(fr *dissect.Frame) {
	if t.pings == 0 {
		t.since = seq.SignAt(fr.Frame, fr.Time)
	}
	t.pings++
	t.beat = fr.Time
}

func (t *tries) sends(at int64, frame uint64) {
	if t.alone == 0 {
		t.first, t.firstIn = at, frame
	}
	t.last = at
	t.alone++
}

// leftAlone is how few transmissions the other side's silence must leave unanswered:
// of six Pings some may not have been captured.
const leftAlone = 4

// deserted reports whether a side, which the other had spoken to before, sent
// until the given time and longer than anything lives, and nothing came back.
func (c *conn) deserted(s *side, until int64) bool {
	t := &s.tries
	return c.life.spoke[s.peer.dir] && t.alone >= leftAlone && until-t.first >= FullLife
}

// again notes that a number is sent again.
func (s *side) again(num seq.Num, at int64) {
	t := &s.tries
	for i := range t.list {
		if x := &t.list[i]; x.Num == num {
			x.gap = max(x.gap, at-x.Last)
			x.Last = at
			x.Times++
			return
		}
	}
	if len(t.list) == maxTries {
		return
	}
	x := Try{Num: num, First: at, Last: at, Times: 2}
	if first, ok := s.out.SentAt(num); ok {
		x.First, x.gap = first, at-first
	}
	t.list = append(t.list, x)
}

// answered forgets a number that was acknowledged.
func (t *tries) answered(num seq.Num) {
	for i := range t.list {
		if t.list[i].Num == num {
			t.most = max(t.most, t.list[i].Times)
			last := len(t.list) - 1
			t.list[i], t.list = t.list[last], t.list[:last]
			return
		}
	}
}

// lifetime is how long an id of a side lives, by what is known of its release.
func (c *conn) lifetime(s *side) int64 {
	if d, _ := s.facts.can(c.family).One(); d == hazel.Ack3 {
		return shortLife
	}
	return FullLife
}

// ranOut reports whether the time has come at which a side whose interval doubles must
// send an id again, or give up.
func (t *tries) ranOut(now int64) bool {
	for i := range t.list {
		x := &t.list[i]
		late := now - x.Last
		if x.Times >= oldTries-1 && x.gap > 0 && 10*late >= 17*x.gap && 2*late <= 5*x.gap+slack {
			return true
		}
	}
	return false
}

// longest is the longest time between two transmissions of what is not acknowledged.
func (t *tries) longest() (gap int64) {
	for i := range t.list {
		gap = max(gap, t.list[i].gap)
	}
	return gap
}

// gaveUp reports whether a Disconnect that a side sends now is that of one that
// takes the other for lost. Releases before 2018-12 end without, which the page leaves open.
func (c *conn) gaveUp(s *side) bool {
	now := c.Frame.Time
	if !s.facts.pings() && (s.tries.ranOut(now) || c.deserted(s, now) && now-s.tries.last <= max(2*LongestWait+slack, s.tries.longest()*5/2)) {
		return true
	}
	if s.facts.can(c.family)&hazel.WithPing == 0 {
		return false
	}
	for i := range s.tries.list {
		if x := &s.tries.list[i]; now-x.First >= c.lifetime(s)-slack && now-x.Last <= 2*LongestWait+slack {
			return true
		}
	}
	if c.deserted(s, now) && now-s.tries.last <= 2*LongestWait+slack {
		return true
	}
	return s.tries.pings >= DeadPings && now-s.tries.beat <= 2*LongestWait && c.life.spoke[s.peer.dir]
}

// fellSilent reports whether what a side sent was unanswered until it must have given up,
// and then sent nothing more.
func (c *conn) fellSilent(s *side, end int64) bool {
	for i := range s.tries.list {
		x := &s.tries.list[i]
		wait := int64(LongestWait)
		if !s.facts.pings() {
			wait = max(wait, x.next()+slack)
		}
		if s.lastSent-x.Last <= wait && c.expired(s, x, end) {
			return true
		}
	}
	if s.facts.pings() && c.deserted(s, s.tries.last) && s.lastSent == s.tries.last && end-s.tries.last >= 2*LongestWait+slack {
		return true
	}
	return s.tries.pings >= DeadPings && c.life.spoke[s.peer.dir] && end-s.tries.beat >= 2*LongestWait+slack
}

// expired reports whether an id was sent as often or for as long as its sender
// does before it gives up. To 2018-07 that is four times; one of them may not
// have been captured when silence follows. Where the page is spoken it is as often as the
// side likes: until it would have sent the id again.
func (c *conn) expired(s *side, x *Try, end int64) bool {
	silence := end - x.Last
	may := s.facts.can(c.family)
	switch {
	case may&hazel.WithPing != 0 && (s.facts.pings() || x.Times > oldTries && x.gap <= 2*LongestWait):
		return x.Last-x.First >= c.lifetime(s)-LongestWait && silence >= LongestWait
	case x.Times == oldTries-1:
		return silence >= max(FullLife, x.next())
	case x.Times == oldTries && s.tries.most <= oldTries:
		return true
	}
	return x.Times >= oldTries && silence >= x.next()
}
