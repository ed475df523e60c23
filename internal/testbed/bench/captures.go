package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/dpdissect/dpdissect/internal/testbed/tracegen"
)

// A kind is a capture that is generated.
type kind struct {
	name, title string
	ours        bool
	write       func(w io.Writer, frames int) error
}

// kinds are the captures that tcpdump is compared on.
var kinds = []kind{
	big("none", "DirectPlay 8, unsigned"), big("fast", "DirectPlay 8, fast signatures"), big("full", "DirectPlay 8, full signatures"),
	big("dp4", "DirectPlay 4"), big("knet", "kNet, the library's dialect"), big("hazel", "Hazel, current"),
	many(24), foreign("rtp", "RTP"), foreign("quic", "QUIC"),
}

// sweep are the numbers of connections of which the cost is shown.
var sweep = []int{1, 10, 100, 1000, 10_000, 100_000}

func big(name, title string) kind {
	return kind{name, title, true, func(w io.Writer, frames int) error {
		_, err := tracegen.Big(w, frames, 1, name)
		return err
	}}
}

func many(connections int) kind {
	return kind{fmt.Sprintf("many%d", connections), fmt.Sprintf("%d connections of all four", connections), true, func(w io.Writer, frames int) error {
		return tracegen.Many(w, connections, frames, 1)
	}}
}

func foreign(name, title string) kind {
	return kind{name, title + ", 10 address pairs", false, func(w io.Writer, frames int) error { return tracegen.Foreign(w, frames, 1, name) }}
}

// path is the file of a capture.
func (o *options) path(name string, frames int) string {
	return filepath.Join(o.dir, fmt.Sprintf("dpdissect-bench-%s-%d.pcap", name, frames))
}

// makeCaptures generates the captures that are not there, and reports whether some were not.
func makeCaptures(o *options) (made bool, err error) {
	all := slices.Clone(kinds)
	for _, n := range sweep {
		all = append(all, many(n))
	}
	for i := range all {
		fresh, err := all[i].make(o, o.frames)
		if err != nil {
			return made, err
		}
		made = made || fresh
	}
	fresh, err := kinds[0].make(o, o.few)
	return made || fresh, err
}

func (k *kind) make(o *options, frames int) (fresh bool, err error) {
	path := o.path(k.name, frames)
	if _, err := os.Stat(path); err == nil {
		return false, nil
	}
	f, err := os.CreateTemp(o.dir, "dpdissect-bench-*")
	if err != nil {
		return false, err
	}
	err = k.write(f, frames)
	if err = errors.Join(err, f.Close()); err != nil {
		return false, err
	}
	return true, os.Rename(f.Name(), path)
}

// again starts this program again: a process that is made by a large one, as one
// that has generated captures is, counts as no smaller.
func again() error {
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	return syscall.Exec(exe, os.Args, os.Environ())
}
