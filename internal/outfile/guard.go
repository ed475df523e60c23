package outfile

import (
	"errors"
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
	name string      // as the user gave it, "" for standard input and output
	path string      // absolute, "" where it is open already
	info fs.FileInfo // nil when there is no such file yet
	open bool        // it is written to as it is, and was open before
}

// Reads adds a file that is read; what is as in "an input". "-" is standard input,
// which may be a file, and "" is no file.
func (g *Guard) Reads(what, path string) {
	switch path {
	case "":
	case "-":
		if st, err := os.Stdin.Stat(); err == nil && st.Mode().IsRegular() {
			g.known = append(g.known, known{what: what, info: st})
		}
	default:
		g.add(what, path)
	}
}

// Writes adds a file that will be written; what is as in "the file of -o". The error
// says that the command reads it, or writes it already. "" and "-" are no files; devices,
// pipes and what is open already may be written to more than once.
func (g *Guard) Writes(what, path string) error {
	if path == "" || path == "-" {
		return nil
	}
	if _, ok := descriptor(path); ok {
		st, err := os.Stat(path)
		if err != nil {
			return nil // who opens it reports what is wrong
		}
		return g.opened(what, path, st)
	}
	if err := g.Check(path); err != nil {
		return err
	}
	g.add(what, path)
	return nil
}

// WritesTo is Writes of a file that is open, such as standard output; what names it, also in
// the error.
func (g *Guard) WritesTo(what string, f *os.File) error {
	st, err := f.Stat()
	if err != nil {
		return nil // it is closed: the first write reports that
	}
	return g.opened(what, what, st)
}

// opened is Writes of an open file. What is written to it changes the file itself, by
// whatever name the command reads it.
func (g *Guard) opened(what, name string, st fs.FileInfo) error {
	if g == nil || !st.Mode().IsRegular() {
		return nil
	}
	for i := range g.known {
		if k := &g.known[i]; !k.open && k.info != nil && os.SameFile(k.info, st) {
			return &Conflict{name, k.what, k.name}
		}
	}
	g.known = append(g.known, known{what: what, info: st, open: true})
	return nil
}

func (g *Guard) add(what, path string) {
	k := known{what: what, name: path, path: path}
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
	st, err := os.Stat(path)
	return g.check(path, st, err)
}

// check refuses a path that the Guard knows; st and statErr are what the system says of it.
func (g *Guard) check(path string, st fs.FileInfo, statErr error) error {
	switch {
	case g == nil:
		return nil
	case statErr == nil:
		return g.checkInfo(path, st)
	case !errors.Is(statErr, fs.ErrNotExist):
		return nil // who creates the file reports what is wrong with it
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
	for i := range g.known {
		if k := &g.known[i]; k.info != nil && os.SameFile(k.info, st) {
			return k.refuse(path)
		}
	}
	return nil
}

func (k *known) refuse(path string) error { return &Conflict{Path: path, What: k.what} }

// A Conflict is a file that is to be written and has another use in the same command.
type Conflict struct {
	Path, What string
	Name       string // of the file where Path does not say it, "" otherwise
}

// Error gives "game.pcap: is also an input" and "standard output: is also an input, game.pcap".
func (e *Conflict) Error() string { return e.Path + ": " + e.Reason() }

// Reason is Error without the path.
func (e *Conflict) Reason() string {
	if e.Name == "" {
		return "is also " + e.What
	}
	return "is also " + e.What + ", " + e.Name
}

// special reports whether a file is a device, a pipe or a socket: nothing of it is
// lost by writing.
func special(st fs.FileInfo) bool {
	return st.Mode()&(fs.ModeDevice|fs.ModeCharDevice|fs.ModeNamedPipe|fs.ModeSocket) != 0
}
