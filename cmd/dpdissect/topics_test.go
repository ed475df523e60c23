package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/internal/exit"
	"github.com/dpdissect/dpdissect/internal/manual"
	"github.com/dpdissect/dpdissect/internal/terminal"
)

// TestTopics: each has its page, which fits a narrow terminal but for what stands as it is.
func TestTopics(t *testing.T) {
	for i := range topics {
		name := topics[i].name
		t.Setenv("COLUMNS", "80")
		text := output(t, "help", name)
		if strings.Count(text, "\n") < 10 {
			t.Errorf("%s says little:\n%s", name, text)
		}
		if short := output(t, name); short != text {
			t.Errorf("'dpdissect %s' shows something else", name)
		}
		for line := range strings.Lines(text) {
			if n := terminal.Width(strings.TrimSuffix(line, "\n")); n > 80 && !strings.HasPrefix(line, "    ") {
				t.Errorf("%s: a line of %d columns: %s", name, n, line)
			}
			if strings.Contains(line, "](") || strings.Contains(line, "`") {
				t.Errorf("%s: marks are left: %s", name, line)
			}
		}
	}
}

// TestExitCodesPage: the page has a row for each code that the program returns, and for
// no other.
func TestExitCodesPage(t *testing.T) {
	_, text, found := strings.Cut(page(t, "docs/exit-codes.md"), "| code | meaning |\n|---|---|\n")
	text, _, ends := strings.Cut(text, "\n\n")
	if !found || !ends {
		t.Fatal("there is no table of exit codes")
	}
	for code, row := range strings.Split(text, "\n") {
		if !strings.HasPrefix(row, fmt.Sprintf("| %d | ", code)) {
			t.Errorf("row %d is %q", code, row)
		}
	}
	if n := strings.Count(text, "\n"); n != exit.Internal {
		t.Errorf("the highest code is %d, the program's is %d", n, exit.Internal)
	}
}

// TestManualPages: there is one for each command and topic, with all flags, and man has
// nothing to complain of.
func TestManualPages(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	output(t, "man", dir)
	pages := manualPages(newRoot())
	for _, name := range []string{"dpdissect.1", "dpdissect-decode.1", "dpdissect-rules-show.1", "dpdissect-filters.7", "dpdissect-exit-codes.7"} {
		if pages[name] == "" {
			t.Errorf("there is no %s", name)
		}
	}
	for _, want := range []string{`\fB\-T, \-\-tshark\-format TYPE\fR`, `\-\-no\-pager`, "dpdissect decode INPUT"} {
		if !strings.Contains(pages["dpdissect-decode.1"], want) {
			t.Errorf("dpdissect-decode.1 lacks %s", want)
		}
	}
	groff, err := exec.LookPath("groff")
	if err != nil {
		t.Skip("groff is not installed: it is not asked about the pages")
	}
	for name := range pages {
		out, err := exec.Command(groff, "-k", "-man", "-Tutf8", "-ww", "-z", filepath.Join(dir, name)).CombinedOutput()
		if err != nil || len(out) > 0 && !strings.Contains(string(out), "break") && !strings.Contains(string(out), "adjust") {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
}

// TestTopicsAreSections: each topic is a page, or a section, that is there.
func TestTopicsAreSections(t *testing.T) {
	for i := range topics {
		if p := topics[i].page(); p == nil || p.Text(80, manual.Look{}) == "" {
			t.Errorf("%s has no page", topics[i].name)
		}
	}
}
