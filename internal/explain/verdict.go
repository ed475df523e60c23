package explain

// A predicate looks for one cause.
type predicate struct {
	cause Cause
	rule  func(*subject) ruling
}

// predicates are tried in this order: what a capture proves of the end itself comes first,
// and what is more special before what it is a case of.
var predicates = []predicate{
	{Closed, leftover},
	{StillOpen, stillOpen},
	{PoorCapture, poorCapture},
	{NoAnswer, noAnswer},
	{PortClosed, portClosed},
	{VersionMismatch, versionMismatch},
	{SecretMismatch, secretMismatch},
	{Refused, refused},
	{ProtocolViolation, protocolViolation},
	{PeerRestarted, peerRestarted},
	{SizeBlackHole, sizeBlackHole},
	{PathDead, pathDead},
	{OneWay, oneWay},
	{RetriesExhausted, retriesExhausted},
	{NATExpired, natExpired},
	{NATRebinding, natRebinding},
	{PeerSilent, peerSilent},
	{Closed, closed},
	{Reset, reset},
}

// verdict says how a connection ended: the first cause that is proved or final, else the
// first that is likely.
func (s *subject) verdict() Verdict {
	best := Undecided
	var found ruling
	for _, p := range predicates {
		r := p.rule(s)
		if r.certainty == Proved || r.final {
			best, found = p.cause, r
			break
		}
		if r.certainty == Likely && best == Undecided {
			best, found = p.cause, r
		}
	}
	if best == Undecided {
		found = undecided(s)
	}
	v := Verdict{Cause: best, Side: found.side, Certainty: found.certainty, Time: s.clock(found.at.Time), Frame: found.at.Frame,
		Frames: frames(append(found.proof, found.at.Frame)...), Sentence: found.sentence, WouldRefute: found.refute, Candidates: found.left}
	if v.Time != 0 && found.since != 0 && found.at.Time-found.since <= nearEnd {
		v.since = found.since + s.end.Shift
	}
	if best != StillOpen {
		v.Reason = s.Reason
	}
	return v
}
