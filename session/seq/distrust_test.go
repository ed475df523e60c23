package seq

import "testing"

// TestMasksThatNameOtherNumbers: an implementation that sets the bit of the
// number itself instead of its distance acknowledges numbers long before they
// are sent. Nothing it says of losses may be claimed (AMB-DP8-06).
func TestMasksThatNameOtherNumbers(t *testing.T) {
	const ms = 1e6
	var d Direction
	d.ready()
	at := int64(1000 * ms)
	send := func(n Num, mark Mark) Verdict {
		at += 10 * ms
		return d.Send(&Sending{Num: n, Mark: mark, Hash: uint64(n), Frame: uint64(n + 1), Time: at, HasTime: true})
	}
	ack := func(next Num, mask uint64) {
		at += 10 * ms
		d.Acknowledge(&Acknowledgement{Next: next, Mask: mask, Base: next + 1, Time: at, HasTime: true}, func(Position) {})
	}
	for n := Num(0); n < 10; n++ {
		send(n, MarkFirst)
		ack(n+1, 0)
	}
	send(11, MarkFirst)            // 10 is lost on the way here
	ack(10, 1<<(11%32)|1<<(32+11)) // names 22 and 54
	for n := Num(12); n < 22; n++ {
		send(n, MarkFirst)
	}
	if d.distrusted {
		t.Fatal("distrusted before a number named was sent")
	}
	send(22, MarkFirst)
	if !d.distrusted {
		t.Fatal("22 was acknowledged 100 ms before it was first sent, and the masks are still believed")
	}
	send(10, MarkRetry)
	ack(23, 0)
	for n := Num(23); n < 200; n++ {
		send(n, MarkFirst)
		ack(n+1, 0)
	}
	d.Close()
	if l := d.Lost(); l != (Lost{}) {
		t.Errorf("lost %+v: claimed from masks that are not believed", l)
	}
}
