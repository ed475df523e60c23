package capfilter

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/dpdissect/dpdissect/dissect/syntax"
	"golang.org/x/net/bpf"
)

// FuzzCompile holds that programs are valid, and that errors mark a place inside the
// expression.
func FuzzCompile(f *testing.F) {
	for _, e := range expressionTable(f) {
		f.Add(e, uint32(1), []byte("\x02\x00\x00\x00\x00\x01"))
	}
	for _, r := range rejected {
		f.Add(r.expr, r.link, []byte{})
	}
	f.Fuzz(func(t *testing.T, expr string, link uint32, data []byte) {
		if len(expr) > 2000 {
			return
		}
		prog, err := Compile(expr, link)
		if err != nil {
			checkError(t, expr, err)
			return
		}
		if _, err := bpf.Assemble(prog); err != nil {
			t.Fatal(err)
		}
		vm, err := NewVM(prog)
		if err != nil {
			t.Fatal(err)
		}
		vm.Match(data, len(data))
	})
}

// checkError holds an error to what its type promises.
func checkError(t *testing.T, expr string, err error) {
	var e *syntax.Error
	if !errors.As(err, &e) {
		t.Fatalf("%T: %v", err, err)
	}
	n := max(1, utf8.RuneCountInString(expr))
	if e.Column < 1 || e.Length < 1 || e.Column+e.Length-1 > n || e.Message == "" || e.Expr != expr {
		t.Fatalf("%+v", e)
	}
	if lines := strings.Count(e.Error(), "\n"); lines != 2 {
		t.Fatalf("%d lines: %s", lines+1, e.Error())
	}
}

// FuzzReadDDD holds that what is read can be assembled, and run unless it asks the
// kernel.
func FuzzReadDDD(f *testing.F) {
	f.Add([]byte("4\n40 0 0 12\n21 0 1 2048\n6 0 0 262144\n6 0 0 0\n"))
	f.Add([]byte("2\n48 0 0 4294963248\n22 0 0 0\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		prog, err := ReadDDD("f", bytes.NewReader(text))
		if err != nil {
			return
		}
		if _, err := bpf.Assemble(prog); err != nil {
			t.Fatal(err)
		}
		for _, in := range prog {
			if special(in) {
				return
			}
		}
		vm, err := NewVM(prog)
		if err != nil {
			t.Fatal(err)
		}
		vm.Match(text, len(text))
	})
}
