package seq

// MaxContradictions is how often masks may contradict what was captured before
// they are not believed. A few times the first sending was not captured, and a
// late copy of it was.
const MaxContradictions = 3

// contradicts reports a number that a mask acknowledged well before it was first
// sent: the peer's masks mean something else than the text says. There are
// implementations that set the bit of the number itself. From then on what masks
// say of losses is not claimed; when it happens again they are not believed.
func (d acknowledging) contradicts(s *Sending, u *unit) bool {
	return u.state&(acked|byMask) == acked|byMask && s.Mark == MarkFirst && s.HasTime && s.Time-u.ackTime > CopyHorizon
}
