package seq

import (
	"math/bits"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/dpdissect/dpdissect/dissect"
)

// one captures an acknowledgement of a single number.
func (l *lane) one(after int64, num Num, hearsay bool) (dissect.Words, []uint64) {
	l.frame++
	l.now += after * ms
	a := Acknowledgement{Frame: l.frame, Time: l.now, HasTime: true, Hearsay: hearsay}
	before := len(l.linked)
	words := l.d.AcknowledgeOne(num, &a, func(at Position) { l.linked = append(l.linked, at.Frame) })
	return words, l.linked[before:]
}

// deny captures a report that a number is missing.
func (l *lane) deny(after int64, num Num) {
	l.frame++
	l.now += after * ms
	l.d.Deny(num, &Acknowledgement{Frame: l.frame, Time: l.now, HasTime: true})
}

func TestAcknowledgeOne(t *testing.T) {
	for _, c := range []struct {
		name   string
		play   func(l *lane) (dissect.Words, []uint64)
		words  string
		linked []uint64
		lost   uint64 // by the capture
	}{
		{"nothing was captured", func(l *lane) (dissect.Words, []uint64) { return l.one(1, 5, false) }, "", nil, 0},
		{"in the middle", func(l *lane) (dissect.Words, []uint64) { l.first(1, 2, 3); return l.one(1, 2, false) }, "ack", []uint64{2}, 0},
		{"twice", func(l *lane) (dissect.Words, []uint64) { l.first(1, 2); l.one(1, 2, false); return l.one(1, 2, false) }, "", nil, 0},
		{"sent before the capture began", func(l *lane) (dissect.Words, []uint64) { l.first(9); return l.one(1, 5, false) }, "", nil, 0},
		{"of a number never captured", func(l *lane) (dissect.Words, []uint64) {
			l.first(1, 3)
			return l.one(1, 2, false)
		}, "ack-of-uncaptured", nil, 1},
		{"of a number never captured, by hearsay", func(l *lane) (dissect.Words, []uint64) {
			l.first(1, 3)
			return l.one(1, 2, true)
		}, "", nil, 0},
		{"hearsay, confirmed", func(l *lane) (dissect.Words, []uint64) {
			l.first(1, 3)
			l.one(1, 2, true)
			return l.one(1, 2, false)
		}, "ack-of-uncaptured", nil, 1},
		{"hearsay before it was sent says nothing", func(l *lane) (dissect.Words, []uint64) {
			l.first(1, 3)
			l.one(1, 2, true)
			l.first(2) // frame 4
			return l.one(1, 2, false)
		}, "ack", []uint64{4}, 0},
		{"by hearsay", func(l *lane) (dissect.Words, []uint64) { l.first(1, 2); return l.one(1, 2, true) }, "ack", []uint64{2}, 0},
		{"impossible: too far ahead", func(l *lane) (dissect.Words, []uint64) { l.first(1); return l.one(1, 2+MaxAckExcess, false) }, "", nil, 0},
		{"a retry behind its acknowledgement waits for the next one", func(l *lane) (dissect.Words, []uint64) {
			l.first(1, 2)
			l.one(1, 2, false)
			l.send(200, 2, Unmarked, 1002, 900) // frame 4
			if _, linked := l.one(1, 1, false); !slices.Equal(linked, []uint64{1}) {
				t.Errorf("linked %v", linked)
			}
			return l.one(1, 2, false)
		}, "", []uint64{4}, 0},
	} {
		l := newLane()
		words, linked := c.play(l)
		l.first(40)
		l.d.Close()
		if got := wordNames(words); got != c.words || !slices.Equal(linked, c.linked) || l.d.Lost().NotCaptured != c.lost {
			t.Errorf("%s: %q links %v, %d not captured, want %q links %v, %d", c.name, got, linked, l.d.Lost().NotCaptured, c.words, c.linked, c.lost)
		}
	}
}

// A number that stays missing at the peer long after it went by, and is sent
// again, was lost behind the capture point.
func TestDeny(t *testing.T) {
	for _, c := range []struct {
		name string
		play func(l *lane)
		want uint64
	}{
		{"missing long after, sent again", func(l *lane) {
			l.deny(100, 3)
			l.send(100, 3, Unmarked, 1003, 900)
			l.one(20, 3, false)
		}, 1},
		{"missing, and then it came", func(l *lane) { l.deny(100, 3); l.one(20, 3, false) }, 0},
		{"missing, never sent again", func(l *lane) { l.deny(100, 3) }, 0},
		{"missing while it may be on its way", func(l *lane) { l.deny(1, 3); l.send(100, 3, Unmarked, 1003, 900); l.one(20, 3, false) }, 0},
		{"a peer that denies what it acknowledged", func(l *lane) {
			l.deny(100, 2)
			l.deny(1, 3)
			l.send(100, 3, Unmarked, 1003, 900)
			l.one(20, 3, false)
		}, 0},
	} {
		l := newLane()
		l.first(1)
		l.one(10, 1, false)
		l.first(2, 3, 4)
		l.one(10, 2, false)
		l.one(1, 4, false)
		c.play(l)
		l.d.Close()
		if got := l.d.Lost().AfterCapture; got != c.want {
			t.Errorf("%s: %d lost behind the capture point, want %d", c.name, got, c.want)
		}
	}
}

// What acknowledgements of a kind can't prove is neither claimed nor said to be 0.
func TestLimitsOfProof(t *testing.T) {
	l := newLane()
	l.d.SetLimits(Limits{NoBefore: true, NoAfter: true})
	l.first(1, 2)
	l.one(10, 2, false)
	if before, after, captured := l.d.ProvesLoss(); before || after || !captured {
		t.Errorf("before %v, after %v, captured %v", before, after, captured)
	}
}

// A number is remembered for as long as asked while there is room, and no more
// numbers than asked for.
func TestLimits(t *testing.T) {
	l := newLane()
	l.d.SetLimits(Limits{History: 1000, Keep: 400 * ms})
	for n := range Num(300) {
		l.first(n) // one each ms
	}
	if v := l.send(1, 0, Unmarked, 1000, 9); !v.Words.Has(dissect.Retry) {
		t.Errorf("a retry after 300 ms: %v", wordNames(v.Words))
	}
	for n := range Num(3000) {
		l.first(300 + n)
	}
	if n := l.d.win.top - l.d.win.base; n > 513 { // the power of two above 400
		t.Errorf("%d numbers remembered for 400 ms", n)
	}
	if v := l.send(1, 1, Unmarked, 1001, 9); v.Novelty != Forgotten {
		t.Errorf("novelty %d of a number that was forgotten", v.Novelty)
	}
	for n := range Num(3000) {
		l.send(0, 4000+n, Unmarked, 1, 9)
	}
	if n := l.d.win.units.size(); n > 1024 {
		t.Errorf("room for %d numbers at the same time", n)
	}
}

// TestAnsweredAreForgottenSooner: of many numbers those that were acknowledged go sooner than those that
// wait, and of few none.
func TestAnsweredAreForgottenSooner(t *testing.T) {
	for _, c := range []struct {
		acked   bool
		n, most Num
	}{{true, 500, 500}, {true, 5000, 512}, {false, 5000, 4096}} {
		l := newLane()
		l.d.SetLimits(Limits{History: 1 << 14, Keep: 3000 * ms, Answered: 400 * ms})
		for n := range c.n {
			l.first(n) // one each ms, or two
			if c.acked {
				l.one(1, n, false)
			}
		}
		if n := l.d.win.top - l.d.win.base; n > c.most || n < min(c.n, 400) {
			t.Errorf("%d numbers are remembered of %d, acknowledged %v; want at most %d", n, c.n, c.acked, c.most)
		}
	}
}

// Where retries have no mark, the first number captured may be an old one: what
// is acknowledged above it was sent before the capture began, for as long as
// retries come.
func TestOldRetryIsNoOrigin(t *testing.T) {
	for _, c := range []struct {
		name string
		mark Mark
		at   int64 // ms after the first frame
		want uint64
	}{
		{"marked as first", MarkFirst, 200, 1},
		{"may be an old retry", Unmarked, 200, 0},
		{"too late for one", Unmarked, 13_000, 1},
	} {
		l := newLane()
		l.d.SetLimits(Limits{Keep: 12_000 * ms})
		l.now = c.at * ms
		l.send(0, 5, c.mark, 1005, 9)
		l.send(1, 8, c.mark, 1008, 10)
		l.one(1, 7, false)
		l.d.Close()
		if got := l.d.Lost().NotCaptured; got != c.want {
			t.Errorf("%s: %d not captured, want %d", c.name, got, c.want)
		}
	}
}

// A run of acknowledgements says what its numbers say one by one, however often it is
// said, and whatever is captured in between.
func TestAcknowledgeRun(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		one, run := newLane(), newLane()
		for _, l := range []*lane{one, run} {
			l.d.SetLimits(Limits{History: 1 << 10, Keep: 50 * ms, AckExcess: 300})
		}
		top := Num(100)
		for range rapid.IntRange(1, 120).Draw(t, "steps") {
			if rapid.Bool().Draw(t, "sends") {
				num := max(0, top+rapid.SampledFrom([]Num{1, 1, 1, 2, 40, 900, -1, -3, -60}).Draw(t, "step"))
				top = max(top, num)
				a, b := one.send(1, num, Unmarked, uint64(num), 1), run.send(1, num, Unmarked, uint64(num), 1)
				if a != b {
					t.Fatalf("number %d: %+v, in runs %+v", num, a, b)
				}
				continue
			}
			first, mask := top-Num(rapid.Int64Range(-400, 100).Draw(t, "first")), rapid.Uint64().Draw(t, "mask")
			var words [2]dissect.Words
			var linked [2][]uint64
			for i, l := range []*lane{one, run} {
				l.frame++
				l.now += ms
				a := Acknowledgement{Frame: l.frame, Time: l.now, HasTime: true}
				link := func(p Position) { linked[i] = append(linked[i], p.Frame) }
				if l == run {
					words[i] = l.d.AcknowledgeRun(first, mask, &a, link, nil)
					continue
				}
				for m := mask; m != 0; m &= m - 1 {
					words[i] |= l.d.AcknowledgeOne(first+Num(bits.TrailingZeros64(m)), &a, link)
				}
			}
			if words[0] != words[1] || !slices.Equal(linked[0], linked[1]) {
				t.Fatalf("%x from %d: %v of %v, in a run %v of %v", mask, first, words[0], linked[0], words[1], linked[1])
			}
		}
		one.d.Close()
		run.d.Close()
		if one.d.RTT() != run.d.RTT() || one.d.Lost() != run.d.Lost() {
			t.Fatalf("%+v %+v, in runs %+v %+v", one.d.RTT(), one.d.Lost(), run.d.RTT(), run.d.Lost())
		}
	})
}
