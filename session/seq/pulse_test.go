package seq

import (
	"math"
	"testing"
)

// beats plays on a lane and gives its pulse.
func beats(play func(l *lane)) Pulse {
	l := newLane()
	play(l)
	return l.d.Pulse()
}

// TestPulsePing smooths as RFC 6298 does, one sample an acknowledging frame.
func TestPulsePing(t *testing.T) {
	trip := func(l *lane, num Num, took int64) {
		l.first(num)
		l.ack(took, num+1)
	}
	for _, c := range []struct {
		name         string
		play         func(l *lane)
		ping, jitter float64 // ms
		samples      uint64
	}{
		{"nothing acknowledged", func(l *lane) { l.first(1, 2) }, 0, 0, 0},
		{"one", func(l *lane) { trip(l, 1, 40) }, 40, 0, 1},
		{"slower", func(l *lane) { trip(l, 1, 40); trip(l, 2, 80) }, 45, 10, 2},
		{"faster", func(l *lane) { trip(l, 1, 80); trip(l, 2, 40) }, 75, 10, 2},
		{"three", func(l *lane) { trip(l, 1, 40); trip(l, 2, 80); trip(l, 3, 45) }, 45, 7.5, 3},
		{"a cumulative one counts its latest", func(l *lane) {
			l.first(1, 2, 3, 4)
			l.ack(20, 5)
		}, 20, 0, 1},
		{"of a mask, too", func(l *lane) {
			l.first(1, 2, 3, 4)
			l.ack(20, 1, 3, 4)
			l.ack(0, 5)
		}, 20 + 2./8, .5, 2},
		{"a retry tells none", func(l *lane) {
			l.first(1)
			l.send(50, 1, MarkRetry, 1001, 77)
			l.ack(20, 2)
		}, 0, 0, 0},
		{"a number given up tells none", func(l *lane) {
			l.first(1, 2)
			l.d.GiveUp(1)
			l.ack(20, 2)
			l.ack(20, 3)
		}, 40, 0, 1},
		{"hearsay tells none", func(l *lane) { l.first(1, 2); l.one(500, 1, true); l.one(10, 2, false) }, 510, 0, 1},
		{"pings go before", func(l *lane) {
			l.first(1)
			l.ack(90, 2)
			l.d.Echoed(30*ms, 1, 50, l.now)
			l.d.Echoed(-1, 1, 51, l.now)
		}, 30, 0, 1},
	} {
		p := beats(c.play)
		if math.Abs(float64(p.Ping)/1e6-c.ping) > 1e-6 || math.Abs(float64(p.Jitter)/1e6-c.jitter) > 1e-6 || p.Samples != c.samples {
			t.Errorf("%s: %d ns, jitter %d ns, %d samples; want %v ms, %v ms, %d", c.name, p.Ping, p.Jitter, p.Samples, c.ping, c.jitter, c.samples)
		}
	}
}

// TestPulseFresh shows a round trip at the acknowledgement, which RTT knows only
// when the number is forgotten.
func TestPulseFresh(t *testing.T) {
	l := newLane()
	l.first(1)
	l.ack(25, 2)
	if p, r := l.d.Pulse(), l.d.RTT(); p.Samples != 1 || p.PingAt != l.now || r.Samples != 0 {
		t.Errorf("%+v beside %+v", p, r)
	}
}

func TestPulseInFlight(t *testing.T) {
	for _, c := range []struct {
		name  string
		play  func(l *lane)
		n     int64
		known bool
	}{
		{"nothing", func(l *lane) {}, 0, false},
		{"no acknowledgement was captured", func(l *lane) { l.first(1, 2) }, 0, false},
		{"cumulative", func(l *lane) { l.first(1, 2, 3, 4); l.ack(1, 3) }, 2, true},
		{"with a mask", func(l *lane) { l.first(1, 2, 3, 4); l.ack(1, 1, 3) }, 3, true},
		{"what was not captured is not in flight", func(l *lane) { l.first(1, 2, 9); l.ack(1, 2) }, 2, true},
		{"what was given up is not", func(l *lane) { l.first(1, 2, 3); l.ack(1, 2); l.d.GiveUp(2) }, 1, true},
		{"one by one", func(l *lane) { l.first(1, 2, 3); l.one(1, 2, false) }, 2, true},
		{"one by one, long ago", func(l *lane) { l.first(1, 2, 3); l.one(1, 2, false); l.send(10_500, 4, MarkFirst, 7, 0) }, 1, true},
		{"without acknowledgement", func(l *lane) {
			l.first(1)
			l.one(1, 1, false)
			l.d.Send(&Sending{Num: 2, NoAck: true, Frame: 90, Time: l.now, HasTime: true})
		}, 0, true},
		{"the windows are freed", func(l *lane) { l.first(1, 2, 3); l.ack(1, 2); l.d.Close() }, 0, true},
	} {
		if p := beats(c.play); p.InFlight.Numbers != c.n || p.HasInFlight != c.known {
			t.Errorf("%s: %d, %v; want %d, %v", c.name, p.InFlight, p.HasInFlight, c.n, c.known)
		}
	}
}

// TestPulseAllocates nothing, neither at an acknowledgement nor when it is read.
func TestPulseAllocates(t *testing.T) {
	l := newLane()
	l.d.links = false
	for n := range Num(1000) {
		l.first(n)
		l.ack(10, n+1)
	}
	n := Num(1000)
	var sum int64
	per := testing.AllocsPerRun(1000, func() {
		l.frame += 2
		l.now += 20 * ms
		l.d.Send(&Sending{Num: n, Mark: MarkFirst, Frame: l.frame, Time: l.now, HasTime: true})
		l.d.Acknowledge(&Acknowledgement{Next: n + 1, Frame: l.frame + 1, Time: l.now + 7*ms, HasTime: true}, nil)
		p := l.d.Pulse()
		sum += p.Ping
		n++
	})
	if p := l.d.Pulse(); per > 0.1 || p.Ping < 7*ms || p.Ping > 8*ms || p.Numbers != uint64(n) {
		t.Errorf("%v allocations, %+v", per, p)
	}
}

func BenchmarkPulse(b *testing.B) {
	l := newLane()
	for n := range Num(1000) {
		l.first(n)
		l.one(5, n-40, false)
	}
	b.ReportAllocs()
	for b.Loop() {
		_ = l.d.Pulse()
	}
}
