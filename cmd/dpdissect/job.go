package main

import (
	"cmp"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dissect/filter"
	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/inputs"
	"github.com/dpdissect/dpdissect/internal/outfile"
	"github.com/dpdissect/dpdissect/internal/pipeline"
	"github.com/dpdissect/dpdissect/internal/report"
)

// A job is one reading command with its inputs and its output open.
type job struct {
	*input
	run      pipeline.Run
	show     *filter.Filter // -Y, or nil
	out      io.Writer      // of dest: standard output itself, or the file of -o
	dest     *destination
	files    *outfile.Guard // what it reads and writes
	screen   screen
	stderr   io.Writer
	stop     func()                  // ends the progress bar, or the watch for Ctrl-C
	bounds   *pipeline.Watch         // of a live run
	keep     int                     // connections it keeps that ended, 0 for the usual number
	real     func(*dissect.Endpoint) // gives what is shown by another address its own, for -Y; nil without
	part     *part                   // what --from and --to ask for, nil without
	overTime bool                    // connections keep all of their numbers under it: they are spread over time
	attach   func()                  // adds to the sinks of the run, nil when nothing does
	maxWait  time.Duration           // how long a frame waits for what later ones tell of it, 0 for the usual time
}

// open checks the flags and opens first the inputs, then the output. collects
// says that nothing is printed before the end, so that a progress bar may stand
// on the same terminal.
func (in *input) open(cmd *cobra.Command, paths []string, collects bool) (*job, error) {
	j, err := in.read(cmd, paths)
	if err != nil {
		return nil, err
	}
	j.files = in.guard(paths)
	out, err := in.createOutput(cmd, j.files)
	if err != nil {
		j.run.Source.Close()
		return nil, err
	}
	j.dest = out
	if in.prepare != nil {
		err = in.prepare(j)
	}
	if err == nil {
		err = j.begin(out, collects)
	}
	if err != nil {
		return nil, j.finish(err)
	}
	return j, nil
}

// read checks the flags and opens the inputs.
func (in *input) read(cmd *cobra.Command, paths []string) (*job, error) {
	if err := in.span.check(); err != nil {
		return nil, err
	}
	cfg, err := in.Config(in.dp8)
	if err != nil {
		return nil, err
	}
	cfg.Pack = !in.Live()
	show, err := in.displayFilter()
	if err != nil {
		return nil, err
	}
	src, err := in.source(paths)
	if err != nil {
		return nil, err
	}
	j := &job{input: in, show: show, stderr: cmd.ErrOrStderr(), stop: func() {}}
	j.run = pipeline.Run{Source: src, Config: cfg, Workers: in.workerCount()}
	if !in.Live() {
		boundGarbage()
	}
	return j, nil
}

// begin gives the job its output and shows that it works.
func (j *job) begin(out *destination, collects bool) error {
	if !j.Live() && !j.run.Source.Waits() {
		out.page()
	}
	j.out, j.dest, j.screen = out.Writer, out, out.screen
	switch {
	case j.Live():
		j.stop = sync.OnceFunc(j.StopOnSignal(j.run.Source))
		j.Announce(j.stderr)
		return out.grow()
	case j.run.Source.Waits():
		j.stop = sync.OnceFunc(j.StopOnSignal(j.run.Source))
		return out.grow()
	case !j.quiet && (collects || !j.screen.terminal):
		j.stop = showProgress(j.run.Source, j.stderr)
	}
	return nil
}

// source opens the files, or the interfaces. Pieces are read one after the other.
func (in *input) source(paths []string) (*capture.Source, error) {
	in.InOrder = in.InOrder || in.pieces != nil && in.pieces.Given()
	return in.Open(paths)
}

// maxWait bounds the wait of a frame that was captured live, or came out of a pipe: it is printed
// with what later ones have told of it by then.
const maxWait = 40 * time.Millisecond

// tracked is called when a run has read all of its input. A test looks at the memory then.
var tracked = func(*pipeline.Run) {}

// do reads all inputs. queue is nil when nothing is printed on the way.
func (j *job) do(queue *pipeline.Queue) error { return j.doWith(queue, nil) }

// doWith is do that stops when check, asked now and then, gives an error.
func (j *job) doWith(queue *pipeline.Queue, check func() error) error {
	defer j.stop()
	if queue != nil {
		queue.Attach(&j.run)
		if j.run.Source.Waits() {
			queue.PrintWithin(&j.run, cmp.Or(j.maxWait, maxWait))
		}
	}
	if j.attach != nil {
		j.attach()
	}
	if j.Live() {
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
	tracked(&j.run)
	if err == nil && check != nil {
		err = check()
	}
	return cmp.Or(err, j.missing())
}

// finish closes everything and tells which inputs failed. err is what stopped
// the command, nil when nothing did.
func (j *job) finish(err error) error { return j.dest.end(j.close(err)) }

// close closes the inputs and tells which failed. When nobody reads the output any
// more, nobody is told.
func (j *job) close(err error) error {
	j.stop()
	err = j.dest.settle(err)
	j.run.Source.Close()
	if isBrokenPipe(err) {
		return err
	}
	infos := j.run.Source.Infos()
	tellCounts(j.stderr, infos[j.run.Source.Before():])
	if n := j.run.UndecidedLeftOut(); n > 0 {
		fmt.Fprintln(j.stderr, "dpdissect: "+report.UndecidedText(n))
	}
	if n := j.run.StoriesLeftOut(); n > 0 {
		fmt.Fprintln(j.stderr, "dpdissect: "+report.StoriesText(n))
	}
	internal := inputs.TellInternal(tellOn(j.stderr), j.run.Internal())
	problems := inputs.TellProblems(tellOn(j.stderr), infos[j.run.Source.Before():])
	return cmp.Or(err, internal, problems)
}

// unopened reports whether no input could be opened: a list of nothing is not worth
// its heading.
func (j *job) unopened() bool { return report.Unopened(j.run.Source.Infos()) }
