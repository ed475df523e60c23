package programtest

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
)

// TestMain ends at once in the processes that the tests start.
func TestMain(m *testing.M) {
	if os.Getenv("PROGRAMTEST_ENDS") != "" {
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// TestWrittenProgramStarts writes programs and starts them while others are started all
// the time: none is busy.
func TestWrittenProgramStarts(t *testing.T) {
	t.Setenv("PROGRAMTEST_ENDS", "1")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	var others sync.WaitGroup
	for range 3 {
		others.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
					_ = exec.Command(self).Run()
				}
			}
		})
	}
	defer others.Wait()
	defer close(done)
	dir := t.TempDir()
	for i := range 20 {
		file := filepath.Join(dir, fmt.Sprint(i)+filepath.Ext(self))
		if err := Copy(self, file); err != nil {
			t.Fatal(err)
		}
		if err := exec.Command(file).Run(); err != nil {
			t.Fatal(err)
		}
	}
}

// executable finds a file that is written by the os package to be executed.
var executable = regexp.MustCompile(`os\.(WriteFile|OpenFile)\(.*, 0o?[157][0-7]{2}\)|os\.Chmod\([^\n]*0o?111`)

// TestProgramsAreWrittenHere: what tests start is written by this package and no other.
func TestProgramsAreWrittenHere(t *testing.T) {
	if line := `os.WriteFile(file, b, 0o755)`; !executable.MatchString(line) {
		t.Fatalf("%s is not found", line)
	}
	files := 0
	err := filepath.WalkDir("../../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || filepath.Dir(path) == "." {
			return err
		}
		b, err := os.ReadFile(path)
		files++
		if at := executable.FindIndex(b); at != nil && !strings.HasSuffix(path, "testbed/programtest/programtest.go") && !strings.HasSuffix(path, "testbed/programtest/programtest_test.go") {
			t.Errorf("%s:%d writes a program: see programtest.Write", path, 1+strings.Count(string(b[:at[0]]), "\n"))
		}
		return err
	})
	if err != nil || files < 500 {
		t.Errorf("%d files, %v", files, err)
	}
}
