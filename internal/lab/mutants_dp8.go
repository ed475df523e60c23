package lab

import "slices"

// dp8Mutants are endpoints of the protocol that break its rules.
func dp8Mutants() []Mutant {
	return slices.Concat(dp8Connected(), dp8Dframe(), dp8Message(), dp8Close(), dp8Signature())
}
