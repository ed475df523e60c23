package seq

import "testing"

// account is a lane whose account is kept, with a peer.
func account() (l *lane, peer *Direction) {
	l, peer = newLane(), new(Direction)
	l.d.account, l.d.peer = new(Account), peer
	return l, peer
}

// once captures the first sending of a number, some ms later.
func (l *lane) once(after int64, num Num) {
	l.send(after, num, MarkFirst, uint64(num)+1, uint16(num)+1)
}

// upTo acknowledges all numbers below next, some ms later.
func (l *lane) upTo(after int64, next Num) {
	l.frame++
	l.now += after * ms
	l.d.Acknowledge(&Acknowledgement{Next: next, Base: next + 1, Frame: l.frame, Time: l.now, HasTime: true}, func(Position) {})
}

// The longest run without an acknowledgement that ended with one is kept; one that still
// lasts is Unheard.
func TestHealed(t *testing.T) {
	l, peer := account()
	l.once(1, 0)
	l.upTo(40, 1)
	l.once(10, 1)
	peer.Frames, peer.Acks = 5, 2
	l.once(500, 2)
	l.upTo(500, 3)
	l.once(10, 3)
	l.upTo(40, 4)
	l.once(10, 4)
	h, open := l.d.Quality().Account().Healed, l.d.Quality().Unheard()
	if h.Span() != 1000*ms || h.Units != 2 || h.Meanwhile() != 5 || h.Answers() != 2 || h.First.Frame != 3 {
		t.Errorf("healed: %+v", h)
	}
	if open.Units != 1 || open.Span() != 0 {
		t.Errorf("unheard: %+v", open)
	}
}

// Frames of the peer from before a run, and behind its latest sending, are not of it.
func TestAnswersOfARun(t *testing.T) {
	l, peer := account()
	peer.Frames, peer.Acks = 100, 50
	l.once(1, 0)
	peer.Frames, peer.Acks = 107, 53
	l.once(100, 1)
	peer.Frames, peer.Acks = 200, 99
	if u := l.d.Quality().Unheard(); u.Meanwhile() != 7 || u.Answers() != 3 || u.Units != 2 {
		t.Errorf("%+v: %d meanwhile, %d answers", u, u.Meanwhile(), u.Answers())
	}
}

// What waits are the numbers that were captured and that nothing acknowledges.
func TestWaiting(t *testing.T) {
	l := newLane()
	if s := l.d.Quality().Waiting(); s.N != 0 {
		t.Errorf("nothing was sent: %+v", s)
	}
	for n := range Num(5) {
		l.once(10, n)
	}
	l.upTo(10, 2)
	if s := l.d.Quality().Waiting(); s.N != 3 || s.Frame != 3 {
		t.Errorf("three of five: %+v", s)
	}
	l.upTo(10, 5)
	if s := l.d.Quality().Waiting(); s.N != 0 {
		t.Errorf("all are acknowledged: %+v", s)
	}
}

// A unit starves that is sent in one datagram after the other of which none is acknowledged:
// the one sent most often counts.
func TestStarved(t *testing.T) {
	l, _ := account()
	for n := range Num(6) {
		if n < 2 {
			l.carry(100, n, 7, 8)
		} else {
			l.carry(100, n, 7)
		}
	}
	if x := l.d.Quality().Account().Losses.Starved; x.Num != 7 || x.Sends != 6 || x.Frame != 1 {
		t.Errorf("%+v", x)
	}
	l, _ = account()
	l.carry(100, 0, 7)
	l.upTo(40, 1)
	l.carry(100, 1, 7)
	if x := l.d.Quality().Account().Losses.Starved; x.Sends != 0 {
		t.Errorf("a unit that was acknowledged: %+v", x)
	}
}
