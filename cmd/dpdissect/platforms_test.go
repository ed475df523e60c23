package main

import (
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// TestPlatforms compiles the program for the systems it is for, without C;
// `make platforms` links it, too. The first time takes as long as compiling
// everything four times. What the page of `make web` runs is compiled as it is there, so
// that it is compiled once.
func TestPlatforms(t *testing.T) {
	if testing.Short() {
		t.Skip("building for other systems takes a while")
	}
	for _, platform := range []string{"linux/amd64", "windows/amd64", "darwin/amd64", "js/wasm"} {
		system, machine, _ := strings.Cut(platform, "/")
		t.Run(system, func(t *testing.T) {
			// Two packages: of one the program would be linked. Without the profile nothing is
			// compiled a second time that tests have compiled.
			args := []string{"build", "-pgo=off", "./cmd/...", "./internal/capture"}
			if system == "js" {
				args = slices.Insert(args, 1, "-trimpath")
			}
			cmd := exec.Command("go", args...)
			cmd.Dir = root(t)
			cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+machine)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// TestPlatformsCapture: the program captures by itself on Linux, and by Npcap on
// Windows, which it loads when it is to capture. Elsewhere it has a library for that
// with a tag and C alone.
func TestPlatformsCapture(t *testing.T) {
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
