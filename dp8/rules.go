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

// Sets of rules that most frames pass at once.
const (
	setSACK   = iota // all that a plain SACK shows by itself
	setCFrame        // all other command frames
)

var ruleSets = [][]int{
	setSACK:   {r315Dispatch, r3151Opcode, r3151Short, r2215Cmd, r2215Poll, r2215Flags, r2215Response, r2215Padding, r2215Len},
	setCFrame: {r315Dispatch, r3151Opcode, r3151Short},
}
