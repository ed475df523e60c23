package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/dpdissect/dpdissect/internal/protocols"
	"github.com/dpdissect/dpdissect/internal/testbed/programtest"
)

// inWine are the transcripts that are passed under Wine, too. Left out are failed, which
// has Linux's words for what is wrong with files, interfaces, which has Linux's names,
// and messages, which removes files in a way that Wine 8 does not know.
var inWine = []string{
	"analyze", "check", "checkformats", "checkrules", "color", "connection", "decode", "help", "input", "protocols", "reference", "rules", "secrets",
	"times", "usage",
}

// TestWine runs the program for Windows under Wine, when DPDISSECT_WINE is set: it says
// of all captures what the program for this system says, to the byte, and passes the
// transcripts.
func TestWine(t *testing.T) {
	if os.Getenv("DPDISSECT_WINE") == "" {
		t.Skip("set DPDISSECT_WINE to run this: 'make wine-test'")
	}
	dir := wineProgram(t)
	t.Run("captures", func(t *testing.T) { sameInWine(t, dir) })
	t.Run("transcripts", func(t *testing.T) { transcriptsInWine(t, dir) })
}

// wineProgram makes a folder with a program dpdissect that is the one for Windows,
// under Wine, and a program native for this system.
func wineProgram(t *testing.T) string {
	t.Helper()
	wine, err := exec.LookPath("wine")
	if err != nil {
		t.Skip("wine is not installed")
	}
	dir, prefix := t.TempDir(), filepath.Join(t.TempDir(), "prefix")
	env := []string{"WINEPREFIX=" + prefix, "WINEDEBUG=-all", "CGO_ENABLED=0"}
	command := func(name string, more []string, args ...string) {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Env = append(append(os.Environ(), env...), more...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
		}
	}
	command(wine, nil, "wineboot", "--init")
	command("wineserver", nil, "-w")
	t.Cleanup(func() { // it would outlive the folder
		cmd := exec.Command("wineserver", "-k")
		cmd.Env = append(os.Environ(), env...)
		cmd.Run()
	})
	if lib := filepath.Join(prefix, "drive_c", "windows", "system32", "bcryptprimitives.dll"); missing(lib) {
		gcc, err := exec.LookPath("x86_64-w64-mingw32-gcc")
		if err != nil {
			t.Skip("this wine has no bcryptprimitives.dll, and x86_64-w64-mingw32-gcc is not installed to make one")
		}
		command(gcc, nil, "-shared", "-o", lib, filepath.Join("testdata", "wine", "bcryptprimitives.c"), "-ladvapi32")
	}
	command("go", []string{"GOOS=windows", "GOARCH=amd64"}, "build", "-o", filepath.Join(dir, "dpdissect.exe"), ".")
	if err := programtest.Build(filepath.Join(dir, "native")); err != nil {
		t.Fatal(err)
	}
	script := fmt.Sprintf("#!/bin/sh\nWINEPREFIX=%s WINEDEBUG=-all exec %s %s \"$@\"\n", prefix, wine, filepath.Join(dir, "dpdissect.exe"))
	if err := programtest.Write(filepath.Join(dir, "dpdissect"), []byte(script)); err != nil {
		t.Fatal(err)
	}
	return dir
}

func missing(path string) bool {
	_, err := os.Stat(path)
	return err != nil
}

// sameInWine compares what both programs print of all captures.
func sameInWine(t *testing.T, dir string) {
	pcaps := filepath.Join("..", "..", "testdata", "pcaps")
	for _, p := range protocols.All(protocols.Options{}) {
		protocol := p.Name
		files, err := filepath.Glob(filepath.Join(pcaps, protocol, "*.pcap*"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no captures of %s: %v", protocol, err)
		}
		for _, args := range []string{"analyze", "analyze --format json", "decode -V -x", "decode --format ndjson", "messages --format json", "check", "check --format json"} {
			run := func(program string) (string, string, error) {
				var out, errs bytes.Buffer
				cmd := exec.Command(filepath.Join(dir, program), append(strings.Fields(args), files...)...)
				cmd.Stdout, cmd.Stderr = &out, &errs
				err := cmd.Run()
				return out.String(), errs.String(), err
			}
			want, wantErrs, wantErr := run("native")
			got, gotErrs, gotErr := run("dpdissect")
			if got != want || gotErrs != wantErrs || fmt.Sprint(gotErr) != fmt.Sprint(wantErr) {
				t.Errorf("%s of %s: %d bytes, %q, %v; want %d, %q, %v", args, protocol, len(got), gotErrs, gotErr, len(want), wantErrs, wantErr)
			}
			if len(want) < 1000 {
				t.Errorf("%s of %s: %d bytes", args, protocol, len(want))
			}
		}
	}
}

// transcriptsInWine runs the transcripts with the program for Windows.
func transcriptsInWine(t *testing.T, dir string) {
	p := scripts(t)
	p.Dir, p.UpdateScripts = "", false
	for _, name := range inWine {
		p.Files = append(p.Files, filepath.Join("testdata", "script", name+".txtar"))
	}
	setup := p.Setup
	p.Setup = func(env *testscript.Env) error {
		err := setup(env)
		env.Setenv("PATH", dir+string(os.PathListSeparator)+env.Getenv("PATH"))
		return err
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	testscript.Run(t, p)
}
