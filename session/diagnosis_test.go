package session

import (
	"slices"
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session/seq"
)

// A trial is what side a of a connection does.
type trial struct {
	*court
	now int64
}

// diagnosed gives the ids of the diagnoses of what a did.
func diagnosed(t *testing.T, play func(l *trial)) (ids []string) {
	t.Helper()
	l := &trial{court: newCourt(0)}
	play(l)
	l.c.diagnoseSide(0)
	for i, tally := range l.tab.QualityTallies() {
		if tally.Fail > 0 {
			ids = append(ids, Quality[i].ID)
		}
	}
	return ids
}

// send captures a sending, some ms later.
func (l *trial) send(after, num int64, mark seq.Mark, size int) {
	l.frame++
	l.now += after * ms
	l.c.Dir[0].Send(&seq.Sending{Num: seq.Num(num), Mark: mark, Hash: uint64(num) + 1, IPID: uint16(l.frame), Size: size, Frame: l.frame, Time: l.now, HasTime: true})
}

// ack captures an acknowledgement of all numbers below next, some ms later.
func (l *trial) ack(after, next int64, mask uint64) {
	l.frame++
	l.now += after * ms
	l.c.Rules.sight.last[1] = l.now
	l.c.Dir[0].Acknowledge(&seq.Acknowledgement{Next: seq.Num(next), Base: seq.Num(next) + 1, Mask: mask, Frame: l.frame, Time: l.now, HasTime: true}, func(seq.Position) {})
}

func TestDiagnosis(t *testing.T) {
	for _, tt := range []struct {
		want string
		play func(l *trial)
	}{
		{"FLD-MTU", func(l *trial) {
			l.send(1, 0, seq.MarkFirst, 100)
			l.ack(20, 1, 0)
			l.send(1, 1, seq.MarkFirst, 4711)
			for range 4 {
				l.send(300, 1, seq.MarkRetry, 4711)
			}
			l.send(1, 2, seq.MarkFirst, 100)
			l.ack(20, 1, 1)
		}},
		{"FLD-ONEWAY", func(l *trial) {
			for n := range int64(3) {
				l.send(1, n, seq.MarkFirst, 100)
			}
			l.ack(20, 3, 0)
			for range 5 {
				for n := range int64(3) {
					l.send(300, n, seq.MarkRetry, 100)
					l.ack(20, 3, 0)
				}
			}
		}},
		{"", func(l *trial) { // a burst that heals: what is sent behind it is not sent again
			for n := range int64(3) {
				l.send(1, n, seq.MarkFirst, 100)
			}
			l.ack(20, 3, 0)
			for n := range int64(9) {
				l.send(100, n%3, seq.MarkRetry, 100)
			}
			for n := int64(3); n < 40; n++ {
				l.send(100, n, seq.MarkFirst, 100)
				l.ack(20, n+1, 0)
			}
		}},
		{"FLD-ONEWAY", func(l *trial) { // the peer goes on and acknowledges nothing new
			for n := range int64(3) {
				l.send(1, n, seq.MarkFirst, 100)
			}
			l.ack(20, 3, 0)
			for n := int64(3); n < 30; n++ {
				l.send(100, n, seq.MarkFirst, 100)
				l.c.Dir[1].Frames++
				l.c.Rules.sight.last[1] = l.now
			}
			l.send(100, 3, seq.MarkRetry, 100)
		}},
		{"", func(l *trial) { // the peer was heard for a moment, then it is silent, too
			for n := range int64(3) {
				l.send(1, n, seq.MarkFirst, 100)
			}
			l.ack(20, 3, 0)
			for n := int64(3); n < 30; n++ {
				l.send(100, n, seq.MarkFirst, 100)
				if n < 8 {
					l.c.Dir[1].Frames++
					l.c.Rules.sight.last[1] = l.now
				}
			}
			l.send(100, 3, seq.MarkRetry, 100)
		}},
		{"", func(l *trial) { // the peer answers what comes behind the one it lacks
			for n := range int64(3) {
				l.send(1, n, seq.MarkFirst, 100)
			}
			l.ack(20, 3, 0)
			for n := int64(3); n < 30; n++ {
				l.send(100, n, seq.MarkFirst, 100)
				l.c.Dir[1].Frames++
				l.c.Dir[1].Acks++
				l.c.Rules.sight.last[1] = l.now
			}
			l.send(100, 3, seq.MarkRetry, 100)
		}},
		{"", func(l *trial) { // the peer is silent, too
			for n := range int64(3) {
				l.send(1, n, seq.MarkFirst, 100)
			}
			l.ack(20, 3, 0)
			for n := int64(3); n < 30; n++ {
				l.send(100, n, seq.MarkFirst, 100)
			}
			l.send(100, 3, seq.MarkRetry, 100)
		}},
		{"FLD-ACKLOSS", func(l *trial) {
			for n := range int64(12) {
				l.send(1, n, seq.MarkFirst, 100)
				l.ack(20, n+1, 0)
				l.send(300, n, seq.MarkRetry, 100)
			}
		}},
		{"FLD-RTTSHIFT", func(l *trial) {
			for n := range int64(4 * 32) {
				l.send(1, n, seq.MarkFirst, 100)
				l.ack(20+n/32*200, n+1, 0)
			}
		}},
	} {
		if got := diagnosed(t, tt.play); tt.want == "" && got != nil || tt.want != "" && !slices.Contains(got, tt.want) {
			t.Errorf("%s: found %v", tt.want, got)
		}
	}
	healthy := func(l *trial) {
		for n := range int64(200) {
			l.send(1, n, seq.MarkFirst, 100)
			l.ack(20+n%5, n+1, 0)
		}
	}
	if got := diagnosed(t, healthy); got != nil {
		t.Errorf("healthy: %v", got)
	}
}

// Unneeded retries are told of once: as losses of acknowledgements, not as a share too.
func TestUnneededRetriesAreToldOnce(t *testing.T) {
	got := diagnosed(t, func(l *trial) {
		for n := range int64(12) {
			l.send(1, n, seq.MarkFirst, 100)
			l.ack(20, n+1, 0)
			l.send(300, n, seq.MarkRetry, 100)
		}
	})
	if !slices.Equal(got, []string{"FLD-ACKLOSS"}) {
		t.Errorf("found %v", got)
	}
}

// Where a capture does not prove losses before it, a retry of what was lost there is the first copy
// it has: retries that it knows as such are those that were not needed, and say nothing of a share.
func TestRetriesThatLookFirst(t *testing.T) {
	for lost, want := range []string{"FLD-ACKLOSS", "FLD-ACKLOSS", "FLD-SPURIOUS"} {
		got := diagnosed(t, func(l *trial) {
			l.c.Dir[0].SetLimits(seq.Limits{History: seq.HistoryLimit, NoBefore: true})
			for n := int64(0); n < 36; n += 1 + int64(lost) {
				l.send(1, n, seq.Unmarked, 100)
				l.ack(20, n+1, 0)
				l.send(300, n, seq.Unmarked, 100)
			}
		})
		if !slices.Equal(got, []string{want}) {
			t.Errorf("%d lost for each that was captured: found %v, want %s", lost, got, want)
		}
	}
}

// A peer that is gone acknowledges small packets as little as large ones.
func TestDiagnosisMTUNeedsOthers(t *testing.T) {
	got := diagnosed(t, func(l *trial) {
		l.send(1, 0, seq.MarkFirst, 100)
		l.ack(20, 1, 0)
		l.send(1, 1, seq.MarkFirst, 4711)
		for range 4 {
			l.send(300, 1, seq.MarkRetry, 4711)
		}
	})
	if slices.Contains(got, "FLD-MTU") {
		t.Error("found")
	}
}

// Numbers passed over in runs are losses in bursts, unless the capture says that it
// lost packets itself.
func TestBurst(t *testing.T) {
	for lost, want := range map[uint64]uint64{0: 1, 3: 0} {
		c := newCourt(0)
		d := &c.c.Dir[0]
		for _, n := range []int64{0, 51} {
			d.Send(&seq.Sending{Num: seq.Num(n), Frame: uint64(n + 1), Time: 1e9 + n, HasTime: true})
		}
		c.c.Rules.sight.lost.N = lost
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
		c.law.beginFrame(fr.Datagram, 0)
		c.c.active.fr = fr
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
