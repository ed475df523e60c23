package outfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// A Guard knows the files of a command: those it reads, and those it was told to
// write. No two may be the same. A nil Guard knows none.
type Guard struct {
	known []known
}

type known struct {
	what string      // "an input"
	path string      // absolute, "" for standard input
	info fs.FileInfo // nil when there is no such file yet
}

// Reads adds a file that is read; what is as in "an input". "-" is standard input,
// which may be a file, and "" is no file.
func (g *Guard) Reads(what, path string) {
	switch path {
	case "":
	case "-":
		if st, err := os.Stdin.Stat(); err == nil && st.Mode().IsRegular() {
			g.known = append(g.known, known{what, "", st})
		}
	default:
		g.add(what, path)
	}
}

// Writes adds a file that will be written; what is as in "the file of -o". The error
// says that the command reads it, or writes it already. "" and "-" are no files, and
// devices and pipes may be written to more than once.
func (g *Guard) Writes(what, path string) error {
	if path == "" || path == "-" || descriptor(path) {
		return nil
	}
	if err := g.Check(path); err != nil {
		return err
	}
	g.add(what, path)
	return nil
}

func (g *Guard) add(what, path string) {
	k := known{what: what, path: path}
	if abs, err := filepath.Abs(path); err == nil {
		k.path = abs
	}
	if st, err := os.Stat(path); err == nil {
		if special(st) {
			return
		}
		k.info = st
	}
	g.known = append(g.known, k)
}

// Check refuses a path that leads to a file the Guard knows, by whatever name or link.
func (g *Guard) Check(path string) error {
	if g == nil || path == "" {
		return nil
	}
	if st, err := os.Stat(path); err == nil {
		return g.checkInfo(path, st)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil // who creates the file tells what is wrong with it
	}
	abs, err := filepath.Abs(path)
	for i := range g.known {
		if k := &g.known[i]; err == nil && k.info == nil && k.path == abs {
			return k.refuse(path)
		}
	}
	return nil
}

func (g *Guard) checkInfo(path string, st fs.FileInfo) error {
	if g == nil {
		return nil
	}
	for i := range g.known {
		if k := &g.known[i]; k.info != nil && os.SameFile(k.info, st) {
			return k.refuse(path)
		}
	}
	return nil
}

func (k *known) refuse(path string) error { return &Conflict{path, k.what} }

// A Conflict is a file that is to be written and has another use in the same command.
type Conflict struct{ Path, What string }

// Error gives "game.pcap: is also an input".
func (e *Conflict) Error() string { return fmt.Sprintf("%s: is also %s", e.Path, e.What) }

// special reports whether a file is a device, a pipe or a socket: nothing of it is
// lost by writing.
func special(st fs.FileInfo) bool {
	return st.Mode()&(fs.ModeDevice|fs.ModeCharDevice|fs.ModeNamedPipe|fs.ModeSocket) != 0
}
