package lab

import (
	"hash/fnv"
	"io"
	"strings"
	"testing"
)

// TestReducedMutants: the captures of mutants become small, stay what they are, and come out
// the same twice. `make reduced` does it for all. Which are tried depends on their names, so that a new one moves no other.
func TestReducedMutants(t *testing.T) {
	var all []Reduced
	for _, m := range Mutants() {
		h := fnv.New32a()
		io.WriteString(h, m.Rule+m.Name)
		if m.Near || h.Sum32()%40 != 0 {
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
