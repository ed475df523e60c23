package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestChangesOf lists all changes of a small file.
func TestChangesOf(t *testing.T) {
	const text = `package p

import "fmt"

var sizes = [4]int{}

func f(a, b int) bool {
	x := make([]int, 7)
	if a < b && !g(a) {
		x[0] += 2
		fmt.Println("a" + "b")
		panic("3")
	}
	for a > b {
		break
	}
	return true
}
`
	all, err := changesOf("p.go", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range all {
		line := strings.Split(string(c.apply([]byte(text))), "\n")[c.Line-1]
		got = append(got, fmt.Sprintf("%d %s: %s", c.Line, c.Name, strings.TrimSpace(line)))
	}
	slices.Sort(got)
	want := []string{
		"10 += to -=: x[0] -= 2", "10 0 to 1: x[1] += 2", "10 2 to 1: x[0] += 1", "10 2 to 3: x[0] += 3", "10 left out: x[0] += 2: ",
		`11 left out: fmt.Println("a" + "b"): `, `12 left out: panic("3"): `,
		"14 > to >=: for a >= b {", "15 left out: break: ", "17 true to false: return false",
		"9 ! left out: if a < b && g(a) {", "9 && to ||: if a < b || !g(a) {", "9 < to <=: if a <= b && !g(a) {", "9 condition negated: if !(a < b && !g(a)) {",
	}
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestOrder: a package's own tests come first, then those that noticed most in the least
// time; those that are not made of it never.
func TestOrder(t *testing.T) {
	made := func(path string, seconds float64, kills int, of ...string) *pack {
		p := &pack{Path: path, Seconds: seconds, Kills: kills, needs: map[string]bool{path: true}}
		for _, o := range of {
			p.needs[o] = true
		}
		return p
	}
	all := []*pack{made("quick", 4, 0, "x"), made("slow", 30, 9, "x"), made("x", 50, 0), made("other", 1, 9), made("slower", 50, 9, "x")}
	var got []string
	for _, p := range order(all, "x") {
		got = append(got, p.Path)
	}
	if want := []string{"x", "slow", "quick", "slower"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// tiny is a module with a function, a test of it that looks at one of two results, and a
// test that fails anyway.
var tiny = map[string]string{
	"go.mod":                "module github.com/dpdissect/dpdissect\n\ngo 1.26\n",
	"cmd/dpdissect/main.go": "package main\n\nfunc sum(a, b int) (int, int) { return a + b, a * b }\n\nfunc main() {}\n",
	"cmd/dpdissect/main_test.go": "package main\n\nimport \"testing\"\n\nfunc TestGoldenSum(t *testing.T) {\n\tif s, _ := sum(2, 3); s != 5 {\n\t\tt.Error(s)\n\t}\n}\n\n" +
		"func TestFails(t *testing.T) { t.Error(0) }\n",
}

// TestCampaign tries all changes of a small module: what a test looks at is noticed, the
// rest lives, the tree stays as it is, and a second run knows the results.
func TestCampaign(t *testing.T) {
	root := t.TempDir()
	for name, text := range tiny {
		file := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	dir := t.TempDir()
	for _, resume := range []bool{false, true} {
		c := campaign{n: 100, jobs: 1, seed: 1, longest: time.Minute, only: regexp.MustCompile(""), tests: regexp.MustCompile(""), dir: dir, resume: resume, root: root}
		if err := c.run(); err != nil {
			t.Fatal(err)
		}
		if resume && len(c.known) == 0 {
			t.Error("nothing is known of the run before")
		}
		again := campaign{dir: dir, root: root}
		if err := again.read(filepath.Join(dir, "results.ndjson")); err != nil {
			t.Fatal(err)
		}
		found := map[string]outcome{}
		for _, r := range again.known {
			found[r.Name] = r.Outcome
		}
		if found["+ to -"] != killed || found["* to /"] != lived {
			t.Errorf("found %v", found)
		}
	}
	text, err := os.ReadFile(filepath.Join(root, "cmd", "dpdissect", "main.go"))
	if err != nil || string(text) != tiny["cmd/dpdissect/main.go"] {
		t.Errorf("the tree was changed: %s %v", text, err)
	}
}

// TestSample: the same seed tries the same changes of the program in the same order.
func TestSample(t *testing.T) {
	keys := func(seed uint64) (keys []string) {
		root, err := filepath.Abs(filepath.Join("..", "..", ".."))
		if err != nil {
			t.Fatal(err)
		}
		c := campaign{seed: seed, only: regexp.MustCompile("^session/clock"), root: root}
		all, err := c.sample()
		if err != nil {
			t.Fatal(err)
		}
		for _, ch := range all {
			keys = append(keys, ch.key())
		}
		return keys
	}
	first := keys(1)
	if len(first) < 10 || !slices.Equal(first, keys(1)) || slices.Equal(first, keys(2)) {
		t.Errorf("%q", first)
	}
}
