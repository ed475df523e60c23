package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestArchivesAreTheSame: what is packed depends on paths and contents alone.
func TestArchivesAreTheSame(t *testing.T) {
	made := time.Unix(1_700_000_000, 0).UTC()
	var first [2][]byte
	for i := range 2 {
		dir := t.TempDir()
		for _, name := range []string{"dpdissect", "LICENSE", "man/dpdissect.1"} {
			path := filepath.Join(dir, name)
			os.MkdirAll(filepath.Dir(path), 0o755)
			if err := os.WriteFile(path, []byte(name), 0o640); err != nil {
				t.Fatal(err)
			}
			os.Chtimes(path, time.Now(), time.Now().Add(time.Duration(i)*time.Hour))
		}
		for k, pack := range []func(io.Writer, string, string, time.Time) error{packTar, packZip} {
			var b bytes.Buffer
			if err := pack(&b, dir, "dpdissect-v1", made); err != nil {
				t.Fatal(err)
			}
			if i == 0 {
				first[k] = b.Bytes()
			} else if !bytes.Equal(b.Bytes(), first[k]) {
				t.Errorf("archive %d differs", k)
			}
		}
	}
	if got := fmt.Sprint(tarred(t, first[0])); got != "[dpdissect-v1/LICENSE 644 dpdissect-v1/dpdissect 755 dpdissect-v1/man/dpdissect.1 644]" {
		t.Error(got)
	}
	z, err := zip.NewReader(bytes.NewReader(first[1]), int64(len(first[1])))
	if err != nil || len(z.File) != 3 || !z.File[0].Modified.Equal(made) {
		t.Errorf("%v, %v", z, err)
	}
}

// tarred lists what a .tar.gz holds, or several in a row.
func tarred(t *testing.T, b []byte) (list []string) {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return list
		} else if err != nil {
			t.Fatal(err)
		}
		if h.Typeflag == tar.TypeReg {
			list = append(list, fmt.Sprintf("%s %o", h.Name, h.Mode&0o777))
		}
	}
}

// TestPackageVersion: what is no version of ours sorts before all that are.
func TestPackageVersion(t *testing.T) {
	for version, want := range map[string]string{"v1.2.3": "1.2.3", "28cab1a2": "0.0.0~28cab1a2", "v1.2.3-rc1": "1.2.3-rc1", "devel-dirty": "0.0.0~devel.dirty"} {
		if got := packageVersion(version); got != want {
			t.Errorf("%s is %s, want %s", version, got, want)
		}
	}
}

// TestCompletions: the scripts of both programs ask the program.
func TestCompletions(t *testing.T) {
	dir := t.TempDir()
	if err := completions(dir); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"dpdissect.bash", "_dpdissect-fleet", "dpdissect-fleet.fish", "dpdissect.ps1"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || !bytes.Contains(text, []byte("__complete")) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestWorkflow: releases are made by the target that makes them here, of a tag, with nobody else's
// action but the one that fetches the commit.
func TestWorkflow(t *testing.T) {
	text, err := os.ReadFile("../../.github/workflows/release.yml")
	if err != nil {
		t.Fatal(err)
	}
	uses := regexp.MustCompile(`uses: (\S+)`).FindAllStringSubmatch(string(text), -1)
	if len(uses) != 1 || !strings.HasPrefix(uses[0][1], "actions/checkout@") || !bytes.Contains(text, []byte("make release VERSION=")) {
		t.Errorf("%s", text)
	}
}

// TestPackages installs the packages of DPDISSECT_DIST (make packages) into a folder, runs what they
// installed, and removes them.
func TestPackages(t *testing.T) {
	dist := os.Getenv("DPDISSECT_DIST")
	if dist == "" {
		t.Skip("DPDISSECT_DIST names no folder: make packages")
	}
	for _, c := range []struct {
		kind, tool, from string
		files            string
		install, remove  func(root string, files []string) [][]string
	}{
		{"deb", "dpkg", "dpkg", "*_" + runtime.GOARCH + ".deb",
			func(root string, files []string) [][]string {
				return [][]string{append([]string{"dpkg", "--root=" + root, "--force-script-chrootless", "--install"}, files...)}
			},
			func(root string, _ []string) [][]string {
				return [][]string{append([]string{"dpkg", "--root=" + root, "--force-script-chrootless", "--purge"}, programs...)}
			}},
		{"rpm", "rpm", "rpm", "*." + map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[runtime.GOARCH] + ".rpm",
			func(root string, files []string) [][]string {
				return [][]string{append([]string{"rpm", "--root", root, "--nodeps", "--noscripts", "--install"}, files...)}
			},
			func(root string, _ []string) [][]string {
				return [][]string{append([]string{"rpm", "--root", root, "--nodeps", "--noscripts", "--erase"}, programs...)}
			}},
	} {
		t.Run(c.kind, func(t *testing.T) {
			if _, err := exec.LookPath(c.tool); err != nil {
				t.Skipf("%s is not installed (Debian: %s)", c.tool, c.from)
			}
			files, err := filepath.Glob(filepath.Join(dist, c.files))
			if err != nil || len(files) != len(programs) {
				t.Fatal(files, err)
			}
			root := t.TempDir()
			for _, d := range []string{"info", "updates"} {
				os.MkdirAll(filepath.Join(root, "var/lib/dpkg", d), 0o755)
			}
			os.WriteFile(filepath.Join(root, "var/lib/dpkg/status"), nil, 0o644)
			do(t, c.install(root, files))
			checkInstalled(t, root)
			do(t, c.remove(root, files))
			if left := ours(t, root); len(left) > 0 {
				t.Errorf("left: %v", left)
			}
		})
	}
	t.Run("apk", func(t *testing.T) {
		files, err := filepath.Glob(filepath.Join(dist, "*.apk"))
		if err != nil || len(files) < len(programs) {
			t.Fatal(files, err)
		}
		for _, f := range files {
			b, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			if list := tarred(t, b); !slices.ContainsFunc(list, func(l string) bool { return strings.HasPrefix(l, "usr/bin/dpdissect") && strings.HasSuffix(l, " 755") }) {
				t.Errorf("%s: %v", f, list)
			}
		}
	})
}

func do(t *testing.T, commands [][]string) {
	t.Helper()
	for _, c := range commands {
		if out, err := exec.Command(c[0], c[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", c, err, out)
		}
	}
}

// ours are the files of this project below a folder.
func ours(t *testing.T, root string) (list []string) {
	t.Helper()
	filepath.WalkDir(filepath.Join(root, "usr"), func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.Contains(path, "dpdissect") {
			list = append(list, strings.TrimPrefix(path, root))
		}
		return nil
	})
	return list
}

// checkInstalled runs what was installed, and looks for what goes with it.
func checkInstalled(t *testing.T, root string) {
	t.Helper()
	list := ours(t, root)
	for _, want := range []string{"/usr/share/man/man1/dpdissect-tables.1", "/usr/share/man/man7/dpdissect-filters.7", "/usr/share/man/man1/dpdissect-fleet.1",
		"/usr/share/bash-completion/completions/dpdissect", "/usr/share/bash-completion/completions/dpdissect-fleet", "/usr/share/doc/dpdissect/copyright",
		"/usr/lib/systemd/system/dpdissect@.service", "/usr/lib/systemd/system/dpdissect-tables@.service", "/usr/lib/systemd/system/dpdissect-fleet.service"} {
		if !slices.Contains(list, want) {
			t.Errorf("no %s", want)
		}
	}
	capture, err := filepath.Abs("../../testdata/pcaps/dp8/unsigned-lossy.pcap")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range [][]string{{"dpdissect", "explain", capture}, {"dpdissect", "version"}, {"dpdissect-fleet", "tables", "--out", t.TempDir(), capture}, {"dpdissect-fleet", "version"}} {
		if out, err := exec.Command(filepath.Join(root, "usr/bin", c[0]), c[1:]...).CombinedOutput(); err != nil {
			t.Errorf("%v: %v\n%s", c, err, out)
		}
	}
	unit, err := os.ReadFile(filepath.Join(root, "usr/lib/systemd/system/dpdissect@.service"))
	if err != nil || !bytes.Contains(unit, []byte("ExecStart=/usr/bin/dpdissect ")) {
		t.Errorf("the service starts another program: %v", err)
	}
}
