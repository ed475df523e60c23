package capture

import (
	"fmt"
	"testing"
	"time"
)

// TestPace: packets of a file come as their times say, the first at once, one of an earlier
// time and one without a time at once; what wakes it up in between finds nothing.
func TestPace(t *testing.T) {
	paths := onDisk(t, timedFile(t, 7000, 7300, 7100, -1, 7500))
	s := open(t, Options{Pace: true}, paths...)
	if !s.Waits() {
		t.Error("the file is not waited for")
	}
	var began time.Time
	for i, want := range []struct {
		payload string
		at      time.Duration
	}{{"7000", 0}, {"7300", 300}, {"7100", 300}, {"n3", 300}, {"7500", 500}} {
		got := waitNext(t, s)
		if i == 0 {
			began = time.Now()
		}
		if after := time.Since(began); got != "0 "+want.payload || after < (want.at-50)*time.Millisecond {
			t.Errorf("%s after %v, want %s after %d ms", got, after, want.payload, want.at)
		}
	}
	if got := waitNext(t, s); got != "end" {
		t.Error(got)
	}
	if d := s.MaxWait(time.Second); d != time.Second {
		t.Errorf("a packet waits %v for later ones, want a second", d)
	}
}

// TestPaceStops: a file whose next packet is far away ends soon after it is told to.
func TestPaceStops(t *testing.T) {
	s := open(t, Options{Pace: true}, onDisk(t, timedFile(t, 0, 3600_000))...)
	if got := waitNext(t, s); got != "0 0" {
		t.Fatal(got)
	}
	s.Stop()
	began := time.Now()
	if got := waitNext(t, s); got != "end" || time.Since(began) > soon/2 {
		t.Error(fmt.Sprint(got, " after ", time.Since(began)))
	}
}

// TestPaceDamage: damage of a file that is played is told as of any other.
func TestPaceDamage(t *testing.T) {
	good := timedFile(t, 1, 2)
	s := open(t, Options{Pace: true}, onDisk(t, good[:len(good)-5])...)
	for got := ""; got != "end"; {
		got = waitNext(t, s)
	}
	if i := s.Infos()[0]; !i.Failed || i.Packets != 1 {
		t.Errorf("%+v", i)
	}
}
