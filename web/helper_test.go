package web

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/dpdissect/dpdissect/internal/testbed/chromium"
	"github.com/dpdissect/dpdissect/internal/testbed/programtest"
)

// long says whether the tests that take their time are wanted: make web-test.
var long = os.Getenv("DPDISSECT_WEB") != ""

// made is the page and what it is made of, compiled once for all tests.
var made struct {
	sync.Once
	dir    string
	parts  *Parts
	page   string // the file
	native string // the program for this system
	err    error
}

func TestMain(m *testing.M) {
	code := m.Run()
	chromium.Stop()
	if made.dir != "" {
		os.RemoveAll(made.dir)
	}
	os.Exit(code)
}

// compile makes the page and the program.
func compile(t *testing.T) {
	t.Helper()
	made.Do(func() { made.err = compileAll() })
	if made.err != nil {
		t.Fatal(made.err)
	}
}

func compileAll() (err error) {
	if made.dir, err = os.MkdirTemp("", "dpdissect-web-test-"); err != nil {
		return err
	}
	if made.parts, err = Compile("..", filepath.Join(made.dir, "dpdissect.wasm"), "(devel)"); err != nil {
		return err
	}
	page, err := Page(made.parts)
	if err != nil {
		return err
	}
	made.page, made.native = filepath.Join(made.dir, "dpdissect.html"), filepath.Join(made.dir, "dpdissect")
	if err := programtest.Build(made.native); err != nil {
		return err
	}
	return os.WriteFile(made.page, page, 0o666)
}

// An outcome is what became of one command line.
type outcome struct {
	Code    int
	Stdout  string
	Stderr  string
	Memory  int64            // bytes of the program for js/wasm
	Read    map[string]int64 // how far it read each file
	Seconds float64
}

// native runs the program of this system in a folder.
func native(t *testing.T, dir string, args ...string) outcome {
	t.Helper()
	cmd := exec.Command(made.native, args...)
	var stdout, stderr bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &stdout, &stderr
	cmd.Env = append(os.Environ(), "DPDISSECT_CONFIG=off", "COLUMNS=")
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return outcome{Code: cmd.ProcessState.ExitCode(), Stdout: stdout.String(), Stderr: stderr.String()}
}

// A command is a command line for the program in Node, with its files: names and paths.
type command struct {
	Args  []string          `json:"args"`
	Files map[string]string `json:"files"`
}

// inNode runs command lines of the program for js/wasm.
func inNode(t *testing.T, commands []command) []outcome {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed (Debian: nodejs)")
	}
	compile(t)
	glue := filepath.Join(made.dir, "wasm_exec.js")
	if err := os.WriteFile(glue, made.parts.Glue, 0o666); err != nil {
		t.Fatal(err)
	}
	var lines bytes.Buffer
	for _, c := range commands {
		if err := json.NewEncoder(&lines).Encode(c); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(node, "testdata/outputs.mjs", glue, filepath.Join(made.dir, "dpdissect.wasm"))
	var stderr strings.Builder
	cmd.Stdin, cmd.Stderr = &lines, &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("node: %v\n%s", err, stderr.String())
	}
	var all []outcome
	for r := bufio.NewReader(bytes.NewReader(out)); ; {
		line, err := r.ReadBytes('\n')
		if err != nil {
			break
		}
		var o outcome
		if err := json.Unmarshal(line, &o); err != nil {
			t.Fatal(err)
		}
		all = append(all, o)
	}
	if len(all) != len(commands) {
		t.Fatalf("%d outcomes of %d commands\n%s", len(all), len(commands), stderr.String())
	}
	return all
}
