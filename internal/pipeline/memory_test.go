package pipeline

import (
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/dpdissect/dpdissect/internal/testbed/tracegen"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/conform"
)

// endless is how a run without end is configured.
var endless = session.Config{Idle: session.DefaultIdle, LowMemory: true}

// What is kept of a connection at 20 to 40 datagrams a second each way, a minute old,
// in bytes: of one that goes on, and of one that has ended. Both are generous.
var sizes = map[string]struct{ live, file int64 }{
	"none": {62_000, 20_000}, "full": {62_000, 20_000}, "dp4": {64_000, 0},
	"knet": {76_000, 14_000}, "knet-spec": {70_000, 18_000}, "hazel": {50_000, 16_000},
}

const (
	silentSize = 36_000 // of a connection that was silent for half a minute
	endedSize  = 3_500  // of one that was handed out, with its part of the tables
)

// grown is what a connection adds to the memory in use, in bytes: the difference
// between a small party and a large one, so that what is there once for all of them
// does not count, whatever the size. party gives how much is in use at so many
// moments of its life.
func grown(party func(n int64) []int64) []int64 {
	const few, many = 30, 90
	small, large := party(few), party(many)
	for i := range large {
		large[i] = (large[i] - small[i]) / (many - few)
	}
	return large
}

// everyCase tells whether tests try all combinations of what they otherwise combine so that
// each comes up: with DPDISSECT_FORMS=all, as in make soak.
func everyCase() bool { return os.Getenv("DPDISSECT_FORMS") == "all" }

// callKinds are the kinds of connections that are measured: one of each protocol, or, with
// everyCase, those of its other dialects as well.
func callKinds() []string {
	if everyCase() {
		return tracegen.CallKinds()
	}
	return []string{"none", "dp4", "knet", "hazel"}
}

// TestLiveSize: a run without end keeps little of a connection.
func TestLiveSize(t *testing.T) {
	for _, kind := range callKinds() {
		t.Run(kind, func(t *testing.T) {
			script := scriptOf(t, kind, 30*time.Second, 50*time.Millisecond)
			size := grown(func(n int64) []int64 { return lives(t, script, n) })
			t.Logf("%d datagrams a second: %d bytes while it lives, %d when it has ended", int64(len(script))/30, size[0], size[1])
			if most := sizes[kind].live; size[0] > most {
				t.Errorf("%d bytes a live connection, want no more than %d", size[0], most)
			}
			if size[1] > endedSize {
				t.Errorf("%d bytes an ended connection, want no more than %d", size[1], endedSize)
			}
		})
	}
}

// lives gives what n connections of a run without end use after 28 s, and when
// they were handed out.
func lives(t *testing.T, script script, n int64) []int64 {
	before := heap()
	p := newParty(endless)
	for i := range n {
		p.join(script, i*1e6, 1<<60)
	}
	p.pass(28 * time.Second)
	if open := p.open(); open != int(n) {
		t.Fatalf("%d connections are open, want %d", open, n)
	}
	live := heap() - before
	p.pass(20 * time.Second)
	for range 10 {
		p.tick(20 * time.Second)
	}
	conns := p.take()
	if len(conns) != int(n) || p.open() != 0 || len(p.guests) != 0 {
		t.Fatalf("%d of %d connections are settled, %d open, %d guests speak", len(conns), n, p.open(), len(p.guests))
	}
	ended := heap() - before
	runtime.KeepAlive(conns)
	runtime.KeepAlive(p)
	return []int64{live, ended}
}

// TestSilentSize: of a connection that is silent little is left, and when it goes on
// it is the same one and it leads to no finding.
func TestSilentSize(t *testing.T) {
	for _, kind := range callKinds() {
		t.Run(kind, func(t *testing.T) {
			script := scriptOf(t, kind, 24*time.Second, 50*time.Millisecond)
			size := grown(func(n int64) []int64 { return []int64{silentFor(t, script, n)} })[0]
			t.Logf("%d bytes", size)
			if size > silentSize {
				t.Errorf("%d bytes a silent connection, want no more than %d", size, silentSize)
			}
		})
	}
}

// silentFor gives what n connections use that are silent for 48 s.
func silentFor(t *testing.T, script script, n int64) int64 {
	before := heap()
	p := newParty(endless)
	for i := range n {
		p.join(script, i*1e6, 1<<60)
	}
	p.pass(12 * time.Second)
	for range 6 {
		p.tick(8 * time.Second)
	}
	for _, g := range p.guests {
		g.from += 48e9 // what it says next it says after the silence
	}
	size := heap() - before
	p.pass(10 * time.Second)
	if got := p.conns(); got != int(n) || p.open() != got {
		t.Errorf("%d connections, %d open; want %d", got, p.open(), n)
	}
	for _, tab := range p.tables {
		for _, c := range tab.Conns() {
			if c.Findings[conform.Error]+c.Findings[conform.Warn] > 0 {
				t.Fatalf("connection of %v: %v findings", c.A, c.Findings)
			}
		}
	}
	runtime.KeepAlive(p)
	return size
}

// TestFileSize: the analysis of a file frees what it kept of a connection that was
// closed, though frames of it may still come.
func TestFileSize(t *testing.T) {
	for _, kind := range callKinds() {
		most := sizes[kind].file
		if most == 0 {
			continue // it has no close
		}
		t.Run(kind, func(t *testing.T) {
			script := scriptOf(t, kind, 20*time.Second, 50*time.Millisecond)
			size := grown(func(n int64) []int64 { return []int64{closes(script, n)} })[0]
			t.Logf("%d bytes", size)
			if size > most {
				t.Errorf("%d bytes a closed connection, want no more than %d", size, most)
			}
		})
	}
}

// closes gives what n connections of a file use that were closed.
func closes(script script, n int64) int64 {
	before := heap()
	p := newParty(session.Config{})
	for i := range n {
		p.join(script, i*1e6, 1<<60)
	}
	p.pass(35 * time.Second)
	for range 3 {
		p.now += 40e9
		p.whisper()
	}
	size := heap() - before
	runtime.KeepAlive(p)
	return size
}

// TestChurn: connections come and go, and memory stays where it was.
func TestChurn(t *testing.T) {
	generations, size := 10, 100
	if everyCase() {
		generations, size = 24, 300
	}
	scripts := make([]script, 0, 4)
	for _, kind := range []string{"none", "dp4", "knet", "hazel"} {
		scripts = append(scripts, scriptOf(t, kind, 6*time.Second, 100*time.Millisecond))
	}
	p := newParty(endless)
	settled := 0
	third := int64(0)
	for g := range generations {
		for i := range size {
			until := int64(1 << 60)
			if i%3 == 0 {
				until = 4e9 // it falls silent
			}
			p.join(scripts[i%len(scripts)], int64(i)*20e6, until)
		}
		p.pass(40 * time.Second)
		for _, c := range p.take() {
			settled++
			if !c.Closed() {
				t.Fatal("a connection was handed out that is open")
			}
		}
		if g == 2 || g == 3 { // the generation before last is closed out by then
			third = max(third, heap())
		}
	}
	last := heap()
	t.Logf("%d connections were settled; %d bytes in use after three generations, %d at the end", settled, third, last)
	if float64(last) > 1.2*float64(third) {
		t.Errorf("%d bytes are in use, want those of the third generation, %d, and no more than a fifth on top", last, third)
	}
	if left := p.open() + p.conns(); settled+left < generations*size || left > 8*size {
		t.Errorf("%d of %d connections were settled", settled, generations*size)
	}
	runtime.KeepAlive(p)
}

// BenchmarkParty analyses a thousand connections at a time.
func BenchmarkParty(b *testing.B) {
	for _, tt := range []struct {
		name string
		cfg  session.Config
	}{{"file", session.Config{}}, {"endless", endless}} {
		b.Run(tt.name, func(b *testing.B) {
			script := scriptOf(b, "hazel", 20*time.Second, 50*time.Millisecond)
			frames := uint64(0)
			for b.Loop() {
				p := newParty(tt.cfg)
				for i := range int64(1000) {
					p.join(script, i*1e6, 1<<60)
				}
				p.pass(22 * time.Second)
				frames += p.frame
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(frames), "ns/frame")
		})
	}
}
