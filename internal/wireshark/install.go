package wireshark

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/dpdissect/dpdissect/internal/outfile"
)

// A File is what became of one file.
type File struct {
	Path   string `json:"path"`
	Kind   string `json:"kind"`   // lua, profile, extcap
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
	Program string // that captures for Wireshark, "" for none
	Force   bool   // files that this program did not write are replaced
}

// wanted is a file as it is to be. A link has as content what it leads to.
type wanted struct {
	path, kind string
	content    []byte
	link       bool
}

func (f Folders) list() string { return filepath.Join(f.Plugins, listFile) }

func (f Folders) wanted(o Options) ([]wanted, error) {
	files := []wanted{{path: filepath.Join(f.Plugins, pluginFile), kind: "lua", content: Plugin(o.Version)}}
	if o.Profile {
		all := profile()
		for _, name := range []string{"preferences", "colorfilters", "dfilter_buttons"} {
			files = append(files, wanted{path: filepath.Join(f.Config, "profiles", ProfileName, name), kind: "profile", content: all[name]})
		}
	}
	if o.Program == "" {
		return files, nil
	}
	name, content, link := "dpdissect", []byte(o.Program), true
	if runtime.GOOS == "windows" { // links take a right there that few have
		b, err := os.ReadFile(o.Program)
		if err != nil {
			return nil, err
		}
		name, content, link = "dpdissect.exe", b, false
	}
	for _, dir := range f.Extcap {
		files = append(files, wanted{filepath.Join(dir, name), "extcap", content, link})
	}
	return files, nil
}

// Install writes what is not there as it is to be. Nothing is written when a file is in the
// way that this program did not write.
func (f Folders) Install(o Options) ([]File, error) {
	ours, err := readList(f.list())
	if err != nil {
		return nil, err
	}
	files, err := f.wanted(o)
	if err != nil {
		return nil, err
	}
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
			if err = w.write(); err != nil {
				break // the list has what was written until here
			}
		}
		ours.set(w.path, w.kind, w.content)
	}
	if len(ours.files) > 0 {
		err = cmp.Or(err, f.keepList(ours))
	}
	return done, err
}

// actionFor says what is to be done with a file.
func actionFor(w wanted, ours *installed, force bool) (string, error) {
	old, link, err := contentOf(w.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "written", nil
	case err != nil:
		return "", err
	case link == w.link && bytes.Equal(old, w.content):
		return "same", nil
	case force || ours.has(w.path, old):
		return "written", nil
	}
	return "", fmt.Errorf("%s: not as this program wrote it: give --force to replace it", w.path)
}

// contentOf is what a file holds, or what a link leads to.
func contentOf(path string) (content []byte, link bool, err error) {
	st, err := os.Lstat(path)
	switch {
	case err != nil:
		return nil, false, err
	case st.Mode()&fs.ModeSymlink != 0:
		to, err := os.Readlink(path)
		return []byte(to), true, err
	case !st.Mode().IsRegular():
		return nil, false, fmt.Errorf("%s: not a file of this program: it is left alone", path)
	}
	content, err = os.ReadFile(path)
	return content, false, err
}

// write makes the file or the link, in the place of what is there. A link that is there is
// never followed.
func (w *wanted) write() error {
	_, link, err := contentOf(w.path)
	if err == nil && (link || w.link) {
		err = os.Remove(w.path)
	}
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	case !w.link:
		return write(w.path, w.content)
	}
	return cmp.Or(os.MkdirAll(filepath.Dir(w.path), 0o755), os.Symlink(string(w.content), w.path))
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
		b, _, err := contentOf(x.path)
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
	f.removeEmpty()
	return done, true, nil
}

// removeEmpty removes the folders that are empty, and those of Wireshark around them.
func (f Folders) removeEmpty() {
	dirs := append([]string{f.Plugins}, f.Extcap...)
	for _, dir := range dirs {
		if above := filepath.Dir(dir); filepath.Base(above) == "wireshark" {
			dirs = append(dirs, above)
		}
	}
	profiles := filepath.Join(f.Config, "profiles")
	for _, dir := range append([]string{filepath.Join(profiles, ProfileName), profiles}, append(dirs, f.Config)...) {
		if st, err := os.Lstat(dir); err == nil && st.IsDir() { // a link to one is the user's
			os.Remove(dir) // only when it is empty
		}
	}
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
