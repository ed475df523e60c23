package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"sync/atomic"
	"time"

	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/exit"
	"github.com/dpdissect/dpdissect/internal/source"
)

// How long packets wait for later ones that Wireshark captures, in which the time is
// included that the kernel takes to hand them over, and how long the end of a run may take.
const (
	extcapWait   = 1500 * time.Millisecond
	extcapEnding = 1500 * time.Millisecond
)

// run captures into the pipe of Wireshark. The pipe is opened in any case, wrong being what is
// wrong with the arguments: Wireshark waits for that. The program ends after it.
func (x *extcap) run(wrong error) (code int, err error) {
	c := &annotateCommand{waits: extcapWait}
	defer endOnSignal(&c.Stopped)()
	if x.fifo == "" {
		return exit.Usage, errors.New("--capture: --fifo is missing")
	}
	fifo, err := openFifo(x.fifo)
	if err != nil {
		return exit.Usage, fmt.Errorf("--fifo %w", err)
	}
	watchFifo(fifo) // which is why it is closed when the program ends, and not before
	out := &counted{w: fifo}
	if err = wrong; err == nil {
		err = x.annotate(c, out)
	}
	switch {
	case err == nil, isBrokenPipe(err):
		return exit.OK, nil
	case errors.Is(err, exit.ErrInternal):
		return exit.Internal, err
	case out.n.Load() > 0:
		return exit.Input, err
	}
	return exit.Usage, err
}

// annotate runs that command with what Wireshark asks for.
func (x *extcap) annotate(c *annotateCommand, out io.Writer) error {
	args, err := x.arguments()
	if err != nil {
		return err
	}
	var told bytes.Buffer
	cmd := c.command()
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetErr(&told)
	cmd.SetArgs(args)
	c.same.shared = &destination{Writer: out}
	c.Pace = x.pace
	if err = cmd.Execute(); errors.Is(err, exit.ErrInput) || errors.Is(err, exit.ErrInternal) {
		lines := strings.Split(strings.TrimSpace(told.String()), "\n")
		text, _ := strings.CutPrefix(lines[len(lines)-1], "dpdissect: ") // what failed is told last
		return fmt.Errorf("%s%w", text, silent{err})
	}
	return err
}

// A silent error adds nothing to a message.
type silent struct{ error }

func (silent) Error() string   { return "" }
func (s silent) Unwrap() error { return s.error }

// arguments are those of annotate.
func (x *extcap) arguments() ([]string, error) {
	devices, err := capture.DeviceNames()
	if err != nil {
		return nil, err
	}
	in, err := x.find(extcapInterfaces(devices))
	if err != nil {
		return nil, err
	}
	args := []string{"-q", "-w", "-"}
	for _, a := range []struct{ flag, value string }{{"capture-filter", x.captureFilter}, {"display-filter", x.display}, {"secrets", x.secrets}, {"protocols", strings.Join(x.protocols, ",")}} {
		if a.value != "" {
			args = append(args, "--"+a.flag+"="+a.value)
		}
	}
	for _, rule := range x.decodeAs {
		if rule != "" {
			args = append(args, "--decode-as="+rule)
		}
	}
	if in.device != "" {
		return append(args, "--interface="+in.device), nil
	}
	return append(args, "--", x.file), readable(x.file)
}

// readable is nil for a capture of which at least the beginning can be read.
func readable(path string) error {
	if path == "" {
		return fmt.Errorf("%q is empty: choose a file (--read-file)", readFile)
	}
	if !capture.Regular([]string{path}) {
		if _, err := os.Stat(path); err != nil {
			return err
		}
		return fmt.Errorf("%s: is no file", path)
	}
	src, err := capture.Open([]string{path}, capture.Options{MaxPackets: 1})
	if err != nil {
		return err
	}
	defer src.Close()
	src.NextRecord()
	switch info := &src.Infos()[0]; {
	case info.Unfit != nil:
		return fmt.Errorf("%s: %w", path, info.Unfit)
	case info.Failed:
		return fmt.Errorf("%s: %s", path, info.Problem)
	}
	return nil
}

// endOnSignal lets a signal end the run, whatever it waits for, until over is called.
func endOnSignal(stopped *atomic.Bool) (over func()) {
	c := make(chan os.Signal, 1)
	source.Notify(c)
	go func() {
		if _, ok := <-c; !ok {
			return
		}
		stopped.Store(true)
		time.Sleep(extcapEnding)
		os.Exit(exit.OK)
	}()
	return func() {
		signal.Stop(c)
		close(c)
	}
}

// openFifo opens the pipe of Wireshark, and waits until that reads from it.
func openFifo(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return nil, err
	}
	if st, err := f.Stat(); err != nil || st.Mode().IsRegular() {
		f.Close()
		return nil, fmt.Errorf("%s: is no pipe", path)
	}
	return f, nil
}

// A counted writer counts bytes.
type counted struct {
	w io.Writer
	n atomic.Int64
}

func (c *counted) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	c.n.Add(int64(n))
	return n, err
}
