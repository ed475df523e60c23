// Command bench measures dpdissect against other readers of captures, on one
// large generated capture: CPU time (user and system) and resident memory of
// whole processes, the median of several runs. It prints Markdown.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/dpdissect/dpdissect/internal/testbed/tracegen"
)

// A job is one command line to measure.
type job struct {
	name   string
	frames int // of the capture it reads
	args   []string
}

// A result is the median of a job's runs.
type result struct {
	cpu time.Duration
	rss int64 // KiB
}

func main() {
	frames := flag.Int("frames", 1_000_000, "frames of the capture")
	few := flag.Int("few", 100_000, "frames of the capture for slow rivals")
	runs := flag.Int("runs", 5, "runs of each command")
	dir := flag.String("dir", os.TempDir(), "folder of the captures, which are kept there")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: bench [flags] PATH-OF-DPDISSECT")
		os.Exit(2)
	}
	if err := run(flag.Arg(0), *frames, *few, *runs, *dir); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(bin string, frames, few, runs int, dir string) error {
	captures, made := map[string]string{}, false
	for name, n := range map[string]int{"none": frames, "fast": frames, "full": frames, "dp4": frames, "knet": frames, "hazel": frames, "few": few} {
		path, fresh, err := capture(dir, name, n)
		if err != nil {
			return err
		}
		captures[name], made = path, made || fresh
	}
	if made {
		return again()
	}
	fmt.Printf("| command | capture | CPU ns/frame | frames per CPU second | MiB |\n|---|---|---:|---:|---:|\n")
	for _, j := range jobs(bin, captures, frames, few) {
		if _, err := exec.LookPath(j.args[0]); err != nil {
			fmt.Printf("| `%s` | | not installed | | |\n", j.name)
			continue
		}
		r, err := measure(j, runs)
		if err != nil {
			return err
		}
		ns := float64(r.cpu.Nanoseconds()) / float64(j.frames)
		fmt.Printf("| `%s` | %s, %d frames | %.0f | %.0f | %d |\n", j.name, of(j, captures), j.frames, ns, 1e9/ns, r.rss/1024)
	}
	return nil
}

// again starts this program anew: a process that is made by a large one, as one
// that has generated captures is, counts as no smaller.
func again() error {
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	return syscall.Exec(exe, os.Args, os.Environ())
}

// capture generates a capture once.
func capture(dir, name string, frames int) (path string, fresh bool, err error) {
	signing := name
	if name == "few" {
		signing = "none"
	}
	path = filepath.Join(dir, fmt.Sprintf("dpdissect-bench-%s-%d.pcap", signing, frames))
	if _, err := os.Stat(path); err == nil {
		return path, false, nil
	}
	f, err := os.CreateTemp(dir, "dpdissect-bench-*")
	if err != nil {
		return "", false, err
	}
	_, err = tracegen.Big(f, frames, 1, signing)
	if err = errors.Join(err, f.Close()); err != nil {
		return "", false, err
	}
	return path, true, os.Rename(f.Name(), path)
}

func jobs(bin string, c map[string]string, frames, few int) []job {
	own := func(name string, n int, capture string, args ...string) job {
		return job{"dpdissect " + name, n, append(append([]string{bin}, args...), "--workers", "1", capture)}
	}
	return []job{
		own("analyze", frames, c["none"], "analyze"),
		own("analyze", frames, c["fast"], "analyze"),
		own("analyze", frames, c["full"], "analyze"),
		own("analyze", frames, c["dp4"], "analyze"),
		own("analyze", frames, c["knet"], "analyze"),
		own("analyze", frames, c["hazel"], "analyze"),
		own("check", frames, c["none"], "check"),
		own("decode", frames, c["none"], "decode"),
		own("decode -Y 'dp8.seq == 7'", frames, c["none"], "decode", "-Y", "dp8.seq == 7"),
		own("decode --format ndjson", frames, c["none"], "decode", "--format", "ndjson"),
		own("messages --format ndjson", frames, c["none"], "messages", "--format", "ndjson"),
		own("decode -V", few, c["few"], "decode", "-V"),
		{"tshark", frames, []string{"tshark", "-n", "-r", c["none"]}},
		{"tshark -Y 'udp[10] == 7'", few, []string{"tshark", "-n", "-Y", "udp[10] == 7", "-r", c["few"]}},
		{"tshark -T json", few, []string{"tshark", "-n", "-T", "json", "-r", c["few"]}},
		{"tshark -V", few, []string{"tshark", "-n", "-V", "-r", c["few"]}},
		{"tshark -q -z conv,udp", frames, []string{"tshark", "-n", "-q", "-z", "conv,udp", "-r", c["none"]}},
		{"tcpdump -n -q -tt", frames, []string{"tcpdump", "-n", "-q", "-tt", "-r", c["none"]}},
		{"capinfos -c -M", frames, []string{"capinfos", "-c", "-M", c["none"]}},
	}
}

// names are the captures as the table calls them.
var names = [][2]string{{"none", "dp8 unsigned"}, {"fast", "dp8 fast-signed"}, {"full", "dp8 fully signed"},
	{"dp4", "dp4"}, {"knet", "knet reference"}, {"hazel", "hazel current"}, {"few", "dp8 unsigned"}}

// of names the capture of a job.
func of(j job, captures map[string]string) string {
	for _, n := range names {
		if slices.Contains(j.args, captures[n[0]]) {
			return n[1]
		}
	}
	return ""
}

// measure runs a job several times, its output thrown away.
func measure(j job, runs int) (result, error) {
	var cpu []time.Duration
	var rss []int64
	for range runs {
		cmd := exec.Command(j.args[0], j.args[1:]...)
		cmd.Env = append(os.Environ(), "TZ=UTC")
		if err := cmd.Run(); err != nil {
			return result{}, fmt.Errorf("%s: %w", strings.Join(j.args, " "), err)
		}
		cpu = append(cpu, cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime())
		if u, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
			rss = append(rss, u.Maxrss)
		}
	}
	slices.Sort(cpu)
	slices.Sort(rss)
	return result{cpu[runs/2], rss[runs/2]}, nil
}
