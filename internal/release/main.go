// Release makes what is published of a version, in a folder: for each system an archive with both
// programs, manual pages and completions; packages for Linux; a list of what is linked (CycloneDX);
// and the checksums of all. The same commit gives the same bytes, whoever makes it and when.
//
//	release -version v1.2.3 -out dist linux/amd64 windows/amd64 ...
package main

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// nfpm makes packages. It is run from its module, and linked into nothing.
const nfpm = "github.com/goreleaser/nfpm/v2/cmd/nfpm@v2.43.0"

// programs are those that are published.
var programs = []string{"dpdissect", "dpdissect-fleet"}

// A release is one that is made.
type release struct {
	version string
	out     string    // where its files go
	stage   string    // a temporary folder
	made    time.Time // of the commit, which is the time of all files
}

func main() {
	version := flag.String("version", "", "`NAME` of the version")
	out := flag.String("out", "dist", "write to `DIR`, which is made again")
	flag.Parse()
	if err := run(*version, *out, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(version, out string, platforms []string) error {
	if version == "" || len(platforms) == 0 {
		return errors.New("want -version and platforms such as linux/amd64")
	}
	stage, err := os.MkdirTemp("", "dpdissect-release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(stage)
	r := &release{version: version, out: out, stage: stage}
	if r.made, err = commitTime(); err != nil {
		return err
	}
	if err := cmp.Or(os.RemoveAll(out), os.MkdirAll(out, 0o755)); err != nil {
		return err
	}
	if err := r.texts(); err != nil {
		return err
	}
	linked := map[string]component{}
	for _, p := range platforms {
		fmt.Fprintln(os.Stderr, "==", p)
		if err := r.platform(p, linked); err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
	}
	if err := r.bill(linked); err != nil {
		return err
	}
	return checksums(out)
}

// commitTime is that of SOURCE_DATE_EPOCH, or of the commit.
func commitTime() (time.Time, error) {
	text := os.Getenv("SOURCE_DATE_EPOCH")
	if text == "" {
		b, err := exec.Command("git", "log", "-1", "--format=%ct").Output()
		if err != nil {
			return time.Time{}, fmt.Errorf("no time of the commit, and no SOURCE_DATE_EPOCH: %w", err)
		}
		text = string(b)
	}
	n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	return time.Unix(n, 0).UTC(), err
}

// build compiles a program for a system, without anything in it that tells where that was done: Go's number of the
// build does, of programs whose packages were compiled elsewhere.
func (r *release) build(system, machine, program, file string) error {
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w -buildid= -X main.version="+r.version, "-o", file, "./cmd/"+program)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+machine)
	return told(cmd)
}

// platform makes the archive of a system, and its packages where it has some.
func (r *release) platform(platform string, linked map[string]component) error {
	system, machine, _ := strings.Cut(platform, "/")
	name := "dpdissect-" + r.version + "-" + system + "-" + machine
	dir := filepath.Join(r.stage, name)
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(r.stage, "texts"))); err != nil {
		return err
	}
	for _, p := range programs {
		file := filepath.Join(dir, p)
		if system == "windows" {
			file += ".exe"
		}
		if err := r.build(system, machine, p, file); err != nil {
			return err
		}
		if err := addLinked(linked, file); err != nil {
			return err
		}
	}
	if err := cmp.Or(r.date(dir), r.archive(dir, name, system == "windows")); err != nil {
		return err
	}
	if system == "linux" {
		if err := r.packages(dir, machine); err != nil {
			return err
		}
	}
	return os.RemoveAll(dir)
}

// date gives all files of a folder the time of the commit, which packages take over.
func (r *release) date(dir string) error {
	return filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		return cmp.Or(err, os.Chtimes(path, r.made, r.made))
	})
}

// packages makes those of a machine, of what the archive has.
func (r *release) packages(dir, machine string) error {
	for _, p := range programs {
		for _, format := range []string{"deb", "rpm", "apk"} {
			cmd := exec.Command("go", "run", nfpm, "package", "--config", "deploy/packages/"+p+".yaml", "--packager", format, "--target", r.out)
			cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "STAGE="+dir, "ARCH="+machine, "VERSION="+packageVersion(r.version),
				"SOURCE_DATE_EPOCH="+strconv.FormatInt(r.made.Unix(), 10))
			if err := told(cmd); err != nil {
				return err
			}
		}
	}
	return nil
}

// packageVersion is a version as packages spell it: it begins with a digit.
func packageVersion(version string) string {
	v := strings.TrimPrefix(version, "v")
	if v == "" || v[0] < '0' || v[0] > '9' || v == version {
		v = "0.0.0~" + strings.Map(func(c rune) rune {
			if c == '-' || c == '_' {
				return '.'
			}
			return c
		}, version)
	}
	return v
}

// checksums writes those of all files, as sha256sum does.
func checksums(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	var b strings.Builder
	for _, e := range entries {
		f, err := os.Open(filepath.Join(dir, e.Name()))
		if err != nil {
			return err
		}
		sum := sha256.New()
		_, err = io.Copy(sum, f)
		f.Close()
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%x  %s\n", sum.Sum(nil), e.Name())
	}
	return os.WriteFile(filepath.Join(dir, "SHA256SUMS"), []byte(b.String()), 0o644)
}

// told runs a command whose words matter only when it fails.
func told(cmd *exec.Cmd) error {
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, out)
	}
	return nil
}

// host is a program for this machine.
func (r *release) host(program string) (string, error) {
	file := filepath.Join(r.stage, "host-"+program)
	return file, r.build(runtime.GOOS, runtime.GOARCH, program, file)
}
