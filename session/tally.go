package session

import (
	"slices"

	"github.com/dpdissect/dpdissect/session/conform"
)

func (t *Table) tallySetOf(p *Protocol) *tallySet {
	b := t.tallySets[p]
	if b == nil {
		b = newTallySet(p.Rules, p.RuleSets)
		t.tallySets[p] = b
	}
	return b
}

// Tallies gives the tally of every rule of a protocol, in the order of its table;
// nil when the table has seen no connection of the protocol.
func (t *Table) Tallies(p *Protocol) []conform.Tally {
	b := t.tallySets[p]
	if b == nil {
		return nil
	}
	return b.all(p.RuleSets)
}

// QualityTallies gives the tally of every rule of Quality.
func (t *Table) QualityTallies() []conform.Tally { return t.quality.tally }

// Tallies are those of the rules that had an opportunity on one connection.
type Tallies struct{ Rules, Quality []RuleCount }

// A RuleCount is the tally of a rule by its place in the table of rules.
type RuleCount struct {
	Rule int
	conform.Tally
}

// tallySets are where a new connection counts: where all do, or sets of its own.
func (f *Flow) tallySets() (law, quality *tallySet) {
	if f.table.cfg.Tallies {
		return newTallySet(f.protocol.Rules, f.protocol.RuleSets), newTallySet(Quality, nil)
	}
	return f.table.tallySetOf(f.protocol), f.table.quality
}

// counts leaves out the rules without an opportunity.
func (b *tallySet) counts(sets [][]int) (all []RuleCount) {
	tally := b.all(sets)
	for i := range tally {
		if tally[i].Opportunities() > 0 {
			all = append(all, RuleCount{i, tally[i]})
		}
	}
	return all
}

// all are the tallies with the frames that passed whole sets of rules.
func (b *tallySet) all(sets [][]int) []conform.Tally {
	all := slices.Clone(b.tally)
	for set, n := range b.sets {
		for _, rule := range sets[set] {
			all[rule].Pass += n
		}
	}
	return all
}
