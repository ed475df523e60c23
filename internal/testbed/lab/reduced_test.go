package lab

import (
	"slices"
	"strings"
	"testing"
)

// TestReducedMutants: the captures of mutants become small, stay what they are, and come out
// the same twice. `make reduced` does it for all.
func TestReducedMutants(t *testing.T) {
	var all []Reduced
	mutants := slices.DeleteFunc(Mutants(), func(m Mutant) bool { return m.Near })
	for i, m := range mutants {
		if i%43 != 0 {
			continue
		}
		of, err := m.Reduce()
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, of...)
	}
	var out strings.Builder
	if !WriteReduced(&out, all) || len(all) < 15 {
		t.Errorf("%d findings:\n%s", len(all), &out)
	}
}
