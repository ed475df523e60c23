package lab

import "slices"

// dp8Mutants are endpoints of the protocol that break its rules.
func dp8Mutants() []Mutant {
	return slices.Concat(dp8Dispatch(), dp8Connect(), dp8Connected(), dp8Signed(), dp8Hard(), dp8Sack(), dp8Coalesce(), dp8Dframe(), dp8Message(), dp8Close(), dp8Signature(),
		dp8Sequence(), dp8Ack(), dp8Bases(), dp8Waits(), dp8Retry(), dp8Timer())
}
