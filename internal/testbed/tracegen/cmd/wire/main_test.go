package main

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"testing"

	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/wire"
)

// output gives what a run prints.
func output(t *testing.T, args ...string) []byte {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	out := os.Stdout
	os.Stdout = w
	err = run(context.Background(), args)
	os.Stdout = out
	w.Close()
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestRun(t *testing.T) {
	var totals wire.Totals
	if err := json.Unmarshal(output(t, "-proto", "dp8,hazel", "-pairs", "2", "-duration", "1s", "-loss", "0.1"), &totals); err != nil {
		t.Fatal(err)
	}
	if totals.All.Opened != 4 || len(totals.Kinds) != 2 || totals.Kinds["dp8"].Opened != 2 {
		t.Errorf("%+v", totals)
	}
	var f wire.Flooded
	if err := json.Unmarshal(output(t, "-flood", "300", "-size", "50"), &f); err != nil {
		t.Fatal(err)
	}
	if f.Packets != 300 || f.Bytes != 15000 {
		t.Errorf("%+v", f)
	}
}

func TestErrors(t *testing.T) {
	for _, args := range [][]string{
		{"-port", "70000"}, {"more"}, {"-listen", "nowhere"}, {"-proto", "dp9"},
		{"-flood", "1", "-from", "x"}, {"-flood", "1", "-to", "x"}, {"-flood", "1", "-size", "3"},
	} {
		if err := run(context.Background(), args); err == nil {
			t.Errorf("%q is no error", args)
		}
	}
}
