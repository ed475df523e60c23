package dp8

import "slices"

// Rules are the clauses of the text that an observer can check, in its order.
var Rules = slices.Concat(
	dispatchRules[:],
	connectRules[:],
	connectedRules[:],
	signedRules[:],
	hardRules[:],
	sackRules[:],
	dframeRules[:],
	coalesceRules[:],
	messageRules[:],
	sequenceRules[:],
	retryRules[:],
	closeRules[:],
	signatureRules[:],
)
