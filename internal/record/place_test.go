package record

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/internal/outfile"
)

// A recording has its name as soon as it is a capture, and is for the user alone.
func TestNamedAtOnce(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.pcapng", "a.pcap", "a.pcapng.gz"} {
		path := filepath.Join(dir, name)
		must(t, os.WriteFile(path, []byte("old"), 0o644))
		r := create(t, Options{Path: path})
		must(t, r.Write(packet(0)))
		must(t, r.flush())
		st, err := os.Stat(path)
		must(t, err)
		if st.Size() < 16 || st.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: %d bytes, %v", name, st.Size(), st.Mode())
		}
		must(t, r.Close())
		if c := readFile(t, path); len(c.recs) != 1 {
			t.Errorf("%s: %d packets", name, len(c.recs))
		}
		if list := files(t, dir); len(list) != 1 {
			t.Errorf("there are %v", list)
		}
		must(t, os.Remove(path))
	}
}

// Neither a recording nor a file of a ring writes over a file of the command.
func TestGuard(t *testing.T) {
	dir := t.TempDir()
	secrets, hard := filepath.Join(dir, "secrets"), filepath.Join(dir, "hard")
	must(t, os.WriteFile(secrets, []byte("secret"), 0o600))
	must(t, os.Link(secrets, hard))
	var g outfile.Guard
	g.Reads("the secrets file", secrets)
	for _, path := range []string{secrets, hard} {
		if _, err := Create(Options{Path: path, Interfaces: ether, Guard: &g}); err == nil || err.Error() != path+": is also the secrets file" {
			t.Errorf("%v", err)
		}
	}
	if _, err := openFile(hard, true, &g, nil); err == nil {
		t.Error("a file of a ring writes over it")
	}
	if b, err := os.ReadFile(secrets); string(b) != "secret" {
		t.Errorf("%q, %v", b, err)
	}
}

// Standard output is no file of the command either, and what was in it before stays when
// the disk is full.
func TestGuardOfOutput(t *testing.T) {
	path := filepath.Join(t.TempDir(), "secrets")
	must(t, os.WriteFile(path, []byte("secret"), 0o600))
	out, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	must(t, err)
	defer out.Close()
	var g outfile.Guard
	g.Reads("the secrets file", path)
	want := "standard output: is also the secrets file, " + path
	if _, err := Create(Options{Path: "-", Stdout: out, Interfaces: ether, Guard: &g}); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	number := fmt.Sprintf("/dev/fd/%d", out.Fd())
	if _, err := os.Stat(number); err != nil {
		t.Skip(err)
	}
	r := create(t, Options{Path: number})
	must(t, r.Write(packet(0)))
	r.out.cut()
	if b, err := os.ReadFile(path); err != nil || !strings.HasPrefix(string(b), "secret") {
		t.Errorf("%q, %v", b, err)
	}
}

// Links are not followed: the name of a recording may be none, and one that stands in
// the way of a ring is replaced.
func TestLinks(t *testing.T) {
	dir := t.TempDir()
	target, link := filepath.Join(dir, "target"), filepath.Join(dir, "link.pcap")
	must(t, os.WriteFile(target, []byte("precious"), 0o600))
	if err := os.Symlink(target, link); err != nil {
		t.Skip(err)
	}
	if _, err := Create(Options{Path: link, Interfaces: ether}); !errors.Is(err, outfile.ErrLink) {
		t.Error(err)
	}
	f, err := openFile(link, true, nil, nil)
	must(t, err)
	_, err = f.Write([]byte("x"))
	must(t, err)
	must(t, f.close())
	if b, err := os.ReadFile(target); string(b) != "precious" {
		t.Errorf("%q, %v", b, err)
	}
	if st, err := os.Lstat(link); err != nil || !st.Mode().IsRegular() {
		t.Errorf("%v, %v", st, err)
	}
}
