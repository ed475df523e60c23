package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestPage checks that docs/THIRD_PARTY.md names every module that is linked here,
// in its version; `make check` holds all of it to what `make docs` writes.
func TestPage(t *testing.T) {
	text, err := os.ReadFile("../../docs/THIRD_PARTY.md")
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}} | {{.Version}} |{{end}}{{end}}", "../../cmd/dpdissect", "../../cmd/dpdissect-fleet").Output()
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for line := range strings.Lines(string(out)) {
		if row := strings.TrimSpace(line); row != "" {
			rows++
			if !strings.Contains(string(text), "| "+row) {
				t.Errorf("%s is not on the page: make docs writes it", row)
			}
		}
	}
	if rows < 10 {
		t.Errorf("only %d packages of other modules", rows)
	}
	for _, name := range regexp.MustCompile(`(?m)^\| ([a-z]\S+) \| v[0-9]`).FindAllStringSubmatch(string(text), -1) {
		if !strings.Contains(string(text), "\n## "+name[1]+": ") {
			t.Errorf("no text for %s", name[1])
		}
	}
}

func TestLicenseFiles(t *testing.T) {
	dir := t.TempDir()
	if _, err := licenseFiles(dir); err == nil {
		t.Error("a module without a licence is taken")
	}
	for _, name := range []string{"LICENSE.txt", "license.go.d", "NOTICE", "main.go"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("a \n\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	names, err := licenseFiles(dir)
	if err != nil || strings.Join(names, " ") != "LICENSE.txt NOTICE license.go.d" {
		t.Errorf("%q, %v", names, err)
	}
	if got := string(tidy([]byte("\na \n\n"))); got != "a" {
		t.Errorf("%q", got)
	}
}
