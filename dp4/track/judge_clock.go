package track

import (
	"fmt"

	"github.com/dpdissect/dpdissect/session/conform"
)

// A clock compares the tick counts of a side with the time of the capture. The
// lowest difference is that of the acknowledgement that was underway the shortest.
type clock struct {
	set      bool
	told     bool
	n        int   // acknowledgements
	same     int   // in a row with the same tick
	sameAt   int64 // since when, ns
	tick     uint32
	from     int64 // time of the first one, ns
	at       int64 // begin of the stretch that is measured
	ticks    int64 // since the first, ms
	early    int64 // lowest difference of the first stretch, ns
	hasEarly bool
	low      int64 // of this one
	frame    uint64
}

const (
	clockStretch = 5e9  // ns over which the lowest difference is taken
	clockLeast   = 20   // acknowledgements (guard SAMPLE)
	clockTime    = 10e9 // ns
	clockRoom    = 5e9  // ns by which the path may have become slower or faster
	stillTime    = 1e9  // ns for which a tick may stay the same while many are sent
)

func (k *clock) start(y *heard) {
	*k = clock{set: true, n: 1, same: 1, sameAt: y.time, tick: y.tick, from: y.time, at: y.time, frame: y.frame}
}

// judgeClock: the tick count grows by one a millisecond (MC-DPL4R 3.1.3,
// AMB-DP4-21).
func (c ackJudge) judgeClock(dir int, y *heard) {
	k := &c.side[dir].hearing.clock
	if !k.set {
		k.start(y)
		return
	}
	k.n++
	if y.tick == k.tick {
		k.same++
		c.judgeStill(dir, k, y)
	} else {
		if k.same > 1 || k.n%clockLeast == 0 {
			c.c.Rules.Pass(r313TickConst)
		}
		k.same, k.sameAt = 1, y.time
	}
	k.ticks += int64(int32(y.tick - k.tick))
	k.tick = y.tick
	diff := y.time - k.from - k.ticks*1e6
	k.low = min(k.low, diff)
	if y.time-k.at < clockStretch {
		return
	}
	if !k.hasEarly {
		k.early, k.hasEarly = k.low, true
	} else if k.n >= clockLeast && y.time-k.from >= clockTime {
		c.judgeRate(dir, k, y)
	}
	k.at, k.low = y.time, diff
}

// judgeStill: a tick that does not move at all.
func (c ackJudge) judgeStill(dir int, k *clock, y *heard) {
	if k.told || k.same < clockLeast || y.time-k.sameAt < stillTime {
		return
	}
	k.told = true
	c.packets().broken(r313TickConst, fmt.Sprintf("the tick is %d in %d acknowledgements over %d ms", y.tick, k.same, (y.time-k.sameAt)/1e6), k.frame)
}

// judgeRate compares the first and the latest stretch.
func (c ackJudge) judgeRate(dir int, k *clock, y *heard) {
	rules, drift, span := &c.c.Rules, k.low-k.early, y.time-k.from
	if drift < 0 {
		drift = -drift
	}
	if k.told || drift <= max(clockRoom, span/100) {
		if !k.told {
			rules.Pass(r313TickRate)
		}
		return
	}
	k.told = true
	rules.Judge(conform.Case{Rule: r313TickRate, Dir: dir, Frame: y.frame, Time: y.time, HasTime: true, Proof: []uint64{k.frame}, Milder: drift <= span/20,
		Message: fmt.Sprintf("the tick grew by %d in %d ms of the capture", k.ticks, span/1e6)})
}
