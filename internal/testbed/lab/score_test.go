package lab

import (
	"slices"
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/session/conform"
)

// complete demands that every evaluated MUST rule has a mutant and a near miss.
const complete = true

// TestMutationScore: every evaluated rule that a text demands is broken by a mutant,
// which TestMutants finds, and nearly broken by a near miss.
func TestMutationScore(t *testing.T) {
	tried := map[string][2]bool{}
	for _, m := range Mutants() {
		is := tried[m.Rule]
		is[0], is[1] = is[0] || !m.Near, is[1] || m.Near
		tried[m.Rule] = is
	}
	if len(tried) == 0 {
		t.Fatal("no mutants")
	}
	tell := t.Logf
	if complete {
		tell = t.Errorf
	}
	for _, p := range speakers {
		for i := range p.Rules {
			r := &p.Rules[i]
			if is := tried[r.ID]; r.Level == conform.Must && r.Alias == "" && r.Unchecked == "" && !r.CountOnly && is != [2]bool{true, true} {
				tell("%s: mutant %v, near miss %v", r.ID, is[0], is[1])
			}
		}
	}
}

// TestScoresTell: a rule without mutant, and a mutant that is not found, make the
// score incomplete.
func TestScoresTell(t *testing.T) {
	rule := conform.Rule{ID: "X-1"}
	for _, c := range []struct {
		of   []verdict
		want bool
	}{
		{nil, false},
		{[]verdict{{}}, false},
		{[]verdict{{near: true}}, false},
		{[]verdict{{}, {near: true}}, true},
		{[]verdict{{wrong: "not found"}, {near: true}}, false},
	} {
		s := &Score{Proto: "x"}
		s.rule(&rule, c.of)
		var out strings.Builder
		if got := WriteScores(&out, []*Score{s}); got != c.want {
			t.Errorf("%+v: complete %v\n%s", c.of, got, &out)
		}
	}
}

// TestEditedMutants: whatever is edited in the capture of a mutant or near miss, who
// keeps the rules has no findings. `make soak` does more of it.
func TestEditedMutants(t *testing.T) {
	n := rounds(t, 2)
	for i, m := range Mutants() {
		t.Run(m.Rule+"/"+m.Name, func(t *testing.T) {
			t.Parallel()
			s, err := m.Subject()
			if err != nil {
				t.Fatal(err)
			}
			edit(t, s, uint64(i), n)
		})
	}
}

// TestJudge: the property sees a false finding; it is no property of captures in
// which nothing is judged.
func TestJudge(t *testing.T) {
	i := slices.IndexFunc(Mutants(), func(m Mutant) bool { return !m.Near })
	m := Mutants()[i]
	s, err := m.Subject()
	if err != nil {
		t.Fatal(err)
	}
	if wrong, _ := s.judge(nil); len(wrong) > 0 {
		t.Errorf("a mutant's own rule is held against it: %v", wrong[0].Message)
	}
	s.mutant, s.habits = nil, map[string]bool{}
	if wrong, n := s.judge(nil); len(wrong) == 0 || n == 0 {
		t.Error("a broken rule goes unseen")
	}
}
