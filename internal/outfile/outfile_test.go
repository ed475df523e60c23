package outfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func content(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	must(t, err)
	return string(b)
}

// names are those of all files in a folder.
func names(t *testing.T, dir string) string {
	t.Helper()
	list, err := os.ReadDir(dir)
	must(t, err)
	var all []string
	for _, e := range list {
		all = append(all, e.Name())
	}
	return strings.Join(all, " ")
}

func symlink(t *testing.T, old, link string) {
	t.Helper()
	if err := os.Symlink(old, link); err != nil {
		t.Skip(err)
	}
}

// TestCommit: the name stands for the old content until the new one is complete.
func TestCommit(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x")
	must(t, os.WriteFile(path, []byte("old"), 0o644))
	f, err := Create(path, Private, nil)
	must(t, err)
	_, err = f.Write([]byte("new"))
	must(t, err)
	if got := content(t, path); got != "old" {
		t.Errorf("unfinished, it is %q", got)
	}
	must(t, f.Commit())
	f.Abort() // does nothing any more
	if got := content(t, path); got != "new" || names(t, dir) != "x" {
		t.Errorf("it is %q, there are %s", got, names(t, dir))
	}
	if st, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && st.Mode() != Private {
		t.Errorf("mode %v, %v", st.Mode(), err)
	}
}

// TestAbort: of what was not completed nothing stays, with or without a name.
func TestAbort(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x")
	for _, place := range []bool{false, true} {
		f, err := Create(path, Private, nil)
		must(t, err)
		if place {
			must(t, f.Place())
		}
		_, err = f.Write([]byte("new"))
		must(t, err)
		f.Abort()
		f.Abort()
		if n := names(t, dir); n != "" {
			t.Errorf("%s stays", n)
		}
		if err := f.Commit(); err != nil || names(t, dir) != "" {
			t.Errorf("after that it is committed: %v", err)
		}
	}
}

// TestPlace: what is placed can be read while it grows.
func TestPlace(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x")
	must(t, os.WriteFile(path, []byte("old content"), 0o644))
	for _, reopen := range []bool{false, true} {
		f, err := Create(path, Private, nil)
		must(t, err)
		_, err = f.Write([]byte("new"))
		must(t, err)
		if reopen { // as on Windows
			must(t, f.reopen())
			f.temp = ""
		} else {
			must(t, f.Place())
			must(t, f.Place())
		}
		_, err = f.Write([]byte(", more"))
		must(t, err)
		if got := content(t, path); got != "new, more" {
			t.Errorf("it is %q", got)
		}
		must(t, f.Commit())
		if n := names(t, dir); n != "x" {
			t.Errorf("there are %s", n)
		}
	}
}

// TestLinks: no link is followed, whether there is something at its end or not.
func TestLinks(t *testing.T) {
	dir := t.TempDir()
	target, link, dangling := filepath.Join(dir, "target"), filepath.Join(dir, "link"), filepath.Join(dir, "dangling")
	must(t, os.WriteFile(target, []byte("precious"), 0o644))
	symlink(t, target, link)
	symlink(t, filepath.Join(dir, "nothing"), dangling)
	for _, path := range []string{link, dangling} {
		if _, err := Create(path, Private, nil); !errors.Is(err, ErrLink) {
			t.Errorf("%s: %v", path, err)
		}
	}
	f, err := CreateOwn(link, Private, nil)
	must(t, err)
	_, err = f.Write([]byte("own"))
	must(t, err)
	must(t, f.Commit())
	root, err := os.OpenRoot(dir)
	must(t, err)
	defer root.Close()
	must(t, WriteIn(root, "dangling", []byte("own, too"), Private, nil))
	if content(t, target) != "precious" || content(t, link) != "own" || content(t, dangling) != "own, too" || names(t, dir) != "dangling link target" {
		t.Errorf("the target is %q, there are %s", content(t, target), names(t, dir))
	}
}

// TestGuard: what is read is not written over, by whatever name.
func TestGuard(t *testing.T) {
	dir := t.TempDir()
	game, hard, soft, other := filepath.Join(dir, "game"), filepath.Join(dir, "hard"), filepath.Join(dir, "soft"), filepath.Join(dir, "other")
	must(t, os.WriteFile(game, []byte("packets"), 0o644))
	must(t, os.WriteFile(other, []byte("free"), 0o644))
	must(t, os.Link(game, hard))
	symlink(t, game, soft)
	var g Guard
	g.Reads("an input", game)
	g.Reads("an input", filepath.Join(dir, "missing"))
	g.Reads("the secrets file", "")
	root, err := os.OpenRoot(dir)
	must(t, err)
	defer root.Close()
	for _, path := range []string{game, hard, soft, filepath.Join(dir, "x", "..", "game"), filepath.Join(dir, "missing")} {
		_, err := Create(path, Private, &g)
		if path == filepath.Join(dir, "x", "..", "game") {
			path = game // the text names it as it was given
		}
		if c, ok := errors.AsType[*Conflict](err); !ok || c.What != "an input" || !strings.HasSuffix(err.Error(), ": is also an input") {
			t.Errorf("%s: %v", path, err)
		}
	}
	if _, err := CreateOwn(hard, Private, &g); err == nil {
		t.Error("a file of the program's own replaces an input")
	}
	if err := WriteIn(root, "hard", []byte("x"), Private, &g); err == nil {
		t.Error("a file in a folder replaces an input")
	}
	if content(t, game) != "packets" {
		t.Error("the input is lost")
	}
	must(t, g.Writes("the file of -o", other))
	must(t, g.Writes("the file of --report", filepath.Join(dir, "new")))
	for _, path := range []string{other, filepath.Join(dir, "new"), game} {
		if err := g.Writes("the file of --report", path); err == nil {
			t.Errorf("%s is written twice", path)
		}
	}
	for _, path := range []string{os.DevNull, os.DevNull, "-", "-", ""} {
		must(t, g.Writes("the file of --report", path))
	}
	var none *Guard
	must(t, none.Check(game))
}

// TestOddPlaces: folders, folders that are not there, devices.
func TestOddPlaces(t *testing.T) {
	dir := t.TempDir()
	for _, path := range []string{dir, dir + string(filepath.Separator), filepath.Join(dir, "new") + string(filepath.Separator)} {
		if _, err := Create(path, Private, nil); !errors.Is(err, ErrFolder) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if _, err := Create(filepath.Join(dir, "no", "x"), Private, nil); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	must(t, Write(os.DevNull, []byte("x"), Private, nil))
	if st, err := os.Stat(os.DevNull); err != nil || st.Mode().IsRegular() {
		t.Fatalf("%s is %v now, %v", os.DevNull, st, err)
	}
	if n := names(t, dir); n != "" {
		t.Errorf("there are %s", n)
	}
}
