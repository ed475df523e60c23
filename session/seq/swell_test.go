package seq

import "testing"

// A round trip that grows with the rate of sending, step by step, and falls again, is a
// swell; one that jumps is none, nor is one number that waits for its retry.
func TestSwell(t *testing.T) {
	var s Swell
	at, bytes := int64(0), uint64(0)
	trips := func(n int, trip, gap int64, size uint64) {
		for range n {
			at, bytes = at+gap, bytes+size
			s.see(trip, &Acknowledgement{Frame: 1, Time: at}, bytes, 0)
		}
	}
	trips(20, 40e6, 100e6, 100) // 1 kB/s
	trips(1, 5e9, 100e6, 100)   // its first transmission was lost
	trips(3, 40e6, 100e6, 100)
	for _, trip := range []int64{200e6, 400e6, 600e6, 900e6} {
		trips(25, trip, 10e6, 1000)
	}
	if s.Base != 40e6 || s.Peak != 900e6 || s.PeakRate[0] < 50*s.BaseRate[0] || s.Rose < 3 || s.Recovered {
		t.Fatalf("%+v", s)
	}
	trips(10, 50e6, 100e6, 100)
	if !s.Recovered {
		t.Errorf("%+v", s)
	}
	trips(10, 3e9, 100e6, 100)
	if s.Peak != 3e9 || s.Rose > 1 {
		t.Errorf("it jumped: %+v", s)
	}
}

// A retry was needed when its acknowledgement comes as long behind it as acknowledgements
// take; one that comes sooner or at any other time answers the sending before it.
func TestNeededRetries(t *testing.T) {
	for _, tt := range []struct {
		again, acked int64 // behind the first sending, ms
		want         uint64
	}{
		{300, 340, 1}, // lost, and acknowledged by its retry
		{300, 310, 0}, // sooner than an acknowledgement can come
		{300, 900, 0}, // late: it may answer either
	} {
		var d Direction
		d.Open(new(Work), nil, Options{Account: true})
		send := func(n, at int64, mark Mark) {
			d.Send(&Sending{Num: Num(n), Mark: mark, Hash: uint64(n) + 1, IPID: uint16(at + 1), Frame: uint64(at + 1), Time: at * 1e6, HasTime: true})
		}
		ack := func(next, at int64) {
			d.Acknowledge(&Acknowledgement{Next: Num(next), Base: Num(next) + 1, Frame: uint64(at + 1), Time: at * 1e6, HasTime: true}, func(Position) {})
		}
		for n := range int64(10) {
			send(n, 100*n, MarkFirst)
			ack(n+1, 100*n+40)
		}
		send(10, 2000, MarkFirst)
		send(10, 2000+tt.again, MarkRetry)
		ack(11, 2000+tt.acked)
		if got := d.Quality().Account().Losses.Needed.N; got != tt.want {
			t.Errorf("sent again after %d ms, acknowledged after %d: %d needed, want %d", tt.again, tt.acked, got, tt.want)
		}
	}
}
