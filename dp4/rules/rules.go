package rules

import "slices"

// Rules are the clauses of the text that an observer can check, in its order.
var Rules = slices.Concat(
	headerRules[:],
	dataRules[:],
	acksRules[:],
	countersRules[:],
	dutiesRules[:],
)
