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
	all := slices.Clone(b.tally)
	for set, n := range b.sets {
		for _, rule := range p.RuleSets[set] {
			all[rule].Pass += n
		}
	}
	return all
}

// QualityTallies gives the tally of every rule of Quality.
func (t *Table) QualityTallies() []conform.Tally { return t.quality.tally }
