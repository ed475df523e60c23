package config

import (
	"errors"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/internal/yamlfile"
)

// checks take "ok…" for anything.
var checks = Checks{Ports: okay, Protocol: okay, Color: okay, Time: okay, Column: okay}

func okay(text string) error {
	if strings.Contains(text, "bad") {
		return errors.New("that is bad")
	}
	return nil
}

const example = `names:
  10.0.0.5: lobby
  10.0.0.5:2302: game server
  10.0.0.0/8: inside
  "[fd00::5]:2302": six
ports:
  2302: dp8
  2300-2400: dp4:spec
secrets: keys.txt
color: never
time-format: ad.3
columns: [frame.number, ip.src]
`

func TestRead(t *testing.T) {
	c, err := Read("c.yaml", []byte(example), checks)
	if err != nil {
		t.Fatal(err)
	}
	if c.Secrets.Text != "keys.txt" || c.Secrets.From != (Origin{"c.yaml", 9, 10}) || c.Color.Text != "never" || c.Time.Text != "ad.3" {
		t.Errorf("%+v", c)
	}
	if texts(c.Ports) != "2302,dp8 2300-2400,dp4:spec" || texts(c.Columns) != "frame.number ip.src" || c.Ports[1].From.String() != "c.yaml:8" || c.Ports[1].From.Place() != "c.yaml:8:3" {
		t.Errorf("ports %v, columns %v", c.Ports, c.Columns)
	}
	for _, text := range []string{"", "# nothing\n", "names:\n"} {
		if c, err := Read("c.yaml", []byte(text), checks); len(c.Names) > 0 || err != nil && text != "names:\n" {
			t.Errorf("%q: %+v, %v", text, c, err)
		}
	}
}

func texts(list []Value) string {
	var all []string
	for _, v := range list {
		all = append(all, v.Text)
	}
	return strings.Join(all, " ")
}

// TestNameOf checks that the name for a port stands before that of the address, and this one
// before that of a network.
func TestNameOf(t *testing.T) {
	c, err := Read("c.yaml", []byte(example), checks)
	if err != nil {
		t.Fatal(err)
	}
	names := c.Namer()
	for address, want := range map[string]string{
		"10.0.0.5:2302": "game server", "10.0.0.5:7": "lobby:7", "10.9.9.9:80": "inside:80", "11.0.0.1:1": "",
		"[fd00::5]:2302": "six", "[fd00::5]:1": "", "[::ffff:10.0.0.5]:2302": "game server",
	} {
		for range 2 { // the second time it is known
			if got := names.NameOf(netip.MustParseAddrPort(address)); got != want {
				t.Errorf("%s is %q, want %q", address, got, want)
			}
		}
	}
}

func TestMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"nams: {}":                   "1:1: unknown key nams (did you mean names?)",
		"names: [a]":                 "names needs keys with values",
		"names: {nowhere: x}":        "1:9: want an address",
		"names: {10.0.0.1: \"\"}":    "a name needs a text",
		"names: {10.0.0.1: \"\\e\"}": "a name is at most 40",
		"names: {\"10.0.0.1:0\": x}": "want an address",
		"ports: {2302: bad}":         "1:15: that is bad",
		"ports: {bad: dp8}":          "1:9: that is bad",
		"columns: [ok, bad]":         "1:15: that is bad",
		"color: bad":                 "1:8: that is bad",
		"time-format: bad":           "that is bad",
		"secrets: [a, b]":            "secrets needs a text",
		"a: b\n---\nc: d":            "a second document: a configuration must be a single one",
		"\tx":                        "not YAML",
	} {
		_, err := Read("c.yaml", []byte(text), checks)
		var m *yamlfile.Mistake
		if !errors.As(err, &m) || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "c.yaml:") {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// TestLoad checks that the project's file is found from below, stands over the user's, and
// that its secrets are beside it.
func TestLoad(t *testing.T) {
	dir := t.TempDir()
	home := filepath.Join(dir, "home")
	sub := filepath.Join(home, "repo", "a", "b")
	must(t, os.MkdirAll(sub, 0o755))
	must(t, os.MkdirAll(filepath.Join(home, "repo", ".git"), 0o755))
	user := filepath.Join(dir, "user.yaml")
	must(t, os.WriteFile(user, []byte("color: always\ntime-format: ad\nnames: {10.0.0.5: user's}\nsecrets: /abs/keys\n"), 0o644))
	project := filepath.Join(home, "repo", ".dpdissect.yaml")
	must(t, os.WriteFile(project, []byte("color: never\nnames: {10.0.0.5: project's}\n"), 0o644))
	must(t, os.WriteFile(filepath.Join(home, ".dpdissect.yaml"), []byte("bad: 1\n"), 0o644)) // above the repository
	t.Setenv("HOME", home)
	t.Setenv(Variable, user)
	t.Chdir(sub)
	p := Find()
	if p.User != user || p.Project != project {
		t.Fatalf("%+v", p)
	}
	c, err := Load(p, checks)
	if err != nil {
		t.Fatal(err)
	}
	if c.Color.Text != "never" || c.Time.Text != "ad" || c.Secrets.Text != "/abs/keys" || c.Namer().NameOf(netip.MustParseAddrPort("10.0.0.5:1")) != "project's:1" {
		t.Errorf("%+v", c)
	}
	must(t, os.WriteFile(project, []byte("secrets: keys\n"), 0o644))
	if c, err = Load(p, checks); err != nil || c.Secrets.Text != filepath.Join(home, "repo", "keys") {
		t.Errorf("%+v, %v", c, err)
	}
	must(t, os.WriteFile(project, []byte("secrets: ~/own/keys\n"), 0o644))
	if c, err = Load(p, checks); err != nil || c.Secrets.Text != filepath.Join(home, "own", "keys") {
		t.Errorf("%+v, %v", c, err)
	}
	elsewhere := filepath.Join(dir, "elsewhere", "a")
	must(t, os.MkdirAll(elsewhere, 0o755))
	must(t, os.WriteFile(filepath.Join(dir, "elsewhere", ".dpdissect.yaml"), []byte("bad: 1\n"), 0o644))
	t.Chdir(elsewhere)
	if p := Find(); p.Project != "" {
		t.Errorf("above a folder of no repository: %+v", p)
	}
	t.Chdir(filepath.Dir(elsewhere))
	if p := Find(); p.Project == "" {
		t.Error("the working directory's own file is not found")
	}
	t.Setenv(Variable, filepath.Join(dir, "missing.yaml"))
	if _, err := Load(Find(), checks); err == nil {
		t.Error("a file that is named must be there")
	}
	t.Setenv(Variable, "off")
	if p := Find(); p != (Paths{}) {
		t.Errorf("%+v", p)
	}
	if c, err := Load(Paths{}, checks); err != nil || c == nil {
		t.Errorf("%v, %v", c, err)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(example))
	f.Add([]byte("names: {\"[::1%a]:1\": x}\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		c, err := Read("c.yaml", text, checks)
		var m *yamlfile.Mistake
		if err != nil && !errors.As(err, &m) {
			t.Errorf("%v is no mistake with a place", err)
		}
		if err == nil && slices.ContainsFunc(c.Names, func(n Name) bool { return n.Text == "" || !n.prefix.IsValid() }) {
			t.Errorf("%+v", c.Names)
		}
	})
}

// TestLargeFile: a file that is no configuration by its size is an error that says so.
func TestLargeFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "c.yaml")
	for size, want := range map[int64]bool{maxFile: true, maxFile + 1: false} {
		must(t, os.WriteFile(path, nil, 0o644))
		must(t, os.Truncate(path, size))
		if text, err := readRegular(path); (err == nil) != want || err == nil && int64(len(text)) != size || err != nil && !strings.Contains(err.Error(), path+": a configuration has at most") {
			t.Errorf("%d bytes: %v", size, err)
		}
	}
}
