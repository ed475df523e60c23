package whole

import (
	"os"
	"testing"

	"github.com/dpdissect/dpdissect/internal/protocols"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen"
)

// TestWildSessions compares random traces of every protocol with their truth. Those
// of DirectPlay 8 hide more than a truth can tell (the version, one direction):
// TestOracleWild compares them with an opinion of what a reader can know.
// DPDISSECT_WILD=1-3000 plays more of them.
func TestWildSessions(t *testing.T) {
	first, last := wilds(t, 50)
	for _, p := range protocols.All(protocols.Options{}) {
		if p.Name == "dp8" {
			continue
		}
		for seed := first; seed <= last; seed++ {
			s, ok := tracegen.Wild(p.Name, seed)
			if !ok {
				t.Fatalf("no traces of %s", p.Name)
			}
			t.Run(p.Name+"/"+s.Name, func(t *testing.T) {
				file, truth, err := s.Generate()
				if err != nil {
					t.Fatal(err)
				}
				path := wildFile(t)
				if err := os.WriteFile(path, file, 0o666); err != nil {
					t.Fatal(err)
				}
				if len(truth.Connections) == 0 {
					return
				}
				compareTruth(t, path, truth)
				compareFrames(t, path, truth)
			})
		}
	}
}
