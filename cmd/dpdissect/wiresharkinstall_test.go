package main

import (
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dpdissect/dpdissect/internal/exit"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// searchPath is where programs are found, in all tests.
var searchPath = os.Getenv("PATH")

// freshHome gives the test a home of its own, without what says where Wireshark's folders are.
// With ask, tshark is asked if there is one.
func freshHome(t *testing.T, ask bool) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("homes are elsewhere there")
	}
	home := t.TempDir()
	t.Setenv("HOME", home)
	for _, name := range []string{"XDG_CONFIG_HOME", "WIRESHARK_CONFIG_DIR", "WIRESHARK_PLUGIN_DIR", "WIRESHARK_EXTCAP_DIR"} {
		t.Setenv(name, "")
		os.Unsetenv(name) // tshark takes an empty one for a folder
	}
	if t.Setenv("PATH", home); ask {
		t.Setenv("PATH", searchPath)
	}
	return home
}

// homeFiles are the files below a home, by their paths in it, with what is in them or where
// they lead.
func homeFiles(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, _ := filepath.Rel(dir, path)
		if d.Type()&fs.ModeSymlink != 0 {
			all[name], err = os.Readlink(path)
			return err
		}
		b, err := os.ReadFile(path)
		all[name] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// installs calls install or uninstall and gives kind and action of each file by its path below
// a folder.
func installs(t *testing.T, dir string, args ...string) map[string]string {
	t.Helper()
	out, errs, code := call(t, append(append([]string{"wireshark"}, args...), "--format", "json")...)
	if code != exit.OK || errs != "" && errs != "dpdissect: nothing is installed\n" {
		t.Fatalf("%q: exit code %d: %s", args, code, errs)
	}
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(out))
	if err == nil {
		err = schema(t, "wireshark").Validate(v)
	}
	if err != nil {
		t.Fatalf("%q: %v\n%s", args, err, out)
	}
	var doc struct {
		Wireshark string
		Files     []struct{ Path, Kind, Action string }
	}
	if err := json.Unmarshal([]byte(out), &doc); err != nil {
		t.Fatal(err)
	}
	// tshark is asked for 5 s, which is little where a short run of it takes a second.
	if bin, err := exec.LookPath("tshark"); (err == nil) != (doc.Wireshark != "") && !slices.Contains(args, "--dir") && (err != nil || shortRun(bin, "-v") < time.Second) {
		t.Errorf("tshark is %q, its version %q", bin, doc.Wireshark)
	}
	all := map[string]string{}
	for _, f := range doc.Files {
		name, err := filepath.Rel(dir, f.Path)
		if err != nil || all[name] != "" {
			t.Errorf("%s: %v", f.Path, err)
		}
		all[name] = f.Kind + " " + f.Action
	}
	return all
}

// usualFiles are those of install in a home, with their kinds.
var usualFiles = map[string]string{
	".local/lib/wireshark/plugins/dpdissect.lua":           "lua",
	".config/wireshark/profiles/dpdissect/preferences":     "profile",
	".config/wireshark/profiles/dpdissect/colorfilters":    "profile",
	".config/wireshark/profiles/dpdissect/dfilter_buttons": "profile",
	".config/wireshark/extcap/dpdissect":                   "extcap",
	".local/lib/wireshark/extcap/dpdissect":                "extcap",
}

// allAre gives each of some files an action.
func allAre(files map[string]string, action string) map[string]string {
	all := map[string]string{}
	for name, kind := range files {
		all[name] = kind + " " + action
	}
	return all
}

func sameMaps(t *testing.T, what string, got, want map[string]string) {
	t.Helper()
	if !maps.Equal(got, want) {
		t.Errorf("%s: %q, want %q", what, got, want)
	}
}

// TestWiresharkInstallInFreshHome: install, again, uninstall, and again, with and without a
// tshark that names the folders. The second time nothing changes, and after all nothing is left.
func TestWiresharkInstallInFreshHome(t *testing.T) {
	for _, ask := range []bool{false, true} {
		home := freshHome(t, ask)
		if !ask { // asking takes time
			sameMaps(t, "before", installs(t, home, "uninstall"), map[string]string{})
		}
		sameMaps(t, "first", installs(t, home, "install"), allAre(usualFiles, "written"))
		there := homeFiles(t, home)
		for name, kind := range usualFiles {
			if self, _ := os.Executable(); kind == "extcap" && there[name] != self {
				t.Errorf("%s leads to %q, want %q", name, there[name], self)
			}
		}
		if want := len(usualFiles) + 1; len(there) != want || there[".local/lib/wireshark/plugins/dpdissect.installed"] == "" {
			t.Errorf("%d files, want %d: %q", len(there), want, slices.Sorted(maps.Keys(there)))
		}
		sameMaps(t, "again", installs(t, home, "install"), allAre(usualFiles, "same"))
		sameMaps(t, "the files", homeFiles(t, home), there)
		sameMaps(t, "uninstall", installs(t, home, "uninstall"), allAre(usualFiles, "removed"))
		sameMaps(t, "what is left", homeFiles(t, home), map[string]string{})
		for _, dir := range []string{".local/lib/wireshark", ".config/wireshark"} {
			if _, err := os.Stat(filepath.Join(home, dir)); err == nil {
				t.Errorf("the empty folder %s is left", dir)
			}
		}
	}
}

// TestWiresharkInstallSays: the paths are lines of text, and that nothing is installed is told.
func TestWiresharkInstallSays(t *testing.T) {
	home := freshHome(t, false)
	out := output(t, "wireshark", "install", "--no-profile")
	var lines []string
	for _, name := range []string{".local/lib/wireshark/plugins/dpdissect.lua", ".config/wireshark/extcap/dpdissect", ".local/lib/wireshark/extcap/dpdissect"} {
		lines = append(lines, "written  "+filepath.Join(home, name)+"\n")
	}
	if want := strings.Join(lines, ""); out != want {
		t.Errorf("%q, want %q", out, want)
	}
	if out, want := output(t, "wireshark", "uninstall"), strings.ReplaceAll(strings.Join(lines, ""), "written", "removed"); out != want {
		t.Errorf("%q, want %q", out, want)
	}
	if out, errs, code := call(t, "wireshark", "uninstall"); out != "" || errs != "dpdissect: nothing is installed\n" || code != exit.OK {
		t.Errorf("%q, %q, exit code %d", out, errs, code)
	}
}

// TestWiresharkInstallElsewhere: folders that the environment or --dir names are obeyed, and
// what --no-extcap and --no-profile leave out is not written.
func TestWiresharkInstallElsewhere(t *testing.T) {
	profile := map[string]string{"profiles/dpdissect/preferences": "profile", "profiles/dpdissect/colorfilters": "profile", "profiles/dpdissect/dfilter_buttons": "profile"}
	with := func(more map[string]string) map[string]string {
		all := maps.Clone(profile)
		maps.Copy(all, more)
		return all
	}
	for _, ask := range []bool{false, true} {
		home := freshHome(t, ask)
		dir := filepath.Join(home, "D")
		sameMaps(t, "--dir", installs(t, dir, "install", "--dir", dir), allAre(with(map[string]string{"plugins/dpdissect.lua": "lua", "extcap/dpdissect": "extcap"}), "written"))
		sameMaps(t, "--dir", installs(t, dir, "uninstall", "--dir", dir), allAre(with(map[string]string{"plugins/dpdissect.lua": "lua", "extcap/dpdissect": "extcap"}), "removed"))
		sameMaps(t, "--no-extcap --no-profile", installs(t, dir, "install", "--no-extcap", "--no-profile", "--dir", dir), map[string]string{"plugins/dpdissect.lua": "lua written"})
		sameMaps(t, "uninstall", installs(t, dir, "uninstall", "--dir", dir), map[string]string{"plugins/dpdissect.lua": "lua removed"})
		for _, x := range [][2]string{{"WIRESHARK_CONFIG_DIR", "c"}, {"WIRESHARK_PLUGIN_DIR", "p"}, {"WIRESHARK_EXTCAP_DIR", "e"}} {
			if err := os.MkdirAll(filepath.Join(home, x[1]), 0o755); err != nil {
				t.Fatal(err)
			}
			t.Setenv(x[0], filepath.Join(home, x[1]))
		}
		want := map[string]string{"p/dpdissect.lua": "lua", "e/dpdissect": "extcap"}
		for name, kind := range profile {
			want["c/"+name] = kind
		}
		sameMaps(t, "by the environment", installs(t, home, "install"), allAre(want, "written"))
		sameMaps(t, "by the environment", installs(t, home, "uninstall"), allAre(want, "removed"))
		sameMaps(t, "what is left", homeFiles(t, home), map[string]string{})
	}
}

// TestWiresharkInstallLeavesOthers: a file of the user's that stands where one of ours goes, of
// any kind, is not touched, and then nothing is written; --force replaces it, but never what a
// link leads to. Files of other names are never touched.
func TestWiresharkInstallLeavesOthers(t *testing.T) {
	for name := range usualFiles {
		for _, kind := range []string{"file", "link", "folder"} {
			home := freshHome(t, false)
			path, other := filepath.Join(home, name), filepath.Join(home, "other")
			err := os.MkdirAll(filepath.Dir(path), 0o755)
			for _, mine := range []string{other, filepath.Join(filepath.Dir(path), "mine")} {
				if err == nil {
					err = os.WriteFile(mine, []byte("mine\n"), 0o600)
				}
			}
			switch {
			case err != nil:
			case kind == "file":
				err = os.WriteFile(path, []byte("mine, too\n"), 0o600)
			case kind == "link":
				err = os.Symlink(other, path)
			default:
				err = os.Mkdir(path, 0o755)
			}
			if err != nil {
				t.Fatal(err)
			}
			before := homeFiles(t, home)
			out, errs, code := call(t, "wireshark", "install")
			if out != "" || code != exit.Usage || !strings.Contains(errs, path+": ") || strings.Count(errs, "\n") != 1 {
				t.Errorf("a %s at %s: exit code %d, %q, %q", kind, name, code, out, errs)
			}
			sameMaps(t, kind+" at "+name, homeFiles(t, home), before)
			if kind == "folder" {
				continue
			}
			sameMaps(t, "by force", installs(t, home, "install", "--force"), allAre(usualFiles, "written"))
			installs(t, home, "uninstall")
			delete(before, name)
			sameMaps(t, "uninstalled", homeFiles(t, home), before)
		}
	}
}

// TestWiresharkUninstallKeepsChanged: what was changed since it was written is kept and named.
func TestWiresharkUninstallKeepsChanged(t *testing.T) {
	home := freshHome(t, false)
	installs(t, home, "install")
	want := allAre(usualFiles, "removed")
	for _, name := range []string{".config/wireshark/profiles/dpdissect/preferences", ".local/lib/wireshark/extcap/dpdissect"} {
		path := filepath.Join(home, name)
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("changed\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		want[name] = usualFiles[name] + " kept"
	}
	sameMaps(t, "uninstall", installs(t, home, "uninstall"), want)
	if left := homeFiles(t, home); len(left) != 2 {
		t.Errorf("there are %q", left)
	}
}

// TestWiresharkInstallUnwritable: a folder that can't be written to is an error that names it,
// and what was written before is known to uninstall.
func TestWiresharkInstallUnwritable(t *testing.T) {
	home := freshHome(t, false)
	if err := os.MkdirAll(filepath.Join(home, ".config", "wireshark"), 0o755); err != nil {
		t.Fatal(err)
	}
	blocked := filepath.Join(home, ".config", "wireshark", "extcap")
	if err := os.Symlink("/nowhere", blocked); err != nil { // no folder can be made there, by root neither
		t.Fatal(err)
	}
	if _, errs, code := call(t, "wireshark", "install"); code != exit.Usage || !strings.Contains(errs, blocked) || strings.Count(errs, "\n") != 1 {
		t.Errorf("exit code %d: %s", code, errs)
	}
	if there := homeFiles(t, home); len(there) < 3 {
		t.Errorf("nothing was written before: nothing is tested: %q", there)
	}
	installs(t, home, "uninstall")
	sameMaps(t, "what is left", homeFiles(t, home), map[string]string{".config/wireshark/extcap": "/nowhere"})
}
