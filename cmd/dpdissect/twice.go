package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/dpdissect/dpdissect/internal/exit"
	"github.com/dpdissect/dpdissect/internal/pipeline"
)

// A stamp tells whether a file is still what it was when it was first read.
type stamp struct {
	info os.FileInfo // nil where there is no file
	size int64
	time time.Time
}

// stampsOf looks at the files before they are read for the first time.
func stampsOf(paths []string) []stamp {
	all := make([]stamp, len(paths))
	for i, p := range paths {
		if st, err := os.Stat(p); err == nil {
			all[i] = stamp{st, st.Size(), st.ModTime()}
		}
	}
	return all
}

// same reports whether a stamp is of the same file with the same content, as far as the
// system tells.
func (s stamp) same(now stamp) bool {
	if s.info == nil || now.info == nil {
		return s.info == nil && now.info == nil
	}
	return os.SameFile(s.info, now.info) && s.size == now.size && s.time.Equal(now.time)
}

// sameFiles is an error, which was told, when files that are read more than once are not what
// they were before the first reading.
func sameFiles(w io.Writer, paths []string, before []stamp) (err error) {
	now := stampsOf(paths)
	for i, p := range paths {
		if !before[i].same(now[i]) {
			fmt.Fprintf(w, "dpdissect: %s\n", printable(p+": changed while it was read more than once"))
			err = exit.ErrInput
		}
	}
	return err
}

// sameInputs is an error, which was told, when captures that were read twice were not the
// same both times: what came of the two readings does not belong together then.
func sameInputs(j *job, again *pipeline.Run, paths []string, before []stamp) (err error) {
	now, first, second := stampsOf(paths), j.run.Source.Infos(), again.Source.Infos()
	for i, p := range paths {
		a, b := &first[i], &second[i]
		if !before[i].same(now[i]) || a.Packets != b.Packets || a.Bytes != b.Bytes || a.FirstTime != b.FirstTime || a.LastTime != b.LastTime || a.Problem != b.Problem {
			fmt.Fprintf(j.stderr, "dpdissect: %s\n", printable(p+": changed between the two readings that a report takes"))
			err = exit.ErrInput
		}
	}
	return err
}
