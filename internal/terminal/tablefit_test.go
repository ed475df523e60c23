package terminal

import (
	"strings"
	"testing"
)

// TestColumnsByWhatTheySay: what says nothing leaves first, then what says the same in all
// rows, which is named; then rank decides, and what has room again comes back.
func TestColumnsByWhatTheySay(t *testing.T) {
	p := &Painter{}
	fitted := func(width int) string {
		tab := p.Table([]Column{{Head: "#"}, {Head: "Kind", Left: true, Rank: 1}, {Head: "Loss", Rank: 1}, {Head: "Long", Left: true, Rank: 9}, {Head: "B", Rank: 8}})
		for _, long := range []string{"one of nineteen co.", "another of as many."} {
			tab.Rows = append(tab.Rows, []Cell{p.Plain("1"), p.Plain("dp8"), p.Count(0), p.Plain(long), p.Plain(long[:1])})
		}
		tab.Fit(width)
		return string(tab.Append(nil))
	}
	for _, c := range []struct {
		width      int
		head, gone string
	}{
		{80, "#  Kind  Loss  Long                 B", ""},
		{32, "#  Kind  Long                 B", "Loss (all 0)"},
		{26, "#  Long                 B", "Kind (all dp8), Loss (all 0)"},
		{20, "#  Kind  Loss  B", "Long"},
		{9, "#  B", "Kind (all dp8), Loss (all 0), Long"},
	} {
		text := fitted(c.width)
		head, _, _ := strings.Cut(text, "\n")
		words := strings.Join(strings.Fields(text), " ")
		if head != c.head || !strings.Contains(words, c.gone) || c.gone != "" && !strings.Contains(words, "width: "+c.gone+";") {
			t.Errorf("in %d columns:\n%s", c.width, text)
		}
	}
}

// TestWrappedColumn: a text that may wrap goes on below itself in rows of their own, with all
// of its words, in no more columns than asked for, and nothing is said to be truncated.
func TestWrappedColumn(t *testing.T) {
	p := &Painter{}
	tab := p.Table([]Column{{Head: "#"}, {Head: "Who", Left: true}, {Head: "Problem", Left: true, Least: 16, Wraps: true}})
	tab.Rows = [][]Cell{
		{p.Plain("1"), p.Plain("192.0.2.7:5000"), p.Plain("most likely 18% lost of what the player sent")},
		{p.Plain("2"), p.Plain("192.0.2.8:5000"), p.Plain("closed")},
	}
	tab.Fit(36)
	want := `#  Who             Problem
───────────────────────────────────
1  192.0.2.7:5000  most likely 18%
                   lost of what the
                   player sent
2  192.0.2.8:5000  closed
`
	if got := string(tab.Append(nil)); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}
