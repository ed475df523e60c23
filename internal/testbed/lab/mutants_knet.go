package lab

import "slices"

// knetMutants are endpoints of the protocol that break its rules.
func knetMutants() []Mutant {
	return slices.Concat(knetFrame(), knetReserved(), knetSession(), knetReliable(), knetOrder(), knetValues(), knetLibrary())
}
