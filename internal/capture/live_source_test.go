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
