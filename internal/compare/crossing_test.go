package compare

import "testing"

// ordered is a pairing of two captures with one direction, of which datagrams come a tenth of a second one after the other
// at both points; mates are those of point 1.
func ordered(mates []int32) (*pairing, *way) {
	w := &way{first: Point1}
	p := &pairing{c: [2]*Capture{{mate: mates}, {mate: make([]int32, len(mates))}}}
	for at, c := range p.c {
		p.waysOf[at] = []*way{w}
		for i := range mates {
			c.list = append(c.list, datagram{time: int64(i) * 1e8})
		}
	}
	for a, b := range mates {
		p.pair(int32(a), b)
		p.c[0].list[a].bits |= anchor
		w.anchors = append(w.anchors, int32(a))
	}
	return p, w
}

// TestOrderRefutesAnchors: a datagram that arrived long before what was sent earlier is another one, whatever the
// clocks show; one that was overtaken by few is not.
func TestOrderRefutesAnchors(t *testing.T) {
	mates := make([]int32, 400)
	for i := range mates {
		mates[i] = int32(i)
	}
	mates[100], mates[101] = 101, 100 // overtaken
	mates[20], mates[300] = 300, 20
	p, w := ordered(mates)
	p.partCrossing()
	for i, m := range p.c[0].mate {
		if wrong := i == 20 || i == 300; (m == none) != wrong {
			t.Errorf("datagram %d is paired with %d", i, m)
		}
	}
	if len(w.anchors) != 398 || w.alone != [2]int{2, 2} {
		t.Errorf("%d anchors, alone %d", len(w.anchors), w.alone)
	}
}

// TestRetryIsNoLateDatagram: what comes as late as datagrams are sent again, and later than any other, is a retry
// whose first transmission was lost, where that is likely; where no capture misses anything it is the datagram.
func TestRetryIsNoLateDatagram(t *testing.T) {
	for _, c := range []struct {
		alone   [2]int
		repeats []int64
		parted  bool
	}{
		{[2]int{40, 40}, []int64{310e6}, true},
		{[2]int{40, 40}, []int64{900e6}, false}, // nothing is sent again so soon
		{[2]int{40, 0}, []int64{310e6}, false},  // nothing is missed
	} {
		mates := make([]int32, 400)
		for i := range mates {
			mates[i] = int32(i)
		}
		p, w := ordered(mates)
		p.c[1].list[200].time += 300e6
		deltas := make([]int64, len(mates))
		for i := range deltas {
			deltas[i] = p.delta(int32(i))
		}
		w.findOutliers(deltas)
		w.alone, p.repeats = c.alone, c.repeats
		if p.partRepeats(w); (p.c[0].mate[200] == none) != c.parted {
			t.Errorf("%v alone, repeats after %v: parted %v", c.alone, c.repeats, !c.parted)
		}
	}
}
