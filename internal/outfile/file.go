package outfile

import (
	"cmp"
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
)

// Permissions of new files. What packets said, and secrets, are for the user alone.
const (
	Private fs.FileMode = 0o600
	Shared  fs.FileMode = 0o666 // less the umask
)

// Reasons why a path can't be written.
var (
	ErrFolder = errors.New("is a directory: give the name of a file")
	ErrLink   = errors.New("is a link, which is not followed: give the file itself")
	errRaced  = errors.New("was replaced while it was opened")
)

// A File is a file that is being written. It is ended by Commit or Abort; Abort may
// also be called by another goroutine, and after Commit it does nothing.
type File struct {
	file *os.File
	path string
	root *os.Root // its folder; nil where it is written in place
	name string   // in the folder
	mu   sync.Mutex
	temp string // its name until it is complete, "" once it has its own
	kept bool   // it was there before and is written to as it is
	done bool
}

// Create begins a file. What the path names stays as it is until Commit or Place.
// Devices and pipes are opened as they are, also standard output by its name in the
// file system. Errors are those of the system, ErrFolder, ErrLink, or a *Conflict.
func Create(path string, perm fs.FileMode, g *Guard) (*File, error) {
	if fd, ok := descriptor(path); ok {
		return createOpen(fd, path, g)
	}
	if err := g.Check(path); err != nil {
		return nil, err
	}
	st, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, err
	case st.IsDir():
		return nil, wrong(path, ErrFolder)
	case st.Mode()&fs.ModeSymlink != 0:
		return nil, wrong(path, ErrLink)
	case special(st):
		return openInPlace(path, st)
	}
	dir, name := filepath.Split(path)
	if name == "" {
		return nil, wrong(path, ErrFolder)
	}
	root, err := os.OpenRoot(cmp.Or(dir, "."))
	if err != nil {
		return nil, wrong(path, err)
	}
	f, temp, err := createTemp(root, perm)
	if err != nil {
		root.Close()
		return nil, wrong(path, err)
	}
	return &File{file: f, path: path, root: root, name: name, temp: temp}, nil
}

// CreateOwn begins a file whose name the program made up: it has it at once, and what
// stands there, also a link, is removed first.
func CreateOwn(path string, perm fs.FileMode, g *Guard) (*File, error) {
	if err := g.Check(path); err != nil {
		return nil, err
	}
	if st, err := os.Lstat(path); err == nil && (st.Mode().IsRegular() || st.Mode()&fs.ModeSymlink != 0) {
		if err := os.Remove(path); err != nil {
			return nil, err
		}
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return nil, err
	}
	return &File{file: f, path: path}, nil
}

// createTemp makes a file of a name that nobody has.
func createTemp(root *os.Root, perm fs.FileMode) (f *os.File, name string, err error) {
	for range 100 {
		name = ".dpdissect-" + rand.Text()[:16]
		f, err = root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
		if !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	return f, name, err
}

// openInPlace opens what can't be replaced; st is what the path named.
func openInPlace(path string, st fs.FileInfo) (*File, error) {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return nil, err
	}
	if now, err := f.Stat(); err != nil || !os.SameFile(st, now) {
		f.Close()
		return nil, wrong(path, errRaced)
	}
	return &File{file: f, path: path, kept: true}, nil
}

// createOpen writes on in a file that is open already.
func createOpen(fd int, path string, g *Guard) (*File, error) {
	f, err := openDescriptor(fd, path)
	if err != nil {
		return nil, err
	}
	st, err := f.Stat()
	if err == nil {
		err = g.opened("an output", path, st)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return &File{file: f, path: path, kept: true}, nil
}

// Write writes to the file. Errors name it as the user does.
func (f *File) Write(b []byte) (int, error) {
	n, err := f.file.Write(b)
	if err != nil {
		err = &fs.PathError{Op: "write", Path: f.path, Err: bare(err)}
	}
	return n, err
}

// Path is the file's name as the user gave it.
func (f *File) Path() string { return f.path }

// File is the open file. Place may change it.
func (f *File) File() *os.File { return f.file }

// Open opens what was written so far, to be read. What is written in place can't be.
func (f *File) Open() (*os.File, error) {
	if f.root == nil {
		return nil, wrong(f.path, fs.ErrInvalid)
	}
	return f.root.Open(cmp.Or(f.temp, f.name))
}

// InPlace reports a device, a pipe, or a file that was open already: none of what was in
// it is the caller's to take back.
func (f *File) InPlace() bool { return f.kept }

// Place gives the file its name before it is complete: for what is read while it
// grows. What the name stood for is replaced.
func (f *File) Place() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.temp == "" {
		return nil
	}
	if runtime.GOOS == "windows" { // open files can't be renamed there
		if err := f.reopen(); err != nil {
			return err
		}
	} else if err := f.root.Rename(f.temp, f.name); err != nil {
		return wrong(f.path, err)
	}
	f.temp = ""
	return nil
}

// reopen renames the file while it is closed.
func (f *File) reopen() error {
	old, err := f.file.Stat()
	if err == nil {
		err = cmp.Or(f.file.Close(), f.root.Rename(f.temp, f.name))
	}
	if err != nil {
		return err
	}
	again, err := f.root.OpenFile(f.name, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	if now, err := again.Stat(); err != nil || !os.SameFile(old, now) {
		again.Close()
		return wrong(f.path, errRaced)
	}
	f.file = again
	_, err = again.Seek(0, 2)
	return err
}

// Commit closes the file and gives it its name. When that fails nothing stays of what
// has no name yet.
func (f *File) Commit() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.done {
		return nil
	}
	err := f.file.Close()
	if err == nil && f.temp != "" {
		err = f.root.Rename(f.temp, f.name)
	}
	if err != nil {
		if f.temp != "" {
			f.remove()
		}
		err = &fs.PathError{Op: "write", Path: f.path, Err: bare(err)}
	}
	f.end()
	return err
}

// Abort closes the file and removes what was written of it.
func (f *File) Abort() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.done {
		return
	}
	f.file.Close()
	f.remove()
	f.end()
}

// remove removes the file by the name it has now. What is written in place stays.
func (f *File) remove() {
	if f.root != nil {
		f.root.Remove(cmp.Or(f.temp, f.name))
	}
}

func (f *File) end() {
	f.done = true
	if f.root != nil {
		f.root.Close()
	}
}

// wrong says what is wrong with a file, by the name the user gave it.
func wrong(path string, err error) error {
	return &fs.PathError{Op: "open", Path: path, Err: bare(err)}
}

// bare leaves out the path that errors of the system carry.
func bare(err error) error {
	var link *os.LinkError
	var path *fs.PathError
	switch {
	case errors.As(err, &link):
		return link.Err
	case errors.As(err, &path):
		return path.Err
	}
	return err
}

// Write writes a whole file.
func Write(path string, data []byte, perm fs.FileMode, g *Guard) error {
	f, err := Create(path, perm, g)
	if err != nil {
		return err
	}
	if _, err := f.Write(data); err != nil {
		f.Abort()
		return err
	}
	return f.Commit()
}

// WriteIn writes a whole file in a folder. Its name is the program's own: what stands
// there, also a link, is replaced, unless the Guard knows it.
func WriteIn(root *os.Root, name string, data []byte, perm fs.FileMode, g *Guard) error {
	path := filepath.Join(root.Name(), name)
	st, err := root.Lstat(name)
	if err := g.check(path, st, err); err != nil {
		return err
	}
	f, temp, err := createTemp(root, perm)
	if err != nil {
		return wrong(path, err)
	}
	_, err = f.Write(data)
	err = cmp.Or(err, f.Close())
	if err == nil {
		err = root.Rename(temp, name)
	}
	if err != nil {
		root.Remove(temp)
		return &fs.PathError{Op: "write", Path: path, Err: bare(err)}
	}
	return nil
}
