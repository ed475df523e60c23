package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	namedTest   = regexp.MustCompile(`\bTest[A-Z][A-Za-z0-9_]*`)
	definedTest = regexp.MustCompile(`(?m)^func (Test[A-Z][A-Za-z0-9_]*)\(`)
)

// TestNamedTestsExist: each test that the documentation names is there.
func TestNamedTestsExist(t *testing.T) {
	defined := definedTests(t)
	pages, err := filepath.Glob(filepath.Join(root(t), "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, path := range append(pages, filepath.Join(root(t), "CONTRIBUTING.md"), filepath.Join(root(t), "README.md")) {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range namedTest.FindAllString(string(b), -1) {
			if n++; !defined[name] {
				t.Errorf("%s names %s, which is no test", filepath.Base(path), name)
			}
		}
	}
	if n < 10 {
		t.Errorf("only %d tests are named", n)
	}
}

// definedTests are the names of all tests of the tree.
func definedTests(t *testing.T) map[string]bool {
	t.Helper()
	defined := map[string]bool{}
	err := filepath.WalkDir(root(t), func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		b, err := os.ReadFile(path)
		for _, m := range definedTest.FindAllSubmatch(b, -1) {
			defined[string(m[1])] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return defined
}
