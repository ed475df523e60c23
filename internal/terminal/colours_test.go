package terminal

import (
	"testing"

	"github.com/dpdissect/dpdissect/dissect/render"
)

// TestColours: the palette is the one that the package of lines and trees was tried
// with, and no variable of the environment takes it from who asked for colour.
func TestColours(t *testing.T) {
	for _, set := range []string{"", "1"} {
		t.Setenv("NO_COLOR", set)
		if got := Colours(); got != render.ANSI() {
			t.Errorf("NO_COLOR=%s: %q", set, got)
		}
		if got, want := Emphasis().Warn, (render.Style{Start: "\x1b[4m", Stop: "\x1b[0m"}); got != want {
			t.Errorf("NO_COLOR=%s: %q, want %q", set, got, want)
		}
	}
}
