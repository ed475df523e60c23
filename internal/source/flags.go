package source

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dpdissect/dpdissect/internal/exit"
	"github.com/dpdissect/dpdissect/internal/flags"
)

// Add adds the flags of live captures, and those of capture filters, which apply to files, too.
func (f *Flags) Add(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.StringArrayVarP(&f.Interfaces, "interface", "i", nil, "capture live from `IFACE`, any for all; repeatable; 'dpdissect interfaces' lists them")
	fs.StringVarP(&f.Filter, "capture-filter", "f", "", "read only packets that match `FILTER` in pcap-filter syntax, also from files")
	fs.StringVar(&f.Bytecode, "bpf", "", "as -f, with the bytecode in `FILE` that 'tcpdump -ddd' prints")
	fs.StringArrayVarP(&f.autostop, "autostop", "a", nil, "live, with pipes and --follow: stop at `COND`: duration:SECONDS, packets:N or filesize:KIB; repeatable")
	fs.VarP(&f.snaplen, "snapshot-length", "s", "live: capture `N` bytes of each packet, all by default")
	fs.VarP(&f.buffer, "buffer-size", "B", "live: use a kernel buffer of `N` MiB for each interface, 8 by default")
	fs.BoolVarP(&f.own, "no-promiscuous-mode", "p", false, "live: do not capture packets addressed to other machines")
	fs.StringVar(&f.user, "user", "", "live: when started as root, become `NAME[:GROUP]` once the interfaces are open")
}

// HideLive hides the flags that only live captures take from the help of a command that cannot
// capture.
func HideLive(cmd *cobra.Command) {
	for _, name := range []string{"interface", "autostop", "snapshot-length", "buffer-size", "no-promiscuous-mode", "user", "follow"} {
		cmd.Flags().Lookup(name).Hidden = true
	}
}

// AddFollow adds the flag of commands that read files.
func (f *Flags) AddFollow(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.Follow, "follow", false, "keep reading files that grow, as 'tail -f' does, until -a, -c or Ctrl-C; the report follows then")
}

// AddExpand adds the flag that bounds what compressed files hold.
func (f *Flags) AddExpand(cmd *cobra.Command) {
	cmd.Flags().Var(&f.Expand, "max-expansion", "read compressed files up to `N` GiB of content each; by default up to 64, and up to 1,000 times their size if that is more than 256 MiB")
}

// SlicesTime is the annotation of commands whose --interval has a meaning for files, too.
const SlicesTime = "slices-time"

// Check refuses flags and inputs that contradict each other.
func (f *Flags) Check(cmd *cobra.Command, paths []string) error {
	if f.Filter != "" && f.Bytecode != "" {
		return exit.Usagef("-f and --bpf are both capture filters: give one")
	}
	if f.Live() {
		return f.checkLive(cmd, paths)
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
		if name == "interval" && cmd.Annotations[SlicesTime] != "" {
			continue
		}
		if cmd.Flags().Changed(name) && !f.Follow && !slices.ContainsFunc(paths, MayWait) {
			return exit.Usagef("--%s works only with inputs that arrive over time: -i, a pipe, or --follow", name)
		}
	}
	return f.parseAutostop()
}

func (f *Flags) checkLive(cmd *cobra.Command, paths []string) error {
	switch {
	case slices.Contains(f.Interfaces, "-"):
		return exit.Usagef("-i names network interfaces; to read packets from standard input, write 'dpdissect %s -' without -i", reader(cmd))
	case len(paths) > 0:
		return exit.Usagef("-i captures live, but %q is a file: give one or the other", paths[0])
	case f.Follow:
		return exit.Usagef("--follow works with files, but -i captures live: give one or the other")
	case cmd.Flags().Changed("user") && f.user == "":
		return exit.Usagef("--user needs a name")
	}
	return f.parseAutostop()
}

// reader names a command that reads files: the one that was given, where it does.
func reader(cmd *cobra.Command) string {
	if cmd.Name() == "capture" {
		return "analyze"
	}
	return cmd.Name()
}

// MayWait reports whether packets of an input may arrive over time: it is a pipe, or standard
// input, which may be one.
func MayWait(path string) bool {
	if path == "-" {
		return true
	}
	st, err := os.Stat(path)
	return err == nil && !st.Mode().IsRegular() && !st.IsDir()
}

func (f *Flags) parseAutostop() error {
	for _, s := range f.autostop {
		what, value, _ := strings.Cut(s, ":")
		var err error
		switch what {
		case "duration":
			f.Limits.Duration, err = flags.ParseSeconds(value)
		case "packets":
			f.Limits.Packets, err = flags.ParseCount(value)
		case "filesize":
			f.Limits.Bytes, err = flags.ParseCount(value)
			f.Limits.Bytes <<= 10
		default:
			err = fmt.Errorf("want duration:SECONDS, packets:N or filesize:KIB")
		}
		if err != nil {
			return exit.Usagef("-a %s: %w", s, err)
		}
	}
	return nil
}
