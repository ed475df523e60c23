// Package chromium drives a headless Chromium in tests, over the pipe of its developer
// tools protocol: no driver and no module is needed beside the browser.
package chromium

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"
)

// patience is how long anything may take before a test gives up.
const patience = 5 * time.Minute

// flags make Chromium a program for tests that asks nothing of any network by itself.
var flags = []string{
	"--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
	"--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--remote-debugging-pipe",
}

// A message is one of the protocol, in either direction.
type message struct {
	ID      int             `json:"id,omitempty"`
	Session string          `json:"sessionId,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *struct {
		Message string `json:"message"`
	} `json:"error,omitempty"`
}

// A Browser is one that runs until its test ends.
type Browser struct {
	t  testing.TB
	in io.Writer

	mu      sync.Mutex
	next    int
	waiting map[int]chan message
	heard   func(message) // events
	gone    bool
}

// Start starts Chromium; the test is skipped where there is none.
func Start(t testing.TB) *Browser {
	t.Helper()
	path, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("chromium is not installed (Debian: chromium)")
	}
	fromUs, in := pipe(t)
	out, toUs := pipe(t)
	cmd := exec.Command(path, append(flags, "--user-data-dir="+t.TempDir())...)
	cmd.ExtraFiles = []*os.File{fromUs, toUs} // 3 and 4
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir())
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	fromUs.Close()
	toUs.Close()
	b := &Browser{t: t, in: in, waiting: map[int]chan message{}, heard: func(message) {}}
	done := make(chan struct{})
	go func() {
		defer close(done)
		b.listen(out)
	}()
	t.Cleanup(func() {
		in.Close() // it ends when nobody drives it any more
		end := time.AfterFunc(10*time.Second, func() { _ = cmd.Process.Kill() })
		defer end.Stop()
		_ = cmd.Wait()
		out.Close()
		<-done
	})
	return b
}

func pipe(t testing.TB) (r, w *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	return r, w
}

// listen hands on what the browser says; messages end with a zero byte.
func (b *Browser) listen(out io.Reader) {
	r := bufio.NewReaderSize(out, 1<<20)
	for {
		text, err := r.ReadBytes(0)
		if err != nil {
			b.hangUp()
			return
		}
		var m message
		if json.Unmarshal(text[:len(text)-1], &m) == nil {
			b.hear(m)
		}
	}
}

func (b *Browser) hear(m message) {
	b.mu.Lock()
	answer, heard := b.waiting[m.ID], b.heard
	delete(b.waiting, m.ID)
	b.mu.Unlock()
	if answer != nil {
		answer <- m
	} else if m.Method != "" {
		heard(m)
	}
}

// hangUp lets nobody wait for a browser that is gone.
func (b *Browser) hangUp() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.gone = true
	for _, answer := range b.waiting {
		close(answer)
	}
	clear(b.waiting)
}

// send sends a command; what comes back is its answer.
func (b *Browser) send(session, method string, params any) (<-chan message, error) {
	p, err := json.Marshal(params)
	if err != nil {
		return nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.gone {
		return nil, fmt.Errorf("%s: the browser is gone", method)
	}
	b.next++
	text, err := json.Marshal(message{ID: b.next, Session: session, Method: method, Params: p})
	if err != nil {
		return nil, err
	}
	answer := make(chan message, 1)
	b.waiting[b.next] = answer
	_, err = b.in.Write(append(text, 0))
	return answer, err
}

// call sends a command and fails the test unless it succeeds.
func (b *Browser) call(session, method string, params, result any) {
	b.t.Helper()
	answer, err := b.send(session, method, params)
	if err != nil {
		b.t.Fatal(err)
	}
	select {
	case m, ok := <-answer:
		switch {
		case !ok:
			b.t.Fatalf("%s: the browser is gone", method)
		case m.Error != nil:
			b.t.Fatalf("%s: %s", method, m.Error.Message)
		case result != nil:
			if err := json.Unmarshal(m.Result, result); err != nil {
				b.t.Fatalf("%s: %v", method, err)
			}
		}
	case <-time.After(patience):
		b.t.Fatalf("%s: no answer", method)
	}
}
