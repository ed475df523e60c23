package wireshark

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dpdissect/dpdissect/internal/outfile"
)

// A File is what became of one file.
type File struct {
	Path   string `json:"path"`
	Kind   string `json:"kind"`   // lua, profile
	Action string `json:"action"` // written, same, removed, kept
}

// pluginFile and listFile are the names of the plugin, and of the list of what was written.
const (
	pluginFile = "dpdissect.lua"
	listFile   = "dpdissect.installed"
)

// Options say what is installed.
type Options struct {
	Version string
	Profile bool
	Force   bool // files that this program did not write are replaced
}

// wanted is a file as it is to be.
type wanted struct {
	path, kind string
	content    []byte
}

func (f Folders) list() string { return filepath.Join(f.Plugins, listFile) }

func (f Folders) wanted(o Options) []wanted {
	files := []wanted{{filepath.Join(f.Plugins, pluginFile), "lua", Plugin(o.Version)}}
	if o.Profile {
		all := profile()
		for _, name := range []string{"preferences", "colorfilters", "dfilter_buttons"} {
			files = append(files, wanted{filepath.Join(f.Config, "profiles", ProfileName, name), "profile", all[name]})
		}
	}
	return files
}

// Install writes what is not there as it is to be. Nothing is written when a file is in the
// way that this program did not write.
func (f Folders) Install(o Options) ([]File, error) {
	ours, err := readList(f.list())
	if err != nil {
		return nil, err
	}
	files := f.wanted(o)
	var done []File
	for _, w := range files {
		action, err := actionFor(w, ours, o.Force)
		if err != nil {
			return nil, err
		}
		done = append(done, File{w.path, w.kind, action})
	}
	for i, w := range files {
		if done[i].Action == "written" {
			if err := write(w.path, w.content); err != nil {
				return nil, err
			}
		}
		ours.set(w.path, w.kind, w.content)
	}
	return done, f.keepList(ours)
}

// actionFor says what is to be done with a file.
func actionFor(w wanted, ours *installed, force bool) (string, error) {
	st, err := os.Lstat(w.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "written", nil
	case err != nil:
		return "", err
	case !st.Mode().IsRegular():
		return "", fmt.Errorf("%s: not a file of this program: it is left alone", w.path)
	}
	old, err := os.ReadFile(w.path)
	switch {
	case err != nil:
		return "", err
	case bytes.Equal(old, w.content):
		return "same", nil
	case force || ours.has(w.path, old):
		return "written", nil
	}
	return "", fmt.Errorf("%s: not as this program wrote it: give --force to replace it", w.path)
}

// write writes a file with the folders above it.
func write(path string, content []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	file, err := outfile.Create(path, 0o644, nil)
	if err != nil {
		return err
	}
	if _, err := file.Write(content); err != nil {
		file.Abort()
		return err
	}
	return file.Commit()
}

// Uninstall removes what the list names and is as it was written, the folders that became
// empty, and the list. ok is false where nothing is installed.
func (f Folders) Uninstall() (done []File, ok bool, err error) {
	ours, err := readList(f.list())
	if err != nil || len(ours.files) == 0 {
		return nil, false, err
	}
	for _, x := range ours.files {
		b, err := os.ReadFile(x.path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil || !ours.has(x.path, b):
			done = append(done, File{x.path, x.kind, "kept"})
			continue
		}
		if err := os.Remove(x.path); err != nil {
			return done, true, err
		}
		done = append(done, File{x.path, x.kind, "removed"})
	}
	if err := os.Remove(f.list()); err != nil {
		return done, true, err
	}
	for _, dir := range []string{filepath.Join(f.Config, "profiles", ProfileName), filepath.Join(f.Config, "profiles"), f.Plugins} {
		os.Remove(dir) // only when it is empty
	}
	return done, true, nil
}

// installed is the list of what was written: "SHA-256, kind, path" a line.
type installed struct{ files []listed }

type listed struct{ sum, kind, path string }

func sumOf(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// has reports whether a file is in the list as it is.
func (l *installed) has(path string, content []byte) bool {
	return slices.ContainsFunc(l.files, func(x listed) bool { return x.path == path && x.sum == sumOf(content) })
}

// set enters a file.
func (l *installed) set(path, kind string, content []byte) {
	l.files = slices.DeleteFunc(l.files, func(x listed) bool { return x.path == path })
	l.files = append(l.files, listed{sumOf(content), kind, path})
}

func readList(path string) (*installed, error) {
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return &installed{}, nil
	}
	if err != nil {
		return nil, err
	}
	l := &installed{}
	for line := range strings.Lines(string(b)) {
		parts := strings.SplitN(strings.TrimSuffix(line, "\n"), " ", 3)
		if len(parts) != 3 || len(parts[0]) != 2*sha256.Size {
			return nil, fmt.Errorf("%s: not a list of this program", path)
		}
		l.files = append(l.files, listed{parts[0], parts[1], parts[2]})
	}
	return l, nil
}

// keepList writes the list where it changed.
func (f Folders) keepList(l *installed) error {
	var b []byte
	for _, x := range l.files {
		b = fmt.Appendf(b, "%s %s %s\n", x.sum, x.kind, x.path)
	}
	if old, err := os.ReadFile(f.list()); err == nil && bytes.Equal(old, b) {
		return nil
	}
	return write(f.list(), b)
}
