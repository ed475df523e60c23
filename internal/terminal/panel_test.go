package terminal

import (
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/dissect/render"
)

// TestLiveTable lays a table out as that of the analysis.
func TestLiveTable(t *testing.T) {
	cols := []Column{{Head: "#"}, {Head: "Name", Left: true}, {Head: "Loss", Rank: 2}, {Head: "Bad", Rare: true}}
	rows := [][]Cell{
		{{Text: "1"}, {Text: "one"}, {Text: "3%"}, {Text: "0", Dim: true}},
		{{Text: "10"}, {Text: "ten"}, {Text: "-", Dim: true}, {Text: "0", Dim: true}},
	}
	const left = "Not shown for lack\nof width: Loss;\nCOLUMNS=14 shows it.\n"
	for width, want := range map[int]string{
		0:  " #  Name  Loss\n──────────────\n 1  one     3%\n10  ten      -\n",
		14: " #  Name  Loss\n──────────────\n 1  one     3%\n10  ten      -\n",
		13: " #  Name\n────────\n 1  one\n10  ten\n" + left,
		2:  " #  Name\n────────\n 1  one\n10  ten\n" + left,
	} {
		if got := string(AppendTable(nil, render.Palette{}, cols, rows, width)); got != want {
			t.Errorf("width %d:\n%swant\n%s", width, got, want)
		}
	}
	if cols[3].Head != "Bad" || len(rows[0]) != 4 {
		t.Error("the caller's columns or rows were changed")
	}
}

// TestLivePairs puts blocks side by side where there is room.
func TestLivePairs(t *testing.T) {
	block := func(label string) []Pair { return []Pair{{label, [2]Cell{{Text: "1"}, {Text: "2"}}}} }
	wide := string(new(Painter).AppendPanels(nil, 80, block("frames"), block("losses")))
	narrow := string(new(Painter).AppendPanels(nil, 40, block("frames"), block("losses")))
	if strings.Count(wide, "\n") != 2 || strings.Count(narrow, "\n") != 5 || !strings.Contains(wide, "frames        1        2    losses        1        2\n") {
		t.Errorf("wide:\n%snarrow:\n%s", wide, narrow)
	}
}
