// Package source opens the inputs of both programs: files, folders, standard input, pipes, files
// that grow, and network interfaces.
package source

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"time"

	"github.com/dpdissect/dpdissect/dissect/render"
	"github.com/dpdissect/dpdissect/dissect/spell"
	"github.com/dpdissect/dpdissect/internal/capfilter"
	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/exit"
	"github.com/dpdissect/dpdissect/internal/flags"
)

// Flags say which packets are read, and from where.
type Flags struct {
	Interfaces []string
	Filter     string // -f
	Bytecode   string // file of --bpf
	Follow     bool   // files grow
	Count      flags.Positive
	Expand     flags.Positive // GiB that compressed files may hold

	Pace    bool          // packets of files are given at the pace of their times
	Delay   time.Duration // how long packets wait in the kernel, 0 for ViewDelay
	InOrder bool          // files are read one after the other
	Blocks  bool          // packets keep the bytes of their pcapng blocks, to be written again
	Stdin   io.Reader     // what "-" reads, standard input when nil
	Limits  capture.Limits
	Stopped atomic.Bool // by a signal

	autostop []string
	snaplen  flags.Positive
	buffer   flags.Positive // MiB
	own      bool           // not promiscuous
	user     string
}

// How long packets wait in the kernel until they are read together: ViewDelay where each is shown
// at once, ReportDelay where reports come at intervals, which costs less.
const (
	ViewDelay   = 20 * time.Millisecond
	ReportDelay = 100 * time.Millisecond
)

// Live reports whether packets come from interfaces.
func (f *Flags) Live() bool { return len(f.Interfaces) > 0 }

// First is the name of the first input.
func (f *Flags) First(paths []string) string { return append(f.Interfaces, paths...)[0] }

// Open opens the files, or the interfaces.
func (f *Flags) Open(paths []string) (*capture.Source, error) {
	o, err := f.Options()
	if err != nil {
		return nil, err
	}
	if f.Live() {
		return f.open(o.Filter)
	}
	o.Follow, o.Pace, o.InOrder, o.Blocks, o.Stdin, o.Limits = f.Follow, f.Pace, f.InOrder, f.Blocks, f.Stdin, f.Limits
	src, err := capture.Open(paths, o)
	if err != nil {
		return nil, exit.AsUsage(err)
	}
	return src, nil
}

// Options gives the options with which files are read.
func (f *Flags) Options() (capture.Options, error) {
	filter, err := f.compile()
	return capture.Options{MaxPackets: uint64(f.Count), Filter: filter, Expansion: capture.Expansion{Bytes: int64(min(f.Expand, 1<<20)) << 30}}, err
}

// compile compiles -f or --bpf; nil when there is neither.
func (f *Flags) compile() (*capture.Filter, error) {
	switch {
	case f.Filter != "":
		filter, err := capture.NewFilter(f.Filter)
		if err != nil {
			return nil, fmt.Errorf("-f: %w", err)
		}
		return filter, nil
	case f.Bytecode != "":
		file, err := os.Open(f.Bytecode)
		if err != nil {
			return nil, fmt.Errorf("--bpf: %w", err)
		}
		defer file.Close()
		prog, err := capfilter.ReadDDD(f.Bytecode, file)
		if err != nil {
			return nil, fmt.Errorf("--bpf: %w", err)
		}
		return capture.NewBytecodeFilter(prog), nil
	}
	return nil, nil
}

// liveGC is GOGC, in percent, of live captures: they have no end and share the machine with a game,
// to which memory is worth more than the little that they compute.
const liveGC = 10

// open starts to capture.
func (f *Flags) open(filter *capture.Filter) (*capture.Source, error) {
	limits := f.Limits
	if n := uint64(f.Count); n != 0 && (limits.Packets == 0 || n < limits.Packets) {
		limits.Packets = n
	}
	src, err := capture.OpenLive(f.Interfaces, capture.LiveOptions{
		Snaplen: int(f.snaplen), Buffer: int(f.buffer) << 20, Promiscuous: !f.own, Delay: cmp.Or(f.Delay, ViewDelay), Filter: filter,
	}, limits)
	if err != nil {
		return nil, withNearDevice(err)
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(liveGC)
	}
	if f.user != "" {
		if err := dropPrivileges(f.user); err != nil {
			src.Close()
			return nil, fmt.Errorf("--user: %w", err)
		}
	}
	if f.Blocks {
		src.WithBlocks()
	}
	return src, nil
}

// withNearDevice adds to the error of an unknown interface which one may have been meant.
func withNearDevice(err error) error {
	unknown, ok := errors.AsType[capture.NoDeviceError](err)
	if !ok {
		return err
	}
	list, _ := capture.Devices()
	names := make([]string, len(list))
	for i := range list {
		names[i] = list[i].Name
	}
	return fmt.Errorf("%w%s", err, spell.DidYouMean(string(unknown), names))
}

// Announce says that packets are captured from now on. A run of root learns how to give its
// privileges up.
func (f *Flags) Announce(w io.Writer) {
	if f.user == "" && os.Geteuid() == 0 {
		fmt.Fprintln(w, "dpdissect: running as root; --user NAME drops all privileges once the interfaces are open")
	}
	fmt.Fprintf(w, "capturing on %s\n", render.Logged(strings.Join(f.Interfaces, ", ")))
}
