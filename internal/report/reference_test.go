package report

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

func TestReferenceFitsTerminal(t *testing.T) {
	row := func() [][]string { return [][]string{{"dp8.something", "uint8", strings.Repeat("meaning ", 20)}} }
	head := []string{"Field", "Type", "Meaning"}
	for _, width := range []int{40, 45, 80, 120} {
		for line := range strings.Lines(string(AppendReference(nil, head, row(), width))) {
			if n := len([]rune(strings.TrimRight(line, "\n"))); n > width {
				t.Errorf("%d columns: a line has %d: %q", width, n, line)
			}
		}
	}
	if n := strings.Count(string(AppendReference(nil, head, row(), 0)), "\n"); n != 3 {
		t.Errorf("outside of a terminal a row has more than one line: %d lines in all", n)
	}
}

// TestReference compares whole ones: wide, wrapped and stacked, and what has no text.
func TestReference(t *testing.T) {
	rows := [][]string{{"dp8", "6073 2302", "one two three four five"}, {"  dplhp", "", ""}}
	for width, want := range map[int]string{
		0: "Protocol  Ports      Title\n" +
			strings.Repeat("─", 46) + "\n" +
			"dp8       6073 2302  one two three four five\n" +
			"  dplhp\n",
		43: "Protocol  Ports      Title\n" +
			strings.Repeat("─", 41) + "\n" +
			"dp8       6073 2302  one two three four\n" +
			"                     five\n" +
			"  dplhp\n",
		20: "Protocol  Ports\n" +
			strings.Repeat("─", 20) + "\n" +
			"dp8       6073 2302\n" +
			"    one two three\n" +
			"    four five\n" +
			"  dplhp\n" +
			"\n",
	} {
		if got := string(AppendReference(nil, []string{"Protocol", "Ports", "Title"}, rows, width)); got != want {
			t.Errorf("%d columns:\n%swant\n%s", width, got, want)
		}
	}
}

// TestLongReference: rows of long references look like those of short ones.
func TestLongReference(t *testing.T) {
	for _, width := range []int{0, 20, 30, 60, 300} {
		var long, short [][]string
		for i := range prettyRows + 1 {
			row := []string{fmt.Sprintf("  name%03d", i), "a", strings.Repeat("meaning ", i%4)}
			if long = append(long, row); i < 8 {
				short = append(short, row)
			}
		}
		heads := []string{"Name", "Type", "Meaning"}
		got, want := AppendReference(nil, heads, long, width), AppendReference(nil, heads, short, width)
		if !bytes.HasPrefix(got, want) {
			t.Errorf("%d columns:\n%.500s\nis not how this goes on:\n%s", width, got, want)
		}
	}
}
