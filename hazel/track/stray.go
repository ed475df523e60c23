package track

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session/seq"
)

// An acknowledgement may name an id that was never sent. What it tells of gaps in the
// capture is taken back once that is certain.

// Bounds of acknowledgements that name what was never sent.
const (
	NearAck         = 8     // ids ahead that a capture which misses datagrams may be after
	burstAck        = 64    // … that are too many for the time they would have been sent in
	burstRate       = 20    // … where that takes so many times the rate of the side
	GoesOn          = 3     // new ids in a row that show where a side is
	fewFrames       = 3     // of both sides after it
	StrayTime       = 2e9   // for which datagrams of the connection before may come
	oldTime         = 300e6 // … where none was captured
	fullRate        = 16    // transmissions that tell a rate
	maxStrays       = 4     // of a side, open at a time
	farTransmission = 4     // times the transmissions of a side that are too far from its numbers
)

// Oddness says what an acknowledged id that was not captured may be.
type Oddness uint8

const (
	Usual   Oddness = iota
	Missed          // one that the capture missed
	Earlier         // one from before the capture
	Former          // one of a connection before this one
	Never           // one that was never sent
)

// A Stray is an acknowledgement of an id that was not captured, far from all that were.
type Stray struct {
	Num, High seq.Num // the number, and the highest of the side then
	Outcome   Outcome

	at        int64
	fresh     int // new ids since, in their order, that did not reach num
	reached   bool
	done      bool // the side has come there
	unwatched bool // there were more: what came since is not known
	fast      bool // the side can't have got there
	before    seq.Gaps
	frames    [2]uint64 // of both sides, until it came
}

// Outcome is what became of a Stray.
type Outcome uint8

const (
	Doubtful Outcome = iota
	Reached          // the side came there
	Impossible
)

// witness tells open cases of a side about a new number of it, which is the highest.
func (c *conn) witness(s *side, n seq.Num) {
	for _, x := range s.strays {
		switch {
		case x.done:
		case x.Num > x.High && n >= x.Num-NearAck:
			x.done = true
			x.reached = n-s.Top > 2 // it came there in a jump
		case x.Num < x.High && n-x.High > AckExcess:
			x.reached = true // the numbers are elsewhere by now
		case c.Frame.Time-x.at > c.c.Rules.Horizon():
			x.fresh++
		}
	}
}

// noteOdd remembers an acknowledgement of side dir of an id that was not captured. What is
// missing in between, or a little ahead, the capture may have missed. Far ahead,
// or before the first one, it is impossible when the side's new ids go on where
// they were.
func (c *conn) noteOdd(s *side, n seq.Num) {
	peer := s.peer
	if c.Odd = c.oddness(peer, n); c.Odd != Never {
		return
	}
	if len(peer.strays) == maxStrays {
		peer.strays[0].unwatched = true
		peer.strays = append(peer.strays[:0], peer.strays[1:]...)
	}
	rules := &c.c.Rules
	x := &Stray{Num: n, High: peer.Top, fast: c.c.Complete && peer.tooFast(n-peer.Top, c.Frame.Time),
		at: c.Frame.Time, before: c.Known, frames: [2]uint64{rules.Frames(0), rules.Frames(1)}}
	peer.strays = append(peer.strays, x)
	c.Stray = x
	c.c.Later(s.dir, doubtedStray{c, s.peer.dir, x})
}

func (c *conn) oddness(peer *side, n seq.Num) Oddness {
	switch {
	case !peer.Sent:
		return Usual
	case n >= peer.Low.Engine && n < peer.Top+NearAck:
		return Missed
	case n < peer.Low.Engine && (!c.c.Complete || peer.Low.Wire > 1):
		return Earlier
	case n < peer.Low.Engine && (n >= 0 || c.Frame.Time-c.c.FirstTime < c.lifeTime()):
		return Former
	}
	return Never
}

// lifeTime is for how long, in ns, datagrams may come that belong to a connection
// before this one.
func (c *conn) lifeTime() int64 {
	if c.follows {
		return StrayTime
	}
	return oldTime
}

// tooFast reports whether a side can't have sent the ids up to one that is
// acknowledged in the time since its last datagram.
func (s *side) tooFast(ahead seq.Num, now int64) bool {
	span, since := s.TopAt-s.LowAt, max(now-s.lastSent, 50e6)
	return ahead >= burstAck && s.Transmissions >= fullRate && span > 0 &&
		float64(ahead)/float64(since) > burstRate*float64(s.Transmissions)/float64(span)
}

// A doubtedStray is an acknowledgement of an id that a side had not sent.
type doubtedStray struct {
	c   *conn
	dir dissect.Dir
	x   *Stray
}

// Settle implements session.Doubt: it says what became of it.
func (y doubtedStray) Settle() {
	c, dir, x := y.c, y.dir, y.x
	s, rules := &c.side[dir], &c.c.Rules
	for i, o := range s.strays {
		if o == x {
			s.strays = append(s.strays[:i], s.strays[i+1:]...)
			break
		}
	}
	away := max(x.Num-x.High, x.High-x.Num)
	seen := rules.Frames(0)-x.frames[0] >= fewFrames && rules.Frames(1)-x.frames[1] >= fewFrames
	far := away > AckExcess && away > farTransmission*seq.Num(s.Transmissions) && c.c.Complete && seen
	switch {
	case x.reached:
		x.Outcome = Reached
	case x.unwatched:
	case x.fresh >= GoesOn || far || x.fast:
		x.Outcome = Impossible
		c.c.Dir[dir].Withdraw(x.Num, x.before, x.at)
	}
}
