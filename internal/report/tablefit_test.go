package report

import (
	"strings"
	"testing"
)

// TestColumnsByWhatTheySay: what says nothing leaves first, then what says the same in all
// rows, which is named; then rank decides, and what has room again comes back.
func TestColumnsByWhatTheySay(t *testing.T) {
	p := &painter{}
	fitted := func(width int) string {
		tab := p.table([]column{{head: "#"}, {head: "Kind", left: true, rank: 1}, {head: "Loss", rank: 1}, {head: "Long", left: true, rank: 9}, {head: "B", rank: 8}})
		for _, long := range []string{"one of nineteen co.", "another of as many."} {
			tab.rows = append(tab.rows, []cell{p.plain("1"), p.plain("dp8"), p.count(0), p.plain(long), p.plain(long[:1])})
		}
		tab.fit(width)
		return string(tab.append(nil))
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
	p := &painter{}
	tab := p.table([]column{{head: "#"}, {head: "Who", left: true}, {head: "Problem", left: true, least: 16, wraps: true}})
	tab.rows = [][]cell{
		{p.plain("1"), p.plain("192.0.2.7:5000"), p.plain("most likely 18% lost of what the player sent")},
		{p.plain("2"), p.plain("192.0.2.8:5000"), p.plain("closed")},
	}
	tab.fit(36)
	want := `#  Who             Problem
───────────────────────────────────
1  192.0.2.7:5000  most likely 18%
                   lost of what the
                   player sent
2  192.0.2.8:5000  closed
`
	if got := string(tab.append(nil)); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}
