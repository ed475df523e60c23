package main

import (
	"regexp"
	"strings"
	"testing"
)

var goFence = regexp.MustCompile("(?s)```go\n(.*?)```")

// TestLibraryPage checks that docs/library.md names every package that other programs
// can import, that each of those which do something has an example, and that all code
// of the page stands in one of these.
func TestLibraryPage(t *testing.T) {
	text, examples := page(t, "docs/library.md"), ""
	for path := range strings.FieldsSeq(goList(t, "{{.ImportPath}}", module+"...")) {
		name := strings.TrimPrefix(path, module)
		if strings.HasPrefix(name, "internal/") || strings.HasPrefix(name, "cmd/") || name == "docs" || below(name, "web") { // pages, for the help of the program and for browsers
			continue
		}
		if !strings.Contains(text, "`"+name+"`") {
			t.Errorf("docs/library.md does not name %s", name)
		}
		if name != "dissect/dissecttest" {
			examples += page(t, name+"/example_test.go")
		}
	}
	n := 0
	for _, m := range goFence.FindAllStringSubmatch(text, -1) {
		for line := range strings.Lines(m[1]) {
			code, _, _ := strings.Cut(line, " // ")
			if code = strings.TrimSpace(code); !strings.Contains(examples, code) {
				t.Errorf("no example has this line of docs/library.md: %s", code)
			}
			n++
		}
	}
	if n < 10 {
		t.Errorf("only %d lines of code were found", n)
	}
}
