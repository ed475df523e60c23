package track

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp4"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/seq"
)

// The text gives no number of retries after which a sender gives up. A side that
// sent the same packet so often, or for so long, without hearing anything, and
// then fell silent, has.
const (
	giveUpTries   = 8    // transmissions of one packet, the first included
	giveUpFew     = 4    // … or at least so many within giveUpTime
	giveUpTime    = 15e9 // ns
	giveUpSilence = 5e9  // ns of silence after the last try
)

// restartIdle is how long two players must be silent before numbers that begin
// again are those of another connection, in ns. Half a minute of silence is far
// longer than any retry takes; a capture that lost so much is not continued at
// the initial numbers by chance.
const restartIdle = 30e9

// lifecycle is how far the connection has come: without handshake and close,
// only the unanswered end tells something.
type lifecycle struct {
	state  session.State
	before session.State // before an ICMP notice
	gone   bool          // an ICMP notice said so of side lost
	lost   dissect.Dir
	spoke  [2]bool

	trier    dissect.Dir // direction of unanswered tries
	tries    int         // captured transmissions of one packet since the peer was last heard
	firstTry int64
	lastTry  int64
	gap      int64 // between the last two tries
}

// settle sets the state unless an end was seen.
func (l *lifecycle) settle(s session.State) {
	if l.gone {
		l.before = s
	} else {
		l.state = s
	}
}

// heard notes that a side speaks: tries of the other one are answered, and it is
// not unreachable.
func (l *lifecycle) heard(dir dissect.Dir) {
	l.spoke[dir] = true
	if dir != l.trier {
		l.tries = 0
	}
	if l.gone && dir == l.lost {
		l.gone, l.state = false, l.before
	}
}

// try notes that a side sent a packet for the n-th time.
func (l *lifecycle) try(dir dissect.Dir, n int, fr *dissect.Frame) {
	if dir != l.trier || l.tries == 0 {
		l.trier, l.tries, l.firstTry, l.lastTry = dir, 0, fr.Time, fr.Time
	}
	l.tries = max(l.tries, n)
	l.gap, l.lastTry = fr.Time-l.lastTry, fr.Time
}

// gaveUp reports whether a side tried without any reaction until it must have given up; end
// is the time of the last packet captured.
func (l *lifecycle) gaveUp(end int64) bool {
	if l.tries < giveUpFew || end-l.lastTry < max(giveUpSilence, 2*l.gap) {
		return false
	}
	return l.tries >= giveUpTries || l.lastTry-l.firstTry >= giveUpTime
}

// overBy reports whether a frame starts another connection of the same players:
// it has the numbers everything begins with, they are not the next ones, and
// there was a long silence or they stood for something else before.
func (c *conn) overBy(fr *dissect.Frame, f *dp4.Frame) bool {
	if f.Type != dp4.TypeData || !f.Initial() || f.Serial != 0 || f.Ignored() || fr.BadChecksum {
		return false
	}
	s := &c.side[c.c.DirOf(fr.Datagram)]
	top, known := s.seq.Known()
	num := near(top, f.Sequence)
	switch step := num - top; {
	case !known, step == 1, step == 2:
		return false
	case fr.HasTime && fr.Time-c.c.LastTime >= restartIdle:
		return true
	case step > -dp4.MessageWindow:
		return false
	}
	return s.history.differs(c.sent.Of(fr.Datagram, num, seq.MarkFirst).Digest(), num, s.msg.Peek(uint32(f.MessageID)))
}

// unreachable tracks an ICMP notice about what was sent to side lost.
func (c *conn) unreachable(lost dissect.Dir) {
	l := &c.life
	if c.finished || l.gone || !l.spoke[lost.Other()] {
		return
	}
	l.gone, l.lost, l.before = true, lost, l.state
	if l.state = session.Reset; !l.spoke[lost] && l.before == session.Established {
		l.state = session.Refused
	}
}

// TimedOut implements session.TimeLimit: it reports whether a side gave up after tries without any reaction, when nothing came until end.
func (c *conn) TimedOut(end int64) bool { return !c.life.gone && c.life.gaveUp(end) }

// finish settles the connection. end is the time of the last packet captured.
func (c *conn) finish(end int64) {
	if c.finished {
		return
	}
	c.finished = true
	leaky := c.side[0].bytes.leaky || c.side[1].bytes.leaky
	for i := range dissect.Dirs {
		c.side[i].out.Provisionals().End()
		c.refuted(&c.side[i])
		if c.judge != nil {
			c.judge.End(i)
		}
		c.side[i].asm.close()
		if leaky || !c.side[i].bytes.tight() {
			// What looks lost on its way here may have been lost by the capture.
			l := limits
			l.NoBefore = true
			c.c.Dir[i].SetLimits(l)
		}
	}
	if c.TimedOut(end) {
		c.life.state = session.TimedOut
	}
	c.c.State = c.life.state
	c.flow.Finish(c.c)
	c.judge = nil // frames that still come are only counted
	for i := range c.side {
		c.side[i].history.clear()
		c.side[i].history = history{}
	}
}
