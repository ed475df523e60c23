package lab

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/sim"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/conform"
)

// A Mutant is an endpoint that breaks one rule, or, as a near miss, comes close to
// it and breaks none. It plays On, a scenario of the trace generator, through
// Tamper, or says by itself what is in Steps.
type Mutant struct {
	Rule string // broken, or nearly
	Name string // what the endpoint does, a phrase: "clears RETRY"
	Near bool   // a near miss: nothing is to be found

	On       string             // "dp8/unsigned-clean"
	Scenario *tracegen.Scenario // instead of On
	Tamper   func() func(d *sim.Datagram) []sim.Tampered
	Steps    []Step // a connection made by hand

	As      string // --decode-as for the whole capture: "dp8", "knet:spec"
	Secrets string // line of a secrets file
	Profile conform.Profile
	Also    []string // other rules that the same behaviour breaks
}

// A Step is one datagram of a connection.
type Step struct {
	From    dissect.Dir   // 0 or 1
	After   time.Duration // since the step before
	Payload []byte
	Fault   bool // the datagram that breaks the rule
}

// A Result is what checking a mutant's capture found.
type Result struct {
	Findings []session.Finding // also the inconclusive ones
	Tallies  map[string]conform.Tally
	Faults   []int // frames at fault, as far as the mutant marked them
	Conns    int
}

// Run plays a mutant and checks its capture.
func (m *Mutant) Run() (*Result, error) {
	file, faults, err := m.capture()
	if err != nil {
		return nil, err
	}
	all, err := readAll(bytes.NewReader(file))
	if err != nil {
		return nil, err
	}
	cfg, err := m.config()
	if err != nil {
		return nil, err
	}
	r := check(all, cfg)
	r.Faults = faults
	return r, nil
}

// Verdict tells what is wrong with the result, "" when nothing is: a mutant must be
// found, at a frame it marked when it marked any, and under no other rule of
// severity error; of a near miss nothing may be found under its rule and nothing
// of severity error at all.
func (m *Mutant) Verdict(r *Result) string {
	found := slices.DeleteFunc(slices.Clone(r.Findings), func(f session.Finding) bool { return !f.Failed() })
	of := slices.DeleteFunc(slices.Clone(found), func(f session.Finding) bool { return f.Rule.ID != m.Rule })
	others := slices.DeleteFunc(found, func(f session.Finding) bool {
		return f.Severity != conform.Error || !f.Rule.EndpointFault() || f.Rule.ID == m.Rule || slices.Contains(m.Also, f.Rule.ID)
	})
	switch {
	case r.Conns == 0:
		return "not recognised"
	case len(others) > 0:
		return "found too: " + describe(others)
	case m.Near && len(of) > 0:
		return "near miss found: " + describe(of)
	case m.Near && r.Tallies[m.Rule].Pass == 0:
		return fmt.Sprintf("near miss never passed: %+v", r.Tallies[m.Rule])
	case m.Near:
		return ""
	case len(of) == 0:
		return fmt.Sprintf("not found: %+v%s", r.Tallies[m.Rule], blockedBy(r, m.Rule))
	case len(r.Faults) > 0 && !slices.ContainsFunc(of, func(f session.Finding) bool { return slices.Contains(r.Faults, int(f.Frame)) }):
		return fmt.Sprintf("found at the wrong frame: %s, want one of %v", describe(of), r.Faults)
	}
	return ""
}

func describe(list []session.Finding) string {
	var b strings.Builder
	for i, f := range list[:min(len(list), 5)] {
		if i > 0 {
			b.WriteString("; ")
		}
		fmt.Fprintf(&b, "%s frame %d: %s", f.Rule.ID, f.Frame, f.Message)
	}
	return b.String()
}

func blockedBy(r *Result, rule string) string {
	for _, f := range r.Findings {
		if f.Rule.ID == rule && !f.Failed() {
			return fmt.Sprintf(", inconclusive at frame %d for %s: %s", f.Frame, f.Guard, f.Message)
		}
	}
	return ""
}

// Mutants are all of them, by protocol and rule.
func Mutants() []Mutant {
	all := slices.Concat(dp8Mutants(), dp4Mutants(), knetMutants(), hazelMutants())
	slices.SortStableFunc(all, func(a, b Mutant) int { return cmp.Compare(order(a.Rule), order(b.Rule)) })
	return all
}

// proto names the protocol of the mutant's rule.
func (m *Mutant) proto() string {
	for _, p := range speakers {
		if slices.ContainsFunc(p.Rules, func(r conform.Rule) bool { return r.ID == m.Rule }) {
			return p.Name
		}
	}
	return ""
}

// order is the place of a rule among all rules, -1 for an unknown one.
func order(id string) int {
	n := 0
	for _, p := range speakers {
		for i := range p.Rules {
			if p.Rules[i].ID == id {
				return n
			}
			n++
		}
	}
	return -1
}
