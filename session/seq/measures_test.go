package seq

import (
	"math/rand/v2"
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
)

// TestAckWait: a number waits from its first transmission to its first acknowledgement, whatever
// was sent in between.
func TestAckWait(t *testing.T) {
	one := func(ns int64) RTT { return RTT{1, ns, ns, ns, ns} }
	for _, c := range []struct {
		name string
		play func(l *lane)
		want RTT
	}{
		{"sent once", func(l *lane) { l.first(1); l.ack(20, 2) }, one(20 * ms)},
		{"sent again", func(l *lane) { l.first(1); l.send(1, 1, MarkRetry, 7, 200); l.ack(20, 2) }, one(21 * ms)},
		{"sent again behind its acknowledgement", func(l *lane) { l.first(1); l.ack(20, 2); l.send(1, 1, MarkRetry, 7, 200) }, one(20 * ms)},
		{"doubled", func(l *lane) { l.first(1); l.send(1, 1, MarkFirst, 1001, 101); l.ack(20, 2) }, one(21 * ms)},
		{"only the retry was captured", func(l *lane) { l.send(1, 1, MarkRetry, 7, 200); l.ack(20, 2) }, RTT{}},
		{"given up", func(l *lane) { l.first(1); l.d.GiveUp(1); l.ack(20, 2) }, RTT{}},
		{"never acknowledged", func(l *lane) { l.first(1) }, RTT{}},
		{"one of each", func(l *lane) {
			l.first(1, 2)
			l.send(1, 1, MarkRetry, 7, 200)
			l.ack(20, 3)
		}, RTT{2, 21 * ms, 21 * ms, 22 * ms, 22 * ms}},
	} {
		l := newLane()
		c.play(l)
		l.d.Close()
		open := l.d.Times(AckWait)
		l.d.Free()
		if got := l.d.Times(AckWait); got != c.want || open != got {
			t.Errorf("%s: %+v, while it was open %+v, want %+v", c.name, got, open, c.want)
		}
	}
}

// TestAckWaitOfUnits: a unit that is sent again in another datagram waits from its first
// transmission to the first acknowledgement of a datagram that carried it.
func TestAckWaitOfUnits(t *testing.T) {
	l := newLane()
	carry := func(num Num, units ...Num) {
		l.first(num)
		for _, u := range units {
			var c Carrier
			c.Of(&l.d, num, &dissect.Frame{Datagram: &dissect.Datagram{Frame: l.frame, Time: l.now, HasTime: true}})
			c.SendUnit(u, 0)
		}
	}
	carry(1, 10, 11)
	carry(2, 12)
	carry(3, 10)
	one := &Acknowledgement{Frame: 9, HasTime: true}
	for _, x := range [][2]int64{{2, 30}, {3, 50}, {1, 70}} {
		one.Time = l.now + x[1]*ms
		l.d.AcknowledgeOne(Num(x[0]), one, func(Position) {})
	}
	l.d.Close()
	if got, want := l.d.Times(AckWait), (RTT{3, 31 * ms, 52 * ms, 72 * ms, 72 * ms}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// TestUntold: times of numbers that are told later are not of acknowledgements before that.
func TestUntold(t *testing.T) {
	var l tripLane
	l.lane = newLane()
	l.d.trips, l.d.listener = true, &l
	now := func() int64 { return l.d.Untold(l.now) }
	if now() != l.now {
		t.Errorf("nothing was sent: %d", now())
	}
	for n := range Num(3 * HistoryLimit) {
		l.first(n)
		if n%3 > 0 {
			l.ack(1, n+1)
		}
		if l.until = now(); l.until > l.now {
			t.Fatalf("at %d it is %d", l.now, l.until)
		}
	}
	told := l.told
	l.d.Close()
	if l.early > 0 || told < HistoryLimit || l.told != 3*HistoryLimit {
		t.Errorf("%d times of %d, %d on the way, were of acknowledgements before Untold", l.early, l.told, told)
	}
	if l.d.Free(); now() != l.now {
		t.Errorf("closed: %d", now())
	}
}

// A tripLane counts the times that are told, and those that end before until.
type tripLane struct {
	*lane
	until       int64
	told, early int
}

// Tripped implements Listener.
func (l *tripLane) Tripped(_ MeasureSet, at, _ int64) {
	if l.told++; at < l.until {
		l.early++
	}
}

// TestTimesShared: what is of two measures is kept once, and summarised as if it were kept
// twice, for any number of times.
func TestTimesShared(t *testing.T) {
	for _, low := range []bool{false, true} {
		for _, n := range []int{1, 10, rttLowMemory + 1, rttExact, rttExact + 1} {
			var x Times
			x.common.lowMemory = low
			all, trips := rtts{lowMemory: low}, rtts{lowMemory: low}
			random := rand.New(rand.NewPCG(1, uint64(n)))
			for range n {
				ns := random.Int64N(3e9)
				if all.add(ns, 1); random.IntN(4) > 0 {
					trips.add(ns, 1)
					x.Add(Of(RoundTrip, AckWait), ns)
				} else {
					x.Add(Of(AckWait), ns)
				}
			}
			if got, want := x.Summary(AckWait), all.summary(); got != want {
				t.Errorf("%d waits: %+v, want %+v", n, got, want)
			}
			if got, want := x.Summary(RoundTrip), trips.summary(); got != want || x.Samples(RoundTrip) != want.Samples {
				t.Errorf("%d of them round trips: %+v, want %+v", n, got, want)
			}
		}
	}
	var calm Times
	calm.Add(Of(RoundTrip, AckWait), 5)
	if calm.own != [NMeasures]*rtts{} {
		t.Error("a wait that is a round trip takes memory of its own")
	}
}
