package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/dpdissect/dpdissect/dissect/spell"
	"github.com/dpdissect/dpdissect/internal/capfilter"
	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/exit"
	"github.com/dpdissect/dpdissect/internal/flags"
)

// live is the flags of captures from network interfaces, and of capture filters,
// which files take, too.
type live struct {
	interfaces []string
	filter     string
	bytecode   string
	autostop   []string
	snaplen    flags.Positive
	buffer     flags.Positive
	own        bool // not promiscuous
	user       string
	follow     bool          // files grow
	pace       bool          // their packets come as their times say
	delay      time.Duration // how long packets wait in the kernel for others; 0 is viewDelay
	limits     capture.Limits
	stopped    atomic.Bool // by a signal
}

func (l *live) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringArrayVarP(&l.interfaces, "interface", "i", nil, "capture live from `IFACE`, any for all; repeatable; 'dpdissect interfaces' lists them")
	f.StringVarP(&l.filter, "capture-filter", "f", "", "read only packets that match `FILTER` in pcap-filter syntax, also from files")
	f.StringVar(&l.bytecode, "bpf", "", "as -f, with the bytecode in `FILE` that 'tcpdump -ddd' prints")
	f.StringArrayVarP(&l.autostop, "autostop", "a", nil, "live, with pipes and --follow: stop at `COND`: duration:SECONDS, packets:N or filesize:KIB; repeatable")
	f.VarP(&l.snaplen, "snapshot-length", "s", "live: capture `N` bytes of each packet, all by default")
	f.VarP(&l.buffer, "buffer-size", "B", "live: use a kernel buffer of `N` MiB for each interface, 8 by default")
	f.BoolVarP(&l.own, "no-promiscuous-mode", "p", false, "live: do not capture packets addressed to other machines")
	f.StringVar(&l.user, "user", "", "live: when started as root, become `NAME[:GROUP]` once the interfaces are open")
}

// hideLive leaves out of the help what only live runs take, of a command that has none.
func hideLive(cmd *cobra.Command) {
	for _, name := range []string{"interface", "autostop", "snapshot-length", "buffer-size", "no-promiscuous-mode", "user", "follow"} {
		must(cmd.Flags().MarkHidden(name))
	}
}

// isLive reports whether packets come from interfaces.
func (l *live) isLive() bool { return len(l.interfaces) > 0 }

// addFollow adds the flag of commands that read files.
func (l *live) addFollow(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&l.follow, "follow", false, "keep reading files that grow, as 'tail -f' does, until -a, -c or Ctrl-C; the report follows then")
}

// check refuses what has no meaning together.
func (l *live) check(cmd *cobra.Command, paths []string) error {
	if l.filter != "" && l.bytecode != "" {
		return exit.Usagef("-f and --bpf are both capture filters: give one")
	}
	if l.isLive() {
		return l.checkLive(cmd, paths)
	}
	for _, name := range []string{"snapshot-length", "buffer-size", "no-promiscuous-mode", "user"} {
		if cmd.Flags().Changed(name) {
			return exit.Usagef("--%s works only with live captures: give -i", name)
		}
	}
	if len(paths) == 0 {
		return exit.Usagef("no INPUT: give capture files, - for standard input, or -i IFACE to capture live")
	}
	for _, name := range []string{"autostop", "interval", "metrics"} {
		if name == "interval" && cmd.Annotations[slicesTime] != "" {
			continue
		}
		if cmd.Flags().Changed(name) && !l.follow && !slices.ContainsFunc(paths, mayWait) {
			return exit.Usagef("--%s works only with inputs that arrive over time: -i, a pipe, or --follow", name)
		}
	}
	return l.parseAutostop()
}

func (l *live) checkLive(cmd *cobra.Command, paths []string) error {
	switch {
	case slices.Contains(l.interfaces, "-"):
		return exit.Usagef("-i names network interfaces; to read packets from standard input, write 'dpdissect %s -' without -i", reader(cmd))
	case len(paths) > 0:
		return exit.Usagef("-i captures live, but %q is a file: give one or the other", paths[0])
	case l.follow:
		return exit.Usagef("--follow works with files, but -i captures live: give one or the other")
	case cmd.Flags().Changed("user") && l.user == "":
		return exit.Usagef("--user needs a name")
	}
	return l.parseAutostop()
}

// reader is the command that reads files, where another one was given.
func reader(cmd *cobra.Command) string {
	if cmd.Name() == "capture" {
		return "analyze"
	}
	return cmd.Name()
}

// mayWait reports whether an input is a pipe, whose packets come when they come, or
// standard input, which may be one.
func mayWait(path string) bool {
	if path == "-" {
		return true
	}
	st, err := os.Stat(path)
	return err == nil && !st.Mode().IsRegular() && !st.IsDir()
}

func (l *live) parseAutostop() error {
	for _, s := range l.autostop {
		what, value, _ := strings.Cut(s, ":")
		var err error
		switch what {
		case "duration":
			l.limits.Duration, err = flags.ParseSeconds(value)
		case "packets":
			l.limits.Packets, err = flags.ParseCount(value)
		case "filesize":
			l.limits.Bytes, err = flags.ParseCount(value)
			l.limits.Bytes <<= 10
		default:
			err = fmt.Errorf("want duration:SECONDS, packets:N or filesize:KIB")
		}
		if err != nil {
			return exit.Usagef("-a %s: %w", s, err)
		}
	}
	return nil
}

// captureFilter compiles -f or --bpf; nil when there is neither.
func (l *live) captureFilter() (*capture.Filter, error) {
	switch {
	case l.filter != "":
		f, err := capture.NewFilter(l.filter)
		if err != nil {
			return nil, fmt.Errorf("-f: %w", err)
		}
		return f, nil
	case l.bytecode != "":
		file, err := os.Open(l.bytecode)
		if err != nil {
			return nil, fmt.Errorf("--bpf: %w", err)
		}
		defer file.Close()
		prog, err := capfilter.ReadDDD(l.bytecode, file)
		if err != nil {
			return nil, fmt.Errorf("--bpf: %w", err)
		}
		return capture.NewBytecodeFilter(prog), nil
	}
	return nil, nil
}

// liveGC is by how many percent memory may grow between two collections of garbage:
// a run without end shares its machine with a game.
const liveGC = 10

// open starts to capture. packets is -c, delay how long packets may wait in the
// kernel for others.
func (l *live) open(filter *capture.Filter, packets uint64, delay time.Duration) (*capture.Source, error) {
	limits := l.limits
	if packets != 0 && (limits.Packets == 0 || packets < limits.Packets) {
		limits.Packets = packets
	}
	src, err := capture.OpenLive(l.interfaces, capture.LiveOptions{
		Snaplen: int(l.snaplen), Buffer: int(l.buffer) << 20, Promiscuous: !l.own, Delay: delay, Filter: filter,
	}, limits)
	if err != nil {
		return nil, withNearDevice(err)
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(liveGC)
	}
	if l.user != "" {
		if err := dropPrivileges(l.user); err != nil {
			src.Close()
			return nil, fmt.Errorf("--user: %w", err)
		}
	}
	return src, nil
}

// withNearDevice adds, where there is no interface of a name, which one may have been
// meant.
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

// announce says that packets are captured from now on, and whether by root, who need
// not be it any more.
func (l *live) announce(w io.Writer) {
	if l.user == "" && os.Geteuid() == 0 {
		fmt.Fprintln(w, "dpdissect: running as root; --user NAME drops all privileges once the interfaces are open")
	}
	fmt.Fprintf(w, "capturing on %s\n", printable(strings.Join(l.interfaces, ", ")))
}

func packetCount(n uint64) string {
	if n == 1 {
		return "1 packet"
	}
	return fmt.Sprint(n, " packets")
}

// tellCounts says, for each interface, what was captured and what was lost.
func tellCounts(w io.Writer, infos []capture.Info) {
	for i := range infos {
		if n := &infos[i]; n.Live {
			fmt.Fprintf(w, "%s: %s captured, %d dropped by the kernel\n", printable(n.Path), packetCount(n.Packets), n.Dropped)
		}
	}
}

// stopOnSignal ends a source in order at Ctrl-C, SIGTERM or when the terminal goes, and
// those of the command that come after it as soon as they begin; a second signal ends the
// program. What it gives takes that back.
func (l *live) stopOnSignal(src *capture.Source) (release func()) {
	if l.stopped.Load() {
		src.Stop()
	}
	c := make(chan os.Signal, 1)
	notifyEnds(c)
	done := make(chan struct{})
	go func() {
		select {
		case <-c:
			signal.Stop(c)
			l.stopped.Store(true)
			src.Stop()
		case <-done:
			signal.Stop(c)
		}
	}()
	return func() { close(done) }
}
