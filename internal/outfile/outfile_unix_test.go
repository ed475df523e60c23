//go:build unix

package outfile

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// TestPipe: a pipe is written to as it is, and stays.
func TestPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	must(t, syscall.Mkfifo(path, 0o600))
	r, err := os.OpenFile(path, os.O_RDWR, 0)
	must(t, err)
	defer r.Close()
	must(t, Write(path, []byte("hello"), Private, nil))
	b := make([]byte, 5)
	if _, err := r.Read(b); err != nil || string(b) != "hello" {
		t.Errorf("%q, %v", b, err)
	}
	if st, err := os.Lstat(path); err != nil || st.Mode()&os.ModeNamedPipe == 0 {
		t.Errorf("%v, %v", st, err)
	}
}

// TestDescriptor: a file that is open already is written on, by the name the system
// gives it.
func TestDescriptor(t *testing.T) {
	if _, err := os.Stat("/dev/fd/0"); err != nil {
		t.Skip(err)
	}
	path := filepath.Join(t.TempDir(), "x")
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o600)
	must(t, err)
	defer f.Close()
	_, err = f.WriteString("one ")
	must(t, err)
	must(t, Write("/dev/fd/"+strconv.Itoa(int(f.Fd())), []byte("two"), Private, nil))
	if got := content(t, path); got != "one two" {
		t.Errorf("%q", got)
	}
}

// TestOpenFile: a file that is open is neither read nor written by another name in the same
// command, and may be written on more than once.
func TestOpenFile(t *testing.T) {
	dir := t.TempDir()
	path, hard := filepath.Join(dir, "x"), filepath.Join(dir, "hard")
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	must(t, err)
	defer f.Close()
	must(t, os.Link(path, hard))
	number := "/dev/fd/" + strconv.Itoa(int(f.Fd()))
	for _, name := range []string{path, hard, number} {
		g := &Guard{}
		g.Reads("an input", name)
		want := "standard output: is also an input, " + name
		if err := g.WritesTo("standard output", f); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
		if err := g.Writes("the file of -o", number); err == nil || err.Error() != number+": is also an input, "+name {
			t.Errorf("%s by its number: %v", name, err)
		}
		if _, err := Create(number, Private, g); err == nil {
			t.Errorf("%s is opened by its number", name)
		}
	}
	g := &Guard{}
	must(t, g.WritesTo("standard output", f))
	must(t, g.WritesTo("standard output", f))
	must(t, g.Writes("the file of -o", number))
	must(t, Write(number, []byte("one"), Private, g))
	must(t, Write(number, []byte("two"), Private, g))
	if got := content(t, path); got != "onetwo" {
		t.Errorf("%q", got)
	}
	if err := g.Check(hard); err == nil || err.Error() != hard+": is also standard output" {
		t.Errorf("another name: %v", err)
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	must(t, err)
	defer null.Close()
	g.Reads("an input", os.DevNull)
	must(t, g.WritesTo("standard output", null))
}

// TestFull: what the disk has no room for does not stay, and what stood there does.
func TestFull(t *testing.T) {
	var old syscall.Rlimit
	must(t, syscall.Getrlimit(syscall.RLIMIT_FSIZE, &old))
	dir := t.TempDir()
	path := filepath.Join(dir, "x")
	must(t, os.WriteFile(path, []byte("old"), 0o600))
	root, err := os.OpenRoot(dir)
	must(t, err)
	defer root.Close()
	small := old
	small.Cur = 10
	must(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &small))
	one := Write(path, make([]byte, 100), Private, nil)
	two := WriteIn(root, "y", make([]byte, 100), Private, nil)
	must(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &old))
	if !errors.Is(one, syscall.EFBIG) || !errors.Is(two, syscall.EFBIG) || !strings.Contains(one.Error(), path) {
		t.Errorf("%v and %v", one, two)
	}
	if got := content(t, path); got != "old" || names(t, dir) != "x" {
		t.Errorf("%q, there are %s", got, names(t, dir))
	}
}
