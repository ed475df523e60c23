package pipeline

import (
	"testing"
	"time"

	"github.com/dpdissect/dpdissect/session"
)

// gathering is a party of so many connections whose run is watched.
func gathering(t *testing.T, n int) (*party, *Watch) {
	p := newParty(session.Config{Idle: session.DefaultIdle})
	script := scriptOf(t, "hazel", 5*time.Second, 50*time.Millisecond)
	for i := range n {
		p.join(script, int64(i)*1e6, 1<<60)
	}
	p.pass(2 * time.Second)
	w := &Watch{run: &Run{tables: p.tables, end: p.now}}
	w.tick(p.now)
	return p, w
}

// TestWatchLowMemory: with many connections at a time less is remembered, for good.
func TestWatchLowMemory(t *testing.T) {
	for n, want := range map[int]bool{manyConnections - 1: false, manyConnections: true} {
		p, w := gathering(t, n)
		if open := p.open(); open != n || w.compact != want {
			t.Errorf("%d of %d connections open, lean: %v", open, n, w.compact)
		}
		p.guests = nil
		p.now += 2 * session.DefaultIdle
		if w.tick(p.now); p.open() != 0 || w.compact != want {
			t.Errorf("%d connections open, lean: %v", p.open(), w.compact)
		}
	}
}

// TestWatchForgets: of the connections that ended the latest are kept, the others are
// counted, and who keeps something of them is told.
func TestWatchForgets(t *testing.T) {
	p, w := gathering(t, 30)
	w.Keep = 20
	told := 0
	w.Forget = func(gone map[*session.Conn]bool) { told += len(gone) }
	if n := len(w.Record()); n != 30 {
		t.Fatalf("%d connections, want 30", n)
	}
	p.guests = nil
	p.now += 2 * session.DefaultIdle
	w.tick(p.now)
	if n := len(w.Record()); n != 20 || told != 10 {
		t.Errorf("%d connections ended, %d were forgotten, want 20 and 10", n, told)
	}
	if n := len(w.Record()); n != 0 {
		t.Errorf("%d connections are reported again", n)
	}
	conns, forgotten := w.All()
	if len(conns) != 20 || forgotten != 10 || w.Counts() != 30 {
		t.Errorf("%d connections at the end, %d forgotten of %d", len(conns), forgotten, w.Counts())
	}
	for i, c := range conns {
		if i > 0 && c.ID <= conns[i-1].ID {
			t.Errorf("connection %d behind %d", c.ID, conns[i-1].ID)
		}
	}
}
