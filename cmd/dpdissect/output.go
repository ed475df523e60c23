package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"sync/atomic"

	"github.com/spf13/cobra"

	"github.com/dpdissect/dpdissect/internal/config"
	"github.com/dpdissect/dpdissect/internal/exit"
	"github.com/dpdissect/dpdissect/internal/outfile"
	"github.com/dpdissect/dpdissect/internal/source"
)

// A destination is where a command prints: standard output, or the file of -o, which takes
// its name when the command has ended well.
type destination struct {
	io.Writer
	screen  screen
	pager   *pager        // nil where nothing is paged
	file    *outfile.File // nil for standard output
	flag    string        // that names it
	orderly atomic.Int32  // signals that end the run in order, not the program
	release func()
	ends    sync.Mutex // of the file: by the command, or by a signal, which never unlocks it
}

// guard knows the files that the command reads.
func (in *input) guard(paths []string) *outfile.Guard {
	g := &outfile.Guard{}
	for _, p := range paths {
		g.Reads("an input", p)
	}
	g.Reads("the secrets file", in.Secrets)
	g.Reads("the file of --bpf", in.Bytecode)
	if in.settings != nil {
		readsConfig(g)
	}
	return g
}

// readsConfig adds the configuration files.
func readsConfig(g *outfile.Guard) {
	files := config.Find()
	g.Reads("the user's configuration", files.User)
	g.Reads("the project's configuration", files.Project)
}

// createOutput opens -o, or takes standard output, and the Guard knows it from then on.
// The file is for the user alone: it may hold what packets say.
func (in *input) createOutput(cmd *cobra.Command, g *outfile.Guard) (*destination, error) {
	if in.same.shared != nil {
		return in.same.shared, nil
	}
	if in.output == "" {
		f := cmd.OutOrStdout().(*os.File)
		if err := g.WritesTo("standard output", f); err != nil {
			return nil, exit.AsUsage(err)
		}
		return &destination{Writer: f, screen: newScreen(f, in.color.Value), pager: newPager(cmd, f)}, nil
	}
	o := &destination{flag: cmp.Or(in.outputFlag, "-o")}
	o.release = o.abortOnSignal(source.Ending()) // a pipe waits here for its reader
	if err := o.open(in.output, g); err != nil {
		o.release()
		return nil, notWritten(o.flag, err)
	}
	o.Writer, o.screen = o.file, newScreen(o.file.File(), in.color.Value)
	return o, nil
}

// open opens the file of -o.
func (o *destination) open(path string, g *outfile.Guard) error {
	f, err := outfile.Create(path, outfile.Private, g)
	if err != nil {
		return err
	}
	if err := g.Writes("the file of "+o.flag, path); err != nil {
		f.Abort()
		return err
	}
	o.ends.Lock()
	defer o.ends.Unlock()
	o.file = f
	return nil
}

// page lets output go through the pager, where there is one: the run ends by itself.
func (o *destination) page() {
	if o.pager != nil {
		o.Writer = o.pager
	}
}

// settle shows all that was written, before anything is said about it. A pager that the
// user left is no error.
func (o *destination) settle(err error) error {
	if o.pager == nil {
		return err
	}
	if e := o.pager.Close(); err == nil {
		err = e
	}
	if isBrokenPipe(err) {
		return nil
	}
	return err
}

// grow says that the run goes on until somebody ends it: the file has its name at once,
// since it is read while it grows, and the first signal ends the run in order.
func (o *destination) grow() error {
	if o.file == nil {
		return nil
	}
	o.orderly.Store(1)
	if err := o.file.Place(); err != nil {
		return notWritten(o.flag, err)
	}
	return nil
}

// notWritten says which flag named a file that can't be written.
func notWritten(flag string, err error) error {
	if c, ok := errors.AsType[*outfile.Conflict](err); ok {
		return exit.Usagef("%s %w", flag, c)
	}
	return fmt.Errorf("%s: %w", flag, err)
}

// end completes the file of -o, or removes it when the command failed: a part of the
// output never stays. What is wrong with inputs, and a verdict, is no such failure.
func (o *destination) end(err error) error {
	if o.file == nil {
		return o.settle(err)
	}
	o.release()
	o.ends.Lock()
	defer o.ends.Unlock()
	if err != nil && !exit.Told(err) {
		o.file.Abort()
		return err
	}
	if e := o.file.Commit(); e != nil {
		return notWritten(o.flag, e)
	}
	return err
}

// abortOnSignal lets the signal that ends the program take an unfinished file with it.
func (o *destination) abortOnSignal(signals chan os.Signal) (release func()) {
	done := make(chan struct{})
	go func() {
		for {
			select {
			case s := <-signals:
				if o.orderly.Add(-1) < 0 {
					o.discard()
					dieOf(s)
				}
			case <-done:
				signal.Stop(signals)
				return
			}
		}
	}()
	return func() { close(done) }
}

// discard removes an unfinished file, for the program ends. The command goes on for the
// moment that takes, but can neither complete the file nor report that it is gone.
func (o *destination) discard() {
	o.ends.Lock()
	if o.file != nil {
		o.file.Abort()
	}
}

// dieOf ends the program as the signal would have done.
func dieOf(s os.Signal) {
	signal.Reset(s)
	if p, err := os.FindProcess(os.Getpid()); err != nil || p.Signal(s) != nil {
		os.Exit(exit.Usage)
	}
}
