package lab

import (
	"strings"
	"testing"
)

// TestMutants: every mutant is found, no near miss is.
func TestMutants(t *testing.T) {
	for _, m := range Mutants() {
		kind := "mutant"
		if m.Near {
			kind = "near"
		}
		t.Run(strings.Join([]string{m.Rule, kind, m.Name}, "/"), func(t *testing.T) {
			t.Parallel()
			if order(m.Rule) < 0 {
				t.Fatal("no such rule")
			}
			r, err := m.Run()
			if err != nil {
				t.Fatal(err)
			}
			if wrong := m.Verdict(r); wrong != "" {
				t.Error(wrong)
			}
		})
	}
}
