package lab

import (
	"bytes"
	"slices"
	"sync"

	"github.com/dpdissect/dpdissect/session/conform"
)

// DetectionLosses are the shares that the capture misses in the table of detection.
var DetectionLosses = []float64{0, 0.01, 0.05}

// A Detection is how often the mutants of a rule were found.
type Detection struct {
	Rule    *conform.Rule
	Proto   string
	Mutants int
	Played  []int // by capture loss: captures in which a frame at fault was seen
	Found   []int // of them
	Errors  []int // of them: other rules of severity error were found broken
}

// Detect plays mutants with so many seeds and each capture loss.
func Detect(mutants []Mutant, seeds int) (all []*Detection, err error) {
	mutants = slices.DeleteFunc(slices.Clone(mutants), func(m Mutant) bool { return m.Near })
	var mu sync.Mutex
	of := map[string]*Detection{}
	for _, p := range speakers {
		for i := range p.Rules {
			d := &Detection{Rule: &p.Rules[i], Proto: p.Name}
			for _, n := range []*[]int{&d.Played, &d.Found, &d.Errors} {
				*n = make([]int, len(DetectionLosses))
			}
			all, of[d.Rule.ID] = append(all, d), d
		}
	}
	parallel(len(mutants), func(i int) {
		m := &mutants[i]
		runs, e := m.tries(seeds)
		mu.Lock()
		defer mu.Unlock()
		if e != nil {
			err = e
		}
		if d := of[m.Rule]; d != nil {
			d.enter(runs)
		}
	})
	return slices.DeleteFunc(all, func(d *Detection) bool { return d.Mutants == 0 }), err
}

// A try is one play of a mutant under a capture loss.
type try struct{ seen, found, others bool }

func (d *Detection) enter(runs [][]try) {
	d.Mutants++
	for i, of := range runs {
		for _, r := range of {
			if !r.seen {
				continue
			}
			d.Played[i]++
			if r.found {
				d.Found[i]++
			}
			if r.others {
				d.Errors[i]++
			}
		}
	}
}

// tries plays a mutant with its own seed and others.
func (m *Mutant) tries(seeds int) (runs [][]try, err error) {
	s, err := m.scenario()
	if err != nil {
		return nil, err
	}
	cfg, err := m.config()
	if err != nil {
		return nil, err
	}
	marks := false // the mutant says which frames are at fault
	for _, loss := range DetectionLosses {
		var of []try
		for n := range uint64(seeds) {
			c := *s
			c.Seed += n * 1000003
			c.Setup.Tap.Loss = max(c.Setup.Tap.Loss, loss)
			var file bytes.Buffer
			faults, err := c.Tampered(&file, m.tamper())
			if err != nil {
				return nil, err
			}
			all, err := readAll(&file)
			if err != nil {
				return nil, err
			}
			marks = marks || len(faults) > 0
			of = append(of, m.verdict(check(all, cfg), faults, marks))
		}
		runs = append(runs, of)
	}
	return runs, nil
}

// verdict tells what became of a try. A mutant that marks its faults must be found
// at one of them.
func (m *Mutant) verdict(r *Result, faults []int, marks bool) try {
	v := try{seen: len(faults) > 0 || !marks}
	for _, f := range r.Findings {
		switch {
		case !f.Failed():
		case f.Rule.ID == m.Rule:
			v.found = v.found || !marks || slices.Contains(faults, int(f.Frame))
		case f.Severity == conform.Error && f.Rule.EndpointFault() && !slices.Contains(m.Also, f.Rule.ID):
			v.others = true
		}
	}
	return v
}
