package session

import (
	"slices"
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
)

// diagnosed gives the ids of the diagnoses of what a did to the numbers of side a.
func diagnosed(t *testing.T, play func(l *lane)) (ids []string) {
	t.Helper()
	c := newCourt(0)
	l := newLane()
	play(l)
	c.c.Dir[0] = l.d
	c.c.diagnoseSide(0)
	for i, tally := range c.tab.QualityTallies() {
		if tally.Fail > 0 {
			ids = append(ids, Quality[i].ID)
		}
	}
	return ids
}

func (l *lane) sized(after, num int64, mark Mark, size int) {
	l.frame++
	l.now += after * ms
	l.d.Send(&Sending{Num: num, Mark: mark, Hash: uint64(num) + 1, IPID: uint16(l.frame), Size: size, Frame: l.frame, Time: l.now, HasTime: true})
}

func TestDiagnosis(t *testing.T) {
	for _, tt := range []struct {
		want string
		play func(l *lane)
	}{
		{"FLD-MTU", func(l *lane) {
			l.sized(1, 0, MarkFirst, 100)
			l.ack(20, 1)
			l.sized(1, 1, MarkFirst, 4711)
			for range 4 {
				l.sized(300, 1, MarkRetry, 4711)
			}
			l.sized(1, 2, MarkFirst, 100)
			l.ack(20, 1, 2)
		}},
		{"FLD-ONEWAY", func(l *lane) {
			l.first(0, 1, 2)
			l.ack(20, 3)
			for range 5 {
				for n := range int64(3) {
					l.send(300, n, MarkRetry, uint64(n)+1000, uint16(l.frame+100))
					l.ack(20, 3)
				}
			}
		}},
		{"FLD-ACKLOSS", func(l *lane) {
			for n := range int64(12) {
				l.first(n)
				l.ack(20, n+1)
				l.send(300, n, MarkRetry, uint64(n)+1000, uint16(l.frame+100))
			}
		}},
		{"FLD-RTTSHIFT", func(l *lane) {
			for n := range int64(4 * tripsAtOnce) {
				l.first(n)
				l.ack(20+n/tripsAtOnce*200, n+1)
			}
		}},
	} {
		if got := diagnosed(t, tt.play); !slices.Contains(got, tt.want) {
			t.Errorf("%s: found %v", tt.want, got)
		}
	}
	healthy := func(l *lane) {
		for n := range int64(200) {
			l.sized(1, n, MarkFirst, 100)
			l.ack(20+n%5, n+1)
		}
	}
	if got := diagnosed(t, healthy); got != nil {
		t.Errorf("healthy: %v", got)
	}
}

// A peer that is gone acknowledges small packets as little as large ones.
func TestDiagnosisMTUNeedsOthers(t *testing.T) {
	got := diagnosed(t, func(l *lane) {
		l.sized(1, 0, MarkFirst, 100)
		l.ack(20, 1)
		l.sized(1, 1, MarkFirst, 4711)
		for range 4 {
			l.sized(300, 1, MarkRetry, 4711)
		}
	})
	if slices.Contains(got, "FLD-MTU") {
		t.Error("found")
	}
}

// A stable share of numbers that are acknowledged but never captured takes another
// path; a bursty one does not.
func TestPaths(t *testing.T) {
	for _, tt := range []struct {
		name   string
		missed func(i int) bool
		want   uint64
	}{
		{"every second", func(i int) bool { return i%2 == 0 }, 1},
		{"none", func(int) bool { return false }, 0},
		{"a burst", func(i int) bool { return i < 600 }, 0},
	} {
		c := newCourt(0)
		d := &c.c.Dir[0]
		d.ready()
		for i := range 1250 {
			d.paths.settle(tt.missed(i))
		}
		d.paths.assess(c.c, 0)
		if got := c.tab.QualityTallies()[rCapMultipath].Fail; got != tt.want {
			t.Errorf("%s: %d", tt.name, got)
		}
	}
}

// Numbers passed over in runs are losses in bursts, unless the capture says that it
// lost packets itself.
func TestBurst(t *testing.T) {
	for lost, want := range map[uint64]uint64{0: 1, 3: 0} {
		c := newCourt(0)
		d := &c.c.Dir[0]
		d.ready()
		d.win.started, d.win.lowest, d.win.highest, d.distinct = true, 0, 99, 50
		d.signs.hole(50, 7, 1e9)
		c.c.Rules.sight.lost.n = lost
		c.c.diagnoseSide(0)
		if got := c.tab.QualityTallies()[rFldBurst].Fail; got != want {
			t.Errorf("the capture lost %d packets: %d bursts found, want %d", lost, got, want)
		}
	}
}

// An impossible frame with another time to live than its sender's is not from there.
func TestInjection(t *testing.T) {
	c := newCourt(0)
	say := func(ttl uint8) {
		c.frame++
		fr := &dissect.Frame{Datagram: &dissect.Datagram{Frame: c.frame, TTL: ttl}}
		c.law.facing(fr, 0)
		c.c.quality.fr = fr
	}
	for range usualTTL {
		say(64)
	}
	for _, ttl := range []uint8{64, 243} {
		say(ttl)
		c.law.Broken(0, "impossible")
	}
	if got := c.tab.QualityTallies()[rFldInject]; got.Fail != 1 || got.Pass != 1 {
		t.Errorf("%+v", got)
	}
}
