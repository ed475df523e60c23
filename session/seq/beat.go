package seq

// A beat follows the latest round trips of a side.
type beat struct {
	smooth, vary int64
	n            uint64
	least        int64  // shortest the frame at hand tells of, not yet in smooth
	frame        uint64 // that told it
	at           int64  // of that frame, ns
	any          bool   // least is valid
}

// trip enters a round trip that a frame tells of.
func (b *beat) trip(ns int64, frame uint64, at int64) {
	if b.frame != frame || !b.any {
		b.fold()
		b.least, b.frame, b.at, b.any = ns, frame, at, true
	} else if ns < b.least {
		b.least = ns
	}
}

// fold enters the round trip of the frame before.
func (b *beat) fold() {
	if !b.any {
		return
	}
	if b.n++; b.n == 1 {
		b.smooth = b.least
		return
	}
	off := b.least - b.smooth
	b.smooth += off >> 3
	b.vary += (max(off, -off) - b.vary) >> 2
}
