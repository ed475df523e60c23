package track

import "github.com/dpdissect/dpdissect/session/seq"

// cuts are the latest PacketIDs of a side of which the capture kept a part: their bytes do not
// tell whether a PacketID is used again for something else. nil while there was none.
type cuts struct{ nums *[keptCuts]seq.Num }

// keptCuts bounds those remembered, each by its low bits, plus 1.
const keptCuts = 256

func (x *cuts) add(num seq.Num) {
	if x.nums == nil {
		x.nums = new([keptCuts]seq.Num)
	}
	x.nums[num&(keptCuts-1)] = num + 1
}

func (x *cuts) has(num seq.Num) bool { return x.nums != nil && x.nums[num&(keptCuts-1)] == num+1 }
