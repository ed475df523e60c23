package seq

import "testing"

// lateLane plays a path with a round trip of 20 ms on which everything arrives.
func lateLane(t *testing.T) *lane {
	t.Helper()
	l := newLane()
	for n := Num(0); n < 20; n++ {
		l.first(n)
		l.ack(20, n+1)
	}
	return l
}

// A number that is still missing long after it went by, and sent again, is lost
// behind the capture point, unless the path is known to deliver that late.
func TestLostAfterCapture(t *testing.T) {
	for _, c := range []struct {
		name string
		play func(l *lane)
		want uint64
	}{
		{"lost and sent again", func(l *lane) {
			l.first(20, 21)
			l.ack(100, 20, 21) // 21 arrived, 20 did not
			l.send(1, 20, MarkRetry, 7, 999)
			l.ack(25, 22)
		}, 1},
		{"late and sent again: acknowledged before the retry can have arrived", func(l *lane) {
			l.first(20, 21)
			l.ack(100, 20, 21)
			l.send(1, 20, MarkRetry, 7, 999)
			l.ack(2, 22)
		}, 0},
		{"late, acknowledged, then given up", func(l *lane) {
			l.first(20, 21)
			l.ack(100, 20, 21)
			l.ack(10, 22)
			l.d.GiveUp(20)
		}, 0},
		{"lost and given up", func(l *lane) {
			l.first(20, 21)
			l.ack(100, 20, 21)
			l.d.GiveUp(20)
			l.ack(25, 22)
		}, 1},
		{"on a path that delivered as late before", func(l *lane) {
			l.first(20, 21)
			l.ack(300, 20, 21)
			l.ack(10, 22) // 20 came by itself
			l.first(22, 23)
			l.ack(100, 22, 23)
			l.send(1, 22, MarkRetry, 7, 999)
			l.ack(25, 24)
		}, 0},
	} {
		l := lateLane(t)
		c.play(l)
		l.d.Close()
		if got := l.d.Lost(); got.AfterCapture != c.want || got.BeforeCapture != 0 || got.NotCaptured != 0 {
			t.Errorf("%s: lost %+v, want %d behind the capture point", c.name, got, c.want)
		}
	}
}
