package track

// cuts are the latest PacketIDs of a side of which the capture kept a part: their bytes do not
// tell whether a PacketID is used again for something else. nil while there was none.
type cuts struct{ nums *[keptCuts]int64 }

// keptCuts is how many are remembered, each by its low bits, plus 1.
const keptCuts = 256

func (x *cuts) add(num int64) {
	if x.nums == nil {
		x.nums = new([keptCuts]int64)
	}
	x.nums[num&(keptCuts-1)] = num + 1
}

func (x *cuts) has(num int64) bool { return x.nums != nil && x.nums[num&(keptCuts-1)] == num+1 }
