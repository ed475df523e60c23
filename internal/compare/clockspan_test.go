package compare

import "testing"

// moved are two captures of datagrams that take a second, of which the second one's clock is set ahead by two seconds while two
// of them are on their way.
func moved() *pairing {
	p := &pairing{c: [2]*Capture{{}, {}}}
	for i := range int32(10) {
		at := int64(i) * 1e9 / 2
		arrival := at + 1e9
		if arrival >= 3e9 {
			arrival += 2e9
		}
		p.c[0].list = append(p.c[0].list, datagram{time: at, bits: anchor | timed})
		p.c[1].list = append(p.c[1].list, datagram{time: arrival, bits: anchor | timed})
		p.c[0].mate, p.c[1].mate = append(p.c[0].mate, i), append(p.c[1].mate, i)
	}
	p.waysOf = [2][]*way{{{first: Point1}}, {{first: Point1}}}
	return p
}

// TestSegmentsBesideStep: what was on its way when a clock was set left before, when the other line held.
func TestSegmentsBesideStep(t *testing.T) {
	p := moved()
	r := p.clockReader()
	p.clocks.cuts = []cut{{point: Point2, known: true, at: [2]int32{4, 4}}}
	p.clocks.segments = []segment{{x1: 15e8}, {x0: 2e9, x1: 45e8, offset: 2e9, drift: 1e-3}}
	r.spanAll()
	before, after := p.clocks.segments[0], p.clocks.segments[1]
	if before.x0 != 0 || before.x1 != 25e8 {
		t.Errorf("the line before holds from %d to %d ns, want 0 to 2,500,000,000", before.x0, before.x1)
	}
	if after.x0 < 2999e6 || after.x0 > 3001e6 || after.x1 != 45e8 {
		t.Errorf("the line after holds from %d to %d ns, want about 3,000,000,000 to 4,500,000,000", after.x0, after.x1)
	}
	if want := 2e9 + 1e-3*float64(after.x0-2e9); after.offset != want {
		t.Errorf("the offset there is %f ns, want %f", after.offset, want)
	}
}

// TestStepAheadIsJump: a clock that is set ahead is so at the only place where its times jump by as much.
func TestStepAheadIsJump(t *testing.T) {
	p := moved()
	r := p.clockReader()
	c := cut{point: Point2, known: true, at: [2]int32{5, 5}}
	if c = r.seen(c, 2e9, r.all); c.at != [2]int32{4, 4} {
		t.Errorf("the step is at %v, want where the times of point 2 jump", c.at)
	}
	p.c[1].list[8].time += 2e9
	if c = r.seen(cut{point: Point2, known: true, at: [2]int32{5, 5}}, 2e9, r.all); c.at != [2]int32{5, 5} {
		t.Errorf("of two jumps one was taken: %v", c.at)
	}
}

// TestMisfitHasNoBound: where no line fits both clocks no offset is told, and no bound of it.
func TestMisfitHasNoBound(t *testing.T) {
	r := &Comparison{p: &pairing{}}
	for _, s := range []segment{{bound: -5e6, offset: 1e9, pairs: [2]int64{9, 9}}, {bound: 5e6, drift: 2 * mostDrift, pairs: [2]int64{9, 9}}} {
		if x := r.segment(&s); x.Offset != nil || x.Bound != nil || x.Drift != 0 {
			t.Errorf("%+v is told as %+v", s, x)
		}
	}
}
