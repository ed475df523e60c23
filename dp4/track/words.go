package track

import "github.com/dpdissect/dpdissect/session/seq"

// near is the number with the given low byte that is nearest to ref.
func near(ref seq.Num, wire uint8) seq.Num { return ref + seq.Num(int8(wire-uint8(ref))) }
