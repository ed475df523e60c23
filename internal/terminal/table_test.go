package terminal

import (
	"bytes"
	"testing"

	"github.com/dpdissect/dpdissect/dissect/render"
)

// TestLayouts: long tables look like short ones, whatever their cells hold.
func TestLayouts(t *testing.T) {
	cols := []Column{{Head: "#"}, {Head: "Adresse", Left: true, Rank: 2}, {Head: "損失", Rank: 1}, {Head: "Notes", Left: true, Least: 8, Wraps: true}, {Head: "Bad", Rare: true}}
	texts := []string{"", "10.0.0.1:2302", "漢字 and more", "a → b ≥ 3", "e\u0301te\u0301", "one two three four five", "-"}
	for _, palette := range []render.Palette{{}, Colours()} {
		p := &Painter{palette}
		for _, width := range []int{1, 30, 50, 300} {
			table := p.Table(cols)
			for i := range uint64(20) {
				table.Rows = append(table.Rows, []Cell{p.Count(i * i), p.Plain(texts[i%7]), p.Share(i%3, i%5, p.Warn), {Text: texts[(i+3)%7], Style: p.Error}, p.Unknown()})
			}
			table.Fit(width)
			pretty, err := table.pretty()
			if err != nil {
				t.Fatal(err)
			}
			if plain := table.plain(nil); !bytes.Equal(plain, pretty) {
				t.Errorf("width %d:\n%s\n%s", width, plain, pretty)
			}
		}
	}
}
