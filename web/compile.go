package web

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Compile compiles the program whose module is in a folder, for js/wasm, to a file, and
// gives all that a page needs of it.
func Compile(module, file, version string) (*Parts, error) {
	// Without the profile: inlining less makes the page smaller by a fortieth.
	build := exec.Command("go", "build", "-trimpath", "-pgo=off", "-ldflags", "-s -w -X main.version="+version, "-o", file, "./cmd/dpdissect")
	build.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0")
	build.Dir = module
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("go build: %w\n%s", err, out)
	}
	program, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	glue, err := Glue()
	if err != nil {
		return nil, err
	}
	licences, err := os.ReadFile(filepath.Join(module, "docs", "THIRD_PARTY.md"))
	if err != nil {
		return nil, err
	}
	return &Parts{Program: compressed(program), Glue: glue, Version: version, Licences: string(licences)}, nil
}

// Glue gives wasm_exec.js of the go command that compiles, for no other fits what it
// compiled.
func Glue() ([]byte, error) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("go env: %w", err)
	}
	return os.ReadFile(filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", "wasm_exec.js"))
}

// compressed is what gzip makes of a program. Writing to memory fails never.
func compressed(program []byte) []byte {
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.BestCompression)
	_, _ = z.Write(program)
	_ = z.Close()
	return b.Bytes()
}
