package report

import (
	"strings"
	"testing"
)

func TestWrapped(t *testing.T) {
	facts := []string{"closed by a", "\x1b[33m6.29 s\x1b[0m", "frames 1–533", "captured from its start"}
	for width, want := range map[int]string{
		120: "   closed by a, 6.29 s, frames 1–533, captured from its start\n",
		37:  "   closed by a, 6.29 s, frames 1–533,\n   captured from its start\n",
		20:  "   closed by a,\n   6.29 s,\n   frames 1–533,\n   captured from its start\n",
		1:   "   closed by a,\n   6.29 s,\n   frames 1–533,\n   captured from its start\n",
	} {
		got := string(appendWrapped([]byte("   "), facts, 3, width))
		got = strings.NewReplacer("\x1b[33m", "", "\x1b[0m", "").Replace(got)
		if got != want {
			t.Errorf("width %d: %q, want %q", width, got, want)
		}
	}
}
