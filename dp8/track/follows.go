package track

import "github.com/dpdissect/dpdissect/dp8"

// nrcvSteps is by how much bNRcv may grow from one frame to the next of those that
// leave, or arrive, together.
const nrcvSteps = 8

// follows implements session.Protocol.Follows: of two data frames the second has
// the next bSeq, begins a message if and only if the first ends one (MC-DPL8R
// 3.1.5.2.6), and is otherwise sent as the first was, at about the same time.
func follows(frame, next []byte) bool {
	if len(frame) < 4 || len(next) < 4 || next[2] != frame[2]+1 || next[3]-frame[3] > nrcvSteps {
		return false
	}
	a, b := dp8.Command(frame[0]), dp8.Command(next[0])
	const kind = dp8.Data | dp8.Reliable | dp8.Sequential
	return a&dp8.Data != 0 && a&kind == b&kind && (a&dp8.EndMsg != 0) == (b&dp8.NewMsg != 0) && frame[1]&^endOfBatch == next[1]&^endOfBatch
}

// endOfBatch are the flags of bControl that the frames of one batch may differ in.
const endOfBatch = uint8(dp8.CtlEndStream | dp8.CtlKeepAlive)
