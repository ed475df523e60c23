package web

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// shown is what the page shows and saves of captures.
func shown() [][]string {
	all := [][]string{
		{"explain"}, {"analyze", "--format", "json"}, {"analyze"}, {"explain", "--format", "json"},
		{"analyze", "--format", "csv"}, {"explain", "--format", "markdown"},
	}
	if long {
		return all
	}
	return all[:2]
}

// traces are captures of each folder of the repository, spread over it: 30 in all, or 5
// where time is short.
func traces(t *testing.T) (all []string) {
	t.Helper()
	each := 1
	if long {
		each = 6
	}
	for _, folder := range []string{"dp4", "dp8", "ends", "hazel", "knet"} {
		found, err := filepath.Glob("../testdata/pcaps/" + folder + "/*.pcap*")
		if err != nil || len(found) < each {
			t.Fatalf("%s: %d captures, %v", folder, len(found), err)
		}
		for i := range each {
			all = append(all, found[(2*i+1)*len(found)/(2*each)])
		}
	}
	return all
}

// TestOutputs: what the program for js/wasm prints of captures, and how it ends, is what
// the program of this system does, to the byte.
func TestOutputs(t *testing.T) {
	if testing.Short() {
		t.Skip("compiling for js/wasm takes a while")
	}
	dir := t.TempDir()
	sets := odd(t, dir)
	oddOnes := len(sets)
	for _, path := range traces(t) {
		name := filepath.Base(filepath.Dir(path)) + "-" + filepath.Base(path)
		copyFile(t, path, filepath.Join(dir, name))
		sets = append(sets, []string{name})
	}
	var commands []command
	for _, names := range sets {
		files := map[string]string{}
		for _, name := range names {
			files[name] = filepath.Join(dir, name)
		}
		for _, args := range shown() {
			commands = append(commands, command{slices.Concat(args, names), files})
		}
	}
	for i, got := range inNode(t, commands) {
		want := native(t, dir, commands[i].Args...)
		if got.Code != want.Code || got.Stdout != want.Stdout || got.Stderr != want.Stderr {
			t.Errorf("%q: code %d, want %d; %s", commands[i].Args, got.Code, want.Code, firstDifference(got.Stdout+got.Stderr, want.Stdout+want.Stderr))
		}
		if i >= len(shown())*oddOnes && len(want.Stdout) < 100 {
			t.Errorf("%q prints %q: nothing was compared", commands[i].Args, want.Stdout)
		}
	}
}

// odd are inputs that are no plain capture: compressed, two of one session, cut, empty,
// missing, and none, with a name that wants escapes.
func odd(t *testing.T, dir string) [][]string {
	t.Helper()
	const ends, dp8 = "../testdata/pcaps/ends/killed-process.pcap", "../testdata/pcaps/dp8/unsigned-lossy.pcap"
	whole, err := os.ReadFile(ends)
	if err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write(whole); err != nil || z.Close() != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{
		"packed.pcap.gz": packed.Bytes(), "cut.pcap": whole[:len(whole)/2], "empty.pcap": nil, "text <b>\u202e\x1b[31m.pcap": []byte("no capture at all"),
		"point-a.pcap": whole, "point-b.pcap": whole,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	copyFile(t, dp8, filepath.Join(dir, "other.pcap"))
	return [][]string{{"packed.pcap.gz"}, {"cut.pcap"}, {"empty.pcap"}, {"text <b>\u202e\x1b[31m.pcap"}, {"point-a.pcap", "point-b.pcap"}, {"packed.pcap.gz", "other.pcap"}}
}

// TestRefused: what a browser can't do is said, and nothing worse happens.
func TestRefused(t *testing.T) {
	if testing.Short() {
		t.Skip("compiling for js/wasm takes a while")
	}
	const trace = "../testdata/pcaps/ends/closed.pcap"
	files := map[string]string{"a.pcap": trace}
	all := []struct {
		args []string
		says string
	}{
		{[]string{"analyze", "-i", "eth0"}, "not in the browser"},
		{[]string{"capture", "-i", "eth0", "-w", "x.pcap"}, "not in the browser"},
		{[]string{"interfaces"}, "not in the browser"},
		{[]string{"analyze", "b.pcap"}, "b.pcap: cannot be read"},
		{[]string{"analyze", "-o", "out", "a.pcap"}, "-o: "},
		{[]string{"messages", "--out", "folder", "a.pcap"}, "folder"},
		{[]string{"analyze", "--wrong", "a.pcap"}, "--wrong"},
	}
	var commands []command
	for _, c := range all {
		commands = append(commands, command{c.args, files})
	}
	for i, got := range inNode(t, commands) {
		if got.Code == 0 || !strings.Contains(got.Stderr, all[i].says) || strings.Contains(got.Stderr, "goroutine") {
			t.Errorf("%q: code %d, %q; want %q", all[i].args, got.Code, got.Stderr, all[i].says)
		}
	}
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	b, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, b, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// firstDifference shows where two texts part.
func firstDifference(got, want string) string {
	n := 0
	for n < min(len(got), len(want)) && got[n] == want[n] {
		n++
	}
	cut := func(s string) string { return s[max(0, n-40):min(len(s), n+80)] }
	return fmt.Sprintf("at byte %d %q\nwant %q", n, cut(got), cut(want))
}
