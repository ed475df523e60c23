package explain

import (
	"os"
	"regexp"
	"slices"
	"testing"
)

// contributing are the causes that trouble a connection without ending it.
var contributing = []Cause{Loss, LossBurst, Delay, Bufferbloat, WindowStall, LateAcks, PeerStalled, UnitStarved, SpuriousRetries, Reordering, ApplicationIdle, HiddenCopies, ClockSkew}

// TestExplainPage: docs/explain.md names every cause once in its tables, and no other.
func TestExplainPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/explain.md")
	if err != nil {
		t.Fatal(err)
	}
	var named []Cause
	for _, m := range regexp.MustCompile("(?m)^\\| `([a-z-]+)` \\|").FindAllSubmatch(page, -1) {
		named = append(named, Cause(m[1]))
	}
	want := slices.Clone(contributing)
	for c := range abouts {
		want = append(want, c)
	}
	slices.Sort(named)
	slices.Sort(want)
	if !slices.Equal(named, want) {
		t.Errorf("the page names %q, the program %q", named, want)
	}
}
