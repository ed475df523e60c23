package explain

import (
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/seq"
)

const second = int64(1e9)

// start is the time of the first frame of a played connection.
const start = 1_700_000_000 * second

// at is a sign some seconds after the start, seen once.
func at(frame uint64, seconds float64) seq.Sign {
	return seq.SignAt(frame, start+int64(seconds*1e9))
}

// seen is a side's latest of n frames.
func seen(n, frame uint64, seconds float64) seq.Sign {
	s := at(frame, seconds)
	s.N = n
	return s
}

var hazel = &dissect.Protocol{Name: "hazel", Client: "client", WrongVersion: "version"}

func endpoint(s string) dissect.Endpoint { return dissect.MakeEndpoint(netip.MustParseAddrPort(s)) }

// established is a connection of a client and a server that talked for 10 s, the last
// frames 90 and 91, at a round trip of 40 ms to b.
func established() *subject {
	c := &session.Conn{Protocol: hazel, A: endpoint("10.0.0.2:4170"), B: endpoint("10.0.0.1:22023"), Roles: [2]string{"client", "server"},
		FirstFrame: 1, LastFrame: 91, FirstTime: start, LastTime: start + 10*second, FirstStamp: start, LastStamp: start + 10*second, HasTime: true, Complete: true, State: session.Established, Dir: new([2]seq.Direction)}
	e := &session.Ending{}
	e.Sides[0] = session.SideEnding{Trouble: &session.Trouble{}, Last: seen(45, 90, 9.9), Trips: session.Trips{Least: 40e6, Known: true}, Numbers: 40}
	e.Sides[1] = session.SideEnding{Trouble: &session.Trouble{}, Last: seen(46, 91, 10), Trips: session.Trips{Least: 1e6, Known: true}, Numbers: 40}
	c.Ending = e
	return &subject{Conn: c, end: e, heard: start + 11*second}
}

// storyOf is the story of some connections.
func storyOf(list ...*subject) *Story {
	var conns []*session.Conn
	for _, s := range list {
		conns = append(conns, s.Conn)
	}
	return Tell(conns, nil, list[0].heard)
}

// later makes the capture go on for so many seconds after the start.
func (s *subject) later(seconds float64) { s.heard = start + int64(seconds*1e9) }

// closes makes a side close in a frame.
func (s *subject) closes(dir dissect.Dir, frame uint64, seconds float64) {
	s.State, s.ClosedBy, s.Closing[dir] = session.Closed, session.Side(dir+1), at(frame, seconds)
}

// longUnanswered makes a side send number 38 again and again, for the last 5 s.
func (s *subject) longUnanswered(dir dissect.Dir, sends uint8) {
	s.side(dir).Unanswered = seq.StuckUnit{Num: 38, Size: 60, Sends: sends, Frame: 50, Time: start + 5*second}
}

// gone makes a side fall silent at 5 s while the other one goes on until 10 s and gives up.
func (s *subject) gone(dir dissect.Dir) {
	s.State = session.TimedOut
	s.side(dir).Last = seen(20, 49, 4.9)
	s.side(dir.Other()).Last, s.side(dir.Other()).Alone = seen(60, 91, 10), 40
	s.longUnanswered(dir.Other(), 8)
	s.later(40)
}

// expect holds a verdict to a cause, a side and a certainty, and to words of its sentence.
func expect(t *testing.T, name string, s *subject, cause Cause, side string, certainty Certainty, words ...string) {
	t.Helper()
	v := s.verdict()
	if v.Cause != cause || v.Side != side || v.Certainty != certainty {
		t.Errorf("%s: %s by %q (%s), want %s by %q (%s): %s", name, v.Cause, v.Side, v.Certainty, cause, side, certainty, v.Sentence)
	}
	for _, w := range words {
		if !strings.Contains(v.Sentence, w) {
			t.Errorf("%s: %q does not say %q", name, v.Sentence, w)
		}
	}
	if !strings.HasSuffix(v.Sentence, ".") || strings.Contains(v.Sentence, "%!") || len(v.Frames) == 0 || !slices.IsSorted(v.Frames) {
		t.Errorf("%s: sentence %q, proof %v", name, v.Sentence, v.Frames)
	}
}
