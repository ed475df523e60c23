package lab

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/points"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen"
)

// TestTwoPointsOfKnownSessions plays sessions whose end is known, captured at both sides:
// two captures of one session are recognised, and those of two sessions never are. The dice
// of some sessions fall otherwise at another capture point: these are two sessions, too.
func TestTwoPointsOfKnownSessions(t *testing.T) {
	dir := t.TempDir()
	write := func(c *tracegen.EndCase, place string, seed uint64) string {
		s, err := c.Play(place, seed)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Join(dir, c.Kind+"-"+c.Event+"-"+place)
		f, err := os.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if err := s.Write(f); err != nil {
			t.Fatal(err)
		}
		return name
	}
	tried, found := 0, 0
	for i, c := range tracegen.EndCases() {
		if i%4 != 0 {
			continue
		}
		a, b, other := write(&c, "a", 1), write(&c, "b", 1), write(&c, "middle", 2)
		tried++
		if len(points.Recognise([]string{a, b}, capture.Options{})) == 1 {
			found++
		}
		if p := points.Recognise([]string{a, other}, capture.Options{}); len(p) != 0 {
			t.Errorf("%s: another session taken for the same", c.Name())
		}
	}
	if found*4 < tried*3 {
		t.Errorf("%d of %d sessions are recognised", found, tried)
	}
}
