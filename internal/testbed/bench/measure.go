package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

// A result is what a command took at least, of several runs.
type result struct {
	cpu, wall time.Duration
	rss       int64 // KiB
}

// measure runs commands several times, in turn, so that what else the machine does meets
// all of them; what they print is thrown away. Of a command that is not installed the
// result is zero.
func (o *options) measure(commands ...[]string) ([]result, error) {
	all := make([]result, len(commands))
	for range o.runs {
		for i, args := range commands {
			if _, err := exec.LookPath(args[0]); err != nil {
				continue
			}
			r, err := once(args, nil)
			if err != nil {
				return nil, err
			}
			all[i].least(r)
		}
	}
	return all, nil
}

func (r *result) least(x result) {
	if r.cpu == 0 {
		*r = x
		return
	}
	r.cpu, r.wall, r.rss = min(r.cpu, x.cpu), min(r.wall, x.wall), min(r.rss, x.rss)
}

// once runs a command with what feed writes as its standard input.
func once(args []string, feed func(w io.Writer) error) (r result, err error) {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = append(os.Environ(), "TZ=UTC")
	var fed chan error
	if feed != nil {
		in, err := cmd.StdinPipe()
		if err != nil {
			return r, err
		}
		fed = make(chan error, 1)
		go func() {
			err := feed(in)
			in.Close()
			fed <- err
		}()
	}
	start := time.Now()
	if err := cmd.Run(); err != nil {
		return r, fmt.Errorf("%s: %w", strings.Join(args, " "), err)
	}
	r.wall = time.Since(start)
	r.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	r.rss = resident(cmd.ProcessState)
	if fed != nil {
		err = <-fed
	}
	return r, err
}

// own is a command line of dpdissect.
func (o *options) own(path string, workers int, args ...string) []string {
	return append(append([]string{o.bin}, args...), "--workers", fmt.Sprint(workers), path)
}

// perFrame is a duration in ns a frame.
func perFrame(d time.Duration, frames int) float64 { return float64(d.Nanoseconds()) / float64(frames) }

// ratio is a in units of b, as text.
func ratio(a, b time.Duration) string {
	if b == 0 {
		return "–"
	}
	return fmt.Sprintf("%.2f", float64(a)/float64(b))
}
