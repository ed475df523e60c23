package capture

import (
	"io/fs"
	"os"
	"path/filepath"
)

// A Folder is what was found in a directory that was given as an input.
type Folder struct {
	Path     string
	Captures int
	Others   int // files that are no captures, and what is no file: pipes, devices, sockets
	Folders  int // directories in it that were not looked into
}

// Expand puts, in the place of each directory, the captures that are in it, sorted by name,
// and tells of each directory. With recursive set, captures of the directories in it are
// among them; links to directories are not followed. Captures are recognised by their
// content, and nothing but files is opened. A directory that can't be read, or has no
// captures, stays in the list: to open it fails.
func Expand(paths []string, recursive bool) (all []string, folders []Folder) {
	for _, path := range paths {
		if st, err := os.Stat(path); path == "-" || err != nil || !st.IsDir() {
			all = append(all, path)
			continue
		}
		f := Folder{Path: path}
		found := f.search(recursive)
		if f.Captures = len(found); f.Captures == 0 {
			found = []string{path}
		}
		all, folders = append(all, found...), append(folders, f)
	}
	return all, folders
}

// search finds the captures in a directory. What can't be read counts as no capture.
func (f *Folder) search(recursive bool) (found []string) {
	root := f.Path
	if real, err := filepath.EvalSymlinks(root); err == nil {
		root = real // WalkDir does not follow a link
	}
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case path == root:
			return err
		case err != nil: // of a directory that was counted already
			return fs.SkipDir
		case d.IsDir() && !recursive:
			f.Folders++
			return fs.SkipDir
		case d.IsDir():
		case isCapture(path):
			name, _ := filepath.Rel(root, path)
			found = append(found, filepath.Join(f.Path, name))
		default:
			f.Others++
		}
		return nil
	})
	return found
}

// isCapture reports whether a path is of a file that begins as a capture does, plain or
// compressed.
func isCapture(path string) bool {
	if st, err := os.Stat(path); err != nil || !st.Mode().IsRegular() {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	r, _ := newReader(f, smallWindow, Expansion{}, false)
	defer r.Close()
	return r.Format() != ""
}
