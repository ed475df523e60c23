// Licenses prints the licences of everything that is linked into the two programs on any
// of the platforms it is built for, as docs/THIRD_PARTY.md:
//
//	licenses linux/amd64 windows/amd64 ...
package main

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// A module is one that is linked.
type module struct {
	path, version, dir string
	platforms          []string
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "licenses:", err)
		os.Exit(1)
	}
}

func run(platforms []string) error {
	all, err := linked(platforms)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(os.Stdout)
	fmt.Fprint(out, "# Third-party licences\n\nWhat is linked into `dpdissect` and `dpdissect-fleet`, and under which terms. `make docs` writes this page from the modules\nthemselves, for all platforms of the Makefile.\n\n| module | version | where |\n|---|---|---|\n")
	for _, m := range all {
		where := "everywhere"
		if len(m.platforms) < len(platforms) {
			where = strings.Join(m.platforms, ", ")
		}
		fmt.Fprintf(out, "| %s | %s | %s |\n", m.path, m.version, where)
	}
	for _, m := range all {
		texts, err := licenseFiles(m.dir)
		if err != nil {
			return fmt.Errorf("%s: %w", m.path, err)
		}
		for _, name := range texts {
			text, err := os.ReadFile(filepath.Join(m.dir, name))
			if err != nil {
				return err
			}
			fmt.Fprintf(out, "\n## %s: %s\n\n````\n%s\n````\n", m.path, name, tidy(text))
		}
	}
	return out.Flush()
}

// linked are the modules of all packages of the programs, by path; the standard
// library, which every program has a part of, comes first.
func linked(platforms []string) ([]*module, error) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("go env: %w", err)
	}
	all := map[string]*module{}
	for _, platform := range platforms {
		system, machine, _ := strings.Cut(platform, "/")
		cmd := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}}\t{{.Version}}\t{{.Dir}}{{end}}{{end}}", "./cmd/dpdissect", "./cmd/dpdissect-fleet")
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+machine)
		cmd.Stderr = os.Stderr
		text, err := cmd.Output()
		if err != nil {
			return nil, fmt.Errorf("go list for %s: %w", platform, err)
		}
		for line := range strings.Lines(string(text)) {
			f := strings.Split(strings.TrimSpace(line), "\t")
			if len(f) < 3 {
				continue
			}
			m := all[f[0]]
			if m == nil {
				m = &module{path: f[0], version: f[1], dir: f[2]}
				all[f[0]] = m
			}
			if !slices.Contains(m.platforms, platform) {
				m.platforms = append(m.platforms, platform)
			}
		}
	}
	list := []*module{{path: "Go's standard library", version: "that of the compiler", dir: strings.TrimSpace(string(root)), platforms: platforms}}
	var others []*module
	for _, m := range all {
		others = append(others, m)
	}
	slices.SortFunc(others, func(a, b *module) int { return cmp.Compare(a.path, b.path) })
	// What the page of reports holds besides is no Go module.
	others = append(others, &module{path: "uPlot, JavaScript in reports", version: "v1.6.32", dir: "internal/htmlreport/assets/vendor", platforms: platforms})
	return append(list, others...), nil
}

// licenseFiles are the names of the files in a folder that say under which terms it
// may be used: without any nothing may be linked.
func licenseFiles(dir string) (names []string, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		name := strings.ToUpper(e.Name())
		for _, word := range []string{"LICENSE", "LICENCE", "UNLICENSE", "COPYING", "NOTICE"} {
			if strings.HasPrefix(name, word) && e.Type().IsRegular() {
				names = append(names, e.Name())
			}
		}
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("no licence in %s", dir)
	}
	return names, nil
}

// tidy takes blanks off the ends of lines, and empty lines off those of the text.
func tidy(text []byte) []byte {
	lines := bytes.Split(text, []byte("\n"))
	for i := range lines {
		lines[i] = bytes.TrimRight(lines[i], " \t\r")
	}
	return bytes.Trim(bytes.Join(lines, []byte("\n")), "\n")
}
