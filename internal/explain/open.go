package explain

import (
	"fmt"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/seq"
)

// How long a connection may be silent up to the end of the capture, in ns, before it did
// not just live on: with something that waits for its acknowledgement no protocol is silent
// for so long as staleAfter, and one that keeps itself alive for fewBeats of its intervals.
// Sides that talked all the time and stop at once, for fewPauses of their pauses, did not
// just go on.
const (
	staleAfter = 20e9
	fewBeats   = 5
	fewPauses  = 50
	quietLeast = 5e9
)

// stillOpen: no side closed it, none waits for longer than it would, and none is silent for
// longer than the protocol allows. Silence alone says nothing where nobody keeps alive.
func stillOpen(s *subject) ruling {
	last := s.side(s.silent().Other()).Last
	quiet := s.heard - last.Time
	if s.early() {
		return s.cameEarly()
	}
	if s.goesOn() {
		if protocolViolation(s).certainty != "" {
			return ruling{}
		}
		return s.carriedOn()
	}
	if s.ended() && !s.patient(quiet) || s.State == session.Closing || s.movedOn() || !s.speaks(1) && s.State == session.Opening || s.portIsClosed() {
		return ruling{}
	}
	if s.stale() || quiet > staleAfter && s.beatOverdue(quiet) {
		return ruling{}
	}
	r := ruling{certainty: Proved, at: last, refute: "a packet that closes the connection"}
	r.proof = frames(s.side(0).Last.Frame, s.side(1).Last.Frame)
	switch {
	case !s.speaks(1):
		r.certainty = Likely
		r.sentence = fmt.Sprintf("The capture contains only what %s sent. Nothing shows that the connection ended before the capture did.", s.who(0))
	case s.State == session.Opening:
		r.sentence = fmt.Sprintf("It was still being opened when the capture ended: both sides had sent something, the last of it at %s.", s.in(last))
	case quiet > quietLeast && s.stoppedAtOnce(quiet):
		r.certainty = Likely
		r.sentence = fmt.Sprintf("No close was captured. Both sides kept sending and stopped at the same time at %s, %s before the end of the capture: the connection is still open, or its end was not captured.", s.in(last), s.forAtLeast(quiet))
	case quiet > quietLeast:
		r.certainty = Likely
		r.sentence = fmt.Sprintf("Neither side closed it. Both are silent after %s, %s, and this capture shows nothing that was still unanswered: most likely the connection is still open.", s.in(last), s.silentUntilEnd(quiet))
	case s.mayHaveRestarted(0) || s.mayHaveRestarted(1):
		x := dissect.Dir(0)
		if s.mayHaveRestarted(1) {
			x = 1
		}
		r.certainty, r.final = Likely, true
		r.sentence = fmt.Sprintf("The connection was open when the capture ended; its last packet came at %s. But %s sent %s again that had been answered, from %s on, and this capture lacks packets of it: it may have begun again there.",
			s.in(last), s.who(x), count(s.Dir[x].UnneededRetries, "packet", "packets"), s.in(s.side(x).Signs.Unneeded))
	default:
		r.sentence = fmt.Sprintf("The connection was open when the capture ended; its last packet came at %s.", s.in(last))
	}
	return r
}

// forAtLeast is a time up to the end of the capture: longer ones than others tell of are not told
// apart.
func (s *subject) forAtLeast(quiet int64) string {
	if s.heard < s.seenUntil() {
		return span(quiet)
	}
	return "at least " + span(quiet)
}

// silentUntilEnd says for how long nothing came at the end of the capture.
func (s *subject) silentUntilEnd(quiet int64) string {
	if s.heard < s.seenUntil() {
		return "for the last " + span(quiet) + " of the capture"
	}
	return "for at least " + span(quiet)
}

// early reports whether what there is of the connection are packets of the next one, which come
// before its start because the clocks of merged captures differ.
func (s *subject) early() bool {
	if !s.followed() || s.speaks(1) || s.Next.Ending == nil || s.Next.LastTime > s.seenUntil() {
		return false
	}
	next := &subject{Conn: s.Next, end: s.Next.Ending}
	for dir := range dissect.Dirs {
		x := next.side(dir)
		if x.ClockLead.N >= fewest && s.Next.FirstTime-s.FirstTime <= x.LeadBy+next.trip() {
			return true
		}
	}
	return false
}

// cameEarly says so: the connection stands as that one does.
func (s *subject) cameEarly() ruling {
	n := s.Next
	return ruling{certainty: Likely, final: true, at: s.side(0).Last, proof: frames(s.FirstFrame, n.FirstFrame), refute: "one clock for both captures",
		sentence: fmt.Sprintf("Most likely these are the first packets of %s in #%d: they come before its start only because the clocks of the merged captures differ.", s.who(0), n.ID)}
}

// carriedOn: one side began again, and the other one goes on as if nothing had happened.
func (s *subject) carriedOn() ruling {
	n, x := s.Next, s.again()
	r := ruling{certainty: Proved, final: true, at: seq.SignAt(n.FirstFrame, n.FirstTime), proof: frames(s.side(x).Last.Frame, n.FirstFrame), refute: fmt.Sprintf("an older packet of %s after packet %d", s.address(x), n.FirstFrame)}
	r.sentence = fmt.Sprintf("The connection goes on as #%d: at %s the numbers of %s start from the beginning, %s after its last packet, while %s goes on with its own. "+
		"%s was restarted, or it took %s for a new one, for instance because a router gave it another address.", n.ID, s.in(r.at), s.who(x), span(max(n.FirstTime-s.side(x).Last.Time, 1)), s.who(x.Other()), s.Who(x), s.who(x.Other()))
	return r
}

// A side that sent so many numbers again, and hardly any but these, that had been
// acknowledged long before may have begun again, in frames that the capture lost. So may one
// that sent several numbers again with other bytes: what is sent again is the same.
const (
	restartRetries = 20
	restartShare   = 0.8
	restartChanged = 3
)

// mayHaveRestarted reports such a side. One that sends again what is answered late did not.
func (s *subject) mayHaveRestarted(dir dissect.Dir) bool {
	d := &s.Dir[dir]
	if s.missed(dir) && s.side(dir).Signs.Changed.N >= restartChanged {
		return true
	}
	return float64(s.late(dir)) < lateShare*float64(d.UnneededRetries) && s.missed(dir) && d.UnneededRetries >= restartRetries && float64(d.UnneededRetries) >= restartShare*float64(d.Retries)
}

// late counts the numbers of a side that were answered far later than the path needs.
func (s *subject) late(dir dissect.Dir) (n uint64) {
	for _, w := range s.windows(dir, spellsJoin, long, seq.Slow) {
		n += w.N
	}
	return n
}

// patient reports whether a side that is taken to have given up, without a closing frame,
// may still wait: the capture ended too soon after its last frame to tell.
func (s *subject) patient(quiet int64) bool {
	slowest := int64(0)
	for dir := range dissect.Dirs {
		slowest = max(slowest, s.slowest(dir))
	}
	return s.State == session.TimedOut && s.firstClose() < 0 && !s.portIsClosed() && quiet < max(2*slowest, 1e9)
}

// stale reports whether something waits for its acknowledgement for longer, up to the end
// of the capture, than any side waits.
func (s *subject) stale() bool {
	return s.speaks(1) && s.waits() && s.firstClose() < 0 && !s.portIsClosed() && s.heard-s.side(s.silent().Other()).Last.Time > staleAfter
}

// beatOverdue reports whether a side that keeps the connection alive has not done so for
// several of its intervals.
func (s *subject) beatOverdue(quiet int64) bool {
	lived := s.LastTime - s.FirstTime
	for dir := range dissect.Dirs {
		if n := int64(s.Dir[dir].KeepAlives); n >= 2 && quiet > fewBeats*(lived/n) {
			return true
		}
	}
	return false
}

// stoppedAtOnce reports whether sides that talked all the time stopped.
func (s *subject) stoppedAtOnce(quiet int64) bool {
	n := int64(s.side(0).Last.N + s.side(1).Last.N)
	return quiet > max(quietLeast, fewPauses*(s.LastTime-s.FirstTime)/max(n, 1)) && s.end.Idle.Span < quiet && n > fewPauses
}

// waits reports whether a side sent something again that nothing acknowledges, or new
// numbers for long of which none is.
func (s *subject) waits() bool {
	for dir := range dissect.Dirs {
		if x := s.side(dir); x.Unanswered.Sends >= 2 || x.Unheard.Units >= outageUnits && x.Unheard.Span() >= unansweredTime {
			return true
		}
	}
	return false
}

// nearEnd is how far before the end of a connection the capture may have lost packets that
// would tell how it ended, in ns: the longest a side goes on without an answer.
const nearEnd = 20e9

// poorCapture: the capture lost what would tell.
func poorCapture(s *subject) ruling {
	if s.State == session.Refused || s.firstClose() >= 0 || s.Unreachable.N > 0 || s.movedOn() {
		return ruling{}
	}
	last := s.side(s.silent().Other()).Last
	switch drop := s.end.Dropped; {
	case s.Internal != nil || s.SummedUp:
		return ruling{certainty: Proved, at: last, sentence: "The connection was not tracked to its end, because too many were open at the same time."}
	case drop.N > 0 && last.Time-drop.Time < nearEnd && !s.ended():
		return ruling{certainty: Proved, at: drop, refute: "a capture without drops",
			sentence: fmt.Sprintf("The capture lost packets around the end of the connection: it reports that %s missing, the last of them before packet %d.", count(drop.N, "packet is", "packets are"), drop.Frame)}
	}
	return ruling{}
}

// undecided says what is left and which capture would decide.
func undecided(s *subject) ruling {
	last := s.side(s.silent().Other()).Last
	r := ruling{certainty: Unsettled, at: last, left: []Cause{PathDead, PeerSilent, Closed, PoorCapture}}
	r.sentence = fmt.Sprintf("Nothing came from either side after %s, and the capture shows neither a close nor an attempt to continue. "+
		"Either both ended at once, the path died, or the connection continued where this capture does not see it. A capture at the other side, or a longer one, would decide.", s.in(last))
	if !s.speaks(1) {
		r.left = []Cause{NoAnswer, PoorCapture}
		r.sentence = fmt.Sprintf("The capture contains only what %s sent, so nothing shows what its peer did. A capture of both directions would decide.", s.who(0))
	}
	return r
}
