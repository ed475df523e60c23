package capture

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestExpand: a directory stands for its captures, sorted by name and known by their
// content; what else is in it is counted.
func TestExpand(t *testing.T) {
	dir := t.TempDir()
	capture, err := os.ReadFile(filepath.Join("..", "..", "testdata", "captured", "formats", "l108-loop.pcap"))
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{
		"b.pcap": capture, "a": capture, "notes.pcap": []byte("no capture"), "empty": nil,
		filepath.Join("sub", "c.pcap"): capture, filepath.Join("none", "x"): nil,
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	in := func(names ...string) (all []string) {
		for _, n := range names {
			all = append(all, filepath.Join(dir, n))
		}
		return all
	}
	for _, c := range []struct {
		given     []string
		recursive bool
		want      []string
		folder    Folder
	}{
		{in(""), false, in("a", "b.pcap"), Folder{Captures: 2, Others: 2, Folders: 2}},
		{in(""), true, in("a", "b.pcap", "sub/c.pcap"), Folder{Captures: 3, Others: 3}},
		{in("none"), true, in("none"), Folder{Others: 1}},
		{append(in("b.pcap", "gone"), "-"), false, append(in("b.pcap", "gone"), "-"), Folder{}},
	} {
		got, folders := Expand(c.given, c.recursive)
		if !slices.Equal(got, c.want) {
			t.Errorf("%v, recursive %v, are %v; want %v", c.given, c.recursive, got, c.want)
		}
		c.folder.Path = c.given[0]
		if want := []Folder{c.folder}; len(c.given) == 1 && !slices.Equal(folders, want) {
			t.Errorf("%v, recursive %v: %+v; want %+v", c.given, c.recursive, folders, want)
		}
	}
}
