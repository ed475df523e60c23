package lab

import "slices"

// dp4Mutants are endpoints of the protocol that break its rules.
func dp4Mutants() []Mutant {
	return slices.Concat(dp4Header(), dp4DataMutants(), dp4AckMutants(), dp4Counters(), dp4Duties())
}
