package record

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
)

// A Retention bounds the files that recordings of one name leave in a folder. Those of
// earlier runs count too, so that a service which is restarted does not fill the disk.
// The folder is looked at each time: it is the one record of what is there.
type Retention struct {
	Files int   // keep so many, the newest; 0 keeps any number
	Bytes int64 // that take no more together; 0 for any size
}

func (k Retention) on() bool { return k.Files > 0 || k.Bytes > 0 }

// A keptFile is one that a recording left.
type keptFile struct {
	path     string
	size     int64
	modified int64 // nanoseconds since 1970
}

// MakeRoom deletes the oldest regular files whose paths match the pattern, until
// another of that size may be made. One that can't be deleted, as a reader may hold it,
// is tried again the next time. It gives how many files it deleted.
func (k Retention) MakeRoom(pattern *regexp.Regexp, folder string, size int64) (deleted int) {
	if !k.on() {
		return 0
	}
	files := matching(pattern, folder)
	total := size
	for _, f := range files {
		total += f.size
	}
	for left := len(files); len(files) > 0; files = files[1:] {
		if !(k.Files > 0 && left >= k.Files || k.Bytes > 0 && total > k.Bytes) {
			break
		}
		if err := remove(files[0].path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			continue
		}
		left, total = left-1, total-files[0].size
		deleted++
	}
	return deleted
}

// remove deletes a file; tests make it fail, as it does on Windows while a reader has
// the file open.
var remove = os.Remove

// matching lists the regular files of a folder whose names match, the oldest first.
func matching(pattern *regexp.Regexp, folder string) (files []keptFile) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil // what can't be listed makes the next file fail with a reason
	}
	for _, e := range entries {
		if !e.Type().IsRegular() || !pattern.MatchString(e.Name()) {
			continue
		}
		if info, err := e.Info(); err == nil {
			files = append(files, keptFile{filepath.Join(folder, e.Name()), info.Size(), info.ModTime().UnixNano()})
		}
	}
	slices.SortFunc(files, func(a, b keptFile) int {
		return cmp.Or(cmp.Compare(a.modified, b.modified), cmp.Compare(a.path, b.path))
	})
	return files
}

// Numbered matches the names of files that have a number and a time, as those of a
// ring, between two parts; the folder of the first does not matter.
func Numbered(base, end string) *regexp.Regexp {
	return regexp.MustCompile("^" + regexp.QuoteMeta(filepath.Base(base)) + `_\d{5,}_\d{14}` + regexp.QuoteMeta(end) + "$")
}
