package spell

import (
	"strings"
	"testing"
)

// TestDidYouMean: the names that fewest edits lead to are suggested, and those that end in the name.
func TestDidYouMean(t *testing.T) {
	names := []string{"dp8.seq", "dp8.sack.seq", "dp4.seq", "retry", "loss"}
	for name, want := range map[string]string{
		"dp8.sq": " (did you mean dp8.seq?)", // the nearest alone
		"retyr":  " (did you mean retry?)",   // a swap of neighbours is one edit
		"RETRI":  " (did you mean retry?)",
		"seq":    " (did you mean dp4.seq, dp8.sack.seq or dp8.seq?)",
		"x":      "", "gain": "", "": "",
		strings.Repeat("retry", 20): "", // too long to guess about
	} {
		if got := DidYouMean(name, names); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}
