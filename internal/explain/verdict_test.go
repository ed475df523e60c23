package explain

import (
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/seq"
)

func TestStillOpen(t *testing.T) {
	s := established()
	expect(t, "at the end of the capture", s, StillOpen, "", Proved, "(packet 91)")
	s.later(60)
	expect(t, "nobody keeps it alive", s, StillOpen, "", Likely)
	s.longUnanswered(0, 3)
	expect(t, "something waits for long", s, RetriesExhausted, path, Proved)
	s = established()
	s.later(60)
	s.Dir[0].KeepAlives = 10
	expect(t, "what kept it alive stopped", s, Undecided, "", Unsettled)
}

func TestPoorCapture(t *testing.T) {
	s := established()
	s.later(60)
	s.Dir[0].KeepAlives = 10
	s.end.Dropped = at(88, 9.8)
	expect(t, "drops around the end", s, PoorCapture, "", Proved, "before packet 88")
	s.end.Dropped = at(2, -30)
	expect(t, "drops long before", s, Undecided, "", Unsettled)
}

func TestNoAnswer(t *testing.T) {
	s := established()
	s.State, s.side(1).Last = session.Opening, seq.Sign{}
	expect(t, "nothing came back", s, NoAnswer, "", Proved, "45 times")
	s.Complete = false
	expect(t, "the start was not captured", s, Undecided, "", Unsettled)
}

func TestPortClosed(t *testing.T) {
	s := established()
	s.State, s.Unreachable, s.Unreached = session.Reset, at(92, 10.1), session.SideB
	expect(t, "a server that ended", s, PortClosed, "b", Proved, "The server", "packet 92")
	s.closes(0, 80, 9)
	expect(t, "a notice behind a close", s, Closed, "a", Proved)
	s = established()
	s.Unreachable, s.Unreached = at(50, 5), session.SideB
	expect(t, "it spoke afterwards", s, StillOpen, "", Proved)
}

// TestPortClosedLikely: of a side that may have given up, or whose frames the capture
// misses, a closed port does not prove that it ended without a word.
func TestPortClosedLikely(t *testing.T) {
	closed := func() *subject {
		s := established()
		s.State, s.Unreachable, s.Unreached = session.Reset, at(92, 10.1), session.SideA
		return s
	}
	s := closed()
	s.side(0).Signs.Uncaptured = at(60, 6)
	expect(t, "the capture misses some of it", s, PortClosed, "a", Likely, "which may include a close")
	s = closed()
	s.side(0).Unanswered = seq.StuckUnit{Num: 38, Size: 60, Sends: 2, Frame: 80, Time: start + 9*second}
	expect(t, "something waited", s, PortClosed, "a", Likely, "may have given up")
	s.side(0).Unanswered.Time = start + 7*second
	expect(t, "something waited for long", s, RetriesExhausted, path, Likely)
	s.Closing[1] = at(93, 10.2)
	expect(t, "and the other side answered its close", s, RetriesExhausted, path, Likely)
}

func TestRefused(t *testing.T) {
	s := established()
	s.State, s.Closing[1], s.Reason = session.Refused, at(2, 0.1), "Banned"
	expect(t, "declined", s, Refused, "b", Proved, `"Banned"`)
	// Where the capture begins with a frame of the server, that is side a: the one that closed
	// declined. Else the client is said to have declined itself.
	s.Closing = [2]seq.Sign{at(2, 0.1), {}}
	expect(t, "declined by side a", s, Refused, "a", Proved, `"Banned"`)
}

func TestVersionMismatch(t *testing.T) {
	s := established()
	s.State, s.Closing[1], s.Reason = session.Refused, at(2, 0.1), "IncorrectVersion"
	expect(t, "declined for the version", s, VersionMismatch, "b", Proved, "version")
}

func TestSecretMismatch(t *testing.T) {
	s := established()
	s.gone(0)
	s.Dir[0].HasSignatures, s.Dir[0].Signatures.Invalid = true, 5
	s.side(0).Trips.Known = false
	expect(t, "no signature is right", s, SecretMismatch, "a", Proved)
	s.Dir[0].Signatures.Valid = 1
	expect(t, "one is", s, PeerSilent, "a", Likely)
}

// TestSecretMismatchUnseen: where the capture misses the secrets, a side of whose signed
// frames none was ever taken most likely has another one. What shows that a signature is
// right, or that frames before were taken, refutes that.
func TestSecretMismatchUnseen(t *testing.T) {
	untaken := func() *subject {
		s := established()
		s.State = session.TimedOut
		s.longUnanswered(0, 8)
		s.later(40)
		s.Dir[0].HasSignatures, s.Dir[0].Signatures.Unverifiable = true, 40
		s.side(0).Trips.Known = false
		return s
	}
	s := untaken()
	expect(t, "none was taken", s, SecretMismatch, "a", Likely, "Most likely")
	s.Dir[0].Signatures = seq.Signatures{Valid: 40, Learned: true}
	expect(t, "all are signed alike", s, SecretMismatch, "a", Likely)
	s.Dir[0].Signatures.Learned = false
	expect(t, "they are right", s, RetriesExhausted, path, Proved)
	s = untaken()
	s.side(0).LatestAcked = start + second
	expect(t, "some were taken", s, RetriesExhausted, path, Proved)
	s = untaken()
	s.Complete = false
	expect(t, "the start was not captured", s, RetriesExhausted, path, Likely) // what the peer took before may be as little
	s = untaken()
	s.side(0).CutOff = true
	s.side(0).Unheard = seq.Deaf{First: at(50, 5), Last: start + 9*second, Units: 19}
	expect(t, "the path looks dead one way", s, SecretMismatch, "a", Likely)
}

func TestProtocolViolation(t *testing.T) {
	s := established()
	s.State, s.Closing[1] = session.Reset, at(91, 10)
	s.end.Faults[0] = &session.Fault{Rule: "HZ-X", Frame: 90, Time: start + 99*second/10}
	expect(t, "closed at once", s, ProtocolViolation, "a", Proved, "HZ-X", "packet 90")
	s.end.Faults[0].Time, s.end.Faults[0].Frame = start+2*second, 10
	expect(t, "long before", s, Reset, "b", Proved)
}

func TestPeerRestarted(t *testing.T) {
	s := established()
	s.Next = &session.Conn{Dir: new([2]seq.Direction), ID: 3, A: s.A, B: s.B, FirstFrame: 95, FirstTime: start + 11*second}
	expect(t, "the client begins anew", s, PeerRestarted, "a", Proved, "#3")
	s.Next.Dir[1].Frames, s.Next.Unreachable, s.Next.Unreached = 40, at(96, 11.1), session.SideB
	expect(t, "the other side goes on", s, PeerRestarted, "a", Proved)
	s.Next.Dir[1].Frames = 1
	s.later(40)
	expect(t, "it had left: its port is closed", s, Undecided, "", Unsettled)
	s.later(11)
	s.Next.FirstFrame = 80
	expect(t, "another one beside it", s, StillOpen, "", Proved)
}

func TestRetriesExhausted(t *testing.T) {
	s := established()
	s.State = session.TimedOut
	s.longUnanswered(0, 8)
	s.later(40)
	expect(t, "others came meanwhile", s, RetriesExhausted, path, Proved, "60 bytes", "8 times")
	s.closes(0, 92, 10.1)
	s.Wordless = true
	expect(t, "and it closed", s, RetriesExhausted, path, Proved)
	s.side(0).Unanswered = seq.StuckUnit{Num: 38, Size: 60, Sends: 3, Frame: 80, Time: start + 8*second}
	expect(t, "three times in 2 s", s, Closed, "a", Likely)
	s.side(0).Signs.Stuck = seq.StuckUnit{Num: 38, Size: 60, Sends: 3, Frame: 80, Others: 9}
	expect(t, "three times, while nine others were acknowledged", s, RetriesExhausted, path, Proved)
	s.longUnanswered(0, 1)
	expect(t, "nothing was sent again", s, Closed, "a", Likely)
}

// TestGaveUpAfterFourSeconds: who closes although it waited for an answer as long as programs do,
// and the other side was silent meanwhile, gave up.
func TestGaveUpAfterFourSeconds(t *testing.T) {
	for waited, want := range map[int64]dissect.Dir{unansweredTime - 1: -1, unansweredTime: 0} {
		s := established()
		s.closes(0, 92, 10.1)
		s.side(0).Last, s.side(1).Last = seen(45, 92, 10), seen(46, 60, 1)
		s.side(0).Waiting = seq.Sign{N: 1, Frame: 70, Time: s.side(0).Last.Time - waited}
		if got := s.gaveUp(); got != want {
			t.Errorf("after %d ns: side %d, want %d", waited, got, want)
		}
	}
}

func TestSizeBlackHole(t *testing.T) {
	s := established()
	s.State = session.TimedOut
	s.longUnanswered(0, 8)
	s.later(40)
	s.side(0).Signs.Stuck = seq.StuckUnit{Num: 38, Size: 906, Sends: 8, Frame: 50, Others: 5}
	s.side(0).LargestAcked, s.side(0).BlackHole = 68, true
	expect(t, "only the large one", s, SizeBlackHole, path, Likely, "906 bytes", "68 bytes")
	s.side(0).BlackHole = false
	expect(t, "larger ones arrived", s, RetriesExhausted, path, Proved)
}

func TestOneWay(t *testing.T) {
	s := established()
	s.State = session.TimedOut
	s.later(40)
	s.side(0).CutOff = true
	s.side(0).Unheard = seq.Deaf{First: at(50, 5), Last: start + 9*second, Units: 19}
	expect(t, "nothing of a arrives", s, OneWay, path, Proved, "the player sent", "none of 19")
	s.side(1).CutOff = true
	expect(t, "nor of b", s, PathDead, path, Proved)
}

// TestIgnored: a peer that goes on for long and acknowledges nothing new of both sides shows
// that neither direction works, though one sends again what had been acknowledged.
func TestIgnored(t *testing.T) {
	s := established()
	s.State = session.TimedOut
	s.later(60)
	s.side(0).Last, s.side(1).Last = seen(45, 90, 19.9), seen(46, 91, 20)
	s.side(0).CutOff = true
	s.side(0).Unheard = seq.Deaf{First: at(50, 5), Last: start + 19*second, Units: 19}
	s.side(1).HearsNone = true
	s.side(1).Unheard = seq.Deaf{First: at(51, 5.1), Last: start + 6*second, Units: 5}
	s.side(1).LatestAcked = start + 5*second
	expect(t, "nothing new of b is acknowledged", s, PathDead, path, Proved)
	s.side(0).Signs.Uncaptured = at(60, 6)
	expect(t, "the capture lost frames of a", s, OneWay, path, Proved)
	s.side(1).Unheard.Units = 10
	expect(t, "and many numbers of b are", s, PathDead, path, Proved)
	s.side(1).LatestAcked = start + 6*second
	expect(t, "a later one of b was acknowledged", s, OneWay, path, Proved)
}

// TestMayHaveRestarted: a side that sends again much that had been acknowledged, in a capture
// that misses frames of it, may have started again: that it is the same connection is not proved.
func TestMayHaveRestarted(t *testing.T) {
	s := established()
	s.Dir[0].Retries, s.Dir[0].UnneededRetries = 25, 24
	s.side(0).Signs.Unneeded = at(60, 6)
	expect(t, "nothing is missing", s, StillOpen, "", Proved)
	s.side(0).Signs.Uncaptured = at(55, 5.5)
	expect(t, "frames are", s, StillOpen, "", Likely, "the player sent 24 packets again", "(packet 60)", "may have begun again")
	s.Dir[0].Retries = 40
	expect(t, "many retries were needed", s, StillOpen, "", Proved)
}

func TestPathDead(t *testing.T) {
	s := established()
	s.State = session.TimedOut
	s.later(40)
	s.longUnanswered(0, 8)
	s.longUnanswered(1, 8)
	expect(t, "both try in vain", s, PathDead, path, Proved)
	s.side(1).Unanswered = seq.StuckUnit{}
	expect(t, "one of them", s, RetriesExhausted, path, Proved)
}

func TestNATExpired(t *testing.T) {
	s := established()
	s.gone(1)
	s.end.Idle = session.Idle{Span: 36 * second, End: at(50, 5), Frames: [2]uint64{20, 20}}
	expect(t, "dead behind an idle time", s, NATExpired, path, Likely, "36.0 s")
	s.end.Idle.Frames[1] = 10
	expect(t, "the peer spoke behind it", s, PeerSilent, "b", Likely)
}

func TestNATRebinding(t *testing.T) {
	s := established()
	s.gone(0)
	s.State = session.Established
	n := established()
	n.A, n.Complete, n.FirstFrame, n.FirstTime = endpoint("10.0.0.2:61002"), false, 95, start+5*second
	n.Trail = &session.Trail{}
	s.moved = &session.Move{From: s.Conn, To: n.Conn, At: at(95, 5), Last: s.side(0).Last, Sure: true}
	expect(t, "numbers go on", s, NATRebinding, path, Proved, "10.0.0.2:61002", "with the next numbers", "no answer of the server")
	s.moved.Sure = false
	expect(t, "it may have started again", s, NATRebinding, path, Likely)
	s.moved.Same, s.moved.Sure, n.Trail.Sides[1].Last.N = true, true, 3
	expect(t, "the same session", s, NATRebinding, path, Proved, "in the same session")
	if strings.Contains(s.verdict().Sentence, "no answer of the server") {
		t.Error("the peer answers")
	}
}

// TestNames: sentences name sides as the user does, a name stays as it is at their start, and
// the side that a line is about stays the same.
func TestNames(t *testing.T) {
	s := established()
	s.gone(0)
	plain := s.explain()
	story := storyOf(s)
	s.names = &story.names
	story.Name(func(e dissect.Endpoint) string {
		if e == s.A {
			return "alice"
		}
		return ""
	})
	expect(t, "a name", s, PeerSilent, "a", Likely, "from the player alice", "The server sent")
	x := s.explain()
	if x.Brief() != "most likely nothing more came from the player alice" || x.A != plain.A {
		t.Errorf("%q, a is %s", x.Brief(), x.A)
	}
	role, address := x.Who()
	if wasRole, was := plain.Who(); role != wasRole || address != was {
		t.Errorf("the line is about %s %s, without names about %s %s", role, address, wasRole, was)
	}
	s.Roles = [2]string{}
	if got := s.Who(0) + ", " + s.Who(1); got != "alice, 10.0.0.1:22023" {
		t.Errorf("without roles: %s", got)
	}
}

func TestPeerSilent(t *testing.T) {
	s := established()
	s.gone(0)
	expect(t, "the client", s, PeerSilent, "a", Likely, "from the player", "40 more packets")
	s.closes(1, 92, 10.2)
	s.State = session.TimedOut
	expect(t, "a close does not hide it", s, PeerSilent, "a", Likely)
}

func TestClosed(t *testing.T) {
	s := established()
	s.closes(1, 92, 10.1)
	expect(t, "in order", s, Closed, "b", Proved, "The server closed")
	s.Wordless = true
	expect(t, "without a word", s, Closed, "b", Likely)
	s.Wordless, s.ClosedBy, s.Closing[0] = false, session.BothSides, at(93, 10.11)
	expect(t, "both", s, Closed, "both", Proved)
	s.ClosedBy, s.Closing[0] = session.NoSide, seq.Sign{}
	expect(t, "the answer alone", s, Closed, "a", Likely, "the close itself was not")
}

func TestLeftover(t *testing.T) {
	s := established()
	s.ID = 2
	s.closes(0, 92, 10.1)
	n := established()
	n.prev, n.State, n.FirstFrame, n.FirstTime, n.side(0).Last = s, session.Reset, 95, start+11*second, seq.Sign{}
	n.Unreachable, n.Unreached = at(96, 11.1), session.SideA
	expect(t, "a late datagram", n, Closed, "a", Proved, "#2")
	n.FirstTime = start + 60*second
	expect(t, "a minute later", n, PortClosed, "a", Proved)
}

func TestReset(t *testing.T) {
	s := established()
	s.State, s.Closing[1] = session.Reset, at(92, 10.1)
	expect(t, "cut off", s, Reset, "b", Proved)
	s.side(0).Signs.Uncaptured = at(60, 6)
	expect(t, "the capture missed frames of the other side", s, Reset, "b", Likely, "Most likely the ")
	s.side(0).Signs.Uncaptured, s.side(1).Signs.Uncaptured = seq.Sign{}, at(60, 6)
	expect(t, "it missed frames of the same side, and may have missed those of the other", s, Reset, "b", Likely)
}

// TestNow: without what Config.Endings keeps nothing is known.
func TestNow(t *testing.T) {
	s := established()
	s.gone(0)
	if x, ok := Now(s.Conn, s.heard); !ok || x.Verdict.Cause != PeerSilent {
		t.Errorf("%+v, %v", x.Verdict, ok)
	}
	s.Conn.Ending = nil
	if x, ok := Now(s.Conn, s.heard); ok {
		t.Errorf("%+v", x.Verdict)
	}
}

func TestUndecided(t *testing.T) {
	s := established()
	s.State = session.Reset
	expect(t, "no frame tells", s, Undecided, "", Unsettled, "would decide")
	if v := s.verdict(); len(v.Candidates) == 0 {
		t.Error("nothing is said to be left")
	}
}

// TestWords: every cause has words for each place, and a grave one is told.
func TestWords(t *testing.T) {
	for _, p := range predicates {
		if a := abouts[p.cause]; a.brief == "" || a.why == "" {
			t.Errorf("%s has no words", p.cause)
		}
	}
	s := established()
	s.gone(0)
	c := s.explain()
	role, address := c.Who()
	if c.Brief() != "most likely nothing more came from the player" || c.Verdict.Why() != "fell silent?" || c.Kind() != "cut off" || role+" "+address != "client 10.0.0.2:4170" {
		t.Errorf("%q, %q, %q, %q", c.Brief(), c.Verdict.Why(), c.Kind(), role+" "+address)
	}
	if ns, ok := c.When(); !ok || ns != start+4900e6 {
		t.Errorf("it happened at %d", ns-start)
	}
}
