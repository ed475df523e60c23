package livetest

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/wire/netns"
)

// timeout is how long a test waits for something that comes at once on a machine
// that has time.
const timeout = 3 * time.Minute

// A job is the program at work.
type job struct {
	t      *testing.T
	name   string // what the user typed
	cmd    *exec.Cmd
	stdout buffer
	stderr buffer
	ended  chan struct{}
	err    error
}

// A buffer collects what a process prints.
type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// prepare makes a job that is not started.
func prepare(t *testing.T, args ...string) *job {
	j := &job{t: t, name: "dpdissect " + strings.Join(args, " "), ended: make(chan struct{})}
	j.cmd = exec.Command(program, args...)
	j.cmd.Dir = t.TempDir()
	j.cmd.Stdout, j.cmd.Stderr = &j.stdout, &j.stderr
	return j
}

// in starts the job in a namespace. It is ended with the test if it still runs then.
func (j *job) in(n *netns.Namespace) *job {
	j.t.Helper()
	if err := n.Do(j.cmd.Start); err != nil {
		j.t.Fatal(err)
	}
	go func() {
		j.err = j.cmd.Wait()
		close(j.ended)
	}()
	j.t.Cleanup(func() {
		select {
		case <-j.ended:
		default:
			j.cmd.Process.Kill()
			<-j.ended
		}
	})
	return j
}

// start starts the program in a namespace and waits until it captures.
func start(t *testing.T, n *netns.Namespace, args ...string) *job {
	t.Helper()
	return prepare(t, args...).in(n).capturing()
}

// startAll starts several at once.
func startAll(t *testing.T, n *netns.Namespace, all ...[]string) (jobs []*job) {
	t.Helper()
	for _, args := range all {
		jobs = append(jobs, prepare(t, args...).in(n))
	}
	for _, j := range jobs {
		j.capturing()
	}
	return jobs
}

// capturing waits until the job says that it captures.
func (j *job) capturing() *job {
	j.t.Helper()
	j.await("it captures", func() bool { return strings.Contains(j.stderr.String(), "capturing on ") })
	return j
}

// await waits for something the job does while it runs.
func (j *job) await(what string, ok func() bool) {
	j.t.Helper()
	for end := time.Now().Add(timeout); !ok(); time.Sleep(5 * time.Millisecond) {
		select {
		case <-j.ended:
			if ok() {
				return
			}
			j.t.Fatalf("%s: ended before %s: %v\n%s", j.name, what, j.err, j.stderr.String())
		default:
		}
		if time.Now().After(end) {
			j.t.Fatalf("%s: not in %v: %s\n%s", j.name, timeout, what, j.stderr.String())
		}
	}
}

// signal sends a signal.
func (j *job) signal(s syscall.Signal) {
	j.t.Helper()
	if err := j.cmd.Process.Signal(s); err != nil {
		j.t.Errorf("%s: %v: %v\n%s", j.name, s, err, j.stderr.String())
	}
}

// stop ends the job as Ctrl-C does and gives what it printed.
func (j *job) stop() string {
	j.t.Helper()
	j.signal(syscall.SIGINT)
	return j.ends(0)
}

// stopAll ends several at the same time.
func stopAll(jobs ...*job) {
	for _, j := range jobs {
		j.t.Helper()
		j.signal(syscall.SIGINT)
	}
	for _, j := range jobs {
		j.ends(0)
	}
}

// ends waits for the end, which has an exit code, and gives what was printed.
func (j *job) ends(code int) string {
	j.t.Helper()
	select {
	case <-j.ended:
	case <-time.After(timeout):
		j.t.Fatalf("%s: still runs after %v\n%s", j.name, timeout, j.stderr.String())
	}
	if got := j.cmd.ProcessState.ExitCode(); got != code {
		j.t.Errorf("%s: exit code %d, want %d (%v)\n%s", j.name, got, code, j.err, j.stderr.String())
	}
	return j.stdout.String()
}

// says checks that something stands on stderr.
func (j *job) says(parts ...string) {
	j.t.Helper()
	for _, p := range parts {
		if !strings.Contains(j.stderr.String(), p) {
			j.t.Errorf("%s: stderr is %q, want %q in it", j.name, j.stderr.String(), p)
		}
	}
}

// packetsWritten is what the program says of so many packets.
func packetsWritten(n int) string {
	if n == 1 {
		return "1 packet written\n"
	}
	return fmt.Sprintf("%d packets written\n", n)
}

// cpu is the time the process took on processors.
func (j *job) cpu() time.Duration {
	return j.cmd.ProcessState.UserTime() + j.cmd.ProcessState.SystemTime()
}

// output runs the program to its end, on files, and gives what it prints.
func output(t *testing.T, args ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	cmd := exec.Command(program, args...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Errorf("dpdissect %s: %v\n%s", strings.Join(args, " "), err, errs.String())
	}
	return out.String()
}

// tool runs another program to its end and gives what it prints.
func tool(t *testing.T, name string, args ...string) string {
	t.Helper()
	var errs bytes.Buffer
	cmd := exec.Command(name, args...)
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Errorf("%s %s: %v\n%s", name, strings.Join(args, " "), err, errs.String())
	}
	return string(out)
}

// pipe makes the job's stdout a pipe, whose end it gives.
func (j *job) pipe() *os.File {
	r, w, err := os.Pipe()
	if err != nil {
		j.t.Fatal(err)
	}
	j.cmd.Stdout = w
	j.t.Cleanup(func() { r.Close(); w.Close() })
	return r
}
