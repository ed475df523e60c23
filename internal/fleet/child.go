package fleet

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// ChildEnv tells a command that it is a step of a worker, and how many bytes of memory it may take: it
// ends when its standard input does, and says at its end on standard output what it read.
const ChildEnv = "DPDISSECT_STEP"

// A Report is what a step says of itself.
type Report struct {
	Packets  uint64     `json:"packets"`
	LastTime *time.Time `json:"last_time,omitempty"`
}

// exit codes of the command that decide what becomes of a step.
const (
	codeUsage    = 2
	codeInput    = 3
	codeInternal = 6
)

// An outcome is how a command ended.
type outcome struct {
	code    int // -1 where it was killed
	report  Report
	text    string // what it said
	late    bool   // it took too long
	stopped bool   // the worker ends
}

// maxText is how much of what a command says is kept.
const maxText = 2000

// run does a step as a command of its own: what it does to memory and time stays its own.
func (w *Worker) run(ctx context.Context, args []string) (o outcome, err error) {
	limit, cancel := context.WithTimeout(ctx, w.o.StepTime)
	defer cancel()
	cmd := exec.CommandContext(limit, w.o.Program[0], append(w.o.Program[1:len(w.o.Program):len(w.o.Program)], args...)...)
	cmd.Env = append(os.Environ(), ChildEnv+"="+strconv.FormatInt(w.o.StepMemory, 10), "GOMEMLIMIT="+strconv.FormatInt(w.o.StepMemory*3/4, 10), "GOTRACEBACK=crash")
	cmd.WaitDelay = time.Second
	var out bytes.Buffer
	said := &head{most: maxText}
	cmd.Stdout, cmd.Stderr = &out, said
	alive, err := cmd.StdinPipe() // closed when this program ends, however it does
	if err != nil {
		return o, err
	}
	defer alive.Close()
	err = cmd.Run()
	o.text = plain(said.String())
	o.stopped = ctx.Err() != nil
	o.late = limit.Err() != nil && !o.stopped
	switch exit, is := errors.AsType[*exec.ExitError](err); {
	case err == nil:
	case is:
		o.code = exit.ExitCode()
	case limit.Err() != nil:
	default:
		return o, fmt.Errorf("a step can't be begun: %w", err)
	}
	if o.late || o.stopped {
		o.code = -1
	}
	json.Unmarshal(out.Bytes(), &o.report)
	return o, nil
}

// plain is what a command said, without its name.
func plain(s string) string {
	var lines []string
	for line := range strings.Lines(s) {
		lines = append(lines, strings.TrimPrefix(strings.TrimSpace(line), "dpdissect-fleet: "))
	}
	return strings.Join(lines, "; ")
}

// A head keeps the first bytes of what is written.
type head struct {
	bytes.Buffer
	most int
}

func (h *head) Write(b []byte) (int, error) {
	h.Buffer.Write(b[:min(len(b), h.most-h.Len())])
	return len(b), nil
}

// BeChild makes this program a step of a worker, where its environment says so.
func BeChild() (is bool) {
	n, err := strconv.ParseInt(os.Getenv(ChildEnv), 10, 64)
	if err != nil {
		return false
	}
	limitMemory(n)
	signal.Ignore(os.Interrupt, syscall.SIGTERM) // which are for the worker, and come to all of its group
	go func() {
		io.Copy(io.Discard, os.Stdin)
		os.Exit(codeUsage)
	}()
	return true
}
