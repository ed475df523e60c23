package liveview

import (
	"bytes"
	"context"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/dpdissect/dpdissect/internal/sampler"
)

// A tape keeps what a program writes.
type tape struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (t *tape) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.buf.Write(p)
}

func (t *tape) has(text string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.Contains(t.buf.String(), text)
}

// await waits until the tape has a text.
func (t *tape) await(tb testing.TB, text string) {
	tb.Helper()
	for range 12_000 {
		if t.has(text) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	tb.Fatalf("%q was not written in 2 minutes:\n%q", text, t.buf.String())
}

const (
	altScreenOn, altScreenOff = "\x1b[?1049h", "\x1b[?1049l"
	cursorOff, cursorOn       = "\x1b[?25l", "\x1b[?25h"
)

// clean reports what a tape leaves switched on at its end.
func (t *tape) clean(tb testing.TB) {
	tb.Helper()
	t.mu.Lock()
	defer t.mu.Unlock()
	text := t.buf.String()
	for _, mode := range [...]struct{ name, on, off string }{
		{"the alternate screen", altScreenOn, altScreenOff}, {"a hidden cursor", cursorOff, cursorOn}, {"bracketed paste", "\x1b[?2004h", "\x1b[?2004l"},
	} {
		if strings.LastIndex(text, mode.on) > strings.LastIndex(text, mode.off) {
			tb.Errorf("%s is left on", mode.name)
		}
	}
	if !strings.Contains(text, altScreenOn) {
		tb.Error("the alternate screen was never used")
	}
}

// TestRun ends a program without a terminal in every way there is.
func TestRun(t *testing.T) {
	for _, c := range []struct {
		name string
		end  func(in io.Writer, cancel func(), feed Feed)
		err  string
	}{
		{"a key", func(in io.Writer, _ func(), _ Feed) { io.WriteString(in, "q") }, ""},
		{"ctrl-c", func(in io.Writer, _ func(), _ Feed) { io.WriteString(in, "\x03") }, ""},
		{"the context", func(_ io.Writer, cancel func(), _ Feed) { cancel() }, ""},
		{"the channel", func(_ io.Writer, _ func(), feed Feed) { close(feed) }, ""},
		{"a fault", func(_ io.Writer, _ func(), feed Feed) { feed.Offer(impossible()) }, "panic"},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			in, keys := io.Pipe()
			defer keys.Close()
			var out tape
			feed := NewFeed()
			feed.Offer(demo(4, 60))
			done := make(chan error, 1)
			go func() {
				done <- run(ctx, in, &out, feed, newModel(Options{}), false, tea.WithWindowSize(80, 24), tea.WithoutSignals())
			}()
			out.await(t, "192.168.0.13:50003")
			c.end(keys, cancel, feed)
			select {
			case err := <-done:
				if (err != nil) != (c.err != "") || err != nil && !strings.Contains(err.Error(), c.err) {
					t.Errorf("ended with %v", err)
				}
			case <-time.After(2 * time.Minute):
				t.Fatal("it did not end")
			}
			out.clean(t)
		})
	}
}

// TestRunEndsBefore it began, when the context had ended already.
func TestRunEndsBefore(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var out tape
	if err := run(ctx, strings.NewReader(""), &out, NewFeed(), newModel(Options{}), false, tea.WithWindowSize(80, 24), tea.WithoutSignals()); err != nil {
		t.Error(err)
	}
	out.clean(t)
}

// TestFeed never blocks and hands out the newest.
func TestFeed(t *testing.T) {
	f := NewFeed()
	for n := range int64(100) {
		f.Offer(&sampler.Snapshot{Time: n})
	}
	if s := <-f; s.Time != 99 {
		t.Errorf("snapshot %d, want the newest", s.Time)
	}
	f = NewFeed()
	var last int64
	done := make(chan bool)
	go func() {
		defer close(done)
		for s := range f {
			if s.Time <= last {
				t.Errorf("%d after %d", s.Time, last)
			}
			last = s.Time
		}
	}()
	for n := range int64(100_000) {
		f.Offer(&sampler.Snapshot{Time: n + 1})
	}
	close(f)
	<-done
	if last != 100_000 {
		t.Errorf("the newest was lost: %d", last)
	}
}

// TestEnvironment leaves colour to the caller.
func TestEnvironment(t *testing.T) {
	env := []string{"TERM=xterm", "NO_COLOR=1", "CLICOLOR_FORCE=1", "NO_COLORS=x"}
	if got := strings.Join(environment(env, true), " "); got != "TERM=xterm NO_COLORS=x" {
		t.Error(got)
	}
	if got := strings.Join(environment(env, false), " "); got != "TERM=xterm NO_COLORS=x NO_COLOR=1" {
		t.Error(got)
	}
}
