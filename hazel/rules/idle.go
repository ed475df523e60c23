package rules

import (
	"fmt"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/hazel"
	"github.com/dpdissect/dpdissect/hazel/track"
	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
)

// beats are the keepalives of a side.
type beats struct {
	n, early int
	interval int64 // the longest silence one ended
	quiet    int64 // the shortest of its own side, acknowledgements left out, that may be an interval
	first    uint64
	firstAt  int64

	unheard int // in a row without an acknowledgement, while others are acknowledged
	last    seq.Num
	any     bool
	unacked int // Pings in a row without any acknowledgement, while the other side speaks
	seen    uint64
	dead    bool
}

// judgeIdle judges the time since the last number of a side, which is at hand with
// its first transmission (Hazel page, Keepalive packets). Keepalives have numbers: when
// the next one follows the last, none was sent in between.
func (j *judge) judgeIdle(dir dissect.Dir, n seq.Num) {
	s, rules := &j.side[dir], &j.c.Rules
	own, top := j.Frame.Time-j.LastSent(dir), &j.Before
	idle, alive := own, j.Frame.Words.Has(dissect.KeepAlive)
	if !top.Sent || j.LastSent(dir) == 0 || n != top.Top+1 || !alive && max(own, j.Frame.Time-top.TopAt) <= leastInterval/2 {
		return
	}
	may := j.Possible(dir)
	old := may.Within(mays | hazel.SetOf(hazel.Spec, hazel.V01))
	if old {
		idle = min(idle, j.Frame.Time-j.LastSent(dir.Other())) // receiving puts it off, too
	} else {
		idle = j.Frame.Time - top.TopAt // only what is reliable does
	}
	b := &s.beat
	interval, milder := b.interval, false
	if b.n < leastBeats || interval < leastInterval {
		interval, milder = helloInterval, true
		if may.Within(hazel.WithPing) {
			interval = pingInterval
		}
	}
	switch {
	case idle > 4*interval:
		x := rules.Here(rKaSent, fmt.Sprintf("nothing was sent for %.1f s, not even a keepalive; %.1f s is usual", float64(idle)/1e9, float64(interval)/1e9), top.TopFrame)
		x.Milder, x.Since = milder, top.TopAt
		rules.Judge(x)
	case idle > interval/2:
		rules.Pass(rKaSent)
	}
	if alive {
		if old {
			idle = own // of the other side, what came last may not have arrived
		}
		b.interval = max(b.interval, min(idle, 4*helloInterval))
		j.beat(dir, n, own, old)
	}
}

// usual is the interval of a side before 2018-12: its own, which the page leaves open, or
// that of the releases.
func (b *beats) usual() int64 {
	if b.quiet > 0 {
		return b.quiet
	}
	return helloInterval
}

// seconds is a duration in ns for people.
func seconds(ns int64) string { return fmt.Sprintf("%.2g s", float64(ns)/1e9) }

// beat takes a keepalive in its first transmission.
func (j *judge) beat(dir dissect.Dir, n seq.Num, own int64, old bool) {
	s, rules := &j.side[dir], &j.c.Rules
	b := &s.beat
	b.n++
	if old {
		if spoke := j.SpokeAt(dir); spoke != 0 {
			own = j.Frame.Time - spoke // what the other side sent may have come, and be acknowledged, as the time ran out
		}
		if own >= track.LeastQuiet && (b.quiet == 0 || own < b.quiet) {
			b.quiet = own
		}
		if own < b.usual()*3/10 {
			if b.early++; b.early == 1 {
				b.first, b.firstAt = j.Frame.Frame, j.Frame.Time
			}
		} else {
			rules.Pass(rKaEarly)
		}
	}
	j.judgeHeard(dir, n)
}

// judgeHeard judges whether keepalives are acknowledged (Hazel page), by those of
// Ping alone, which are not resent: other packets sent between two of them must be
// acknowledged. When nothing is acknowledged at all, they end the connection.
func (j *judge) judgeHeard(dir dissect.Dir, n seq.Num) {
	s, rules, out := &j.side[dir], &j.c.Rules, &j.c.Dir[dir]
	b := &s.beat
	if j.Packet.Type != hazel.Ping {
		return
	}
	if l, ok := out.Look(b.last); b.any && ok {
		switch {
		case l.Acked:
			b.unheard = 0
		case j.ackedBetween(out, b.last, n):
			b.unheard++
		}
	}
	b.last, b.any = n, true
	if b.unheard >= unheardPings && s.implausible(b.unheard) {
		b.unheard = 0
		x := rules.Here(rKaAcked, fmt.Sprintf("%d Pings in a row are not acknowledged, while packets between them are", unheardPings))
		x.Dir = dir.Other()
		rules.Judge(x)
	}
	pings := j.Pings(dir)
	if pings == 1 {
		rules.Pass(rKaDead)
		b.unacked = 0
	}
	if seen := rules.Frames(dir.Other()); seen > b.seen {
		b.seen = seen // the other side was captured since the last one
		b.unacked++
	}
	if b.unacked > deadBeats && !b.dead {
		b.dead = true
		rules.Broken(rKaDead, fmt.Sprintf("after %d Pings without any acknowledgement the side continues", pings))
	}
}

func (j *judge) ackedBetween(out *seq.Direction, from, to seq.Num) bool {
	for i := from + 1; i < to && i < from+track.RecordLimit; i++ {
		if l, ok := out.Look(i); ok && l.Captured && l.Acked {
			return true
		}
	}
	return false
}

// judgeBeats judges keepalives that came though something had just been sent.
func (j *judge) judgeBeats(dir dissect.Dir) {
	b := &j.side[dir].beat
	if b.early >= leastBeats && 2*b.early > b.n {
		j.c.Rules.Judge(conform.Case{Rule: rKaEarly, Dir: dir, Frame: b.first, Time: b.firstAt, HasTime: true,
			Message: fmt.Sprintf("%d of %d keepalives came within %s of another datagram that was not an acknowledgement", b.early, b.n, seconds(b.usual()*3/10))})
	}
}

// Times of keepalives, in ns.
const (
	helloInterval = 10e9 // to 2018-12
	pingInterval  = 3e9  // at most, since
	leastInterval = 1e9  // shorter silences tell nothing
	leastBeats    = 3    // keepalives that tell the interval
)

// Keepalives in a row that nobody answers.
const (
	unheardPings = 6
	deadBeats    = 2 * track.DeadPings
)
