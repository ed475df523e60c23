package session

import (
	"runtime"
	"slices"
	"testing"
)

// lock makes a pair of hosts recognised.
func (s *story) lock(a, b byte) {
	for range 4 {
		s.say(a, b, "yes")
	}
}

func (s *story) pass(ns int64) { s.now += ns }

// A pair that was silent for longer than Config.Idle is closed out, and what comes
// then is of another connection, whether a packet, a Tick or the pair itself shows
// that time went by.
func TestIdle(t *testing.T) {
	const idle = 100e9
	for _, tt := range []struct {
		name  string
		cfg   int64
		while func(s *story)
		conns int
	}{
		{"nothing", idle, func(s *story) { s.pass(idle + ms) }, 2},
		{"another pair", idle, func(s *story) { s.pass(idle + idle/10); s.say(8, 9, "no") }, 2},
		{"a tick", idle, func(s *story) { s.pass(idle + idle/10); s.tab.Tick(s.now) }, 2},
		{"ticks", idle, func(s *story) {
			for range 120 {
				s.pass(1e9)
				s.tab.Tick(s.now)
			}
		}, 2},
		{"a shorter silence", idle, func(s *story) { s.pass(idle - 2e9); s.tab.Tick(s.now) }, 1},
		{"a file", 0, func(s *story) { s.pass(10 * idle); s.tab.Tick(s.now); s.say(8, 9, "no") }, 1},
		{"without end", 1 << 62, func(s *story) { s.pass(10 * idle); s.tab.Tick(s.now); s.say(8, 9, "no") }, 1},
	} {
		s := newStory(Config{Protocols: []*Protocol{yes()}, Idle: tt.cfg})
		s.lock(1, 2)
		tt.while(s)
		s.lock(1, 2)
		s.tab.Close(s.now)
		if n := len(s.tab.Conns()); n != tt.conns {
			t.Errorf("%s: %d connections, want %d", tt.name, n, tt.conns)
		}
	}
}

// A tick on its own closes out what is silent, and lets what was held of a pair go.
func TestTick(t *testing.T) {
	s := newStory(Config{Protocols: []*Protocol{yes()}, Idle: 100e9})
	s.lock(1, 2)
	s.say(3, 4, "well")
	last := s.now
	if open, pairs, undecided := s.tab.Live(); open != 1 || pairs != 2 || undecided != 1 {
		t.Errorf("%d open, %d pairs, %d undecided; want 1, 2, 1", open, pairs, undecided)
	}
	s.tab.Tick(last + 60e9)
	if n := len(s.shown); n != 5 {
		t.Errorf("%d datagrams shown after a minute, want 5: the stranger's, too", n)
	}
	s.tab.Tick(last + 90e9)
	if c := s.tab.TakeClosed(); len(c) != 0 {
		t.Errorf("%d connections are closed after 90 s", len(c))
	}
	s.tab.Tick(last + 120e9)
	c := s.tab.TakeClosed()
	if len(c) != 1 || !c[0].Closed() || c[0].State != StateUnknown {
		t.Fatalf("closed out: %v", c)
	}
	if open, pairs, undecided := s.tab.Live(); open+pairs+undecided != 0 {
		t.Errorf("%d open, %d pairs, %d undecided are left", open, pairs, undecided)
	}
	if s.tab.end != last {
		t.Errorf("the capture ends at %d, not with its last packet at %d", s.tab.end, last)
	}
}

// Connections are handed out once, in their order, and stay counted.
func TestTakeClosed(t *testing.T) {
	s := newStory(Config{Protocols: []*Protocol{yes()}, Idle: 100e9})
	s.lock(1, 2)
	s.lock(3, 4)
	s.say(3, 4, "bad")
	s.pass(101e9)
	s.lock(5, 6)
	var first []uint64
	for _, c := range s.tab.TakeClosed() {
		first = append(first, c.FirstFrame)
	}
	if want := []uint64{1, 5}; !slices.Equal(first, want) {
		t.Errorf("connections of frames %v, want %v", first, want)
	}
	if n := len(s.tab.TakeClosed()); n != 0 {
		t.Errorf("%d are handed out again", n)
	}
	if conns := s.tab.Conns(); len(conns) != 1 || conns[0].FirstFrame != 10 {
		t.Errorf("%d connections are left, want that of frame 10", len(conns))
	}
	s.tab.Close(s.now)
	if n := len(s.tab.TakeClosed()); n != 1 {
		t.Errorf("%d connections at the end, want 1", n)
	}
	if decoded, malformed, other := s.tab.Totals(); decoded != 13 || malformed != 1 || other != 0 {
		t.Errorf("totals %d %d %d, want 13 1 0", decoded, malformed, other)
	}
}

// A connection whose end was seen goes after an eighth of Config.Idle.
func TestRest(t *testing.T) {
	s := newStory(Config{Protocols: []*Protocol{yes()}, Idle: 80e9})
	s.lock(1, 2)
	s.lock(3, 4)
	for _, f := range s.tab.flows {
		if f.key.lo == endpoint(1, 2302) {
			f.Finish(f.session.(*yesSession).conn)
		}
	}
	s.pass(9e9)
	s.say(3, 4, "yes")
	s.tab.Tick(s.now)
	if _, pairs, _ := s.tab.Live(); pairs != 2 {
		t.Errorf("%d pairs after 9 s, want 2", pairs)
	}
	s.pass(6e9)
	s.say(3, 4, "yes")
	if open, pairs, _ := s.tab.Live(); pairs != 1 || open != 1 {
		t.Errorf("%d pairs, %d open after 15 s, want the one that goes on", pairs, open)
	}
}

// A clock that is set back closes out nothing, and what falls silent then is still
// found.
func TestClockSetBack(t *testing.T) {
	s := newStory(Config{Protocols: []*Protocol{yes()}, Idle: 100e9})
	s.now = 10_000e9
	s.lock(1, 2)
	s.lock(3, 4)
	s.now -= 5_000e9
	for range 300 {
		s.pass(1e9)
		s.say(1, 2, "yes")
	}
	conns := s.tab.TakeClosed()
	if len(conns) != 1 || conns[0].FirstFrame != 5 {
		t.Fatalf("%d connections were closed out, want that of frame 5 alone", len(conns))
	}
	if open, _, _ := s.tab.Live(); open != 1 {
		t.Errorf("%d connections are open, want 1", open)
	}
	if want := s.now + s.tab.clock.shift; s.tab.end != want || s.tab.clock.stamp(s.frame, want) != s.now {
		t.Errorf("the capture ends at %d, want %d", s.tab.end, want)
	}
}

// Packets that overtake each other don't make time go faster.
func TestClockJitter(t *testing.T) {
	s := newStory(Config{Protocols: []*Protocol{yes()}, Idle: 100e9})
	for range 1000 {
		s.pass(20 * ms)
		s.say(1, 2, "yes")
		s.now -= 15 * ms
		s.say(1, 2, "yes")
	}
	if s.tab.clock.shift != 0 || s.tab.now > s.now+20*ms {
		t.Errorf("the table's clock stands at %d, set back by %d; want %d", s.tab.now, s.tab.clock.shift, s.now)
	}
}

// What is kept of a connection that was closed is small.
func TestClosedSize(t *testing.T) {
	const n = 2000
	heap := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	s := newStory(Config{Protocols: []*Protocol{yes()}, Idle: 100e9})
	before := heap()
	for i := range n {
		s.frame = uint64(i) * 10
		s.lock(byte(i), byte(i>>8)+100)
		s.shown = nil
	}
	s.tab.Tick(s.now + 200e9)
	conns := s.tab.TakeClosed()
	size := (heap() - before) / n
	if len(conns) < n/2 {
		t.Fatalf("%d connections", len(conns))
	}
	if size > 3000 {
		t.Errorf("%d bytes a closed connection, want no more than 3000", size)
	}
	runtime.KeepAlive(conns)
	runtime.KeepAlive(s)
}

// tenSeconds is after how long a connection is timed out.
type tenSeconds struct{ c *Conn }

func (l tenSeconds) TimedOut(end int64) bool { return end-l.c.LastTime > 10e9 }

// Who is silent is timed out by the clock, until a frame comes.
func TestTimedOutByTick(t *testing.T) {
	s := newStory(Config{Protocols: []*Protocol{yes()}, Idle: 100e9})
	s.lock(1, 2)
	c, state := s.tab.Conns()[0], Established
	c.Follow(&state, nil, tenSeconds{c})
	want := func(after string, want State) {
		t.Helper()
		if got, _ := c.StateNow(); got != want || c.Over() != (want == TimedOut) {
			t.Errorf("%s: %v, over: %v", after, got, c.Over())
		}
	}
	want("frames", Established)
	s.tab.Tick(s.now + 9e9)
	want("9 s", Established)
	s.tab.Tick(s.now + 11e9)
	want("11 s", TimedOut)
	s.pass(12e9)
	s.say(1, 2, "yes")
	want("a frame", Established)
	s.say(3, 4, "no")
	s.pass(12e9)
	s.say(3, 4, "no")
	want("12 s in which others speak", TimedOut)
}

// TestSilence: a pair that was silent for longer than Config.Silence is closed out, as it stood
// that long after its last datagram, whenever that is seen; all else is as in a file.
func TestSilence(t *testing.T) {
	const silence = 100e9
	for _, tt := range []struct {
		name  string
		while func(s *story)
		conns int
	}{
		{"nothing", func(s *story) { s.pass(silence + ms) }, 2},
		{"a tick", func(s *story) { s.pass(5 * silence); s.tab.Tick(s.now) }, 2},
		{"a shorter silence", func(s *story) { s.pass(silence - ms); s.tab.Tick(s.now) }, 1},
	} {
		s := newStory(Config{Protocols: []*Protocol{yes()}, Silence: silence})
		s.lock(1, 2)
		f := s.tab.inOrder()[0]
		last := s.now
		tt.while(s)
		if got := s.tab.listened(f); got > last+silence {
			t.Errorf("%s: the pair was heard until %d, its last datagram was at %d", tt.name, got, last)
		}
		s.lock(1, 2)
		s.tab.Close(s.now)
		if n := len(s.tab.Conns()); n != tt.conns {
			t.Errorf("%s: %d connections, want %d", tt.name, n, tt.conns)
		}
	}
}
