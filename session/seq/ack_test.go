package seq

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/dpdissect/dpdissect/dissect"
)

func TestAcknowledge(t *testing.T) {
	for _, c := range []struct {
		name   string
		play   func(l *lane) (dissect.Words, []uint64)
		words  string
		linked []uint64
	}{
		{"nothing was captured", func(l *lane) (dissect.Words, []uint64) { return l.ack(1, 5) }, "", nil},
		{"cumulative", func(l *lane) (dissect.Words, []uint64) { l.first(1, 2, 3); return l.ack(1, 3) }, "ack", []uint64{1, 2}},
		{"nothing new", func(l *lane) (dissect.Words, []uint64) { l.first(1, 2); l.ack(1, 3); return l.ack(1, 3) }, "", nil},
		{"older", func(l *lane) (dissect.Words, []uint64) { l.first(1, 2); l.ack(1, 3); return l.ack(1, 2) }, "", nil},
		{"the first number is not acknowledged", func(l *lane) (dissect.Words, []uint64) { l.first(1, 2); return l.ack(1, 1) }, "", nil},
		{"selective", func(l *lane) (dissect.Words, []uint64) { l.first(1, 2, 3, 4); return l.ack(1, 2, 4) }, "ack", []uint64{1, 4}},
		{"what was selective is not linked twice", func(l *lane) (dissect.Words, []uint64) {
			l.first(1, 2, 3, 4)
			l.ack(1, 2, 4)
			return l.ack(1, 5)
		}, "ack", []uint64{2, 3}},
		{"highest bit", func(l *lane) (dissect.Words, []uint64) { l.first(1, 66); return l.ack(1, 2, 66) }, "ack", []uint64{1, 2}},
		{"of a number never captured", func(l *lane) (dissect.Words, []uint64) { l.first(1, 3); return l.ack(1, 3) }, "ack ack-of-uncaptured", []uint64{1}},
		{"of nothing but uncaptured", func(l *lane) (dissect.Words, []uint64) { l.first(1); l.ack(1, 2); return l.ack(1, 4) }, "ack-of-uncaptured", nil},
		{"of a number given up", func(l *lane) (dissect.Words, []uint64) { l.first(1, 3); l.d.GiveUp(2); return l.ack(1, 3) }, "ack", []uint64{1}},
		{"impossible: further ahead than a window", func(l *lane) (dissect.Words, []uint64) { l.first(1); return l.ack(1, 3+MaxAckExcess) }, "", nil},
		{"a window ahead", func(l *lane) (dissect.Words, []uint64) { l.first(1); return l.ack(1, 2+MaxAckExcess) }, "ack ack-of-uncaptured", []uint64{1}},
		{"a mask further ahead than a window", func(l *lane) (dissect.Words, []uint64) { l.first(1, 2); return l.ack(1, 4, 67) }, "ack ack-of-uncaptured", []uint64{1, 2}},
		{"all copies before", func(l *lane) (dissect.Words, []uint64) {
			l.first(1)
			l.send(1, 1, MarkFirst, 1001, 100)
			l.send(1, 1, MarkRetry, 7, 200)
			return l.ack(1, 2)
		}, "ack", []uint64{1, 2, 3}},
		{"a copy behind the acknowledgement waits for the next one", func(l *lane) (dissect.Words, []uint64) {
			l.first(1)
			l.ack(1, 2)
			l.send(1, 1, MarkRetry, 7, 200) // frame 3
			return l.ack(1, 2)
		}, "", []uint64{3}},
		{"a copy behind a selective acknowledgement waits for one that covers it", func(l *lane) (dissect.Words, []uint64) {
			l.first(1, 2, 3)
			l.ack(1, 2, 3)
			l.send(1, 3, MarkRetry, 7, 200) // frame 5
			if _, linked := l.ack(1, 2); len(linked) > 0 {
				t.Errorf("linked %v", linked)
			}
			return l.ack(1, 2, 3)
		}, "", []uint64{5}},
		{"captured for the first time behind its acknowledgement", func(l *lane) (dissect.Words, []uint64) {
			l.first(1, 3)
			l.ack(1, 4)
			l.send(1, 2, MarkRetry, 7, 200) // frame 4
			return l.ack(1, 4)
		}, "", []uint64{4}},
		{"below the window behind its acknowledgement", func(l *lane) (dissect.Words, []uint64) {
			l.first(5)
			l.ack(1, 6)
			l.send(1, 3, MarkRetry, 7, 200) // frame 3
			return l.ack(1, 6)
		}, "", []uint64{3}},
	} {
		l := newLane()
		words, linked := c.play(l)
		slices.Sort(linked)
		if got := wordNames(words); got != c.words || !slices.Equal(linked, c.linked) {
			t.Errorf("%s: %q links %v, want %q links %v", c.name, got, linked, c.words, c.linked)
		}
	}
}

func TestUnneededRetries(t *testing.T) {
	for _, c := range []struct {
		name string
		play func(l *lane)
		want uint64
	}{
		{"before the acknowledgement", func(l *lane) { l.first(1); l.send(1, 1, MarkRetry, 7, 200); l.ack(1, 2) }, 0},
		{"behind a cumulative one", func(l *lane) { l.first(1); l.ack(1, 2); l.send(1, 1, MarkRetry, 7, 200) }, 1},
		{"behind a selective one", func(l *lane) { l.first(1, 2); l.ack(1, 1, 2); l.send(1, 2, MarkRetry, 7, 200) }, 1},
		{"its own copy is not another one", func(l *lane) {
			l.first(1)
			l.ack(1, 2)
			l.send(1, 1, MarkRetry, 7, 200)
			l.send(1, 1, MarkRetry, 7, 200)
		}, 1},
		{"never captured before", func(l *lane) { l.first(1, 3); l.ack(1, 4); l.send(1, 2, MarkRetry, 7, 200) }, 1},
		{"acknowledged before anything was captured", func(l *lane) { l.d.AckedBefore(2); l.send(1, 1, MarkRetry, 7, 200) }, 1},
		{"not yet acknowledged before anything was captured", func(l *lane) { l.d.AckedBefore(1); l.send(1, 1, MarkRetry, 7, 200) }, 0},
	} {
		l := newLane()
		c.play(l)
		if l.d.UnneededRetries != c.want || l.d.Retries == 0 {
			t.Errorf("%s: %d of %d, want %d", c.name, l.d.UnneededRetries, l.d.Retries, c.want)
		}
	}
}

func TestRoundTrips(t *testing.T) {
	for _, c := range []struct {
		name string
		play func(l *lane)
		want RTT
	}{
		{"cumulative", func(l *lane) { l.first(1); l.ack(20, 2) }, RTT{1, 20 * ms, 20 * ms, 20 * ms, 20 * ms}},
		{"selective", func(l *lane) { l.first(1, 2); l.ack(20, 1, 2); l.ack(30, 3) }, RTT{2, 20 * ms, 20 * ms, 51 * ms, 51 * ms}},
		{"seen twice by the capture", func(l *lane) { l.first(1); l.send(1, 1, MarkFirst, 1001, 100); l.ack(20, 2) }, RTT{1, 21 * ms, 21 * ms, 21 * ms, 21 * ms}},
		{"seen again behind its acknowledgement", func(l *lane) { l.first(1); l.ack(20, 2); l.send(1, 1, MarkFirst, 1001, 100) }, RTT{1, 20 * ms, 20 * ms, 20 * ms, 20 * ms}},
		{"copied under another identification", func(l *lane) { l.first(1); l.send(1, 1, MarkFirst, 1001, 101); l.ack(20, 2) }, RTT{}},
		{"copied without identification", func(l *lane) {
			l.send(1, 1, Unmarked, 1001, 0)
			l.send(1, 1, Unmarked, 1001, 0)
			l.ack(20, 2)
		}, RTT{}},
		{"seen twice and retried", func(l *lane) {
			l.first(1)
			l.send(1, 1, MarkFirst, 1001, 100)
			l.send(1, 1, MarkRetry, 7, 200)
			l.ack(20, 2)
		}, RTT{}},
		{"retried", func(l *lane) { l.first(1); l.send(1, 1, MarkRetry, 7, 200); l.ack(20, 2) }, RTT{}},
		{"retried behind its acknowledgement", func(l *lane) { l.first(1); l.ack(20, 2); l.send(1, 1, MarkRetry, 7, 200) }, RTT{}},
		{"only the retry was captured", func(l *lane) { l.send(1, 1, MarkRetry, 7, 200); l.ack(20, 2) }, RTT{1, 20 * ms, 20 * ms, 20 * ms, 20 * ms}},
		{"only a retry behind the acknowledgement: the next one counts", func(l *lane) {
			l.first(1, 3)
			l.ack(20, 2)
			l.ack(5, 4)
			l.send(1, 2, MarkRetry, 7, 200)
			l.ack(9, 4)
		}, RTT{3, 9 * ms, 21 * ms, 25 * ms, 25 * ms}},
		{"given up", func(l *lane) { l.first(1, 2); l.d.GiveUp(1); l.ack(20, 3) }, RTT{1, 20 * ms, 20 * ms, 20 * ms, 20 * ms}},
		{"given up behind its acknowledgement", func(l *lane) { l.first(1); l.ack(20, 2); l.d.GiveUp(1) }, RTT{}},
		{"never acknowledged", func(l *lane) { l.first(1) }, RTT{}},
	} {
		l := newLane()
		c.play(l)
		l.d.Close()
		if got := l.d.RTT(); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

func TestLost(t *testing.T) {
	// warm gives the peer's first acknowledgement and a round trip of 20 ms.
	warm := func(l *lane) { l.first(0); l.ack(20, 1) }
	for _, c := range []struct {
		name string
		play func(l *lane)
		want Lost
	}{
		{"nothing", func(l *lane) { warm(l); l.first(1, 2); l.ack(20, 3) }, Lost{}},
		{"not captured", func(l *lane) { warm(l); l.first(1, 3); l.ack(20, 4) }, Lost{NotCaptured: 1}},
		{"given up, then passed over", func(l *lane) { warm(l); l.first(1, 3); l.d.GiveUp(2); l.ack(20, 4) }, Lost{}},
		{"passed over, then given up", func(l *lane) { warm(l); l.first(1, 3); l.ack(20, 4); l.d.GiveUp(2) }, Lost{}},
		{"still ahead of everything captured", func(l *lane) { warm(l); l.first(1); l.ack(20, 3) }, Lost{}},
		{"reported missing, then a retry", func(l *lane) { warm(l); l.first(1, 3); l.ack(20, 2, 3); l.send(1, 2, MarkRetry, 7, 200); l.ack(20, 4) }, Lost{BeforeCapture: 1}},
		{"reported missing, then late", func(l *lane) { warm(l); l.first(1, 3); l.ack(20, 2, 3); l.first(2); l.ack(20, 4) }, Lost{}},
		{"lost before means nothing when the capture lost some", func(l *lane) {
			warm(l)
			l.first(1, 3)
			l.ack(20, 2, 3)
			l.send(1, 2, MarkRetry, 7, 200)
			l.ack(20, 4)
			l.first(5)
			l.ack(20, 6)
		}, Lost{NotCaptured: 1}},
		{"captured, missing long after, retried", func(l *lane) {
			warm(l)
			l.first(1, 2, 3)
			l.ack(60, 2, 3)
			l.send(1, 2, MarkRetry, 7, 200)
			l.ack(20, 4)
		}, Lost{AfterCapture: 1}},
		{"captured, missing, and never sent again", func(l *lane) { warm(l); l.first(1, 2, 3); l.ack(60, 2, 3); l.ack(1, 4) }, Lost{}},
		{"captured, missing, given up", func(l *lane) { warm(l); l.first(1, 2, 3); l.ack(60, 2, 3); l.d.GiveUp(2); l.ack(20, 4) }, Lost{AfterCapture: 1}},
		{"captured, missing soon after: it may be on its way", func(l *lane) {
			warm(l)
			l.first(1, 2, 3)
			l.ack(40, 2, 3)
			l.send(1, 2, MarkRetry, 7, 200)
			l.ack(20, 4)
		}, Lost{}},
		{"without any round trip nothing is late", func(l *lane) {
			l.ack(1, 0)
			l.first(1, 2, 3)
			l.ack(60, 1, 3)
			l.send(1, 1, MarkRetry, 7, 200)
			l.ack(20, 4)
		}, Lost{}},
		{"a copy of an acknowledgement tells nothing", func(l *lane) {
			warm(l)
			l.first(1, 2, 3)
			l.frame++
			l.now += 60 * ms
			l.d.Acknowledge(&Acknowledgement{Next: 2, Base: 3, Mask: 1, Frame: l.frame, Time: l.now, HasTime: true, Copy: true}, func(Position) {})
			l.send(1, 2, MarkRetry, 7, 200)
			l.ack(20, 4)
		}, Lost{}},
		{"an overtaken acknowledgement tells nothing", func(l *lane) {
			warm(l)
			l.first(1, 2, 3, 4)
			l.ack(20, 2, 3, 4)
			l.ack(60, 2, 3)
			l.send(1, 2, MarkRetry, 7, 200)
			l.ack(20, 5)
		}, Lost{}},
	} {
		l := newLane()
		c.play(l)
		l.d.Close()
		if got := l.d.Lost(); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

// Numbers about the start of a capture were not lost by it.
func TestLostAtTheStart(t *testing.T) {
	l := newLane()
	l.d.opened = l.now
	l.first(1, 3)
	l.ack(20, 4) // 2 may have passed before
	l.send(200, 4, MarkFirst, 1, 900)
	l.first(6)
	l.ack(20, 7) // 5 did not
	l.d.Close()
	if got := l.d.Lost(); got != (Lost{NotCaptured: 1}) {
		t.Errorf("%+v", got)
	}
	l = newLane()
	l.d.opened = l.now
	l.d.Begin(0)
	l.first(1, 3)
	l.ack(20, 4)
	l.d.Close()
	if got := l.d.Lost(); got != (Lost{NotCaptured: 2}) && got != (Lost{NotCaptured: 1}) {
		t.Errorf("with the start captured: %+v", got)
	}
}

// More may be lost before the capture point than is captured: the numbers that the peer
// reports missing below one that it received, and that is captured.
func TestLostBeforeMoreThanSent(t *testing.T) {
	l := newLane()
	l.d.Begin(1)
	l.first(1)
	l.ack(20, 2, 5) // 2, 3 and 4 are missing
	l.first(5)
	l.d.Close()
	if got := l.d.Lost(); got != (Lost{BeforeCapture: 3}) || l.d.Missing() != 3 {
		t.Errorf("%+v lost, %d missing", got, l.d.Missing())
	}
}

func TestOutstanding(t *testing.T) {
	l := newLane()
	if l.d.Outstanding() != 0 {
		t.Error("something is in flight before the first frame")
	}
	l.first(1, 2, 3)
	if l.d.Outstanding() != 0 {
		t.Error("what is in flight is known before an acknowledgement")
	}
	l.ack(1, 2)
	if n := l.d.Outstanding(); n != 2 {
		t.Errorf("%d in flight, want 2", n)
	}
}

// checkFlight compares what is in flight with what a look at all numbers finds.
func checkFlight(t *rapid.T, d *Direction) {
	got, ok := d.InFlight()
	if !ok {
		return
	}
	known := d.win.oldest
	d.win.oldest = math.MinInt64
	if want, _ := d.InFlight(); got != want {
		t.Fatalf("%+v in flight, %+v when all numbers are looked at", got, want)
	}
	d.win.oldest = known
}

// Whatever is captured, counters stay within what was captured and every frame
// that waits for an acknowledgement is told what became of it, once.
func TestEngineInvariants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := newLane()
		var sent, tracked uint64
		top := Num(rapid.IntRange(0, 400).Draw(t, "start"))
		for range rapid.IntRange(1, 300).Draw(t, "events") {
			near := top + Num(rapid.IntRange(-140, 3).Draw(t, "near"))
			after := int64(rapid.IntRange(0, 40).Draw(t, "after"))
			switch rapid.IntRange(0, 5).Draw(t, "kind") {
			case 0, 1:
				top++
				near = top
				fallthrough
			case 2:
				mark := rapid.SampledFrom([]Mark{Unmarked, MarkFirst, MarkRetry}).Draw(t, "mark")
				sent++
				if v := l.send(after, near, mark, uint64(rapid.IntRange(0, 2).Draw(t, "hash")), uint16(rapid.IntRange(0, 2).Draw(t, "ipid"))); v.Novelty != Forgotten {
					tracked++
				}
			case 3, 4:
				var mask []Num
				for _, i := range rapid.SliceOfN(rapid.Int64Range(0, 63), 0, 4).Draw(t, "mask") {
					mask = append(mask, near+1+Num(i))
				}
				l.ack(after, near, mask...)
			case 5:
				l.d.GiveUp(near)
			}
			checkFlight(t, &l.d)
		}
		d := &l.d
		inFlight := d.Outstanding()
		d.Close()
		if d.Retries+d.Duplicates > sent || d.UnneededRetries > d.Retries || d.OutOfOrder > sent || d.Gaps > sent {
			t.Fatalf("%d sent: %+v", sent, *d)
		}
		lost := d.Lost()
		// Of what was lost before the capture point some may not be captured at all.
		if lost.NotCaptured > d.Missing() || lost.AfterCapture > sent || lost.BeforeCapture+lost.AfterCapture > sent+d.Missing() || inFlight > Num(sent)+1000 {
			t.Fatalf("lost %+v, missing %d, %d sent", lost, d.Missing(), sent)
		}
		if s := d.RTT().Samples; s > sent {
			t.Fatalf("%d round trips of %d sendings", s, sent)
		}
		all := append(slices.Clone(l.linked), l.never...)
		slices.Sort(all)
		if twice := len(all) - len(slices.Compact(slices.Clone(all))); twice > 0 {
			t.Fatalf("%d frames were settled twice", twice)
		}
		if uint64(len(all)) > tracked {
			t.Fatalf("%d frames settled, %d sent", len(all), tracked)
		}
	})
}

// TestOvertakenMask: a mask of a frame that was overtaken says nothing of numbers that a cumulative
// acknowledgement has passed: these are not acknowledged by a mask alone.
func TestOvertakenMask(t *testing.T) {
	l := newLane()
	l.first(1, 2, 4)
	l.ack(1, 5)
	l.ack(1, 2, 3, 4)
	if u := l.d.win.see(3); u.state&(acked|byMask) != acked {
		t.Errorf("state %b of a number that a cumulative acknowledgement has passed", u.state)
	}
}
