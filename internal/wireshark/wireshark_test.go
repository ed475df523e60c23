package wireshark

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestPluginIsPlain checks what the Lua file may be made of: 7-bit ASCII, not much of it, and
// nothing that only some versions of Lua have or that reaches beyond Wireshark.
func TestPluginIsPlain(t *testing.T) {
	b := Plugin("1.2.3")
	if len(b) > 256<<10 || !bytes.Equal(b, Plugin("1.2.3")) {
		t.Errorf("%d bytes, or not always the same", len(b))
	}
	for i, c := range b {
		if c >= 0x7f || c < ' ' && c != '\n' {
			t.Fatalf("byte %#x at %d", c, i)
		}
	}
	code := regexp.MustCompile(`"(?:[^"\\]|\\.)*"|--[^\n]*`).ReplaceAll(b, nil)
	for _, bad := range []string{`//`, `\bgoto\b`, `\bbit32\b`, `\bunpack\b`, `\bloadstring\b`, `\bsetfenv\b`, `\brequire\b`, `\bio\.`, `\bos\.`, `[&|]`, `<<`, `>>`} {
		if at := regexp.MustCompile(bad).FindIndex(code); at != nil {
			t.Errorf("%s: %q", bad, code[max(0, at[0]-30):min(len(code), at[1]+30)])
		}
	}
}

// TestPluginCompiles checks the file with the compilers of Lua that are here, and that it sets
// no global but its guard.
func TestPluginCompiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "dpdissect.lua")
	if err := os.WriteFile(path, Plugin("test"), 0o600); err != nil {
		t.Fatal(err)
	}
	global := regexp.MustCompile(`SETTABUP.*_ENV "([^"]*)"`)
	tried := 0
	for _, name := range []string{"luac5.2", "luac5.3", "luac5.4"} {
		bin, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		tried++
		out, err := exec.Command(bin, "-l", "-l", "-p", path).CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
		for _, m := range global.FindAllSubmatch(out, -1) {
			t.Errorf("%s: the global %s is set", name, m[1])
		}
	}
	if tried == 0 {
		t.Skip("luac is not installed")
	}
}

// TestInstall checks that installing twice changes nothing, that what others wrote stays, and
// that uninstalling removes what was written and nothing else.
func TestInstall(t *testing.T) {
	dir := t.TempDir()
	f := FindFolders(filepath.Join(dir, "ws"))
	o := Options{Version: "1", Profile: true, Program: "/bin/dpdissect"}
	actions := func(files []File, err error) string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		for _, x := range files {
			all = append(all, x.Action)
		}
		return strings.Join(all, " ")
	}
	if got := actions(f.Install(o)); got != "written written written written written" {
		t.Error(got)
	}
	if got := actions(f.Install(o)); got != "same same same same same" {
		t.Error(got)
	}
	o.Version = "2"
	if got := actions(f.Install(o)); got != "written same same same same" {
		t.Errorf("another version: %s", got)
	}
	buttons := filepath.Join(f.Config, "profiles", ProfileName, "dfilter_buttons")
	if err := os.WriteFile(buttons, []byte("mine\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Install(o); err == nil || !strings.Contains(err.Error(), buttons) {
		t.Errorf("a changed file is replaced: %v", err)
	}
	recent := filepath.Join(f.Config, "profiles", ProfileName, "recent")
	if err := os.WriteFile(recent, []byte("mine\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	done, ok, err := f.Uninstall()
	if got := actions(done, err); !ok || got != "removed removed removed kept removed" {
		t.Error(got)
	}
	for _, path := range []string{buttons, recent} {
		if b, err := os.ReadFile(path); err != nil || string(b) != "mine\n" {
			t.Errorf("%s: %q, %v", path, b, err)
		}
	}
	if _, err := os.Stat(f.Plugins); err == nil {
		t.Error("the empty folder of plugins stays")
	}
	if _, ok, err := f.Uninstall(); ok || err != nil {
		t.Errorf("nothing is installed: %v, %v", ok, err)
	}
	if _, err := f.Install(o); err == nil {
		t.Error("a file that this program did not write is replaced")
	}
	o.Force = true
	if got := actions(f.Install(o)); got != "written written written written written" {
		t.Errorf("by force: %s", got)
	}
}
