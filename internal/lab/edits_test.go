package lab

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/internal/protocols"
	"github.com/dpdissect/dpdissect/internal/tracegen"
	"github.com/dpdissect/dpdissect/session"
)

// rounds is how often each session is edited: DPDISSECT_SOAK, or the default.
func rounds(t *testing.T, standard int) int {
	if s := os.Getenv("DPDISSECT_SOAK"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	return standard
}

// TestEditsAccuseNobody is the master property of all rules: no edit of the capture
// of a conforming session creates a fail. As it is, it may give rise to notes, on
// habits of its endpoints, but to nothing else. DPDISSECT_SOAK edits each session
// that often, DPDISSECT_PROTO looks at one protocol.
func TestEditsAccuseNobody(t *testing.T) {
	n := rounds(t, 3)
	for _, s := range conforming(n) {
		if only := os.Getenv("DPDISSECT_PROTO"); only != "" && only != s.Proto {
			continue
		}
		t.Run(s.Proto+"/"+s.Name, func(t *testing.T) {
			t.Parallel()
			editAndCheck(t, &s, n)
		})
	}
}

// conforming are sessions of endpoints that keep all rules.
func conforming(n int) (all []tracegen.Scenario) {
	for _, s := range tracegen.Scenarios() {
		if !strings.Contains(s.Name, "forged") && !strings.Contains(s.Name, "malformed") && !strings.Contains(s.Name, "garbage") && s.Name != "full-signed-lossy" { // strangers speak in it
			all = append(all, s)
		}
	}
	for seed := range uint64(20 * n) {
		for _, p := range protocols.All(protocols.Options{}) {
			if s, ok := tracegen.Wild(p.Name, seed+1); ok {
				all = append(all, s)
			}
		}
	}
	return all
}

func editAndCheck(t *testing.T, s *tracegen.Scenario, n int) {
	file, _, err := s.Generate()
	if err != nil {
		t.Fatal(err)
	}
	whole, err := readAll(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(s.Seed, 5))
	habits := map[string]bool{} // notes on the capture as it is
	for round := range n {
		all, did := slices.Clone(whole), "as it is"
		if round > 0 {
			did = ""
			for range 1 + r.IntN(3) {
				e := Edits[r.IntN(len(Edits))]
				all, did = e.Do(r, all), did+" "+e.Name
			}
		}
		cfg := session.Config{Protocols: protocols.All(protocols.Options{})}
		for _, f := range check(renumber(all), cfg).Findings {
			if round == 0 && f.Severity == session.Note {
				habits[f.Rule.ID] = true
			}
			if f.Failed() && !habits[f.Rule.ID] {
				t.Errorf("round %d,%s: %s", round, did, fmt.Sprintf("%s %s frame %d of %d: %s", f.Rule.ID, f.Severity, f.Frame, len(all), f.Message))
			}
		}
	}
}
