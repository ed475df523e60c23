package lab

import (
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"

	"github.com/dpdissect/dpdissect/session/conform"
)

// A Score tells how well the mutants try the rules of a protocol of a level.
type Score struct {
	Proto   string
	Level   conform.Level
	Rules   int // in the table
	Aliases int // reported under another rule
	Skipped int // not evaluated, with a reason
	Counted int // evaluated, but never called broken
	Checked int // evaluated, and may be called broken
	Mutants int // endpoints that break one
	Found   int // of them
	Nears   int // endpoints that nearly do
	Passed  int // of them, in silence

	NoMutant []string // evaluated rules that nobody breaks
	NoNear   []string // evaluated rules that nobody nearly breaks
	Wrong    []string // mutants that were not found, near misses that were
}

// Complete reports whether every evaluated rule has a mutant that is found and a
// near miss that is not.
func (s *Score) Complete() bool { return len(s.NoMutant)+len(s.NoNear)+len(s.Wrong) == 0 }

// Scores plays all mutants.
func Scores() (all []*Score) {
	verdicts := runAll(Mutants())
	for _, p := range speakers {
		for level := conform.Must; level <= conform.Impl; level++ {
			s := &Score{Proto: p.Name, Level: level}
			for i := range p.Rules {
				if p.Rules[i].Level == level {
					s.rule(&p.Rules[i], verdicts[p.Rules[i].ID])
				}
			}
			all = append(all, s)
		}
	}
	return all
}

// rule enters a rule and what became of its mutants.
func (s *Score) rule(r *conform.Rule, of []verdict) {
	s.Rules++
	mutants, nears := 0, 0
	for _, v := range of {
		if v.near {
			nears++
			s.Nears++
		} else {
			mutants++
			s.Mutants++
		}
		switch {
		case v.wrong != "":
			s.Wrong = append(s.Wrong, r.ID+" "+v.name+": "+v.wrong)
		case v.near:
			s.Passed++
		default:
			s.Found++
		}
	}
	switch {
	case r.Alias != "":
		s.Aliases++
		return
	case r.Unchecked != "":
		s.Skipped++
		return
	case r.CountOnly:
		s.Counted++
		return
	}
	s.Checked++
	if mutants == 0 {
		s.NoMutant = append(s.NoMutant, r.ID)
	}
	if nears == 0 {
		s.NoNear = append(s.NoNear, r.ID)
	}
}

// A verdict is what became of a mutant.
type verdict struct {
	name  string
	near  bool
	wrong string
}

// runAll plays mutants, as many at a time as there are processors.
func runAll(mutants []Mutant) map[string][]verdict {
	var mu sync.Mutex
	var all sync.WaitGroup
	out := map[string][]verdict{}
	free := make(chan bool, runtime.NumCPU())
	for _, m := range mutants {
		free <- true
		all.Go(func() {
			defer func() { <-free }()
			v := verdict{name: m.Name, near: m.Near}
			if r, err := m.Run(); err != nil {
				v.wrong = err.Error()
			} else {
				v.wrong = m.Verdict(r)
			}
			mu.Lock()
			defer mu.Unlock()
			out[m.Rule] = append(out[m.Rule], v)
		})
	}
	all.Wait()
	return out
}

// WriteScores prints the mutation score and reports whether it is complete: all
// rules of level MUST that are evaluated are tried, and nothing went wrong.
func WriteScores(out io.Writer, all []*Score) bool {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "protocol\tlevel\trules\talias\tnot evaluated\tcounted only\tevaluated\twith mutant\tmutants\tfound\twith near miss\tnear misses\tclean\t")
	complete := true
	for _, s := range all {
		if s.Rules > 0 {
			fmt.Fprintf(t, "%s\t%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t\n", s.Proto, s.Level, s.Rules, s.Aliases, s.Skipped, s.Counted, s.Checked,
				s.Checked-len(s.NoMutant), s.Mutants, s.Found, s.Checked-len(s.NoNear), s.Nears, s.Passed)
		}
	}
	t.Flush()
	for _, s := range all {
		lacking(out, s, "without mutant", s.NoMutant)
		lacking(out, s, "without near miss", s.NoNear)
		lacking(out, s, "wrong", s.Wrong)
		complete = complete && len(s.Wrong) == 0 && (s.Level != conform.Must || s.Complete())
	}
	checked, tried, mutants, found := totals(all)
	if checked > 0 && mutants > 0 {
		fmt.Fprintf(out, "\nmutation score: %.1f%% of %d evaluated MUST rules have a mutant and a near miss, %.1f%% of %d mutants were found\n",
			100*float64(tried)/float64(checked), checked, 100*float64(found)/float64(mutants), mutants)
	}
	return complete
}

func lacking(out io.Writer, s *Score, what string, rules []string) {
	if len(rules) > 0 {
		fmt.Fprintf(out, "\n%s %s %s:\n  %s\n", s.Proto, s.Level, what, strings.Join(rules, "\n  "))
	}
}

// totals counts MUST rules that are evaluated and tried, and all mutants.
func totals(all []*Score) (checked, tried, mutants, found int) {
	for _, s := range all {
		mutants, found = mutants+s.Mutants, found+s.Found
		if s.Level == conform.Must {
			lack := slices.Concat(s.NoMutant, s.NoNear)
			slices.Sort(lack)
			checked, tried = checked+s.Checked, tried+s.Checked-len(slices.Compact(lack))
		}
	}
	return checked, tried, mutants, found
}
