package rules

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
	setData          // what a plain data frame shows by itself
	setNext          // its number, the next one
	setWhole         // its flags, a whole message behind another
	setAck           // its acknowledgement, of nothing beyond what was sent
	setMask          // its SACK mask, likewise
)

var ruleSets = [][]int{
	setSACK:   {r315Dispatch, r3151Opcode, r3151Short, r2215Cmd, r2215Poll, r2215Flags, r2215Response, r2215Padding, r2215Len},
	setCFrame: {r315Dispatch, r3151Opcode, r3151Short},
	setData:   {r315Dispatch, r222Hdrlen, r222Mtu, r222SessidAbsent},
	setNext:   {r31521Inc, r31521Range},
	setWhole:  {r31526NewAfterEnd, r31526EndBeforeNew},
	setAck:    {r31522Max, r31522Mono},
	setMask:   {r31523Bit63, r31523Unsent},
}
