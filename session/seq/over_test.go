package seq

import "testing"

// What still comes of a side that is closed changes nothing that is reported of it.
func TestClosedStays(t *testing.T) {
	d := new(Direction)
	for _, n := range []int64{1, 2, 5, 9} {
		d.Send(&Sending{Num: Num(n), Mark: MarkFirst, Hash: uint64(n), Frame: uint64(n), Time: n * 1e6, HasTime: true})
	}
	if d.Missing() != 5 {
		t.Fatalf("%d missing, want 5", d.Missing())
	}
	d.Close()
	d.Free()
	if _, ok := d.Window().Highest(); ok {
		t.Error("a closed side remembers numbers")
	}
	d.Send(&Sending{Num: 30, Mark: MarkFirst, Hash: 30, Frame: 30, Time: 30e6, HasTime: true})
	if d.Missing() != 5 || d.RTT() != (RTT{}) || d.MinRTT() != 0 {
		t.Errorf("%d missing, %+v", d.Missing(), d.RTT())
	}
}
