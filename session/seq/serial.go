package seq

// A Serial unwraps a counter of Bits bits to 64 bits. The first value seen
// stands for itself; every other is taken nearest to the reference, which
// Advance moves forward.
type Serial struct {
	Bits uint
	ref  Num
	set  bool
}

// Peek is the unwrapped value of wire, without remembering it.
func (s *Serial) Peek(wire uint32) Num {
	if !s.set {
		return Num(wire)
	}
	above := (64 - s.Bits) & 63 // bits that the counter does not have take the sign of the distance
	return s.ref + (Num(wire)-s.ref)<<above>>above
}

// Advance makes n the reference when it is the first or a greater one.
func (s *Serial) Advance(n Num) {
	if !s.set || n > s.ref {
		s.ref, s.set = n, true
	}
}

// Known reports whether there is a reference, and gives it.
func (s *Serial) Known() (Num, bool) { return s.ref, s.set }
