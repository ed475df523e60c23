package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/internal/terminal"
)

// TestScreens keeps the first screen of analyze on terminals of three sizes: what happened
// stands on it, and no line is wider than the terminal. -update writes the screens.
func TestScreens(t *testing.T) {
	t.Setenv("TZ", "UTC")
	for _, size := range [][2]int{{80, 24}, {120, 40}, {200, 50}} {
		for _, name := range []string{"cable-cut.pcap", "outage.pcap", "nat-rebinding.pcap", "killed-process.pcap", "mtu-black-hole.pcap"} {
			path := filepath.Join(root(t), "testdata/pcaps/ends", name)
			t.Setenv("COLUMNS", fmt.Sprint(size[0]))
			lines := strings.SplitAfterN(inFolder(t, path, "analyze", name), "\n", size[1])
			screen := strings.Join(lines[:min(len(lines), size[1]-1)], "")
			for line := range strings.Lines(screen) {
				if n := terminal.Width(strings.TrimSuffix(line, "\n")); n > size[0] {
					t.Errorf("%s at %d×%d has a line of %d: %s", name, size[0], size[1], n, line)
				}
			}
			if !strings.Contains(screen, "Problems, worst first") && !strings.Contains(screen, "No problems") {
				t.Errorf("%s at %d×%d does not say what happened:\n%s", name, size[0], size[1], screen)
			}
			holdScreen(t, fmt.Sprintf("%s-%dx%d.txt", strings.TrimSuffix(name, ".pcap"), size[0], size[1]), screen)
		}
	}
}

// inFolder is the output of a command in the folder of a capture.
func inFolder(t *testing.T, path string, args ...string) string {
	t.Helper()
	before, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(filepath.Dir(path))
	defer t.Chdir(before)
	return output(t, args...)
}

func holdScreen(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", "screens", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs (make golden writes it anew) at line %s", file, difference(got, string(want)))
	}
}
