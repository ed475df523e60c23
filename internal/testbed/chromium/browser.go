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

// timeout is how long anything may take before a test gives up.
const timeout = 5 * time.Minute

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

// A Browser is what a test has of the one that runs: a profile of its own, empty, which is gone
// with all its pages when the test ends.
type Browser struct {
	*process
	t       testing.TB
	profile string // the context of the browser, as the protocol calls it
}

// A process is a Chromium that runs until Stop, or until this process ends.
type process struct {
	cmd  *exec.Cmd
	in   io.WriteCloser
	dir  string
	done chan struct{} // nothing more is heard

	mu      sync.Mutex
	next    int
	waiting map[int]chan message
	heard   func(message) // events
	gone    bool
}

// running is the Chromium of all tests of a package: a start takes longer than most of them.
var running *process

// Start gives a test a browser, which is started for the first one; the test is skipped where
// there is none. Tests that run at the same time cannot have one each.
func Start(t testing.TB) *Browser {
	t.Helper()
	if running == nil || running.dead() {
		Stop()
		path, err := exec.LookPath("chromium")
		if err != nil {
			t.Skip("chromium is not installed (Debian: chromium)")
		}
		if running, err = start(path); err != nil {
			t.Fatal(err)
		}
	}
	b := &Browser{process: running, t: t}
	var made struct {
		ID string `json:"browserContextId"`
	}
	b.call("", "Target.createBrowserContext", none{}, &made)
	b.profile = made.ID
	t.Cleanup(func() {
		if !b.dead() {
			b.call("", "Target.disposeBrowserContext", map[string]any{"browserContextId": b.profile}, nil)
		}
		b.hearWith(func(message) {})
	})
	return b
}

// Stop ends the browser after the tests of a package, where one was started.
func Stop() {
	p := running
	if p == nil {
		return
	}
	running = nil
	p.in.Close() // it ends when nobody drives it any more
	end := time.AfterFunc(10*time.Second, func() { _ = p.cmd.Process.Kill() })
	defer end.Stop()
	_ = p.cmd.Wait()
	<-p.done
	_ = os.RemoveAll(p.dir)
}

func start(path string) (*process, error) {
	dir, err := os.MkdirTemp("", "chromium")
	if err != nil {
		return nil, err
	}
	fromUs, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	out, toUs, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(path, append(flags, "--user-data-dir="+dir)...)
	cmd.ExtraFiles = []*os.File{fromUs, toUs} // 3 and 4
	cmd.Env = append(os.Environ(), "HOME="+dir)
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	fromUs.Close()
	toUs.Close()
	p := &process{cmd: cmd, in: in, dir: dir, done: make(chan struct{}), waiting: map[int]chan message{}, heard: func(message) {}}
	go func() {
		defer close(p.done)
		defer out.Close()
		p.listen(out)
	}()
	return p, nil
}

// dead reports whether the browser is gone.
func (b *process) dead() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.gone
}

// hearWith lets a function hear of events from now on.
func (b *process) hearWith(heard func(message)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.heard = heard
}

// listen hands on what the browser says; messages end with a zero byte.
func (b *process) listen(out io.Reader) {
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

func (b *process) hear(m message) {
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
func (b *process) hangUp() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.gone = true
	for _, answer := range b.waiting {
		close(answer)
	}
	clear(b.waiting)
}

// send sends a command; what comes back is its answer.
func (b *process) send(session, method string, params any) (<-chan message, error) {
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
	case <-time.After(timeout):
		b.t.Fatalf("%s: no answer", method)
	}
}
