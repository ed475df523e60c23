package capture

import (
	"testing"
	"time"
)

// A backlog is a device from which packets of one time wait.
type backlog struct {
	packets int
	time    time.Time
}

func (b *backlog) Read(rec *Record) (bool, error) {
	if b.packets == 0 {
		return false, nil
	}
	b.packets--
	*rec = Record{Data: []byte{1}, WireLen: 1, Time: b.time.UnixNano(), HasTime: true}
	return true, nil
}
func (*backlog) Describe() Interface  { return Interface{} }
func (*backlog) Counts() DeviceCounts { return DeviceCounts{} }
func (*backlog) Close() error         { return nil }

// TestLiveBacklog: what was captured before a stop is given, however late it is read.
func TestLiveBacklog(t *testing.T) {
	stopped := time.Now().Add(-time.Minute)
	for _, c := range []struct {
		what string
		time time.Time
		want int
	}{
		{"before the stop", stopped.Add(-time.Millisecond), 3 * lookEvery},
		{"after it", stopped.Add(time.Millisecond), 0},
	} {
		l := &live{delay: DefaultDelay, taps: []*tap{{device: &backlog{3 * lookEvery, c.time}}}}
		l.stopAt.Store(&stopped)
		n := 0
		var out fed
		for {
			wait, ok := l.next(&out)
			if !ok {
				break
			}
			if wait {
				t.Fatalf("%s: it waits behind %d packets", c.what, n)
			}
			n++
		}
		if n != c.want {
			t.Errorf("%s: %d packets, want %d", c.what, n, c.want)
		}
	}
}

// A hoarder is a device with packets that the system does not hand over.
type hoarder struct {
	backlog
	holds bool
}

func (h *hoarder) holdsBack() bool { return h.holds }

// TestLiveHeldBack: a stopped source waits for what the system holds back, not for ever.
func TestLiveHeldBack(t *testing.T) {
	for _, c := range []struct {
		ago   time.Duration
		holds bool
		want  bool
	}{
		{0, false, false}, {100 * time.Millisecond, false, true}, {100 * time.Millisecond, true, false}, {3 * time.Second, true, true},
	} {
		l := &live{delay: DefaultDelay, taps: []*tap{{device: &hoarder{holds: c.holds}}}}
		at := time.Now().Add(-c.ago)
		l.stopAt.Store(&at)
		if got := l.over(nil); got != c.want {
			t.Errorf("stopped %s ago, held back: %t: over is %t", c.ago, c.holds, got)
		}
	}
}

// TestLiveSetBack: only a clock that was set back since the end ends what has packets
// of before it.
func TestLiveSetBack(t *testing.T) {
	l := &live{delay: DefaultDelay}
	for _, c := range []struct {
		passed, shown time.Duration
		want          bool
	}{
		{time.Minute, time.Minute, false}, {time.Minute, 2 * time.Minute, false}, {time.Minute, 59 * time.Second, true},
		{time.Second, -time.Hour, true}, {time.Millisecond, -time.Hour, false},
	} {
		if got := l.setBack(c.passed, c.shown); got != c.want {
			t.Errorf("%s passed, %s on the clock: %t", c.passed, c.shown, got)
		}
	}
}
