package seq

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
)

const ms = int64(1e6)

// A lane is one direction under test, with what was said of its frames.
type lane struct {
	d      Direction
	frame  uint64
	now    int64
	linked []uint64
	never  []uint64
}

// newLane starts a direction. Its connection's first frame was captured long
// before: the start of the capture explains nothing any more.
func newLane() *lane {
	l := &lane{now: 10 * StartHorizon}
	l.d.ready()
	l.d.links = true
	l.d.listener = l
	return l
}

// Never implements Listener.
func (l *lane) Never(at Position) { l.never = append(l.never, at.Frame) }

// Settled implements Listener.
func (l *lane) Settled(Settled) {}

// Tripped implements Listener.
func (l *lane) Tripped(MeasureSet, int64, int64) {}

// send captures a sending after some ms; the frame counter goes up by one.
func (l *lane) send(after int64, num Num, mark Mark, hash uint64, ipid uint16) Verdict {
	l.frame++
	l.now += after * ms
	return l.d.Send(&Sending{Num: num, Mark: mark, Hash: hash, IPID: ipid, Frame: l.frame, Time: l.now, HasTime: true})
}

// first captures a first sending 1 ms later, each with an identification of its own.
func (l *lane) first(nums ...Num) {
	for _, n := range nums {
		l.send(1, n, MarkFirst, uint64(n+1000), uint16(l.frame+100))
	}
}

// ack captures an acknowledgement after some ms and gives what it links.
func (l *lane) ack(after int64, next Num, sacked ...Num) (words dissect.Words, linked []uint64) {
	l.frame++
	l.now += after * ms
	a := Acknowledgement{Next: next, Base: next + 1, Frame: l.frame, Time: l.now, HasTime: true}
	for _, n := range sacked {
		a.Mask |= 1 << (n - a.Base)
	}
	before := len(l.linked)
	words = l.d.Acknowledge(&a, func(at Position) { l.linked = append(l.linked, at.Frame) })
	return words, l.linked[before:]
}

func wordNames(w dissect.Words) string {
	var names []string
	for i, n := range dissect.WordNames {
		if w>>i&1 != 0 {
			names = append(names, n)
		}
	}
	return strings.Join(names, " ")
}

// TestSend judges the last of a few sendings in every way there is.
func TestSend(t *testing.T) {
	type s struct {
		after int64
		num   Num
		mark  Mark
		hash  uint64
		ipid  uint16
	}
	for _, c := range []struct {
		name    string
		sent    []s
		words   string
		retryOf uint64
		novelty Novelty
		sends   int
	}{
		{"first", []s{{0, 5, MarkFirst, 1, 9}}, "", 0, First, 1},
		{"next", []s{{0, 5, MarkFirst, 1, 9}, {1, 6, MarkFirst, 2, 10}}, "", 0, First, 1},
		{"gap", []s{{0, 5, MarkFirst, 1, 9}, {1, 7, MarkFirst, 2, 10}}, "gap", 0, First, 1},
		{"gap filled by a late arrival", []s{{0, 5, MarkFirst, 1, 9}, {1, 7, MarkFirst, 2, 11}, {1, 6, MarkFirst, 3, 10}}, "out-of-order gap-filled", 0, First, 1},
		{"gap filled by a retry", []s{{0, 5, MarkFirst, 1, 9}, {1, 7, MarkFirst, 2, 11}, {1, 6, MarkRetry, 3, 12}}, "retry gap-filled", 0, First, 1},
		{"a retry alone", []s{{0, 5, MarkRetry, 1, 9}}, "retry", 0, First, 1},
		{"a retry above a gap", []s{{0, 5, MarkFirst, 1, 9}, {1, 8, MarkRetry, 2, 10}}, "retry gap", 0, First, 1},
		{"below the lowest", []s{{0, 5, MarkFirst, 1, 9}, {1, 3, MarkFirst, 2, 8}}, "out-of-order gap-filled", 0, First, 1},
		{"copy by its missing mark, equal identification", []s{{0, 5, MarkFirst, 1, 9}, {200, 5, MarkFirst, 1, 9}}, "duplicate", 1, Again, 1},
		{"copy by its missing mark, other identification, soon", []s{{0, 5, MarkFirst, 1, 9}, {30, 5, MarkFirst, 1, 10}}, "duplicate", 1, Again, 1},
		{"a copy of such a copy", []s{{0, 5, MarkFirst, 1, 9}, {30, 5, MarkFirst, 1, 10}, {30, 5, MarkFirst, 1, 11}}, "duplicate", 1, Again, 1},
		{"sent again without its mark, other identification", []s{{0, 5, MarkFirst, 1, 9}, {31, 5, MarkFirst, 1, 10}}, "", 1, Again, 2},
		{"copy by its missing mark, without identification", []s{{0, 5, MarkFirst, 1, 0}, {90, 5, MarkFirst, 1, 0}}, "duplicate", 1, Again, 1},
		{"sent again without its mark and identification", []s{{0, 5, MarkFirst, 1, 0}, {91, 5, MarkFirst, 1, 0}}, "", 1, Again, 2},
		{"same number, other bytes, no mark", []s{{0, 5, MarkFirst, 1, 9}, {1, 5, MarkFirst, 2, 9}}, "", 1, Again, 2},
		{"retry", []s{{0, 5, MarkFirst, 1, 9}, {200, 5, MarkRetry, 2, 10}}, "retry", 1, Again, 2},
		{"two retries", []s{{0, 5, MarkFirst, 1, 9}, {200, 5, MarkRetry, 2, 10}, {200, 5, MarkRetry, 2, 11}}, "retry", 1, Again, 3},
		{"copy of a retry, equal identification", []s{{0, 5, MarkFirst, 1, 9}, {200, 5, MarkRetry, 2, 10}, {200, 5, MarkRetry, 2, 10}}, "duplicate", 1, Again, 2},
		{"copy of a retry without identification", []s{{0, 5, MarkFirst, 1, 0}, {200, 5, MarkRetry, 2, 0}, {30, 5, MarkRetry, 2, 0}}, "duplicate", 1, Again, 2},
		{"retry without identification", []s{{0, 5, MarkFirst, 1, 0}, {200, 5, MarkRetry, 2, 0}, {31, 5, MarkRetry, 2, 0}}, "retry", 1, Again, 3},
		{"a copy of the retry before the last", []s{{0, 5, MarkFirst, 1, 9}, {50, 5, MarkRetry, 2, 10}, {10, 5, MarkRetry, 3, 11}, {1, 5, MarkRetry, 2, 10}}, "duplicate", 1, Again, 3},
		{"three equal retries, each within the horizon of the one before", []s{{0, 5, MarkRetry, 2, 0}, {20, 5, MarkRetry, 2, 0}, {20, 5, MarkRetry, 2, 0}}, "duplicate", 1, Again, 1},
		{"late original", []s{{0, 5, MarkRetry, 2, 10}, {1, 5, MarkFirst, 1, 9}}, "", 0, LateFirst, 2},
		{"copy of a late original", []s{{0, 5, MarkRetry, 2, 10}, {1, 5, MarkFirst, 1, 9}, {1, 5, MarkFirst, 1, 9}}, "duplicate", 1, Again, 2},
		{"retry behind a late original", []s{{0, 5, MarkRetry, 2, 10}, {1, 5, MarkFirst, 1, 9}, {50, 5, MarkRetry, 2, 12}}, "retry", 1, Again, 3},
		{"without marks, equal identification", []s{{0, 5, Unmarked, 1, 9}, {200, 5, Unmarked, 1, 9}}, "duplicate", 1, Again, 1},
		{"without marks, other identification", []s{{0, 5, Unmarked, 1, 9}, {1, 5, Unmarked, 1, 10}}, "retry", 1, Again, 2},
		{"without marks and identification, soon", []s{{0, 5, Unmarked, 1, 0}, {30, 5, Unmarked, 1, 0}}, "duplicate", 1, Again, 1},
		{"without marks and identification, later", []s{{0, 5, Unmarked, 1, 0}, {31, 5, Unmarked, 1, 0}}, "retry", 1, Again, 2},
		{"without identification, as soon as one proven by it", []s{{0, 5, Unmarked, 1, 9}, {12, 5, Unmarked, 1, 10}, {50, 6, Unmarked, 2, 0}, {12, 6, Unmarked, 2, 0}}, "retry", 3, Again, 2},
		{"without identification, sooner than any proven", []s{{0, 5, Unmarked, 1, 9}, {12, 5, Unmarked, 1, 10}, {50, 6, Unmarked, 2, 0}, {11, 6, Unmarked, 2, 0}}, "duplicate", 3, Again, 1},
		{"without identification, later than a late proof", []s{{0, 5, Unmarked, 1, 0}, {40, 5, Unmarked, 1, 0}, {50, 6, Unmarked, 2, 0}, {30, 6, Unmarked, 2, 0}}, "duplicate", 3, Again, 1},
		{"without marks, other bytes", []s{{0, 5, Unmarked, 1, 0}, {1, 5, Unmarked, 2, 0}}, "retry", 1, Again, 2},
		{"a jump beyond everything", []s{{0, 5, MarkFirst, 1, 9}, {1, 5 + 10*HistoryLimit, MarkFirst, 2, 10}}, "gap", 0, First, 1},
		{"forgotten", []s{{0, 1000, MarkFirst, 1, 9}, {1, 5, MarkFirst, 2, 10}}, "", 0, Forgotten, 0},
		{"a forgotten one's retry", []s{{0, 1000, MarkFirst, 1, 9}, {1, 5, MarkRetry, 2, 10}}, "retry unneeded-retry", 0, Forgotten, 0},
	} {
		l := newLane()
		var v Verdict
		for _, x := range c.sent {
			v = l.send(x.after, x.num, x.mark, x.hash, x.ipid)
		}
		if got := wordNames(v.Words); got != c.words || v.RetryOf != c.retryOf || v.Novelty != c.novelty || v.Transmissions != c.sends {
			t.Errorf("%s: %q of %d, novelty %d, %d sendings; want %q of %d, novelty %d, %d sendings",
				c.name, got, v.RetryOf, v.Novelty, v.Transmissions, c.words, c.retryOf, c.novelty, c.sends)
		}
	}
}

func TestSendCounts(t *testing.T) {
	l := newLane()
	l.first(10, 11, 14, 13) // 12 is missing
	l.send(1, 13, MarkFirst, 1013, 777)
	l.send(100, 10, MarkRetry, 1, 1)
	l.first(8, 20)
	got := fmt.Sprint(l.d.Gaps, l.d.OutOfOrder, l.d.Duplicates, l.d.Retries, l.d.UnneededRetries, l.d.Missing())
	if want := fmt.Sprint(2, 2, 1, 1, 0, 7); got != want {
		t.Errorf("gaps, out of order, duplicates, retries, unneeded, missing: %s, want %s", got, want)
	}
}

// The window remembers the last HistoryLimit numbers and no more.
func TestWindowIsBounded(t *testing.T) {
	l := newLane()
	for n := range Num(5000) {
		l.first(n)
		if w := &l.d.win; w.units.size() > HistoryLimit || w.top-w.base > HistoryLimit {
			t.Fatalf("%d numbers in a ring of %d", w.top-w.base, w.units.size())
		}
	}
	if _, ok := l.d.Captured(5000 - HistoryLimit); !ok {
		t.Error("a number within the limit is forgotten")
	}
	if _, ok := l.d.Captured(5000 - HistoryLimit - 1); ok {
		t.Error("a number beyond the limit is remembered")
	}
	for range 10 * maxWaiting {
		l.send(1, 4999, MarkRetry, 1, uint16(l.frame))
	}
	if n := len(l.d.win.extra[4999]); n > maxWaiting {
		t.Errorf("%d copies of one number are remembered", n)
	}
	l.ack(1, 5000)
	for range 10 * maxWaiting {
		l.send(1, 4999, MarkRetry, 1, uint16(l.frame))
	}
	if n := len(l.d.win.waiting); n > maxWaiting {
		t.Errorf("%d copies wait for an acknowledgement", n)
	}
}

func TestCaptured(t *testing.T) {
	l := newLane()
	if _, ok := l.d.Captured(1); ok {
		t.Error("something is known before the first frame")
	}
	l.first(1, 3)
	for n, want := range map[Num][2]bool{1: {true, true}, 2: {false, true}, 3: {true, true}, 4: {false, false}} {
		if yes, ok := l.d.Captured(n); yes != want[0] || ok != want[1] {
			t.Errorf("%d: %v, %v, want %v", n, yes, ok, want)
		}
	}
}

func TestUnnumbered(t *testing.T) {
	type s struct {
		after int64
		hash  uint64
		ipid  uint16
	}
	for _, c := range []struct {
		name   string
		sent   []s
		byTime bool
		want   bool
	}{
		{"equal identification", []s{{0, 1, 9}, {500, 1, 9}}, false, true},
		{"other identification", []s{{0, 1, 9}, {1, 1, 10}}, false, false},
		{"other identification, by time", []s{{0, 1, 9}, {1, 1, 10}}, true, false},
		{"other bytes, equal identification", []s{{0, 1, 9}, {1, 2, 9}}, false, false},
		{"no identification", []s{{0, 1, 0}, {1, 1, 0}}, false, false},
		{"no identification, by time", []s{{0, 1, 0}, {30, 1, 0}}, true, true},
		{"no identification, later", []s{{0, 1, 0}, {31, 1, 0}}, true, false},
		{"one of them without", []s{{0, 1, 9}, {1, 1, 0}}, false, false},
		{"three in a row", []s{{0, 1, 0}, {20, 1, 0}, {20, 1, 0}}, true, true},
	} {
		l := newLane()
		var got dissect.Words
		for _, x := range c.sent {
			l.now += x.after * ms
			got = l.d.Unnumbered(&Sending{Hash: x.hash, IPID: x.ipid, Time: l.now, HasTime: true}, c.byTime)
		}
		if got.Has(dissect.Duplicate) != c.want {
			t.Errorf("%s: %q", c.name, wordNames(got))
		}
	}
	l := newLane()
	for i := range uint64(3 * recentLimit) {
		l.d.Unnumbered(&Sending{Hash: i % 7 << 40, IPID: uint16(i + 1)}, false)
	}
	if n := len(l.d.recent.ring); n != recentLimit {
		t.Errorf("%d frames are remembered, want %d", n, recentLimit)
	}
	again := func(i uint64) dissect.Words {
		return l.d.Unnumbered(&Sending{Hash: i % 7 << 40, IPID: uint16(i + 1)}, false)
	}
	if again(2*recentLimit) == 0 || again(3*recentLimit-1) == 0 || again(2*recentLimit-1) != 0 {
		t.Error("the latest frames are remembered, older ones forgotten")
	}
	for i := range uint64(1<<16 + 100) { // the counter of a chain has 16 bits
		if at := (i + 1) << 20; l.d.Unnumbered(&Sending{Hash: at, IPID: 1}, false) != 0 {
			t.Fatalf("datagram %d is no copy", i)
		} else if i%1000 > 1 && l.d.Unnumbered(&Sending{Hash: at - 1<<20, IPID: 1}, false) == 0 {
			t.Fatalf("a copy of the datagram before %d was not recognised", i)
		}
	}
}

func TestClose(t *testing.T) {
	l := newLane()
	l.first(1, 2, 3)
	l.ack(20, 2)
	l.send(5, 1, MarkRetry, 1, 999) // frame 5, waits
	l.send(5, 3, MarkRetry, 2, 998) // frame 6
	l.d.Close()
	slices.Sort(l.never)
	if want := []uint64{2, 3, 5, 6}; !slices.Equal(l.never, want) {
		t.Errorf("never acknowledged: %v, want %v", l.never, want)
	}
	if l.d.Missing() != 0 || l.d.RTT().Samples != 0 {
		t.Errorf("missing %d, rtt %+v", l.d.Missing(), l.d.RTT())
	}
}

// TestLateBehindAJump: after a jump of the numbers, one from shortly before the first one
// behind it comes late. It is new, out of order: not a retry of something forgotten.
func TestLateBehindAJump(t *testing.T) {
	l := newLane()
	l.first(1, 2, 3, 1<<20)
	v := l.send(1, 1<<20-1, MarkFirst, 77, 7000)
	if v.Novelty != First || l.d.Retries != 0 || l.d.OutOfOrder != 1 {
		t.Errorf("%s, novelty %d, %d retries, %d out of order", wordNames(v.Words), v.Novelty, l.d.Retries, l.d.OutOfOrder)
	}
	if v := l.send(1, 4, MarkFirst, 78, 7001); v.Novelty == First {
		t.Error("a number of before the jump is new as well")
	}
}

// TestLowMemoryIsShorterForTheAnswered: a live run over weeks forgets what was answered three
// times as soon, or it takes more memory than it is allowed.
func TestLowMemoryIsShorterForTheAnswered(t *testing.T) {
	for _, c := range []struct {
		size     int
		answered bool
		want     int64
	}{{0, false, 12e9}, {32, false, 12e9}, {32, true, 4e9}, {64, false, 6e9}, {64, true, 2e9}, {1 << 20, false, 2e9}, {1 << 20, true, 2e9}} {
		if got := LowMemoryFor(c.size, c.answered); got != c.want {
			t.Errorf("%d remembered, answered %v: for %d ms, want %d", c.size, c.answered, got/ms, c.want/ms)
		}
	}
}
