package lab

import "slices"

// hazelMutants are endpoints of the protocol that break its rules.
func hazelMutants() []Mutant { return slices.Concat(hazelHeader(), hazelDelivery(), hazelSession()) }
