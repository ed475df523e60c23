package terminal

import (
	"strings"
	"testing"
)

func TestWrapped(t *testing.T) {
	facts := []Cell{{Text: "closed by a"}, {Text: "6.29 s", Style: Colours().Warn}, {Text: "frames 1–533"}, {Text: "captured from its start"}}
	for width, want := range map[int]string{
		120: "   closed by a, 6.29 s, frames 1–533, captured from its start\n",
		37:  "   closed by a, 6.29 s, frames 1–533,\n   captured from its start\n",
		20:  "   closed by a,\n   6.29 s,\n   frames 1–533,\n   captured from its start\n",
		1:   "   closed by a,\n   6.29 s,\n   frames 1–533,\n   captured from its start\n",
	} {
		got := string(AppendWrapped([]byte("   "), facts, 3, width))
		got = strings.NewReplacer("\x1b[33m", "", "\x1b[0m", "").Replace(got)
		if got != want {
			t.Errorf("width %d: %q, want %q", width, got, want)
		}
	}
}

func TestWrapWords(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		want  string
	}{
		{"", 5, ""},
		{"one", 2, "one"},
		{"one two", 7, "one two"},
		{"one two", 6, "one\ntwo"},
		{"a bb ccc dddd", 4, "a bb\nccc\ndddd"},
	} {
		if got := strings.Join(Wrap(c.text, c.width), "\n"); got != c.want {
			t.Errorf("wrapWords(%q, %d) = %q, want %q", c.text, c.width, got, c.want)
		}
	}
}
