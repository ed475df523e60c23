package lab

import "slices"

// dp4Mutants are endpoints of the protocol that break its rules.
func dp4Mutants() []Mutant { return slices.Concat[[]Mutant]() }
