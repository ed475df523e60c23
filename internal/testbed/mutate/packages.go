package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

const module = "github.com/dpdissect/dpdissect/"

// goldens are, by package, the tests that are run for changes of other packages, where all
// would take too long: those that compare what people see and what the docs say.
var goldens = map[string]string{module + "cmd/dpdissect": "Golden|Captured|ExplainAgrees|Page$|TestScript"}

// A pack is a package with tests, and what they did on the code as it is.
type pack struct {
	Path    string   // of import
	Seconds float64  // of its tests, or of its goldens, compiling included
	Skip    []string // tests that are no use
	Kills   int      // so far

	needs map[string]bool // all packages that its tests are made of
}

// listed is what is asked of go list.
type listed struct {
	Dir, ImportPath string
	GoFiles, Deps   []string
}

// list asks go list, in the module that is in a folder.
func list(root string, args ...string) (all []listed, err error) {
	cmd := exec.Command("go", append([]string{"list", "-json=Dir,ImportPath,GoFiles,Deps"}, args...)...)
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var l listed
		if err := d.Decode(&l); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, err
		}
		all = append(all, l)
	}
}

// sources lists the files that the program is made of here, relative to the module.
func sources(root string) (files []string, err error) {
	all, err := list(root, "-deps", "./cmd/dpdissect")
	for _, l := range all {
		for _, name := range l.GoFiles {
			if rel, err := filepath.Rel(root, filepath.Join(l.Dir, name)); err == nil && strings.HasPrefix(l.ImportPath, module) {
				files = append(files, filepath.ToSlash(rel))
			}
		}
	}
	slices.Sort(files)
	return files, err
}

// tested lists the packages with tests. Those of live runs and of the page start programs
// that they compile without the change: they are no use here.
func tested(root string) (all []*pack, err error) {
	listing, err := list(root, "-test", "./...")
	for _, l := range listing {
		own := strings.TrimSuffix(strings.TrimSuffix(l.ImportPath, ".test"), "_test")
		if !strings.HasSuffix(l.ImportPath, ".test") || strings.HasSuffix(own, "/livetest") || own == module+"web" {
			continue
		}
		p := &pack{Path: own, needs: map[string]bool{own: true}}
		for _, d := range l.Deps {
			path, _, _ := strings.Cut(d, " ") // "x [y.test]" is x, compiled for the tests of y
			p.needs[path] = true
		}
		all = append(all, p)
	}
	return all, err
}

// order gives the packages whose tests may notice a change of a package: its own first,
// then those that noticed most in the least time.
func order(all []*pack, changed string) []*pack {
	some := slices.DeleteFunc(slices.Clone(all), func(p *pack) bool { return !p.needs[changed] })
	slices.SortStableFunc(some, func(a, b *pack) int {
		if own := (a.Path == changed); own != (b.Path == changed) {
			if own {
				return -1
			}
			return 1
		}
		return cmp.Compare(a.Seconds/float64(1+a.Kills), b.Seconds/float64(1+b.Kills))
	})
	return some
}
