package lab

import (
	"testing"

	"github.com/dpdissect/dpdissect/internal/testbed/tracegen"
	"github.com/dpdissect/dpdissect/session"
)

// TestKnetDialectFromTheMiddle begins in the middle of sessions, and looks at 14 datagrams
// of each: what its senders alone make so names the library's dialect, and it is never
// taken for the other one.
func TestKnetDialectFromTheMiddle(t *testing.T) {
	const window = 14
	for _, seed := range []uint64{19, 25, 26, 48, 61, 118} {
		s, _ := tracegen.WildUnder("knet", seed, tracegen.Conditions{Place: 0.5})
		sub, err := Conforming(&s)
		must(t, err)
		want := connectionsOf(sub.all, sub.cfg)[0].Dialect
		for from := 5; from+window < len(sub.all); from += window {
			for _, c := range connectionsOf(sub.all[from:from+window], session.Config{Protocols: speakers}) {
				if c.Dialect != want && (c.Dialect != "" || want == "reference") {
					t.Errorf("%s from %d: %q, want %q", s.Name, from, c.Dialect, want)
				}
			}
		}
	}
}
