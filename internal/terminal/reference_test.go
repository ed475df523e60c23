package terminal

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"
	"testing"
)

// columns are those of a reference: the last is cut to 12 columns before the others leave.
func columns() []Column {
	return []Column{{Head: "Protocol"}, {Head: "Ports", Rank: 1}, {Head: "Title", Least: 12, Whole: "JSON has it whole"}}
}

func TestReferenceFits(t *testing.T) {
	row := [][]string{{"dp8.something", "uint8", strings.Repeat("meaning ", 20)}, {"dp8", "6073", strings.Repeat("漢字 ", 30)}}
	for _, width := range []int{0, 30, 40, 45, 80, 120} {
		for line := range strings.Lines(string(AppendReference(nil, columns(), row, width))) {
			if n := Width(strings.TrimRight(line, "\n")); n > cmp.Or(width, DefaultWidth) {
				t.Errorf("%d columns: a line has %d: %q", width, n, line)
			}
		}
	}
}

// TestReference compares whole ones: wide, cut and without a column, and what has no text.
func TestReference(t *testing.T) {
	rows := [][]string{{"dp8", "6073 2302", "one two three four five"}, {"  dplhp", "", ""}}
	for width, want := range map[int]string{
		0: "Protocol  Ports      Title\n" +
			strings.Repeat("─", 46) + "\n" +
			"dp8       6073 2302  one two three four five\n" +
			"  dplhp\n",
		36: "Protocol  Ports      Title\n" +
			strings.Repeat("─", 36) + "\n" +
			"dp8       6073 2302  one two three…\n" +
			"  dplhp\n" +
			"Title is truncated: JSON has it\nwhole.\n",
		28: "Protocol  Title\n" +
			strings.Repeat("─", 28) + "\n" +
			"dp8       one two three fou…\n" +
			"  dplhp\n" +
			"Not shown for lack of width:\n" +
			"Ports; COLUMNS=33 shows it.\n" +
			"Title is truncated: JSON has\n" +
			"it whole.\n",
	} {
		if got := string(AppendReference(nil, columns(), rows, width)); got != want {
			t.Errorf("%d columns:\n%swant\n%s", width, got, want)
		}
	}
}

// TestLongReference: rows of long references look like those of short ones.
func TestLongReference(t *testing.T) {
	for _, width := range []int{0, 20, 30, 60, 300} {
		var long, short [][]string
		for i := range prettyRows + 1 {
			row := []string{fmt.Sprintf("  name%03d", i), "a", strings.Repeat("meaning ", i%4) + "漢\u0301é"}
			if long = append(long, row); i < 8 {
				short = append(short, row)
			}
		}
		got, _, _ := bytes.Cut(AppendReference(nil, columns(), long, width), []byte("Not shown"))
		want, _, _ := bytes.Cut(AppendReference(nil, columns(), short, width), []byte("Not shown"))
		if want, _, _ = bytes.Cut(want, []byte("Title is truncated")); !bytes.HasPrefix(got, want) {
			t.Errorf("%d columns:\n%.500s\nis not how this goes on:\n%s", width, got, want)
		}
	}
}

func TestTextWidth(t *testing.T) {
	for text, want := range map[string]int{"": 0, "abc": 3, "a → b…": 6, "漢字": 4, "e\u0301": 1, "\x1b[31mred\x1b[0m": 3, "─": 1, "Ωé": 2, "한": 2, "\u200b": 0} {
		if got := Width(text); got != want {
			t.Errorf("%q takes %d columns, want %d", text, got, want)
		}
	}
}

func TestCutText(t *testing.T) {
	for _, c := range []struct {
		text string
		n    int
		ends bool
		want string
	}{
		{"abcdef", 6, false, "abcdef"}, {"abcdef", 4, false, "abc…"}, {"ab cdef", 4, false, "ab…"}, {"漢字漢字", 6, false, "漢字…"},
		{"漢字漢字", 5, false, "漢字…"}, {"a [2001:db8::1]:2302", 10, true, "a [2…:2302"}, {"ab", 1, false, "…"},
	} {
		if got := Cut(c.text, c.n, c.ends); got != c.want || Width(got) > c.n {
			t.Errorf("%q in %d: %q, want %q", c.text, c.n, got, c.want)
		}
	}
}
