package pipeline

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/conform"
)

// RulesOf are the tallies of all rules, as Rules gives them, of some connections alone,
// when Config.Tallies is set.
func (r *Run) RulesOf(conns []*session.Conn) (all []conform.RuleTally) {
	first := map[*dissect.Protocol]int{}
	for _, p := range r.Config.Protocols {
		first[p.Protocol] = len(all)
		all = r.sum(all, p.Rules, nothing)
	}
	quality := len(all)
	all = r.sum(all, session.Quality, nothing)
	for _, c := range conns {
		if c.Tallies == nil {
			continue // a fault of this program ended it
		}
		enter(all[first[c.Protocol]:], c.Tallies.Rules)
		enter(all[quality:], c.Tallies.Quality)
	}
	return all
}

func nothing(*session.Table) []conform.Tally { return nil }

func enter(all []conform.RuleTally, counts []session.RuleCount) {
	for i := range counts {
		all[counts[i].Rule].Add(&counts[i].Tally)
	}
}
