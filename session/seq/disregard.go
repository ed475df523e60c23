package seq

import "slices"

// maxDisregarded is how many numbers of disregarded frames of a side are remembered.
const maxDisregarded = 64

// disregarded are numbers of frames that were captured and change nothing: they can't be
// read, or are out of place. Such a number is neither missing nor was it missed by the
// capture; another frame may have it all the same.
type disregarded struct {
	numbers []Num  // oldest first
	inside  uint64 // between the lowest and the highest, of those forgotten
}

// Disregard tells that a frame with a number of this side was captured that changes
// nothing.
func (d Provisionals) Disregard(n Num) {
	d.ready()
	if d.disregarded == nil {
		d.disregarded = new(disregarded)
	}
	x := d.disregarded
	if seen, _ := d.Captured(n); seen || slices.Contains(x.numbers, n) {
		return
	}
	if len(x.numbers) == maxDisregarded {
		if w := &d.win; x.numbers[0] > w.lowest && x.numbers[0] < w.highest {
			x.inside++
		}
		x.numbers = append(x.numbers[:0], x.numbers[1:]...)
	}
	x.numbers = append(x.numbers, n)
}

// has reports the number of a disregarded frame.
func (x *disregarded) has(n Num) bool {
	return x != nil && len(x.numbers) > 0 && slices.Contains(x.numbers, n)
}

// count is how many numbers between two are those of disregarded frames.
func (x *disregarded) count(low, high Num) (n uint64) {
	if x == nil {
		return 0
	}
	for _, k := range x.numbers {
		if k > low && k < high {
			n++
		}
	}
	return n
}

// forget forgets a number: a frame with it is tracked.
func (x *disregarded) forget(n Num) {
	if x != nil && len(x.numbers) > 0 {
		x.drop(n)
	}
}

func (x *disregarded) drop(n Num) {
	x.numbers = slices.DeleteFunc(x.numbers, func(k Num) bool { return k == n })
}
