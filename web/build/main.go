// Build writes the page that analyses captures in the browser, one HTML file:
//
//	go run ./web/build -version v1.2.3 -o web/dist/dpdissect.html
//
// It needs the go command and the sources of the program, and is run in their folder.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/dpdissect/dpdissect/web"
)

func main() {
	version := flag.String("version", "devel", "the `VERSION` that the page names")
	out := flag.String("o", "web/dist/dpdissect.html", "write to `FILE`")
	flag.Parse()
	if err := run(*version, *out); err != nil {
		fmt.Fprintln(os.Stderr, "web/build:", err)
		os.Exit(1)
	}
}

func run(version, out string) error {
	dir, err := os.MkdirTemp("", "dpdissect-web-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	parts, err := web.Compile(".", filepath.Join(dir, "dpdissect.wasm"), version)
	if err != nil {
		return err
	}
	page, err := web.Page(parts)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(out), 0o777); err != nil {
		return err
	}
	if err := os.WriteFile(out, page, 0o666); err != nil {
		return err
	}
	fmt.Printf("%s: %.2f MB\n", out, float64(len(page))/1e6)
	return nil
}
