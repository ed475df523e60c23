package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// TestPlatforms checks the types of the program, and of all that it is linked of, for the
// other systems it is for, without C. Compiling everything for each of them would take minutes
// on a fresh clone: `make platforms` does, and links it. For js/wasm the tests of web compile it.
func TestPlatforms(t *testing.T) {
	t.Parallel()
	parsed := sources{fset: token.NewFileSet(), files: map[string]*ast.File{}}
	for _, platform := range []string{"windows/amd64", "darwin/amd64"} {
		system, machine, _ := strings.Cut(platform, "/")
		t.Run(system, func(t *testing.T) {
			for _, err := range parsed.faults(t, system, machine, "./cmd/...", "./internal/capture") {
				t.Error(err)
			}
		})
	}
}

// TestPlatformFaultsAreFound: what is missing on one system only is an error there.
func TestPlatformFaultsAreFound(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":     "module " + strings.TrimSuffix(module, "/") + "\n\ngo 1.26\n",
		"main.go":    "package main\n\nimport \"os\"\n\nfunc main() { os.Exit(code()) }\n",
		"windows.go": "//go:build windows\n\npackage main\n\nfunc code() int { return 1 }\n",
		"unix.go":    "//go:build darwin\n\npackage main\n\nfunc code() string { return \"1\" }\n",
	} {
		must(os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	t.Chdir(dir)
	parsed := sources{fset: token.NewFileSet(), files: map[string]*ast.File{}, dir: dir}
	for system, want := range map[string]int{"windows": 0, "darwin": 1, "linux": 1} {
		if got := parsed.faults(t, system, "amd64", "."); len(got) != want {
			t.Errorf("%s: %v, want %d errors", system, got, want)
		}
	}
}

// sources are files that are parsed once for all systems.
type sources struct {
	dir   string // where go list runs; the root of the module where it is empty
	fset  *token.FileSet
	files map[string]*ast.File // by path
}

// faults lists the errors of the types of packages and of all they import, as compiled for a
// system and machine: of the project with the bodies of functions, of what it imports without.
func (s *sources) faults(t *testing.T, system, machine string, packages ...string) (faults []error) {
	t.Helper()
	// With the profile every package would be listed twice, once under another name.
	cmd := exec.Command("go", append([]string{"list", "-pgo=off", "-deps", "-json=ImportPath,Dir,GoFiles,ImportMap"}, packages...)...)
	if cmd.Dir = s.dir; s.dir == "" {
		cmd.Dir = root(t)
	}
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+machine)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list for %s/%s: %v", system, machine, err)
	}
	done := map[string]*types.Package{"unsafe": types.Unsafe}
	for list := json.NewDecoder(bytes.NewReader(out)); list.More(); {
		var p struct {
			ImportPath, Dir string
			GoFiles         []string
			ImportMap       map[string]string
		}
		if err := list.Decode(&p); err != nil {
			t.Fatal(err)
		}
		if p.ImportPath == "unsafe" {
			continue
		}
		var files []*ast.File
		for _, name := range p.GoFiles {
			f, err := s.parse(filepath.Join(p.Dir, name))
			if err != nil {
				return append(faults, err)
			}
			files = append(files, f)
		}
		ours := strings.HasPrefix(p.ImportPath+"/", module)
		config := types.Config{
			IgnoreFuncBodies: !ours,
			Sizes:            types.SizesFor("gc", machine),
			Importer: importerFunc(func(path string) (*types.Package, error) {
				if other, ok := p.ImportMap[path]; ok {
					path = other
				}
				if done[path] == nil {
					return nil, fmt.Errorf("%s is not listed before %s", path, p.ImportPath)
				}
				return done[path], nil
			}),
			Error: func(err error) { faults = append(faults, err) },
		}
		done[p.ImportPath], _ = config.Check(p.ImportPath, s.fset, files, nil)
	}
	if len(done) < 3 {
		t.Fatalf("only %d packages for %s/%s", len(done), system, machine)
	}
	return faults
}

// parse gives the syntax of a file.
func (s *sources) parse(path string) (*ast.File, error) {
	if f := s.files[path]; f != nil {
		return f, nil
	}
	f, err := parser.ParseFile(s.fset, path, nil, parser.SkipObjectResolution)
	s.files[path] = f
	return f, err
}

// importerFunc is a types.Importer.
type importerFunc func(path string) (*types.Package, error)

func (f importerFunc) Import(path string) (*types.Package, error) { return f(path) }

// TestPlatformsCapture: the program captures by itself on Linux, and by Npcap on
// Windows, which it loads when it is to capture. Elsewhere it has a library for that
// with a tag and C alone.
func TestPlatformsCapture(t *testing.T) {
	t.Parallel()
	const library = "github.com/google/gopacket/pcap"
	for _, c := range []struct {
		platform, tags string
		want           bool
	}{
		{"linux/amd64", "", false},
		{"linux/arm64", "", false},
		{"linux/amd64", "libpcap", false},
		{"windows/amd64", "", false},
		{"windows/386", "", false},
		{"windows/arm64", "", false},
		{"darwin/arm64", "", false},
		{"freebsd/amd64", "libpcap", false},
	} {
		system, machine, _ := strings.Cut(c.platform, "/")
		cmd := exec.Command("go", "list", "-tags", c.tags, "-deps", ".")
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+machine)
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(c.platform, err)
		}
		if got := slices.Contains(strings.Fields(string(out)), library); got != c.want {
			t.Errorf("%s, tags %q: %s is linked: %t", c.platform, c.tags, library, got)
		}
	}
	if runtime.GOOS == "linux" {
		cmd := exec.Command("go", "list", "-tags", "libpcap", "-deps", ".")
		cmd.Env = append(os.Environ(), "CGO_ENABLED=1")
		if out, err := cmd.Output(); err != nil || !strings.Contains(string(out), library+"\n") {
			t.Errorf("with C and the tag libpcap it is not linked: %v", err)
		}
	}
}
