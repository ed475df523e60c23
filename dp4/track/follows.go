package track

import "github.com/dpdissect/dpdissect/dp4"

// follows implements session.Protocol.Follows: of two data frames between the same
// players the second has the next sequence, in the same message or as the first of
// the next one, and both are first transmissions.
func follows(frame, next []byte) bool {
	if len(frame) < 4 || len(next) < 4 || !dp4.HasSP(next, len(next)) && (frame[0] != next[0] || frame[1] != next[1]) {
		return false // other players, most likely: this is asked for every place in a datagram
	}
	var a, b dp4.Frame
	if a.Decode(frame, dp4.Params{Length: len(frame)}, nil) != nil || a.Type != dp4.TypeData || a.Serial != 0 ||
		b.Decode(next, dp4.Params{Length: len(next)}, nil) != nil {
		return false
	}
	ends, starts := a.Flags&dp4.EOM != 0, b.Flags&dp4.STA != 0
	step := uint8(0)
	if starts {
		step = 1
	}
	const kind = dp4.EXT | dp4.BIG | dp4.CMD | dp4.ACK
	return b.Type == dp4.TypeData && b.Serial == 0 && a.From == b.From && a.To == b.To && a.HasSP == b.HasSP &&
		a.Flags&kind == dp4.CMD && b.Flags&kind == dp4.CMD &&
		b.Sequence == a.Sequence+1 && ends == starts && b.MessageID == a.MessageID+step
}
