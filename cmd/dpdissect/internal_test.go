package main

import (
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/internal/exit"
	"github.com/dpdissect/dpdissect/internal/inputs"
	"github.com/dpdissect/dpdissect/session"
)

// A fault of this program in a connection is told with its frame, on one line that
// a terminal can be shown, and goes before every other exit code.
func TestInternalErrorIsTold(t *testing.T) {
	var out strings.Builder
	err := inputs.TellInternal(tellOn(&out), []session.InternalError{
		{Frame: 9, Message: "index out of range [64] (session/late.go:48)", Conn: &session.Conn{}},
		{Frame: 12, Message: "odd \x1b[31m text"},
	})
	if code := exit.Of(err); code != exit.Internal || !exit.Told(err) {
		t.Errorf("exit code %d, told %v", code, exit.Told(err))
	}
	want := "dpdissect: internal error in the connection of [::]:0 and [::]:0 at frame 9: index out of range [64] (session/late.go:48); the rest was analysed\n"
	lines := strings.SplitAfter(out.String(), "\n")
	if lines[0] != want || strings.Contains(out.String(), "\x1b") {
		t.Errorf("%q", out.String())
	}
	if err := inputs.TellInternal(tellOn(&out), nil); err != nil {
		t.Error(err)
	}
}
