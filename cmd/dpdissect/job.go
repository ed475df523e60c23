package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/dpdissect/dpdissect/dissect/filter"
	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/pipeline"
	"github.com/dpdissect/dpdissect/session"
)

// A job is one reading command with its inputs and its output open.
type job struct {
	*input
	run    pipeline.Run
	show   *filter.Filter // -Y, or nil
	out    *os.File
	screen screen
	stderr io.Writer
	stop   func()          // ends the progress bar, or the watch for Ctrl-C
	bounds *pipeline.Watch // of a live run
	keep   int             // connections it keeps that ended, 0 for the usual number
}

// open checks the flags and opens first the inputs, then the output. collects
// says that nothing is printed before the end, so that a progress bar may stand
// on the same terminal.
func (in *input) open(cmd *cobra.Command, paths []string, collects bool) (*job, error) {
	cfg, err := in.config()
	if err != nil {
		return nil, err
	}
	show, err := in.displayFilter()
	if err != nil {
		return nil, err
	}
	src, err := in.source(paths)
	if err != nil {
		return nil, err
	}
	out, err := in.createOutput(cmd, paths)
	if err != nil {
		src.Close()
		return nil, err
	}
	j := &job{input: in, show: show, out: out, stderr: cmd.ErrOrStderr()}
	j.run = pipeline.Run{Source: src, Config: cfg, Workers: in.workerCount()}
	j.screen = newScreen(out, in.color.value)
	j.stop = func() {}
	if !in.isLive() {
		boundGarbage(&j.run)
	}
	switch {
	case in.isLive():
		j.stop = sync.OnceFunc(stopOnSignal(src))
		in.announce(j.stderr)
	case src.Waits():
		j.stop = sync.OnceFunc(stopOnSignal(src))
	case !in.quiet && (collects || !j.screen.terminal):
		j.stop = showProgress(src, cmd.ErrOrStderr())
	}
	return j, nil
}

// How long packets wait in the kernel for others: viewDelay where each is shown,
// reportDelay where reports come at intervals, for which less is to be done then.
const (
	viewDelay   = 20 * time.Millisecond
	reportDelay = 100 * time.Millisecond
)

// source opens the files, or the interfaces.
func (in *input) source(paths []string) (*capture.Source, error) {
	filter, err := in.captureFilter()
	if err != nil {
		return nil, err
	}
	if in.isLive() {
		return in.live.open(filter, uint64(in.count), cmp.Or(in.delay, viewDelay))
	}
	src, err := capture.Open(paths, capture.Options{MaxPackets: uint64(in.count), Filter: filter, Follow: in.follow, Limits: in.limits})
	if err != nil {
		return nil, usageError{err}
	}
	return src, nil
}

// createOutput opens -o. A file that is also an input is not overwritten.
func (in *input) createOutput(cmd *cobra.Command, paths []string) (*os.File, error) {
	if in.output == "" {
		return cmd.OutOrStdout().(*os.File), nil
	}
	if err := notAnInput("-o", in.output, paths); err != nil {
		return nil, err
	}
	f, err := os.Create(in.output)
	if err != nil {
		return nil, fmt.Errorf("-o: %w", err)
	}
	return f, nil
}

// notAnInput refuses to overwrite an input.
func notAnInput(flag, path string, inputs []string) error {
	old, err := os.Stat(path)
	if path == "" || err != nil {
		return nil
	}
	for _, p := range inputs {
		if st, err := os.Stat(p); err == nil && os.SameFile(old, st) {
			return usagef("%s %s: is an input, too", flag, path)
		}
	}
	return nil
}

// patience is how long a frame that was captured live, or came out of a pipe, waits for
// what later ones tell of it before it is printed.
const patience = 40 * time.Millisecond

// do reads all inputs. queue is nil when nothing is printed on the way.
func (j *job) do(queue *pipeline.Queue) error { return j.doWith(queue, nil) }

// doWith is do that stops when check, asked now and then, gives an error.
func (j *job) doWith(queue *pipeline.Queue, check func() error) error {
	defer j.stop()
	if queue != nil {
		queue.Attach(&j.run)
		if j.run.Source.Waits() {
			queue.Hasten(&j.run, patience)
		}
	}
	if j.isLive() {
		j.bounds = pipeline.NewWatch(&j.run)
		j.bounds.Keep = j.keep
		if queue != nil {
			j.bounds.Forget = queue.Forget
		}
	}
	if check != nil {
		after := j.run.After
		j.run.After = func(frame uint64) error { return cmp.Or(after(frame), check()) }
	}
	err := j.run.Do()
	if err == nil && queue != nil {
		err = queue.Finish()
	}
	if err == nil && check != nil {
		err = check()
	}
	return err
}

// finish closes everything and tells which inputs failed. err is what stopped
// the command, nil when nothing did.
func (j *job) finish(err error) error {
	j.stop()
	j.run.Source.Close()
	infos := j.run.Source.Infos()
	tellCounts(j.stderr, infos)
	if j.output != "" {
		err = errors.Join(err, j.out.Close())
	}
	err = cmp.Or(err, tellProblems(j.stderr, infos))
	return cmp.Or(tellInternal(j.stderr, j.run.Internal()), err)
}

// tellInternal tells what went wrong in this program. The error says that something did.
func tellInternal(w io.Writer, all []session.InternalError) error {
	for i := range all {
		e := &all[i]
		where := "an address pair"
		if e.Conn != nil {
			where = fmt.Sprintf("the connection of %s and %s", e.Conn.A, e.Conn.B)
		}
		fmt.Fprintf(w, "dpdissect: %s\n", printable(fmt.Sprintf("internal error in %s at frame %d: %s; the rest was analysed", where, e.Frame, e.Message)))
	}
	if len(all) == 0 {
		return nil
	}
	return errInternal
}

// tellProblems tells what is wrong with inputs. The error says that one failed.
func tellProblems(w io.Writer, infos []capture.Info) (err error) {
	for i := range infos {
		if infos[i].Unfit != nil {
			return fmt.Errorf("%s: %w", nameOf(infos[i].Path), infos[i].Unfit)
		}
		if infos[i].Problem != "" {
			fmt.Fprintf(w, "dpdissect: %s\n", printable(nameOf(infos[i].Path)+": "+infos[i].Problem))
		}
		if infos[i].Failed {
			err = errInput
		}
	}
	return err
}

func nameOf(path string) string {
	if path == "-" {
		return "standard input"
	}
	return path
}
