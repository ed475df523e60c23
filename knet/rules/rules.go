package rules

import "slices"

// Rules are the clauses of the text that an observer can check, in its order.
var Rules = slices.Concat(
	datagramRules[:],
	blockRules[:],
	reservedRules[:],
	valuesRules[:],
	sessionRules[:],
	reliableRules[:],
	orderRules[:],
)
