package rules

import (
	"github.com/dpdissect/dpdissect/session/conform"
)

// Rules of message boundaries.
const messageBase = coalesceBase + len(coalesceRules)

const (
	r31526NewAfterEnd = messageBase + iota
	r31526EndBeforeNew
	r3144Order
	r3144Small
	r3144Fill
	r3144Props
	r31526Open
)

var messageRules = [...]conform.Rule{
	r31526NewAfterEnd - messageBase: {
		ID: "DP8-3.1.5.2.6-NEW-AFTER-END", Clause: "MC-DPL8R 3.1.5.2.6, 2.2.2", Level: conform.Must, Severity: conform.Error, Scope: "D",
		Statement: "the frame after an END frame has NEW",
		Care:      "both numbers captured and consecutive; KeepAlives and an empty END_STREAM need no NEW_MSG",
		Example:   "seq=3 END, seq=4 without NEW",
	},
	r31526EndBeforeNew - messageBase: {
		ID: "DP8-3.1.5.2.6-END-BEFORE-NEW", Clause: "MC-DPL8R 3.1.5.2.6, 3.1.4.4", Level: conform.Must, Severity: conform.Error, Scope: "D",
		Statement: "a NEW frame follows an END frame: messages are not interleaved",
		Care:      "both numbers captured and consecutive; a KeepAlive between two parts breaks the rule as well; coalesced frames have their own rule",
		Example:   "seq=3 NEW, seq=4 NEW+END",
	},
	r3144Order - messageBase: {
		ID: "DP8-3.1.4.4-ORDER", Clause: "MC-DPL8R 3.1.4.4", Level: conform.Must, Severity: conform.Warn, Scope: "D",
		Guards:    conform.Of(conform.GuardReord),
		Statement: "parts of a split message are first sent in order",
		Care:      "both first transmissions were captured, further apart than the network reorders frames",
		Example:   "seq=5 first seen 2 s before seq=4 (not a retry)",
	},
	r3144Small - messageBase: {
		ID: "DP8-3.1.4.4-SMALL", Clause: "MC-DPL8R 3.1.4.4, 2.2.2", Level: conform.Must, Severity: conform.Note, Scope: "D", Summed: true,
		Statement: "a message that fits is not split",
		Care:      "the MTU is not known, so only messages below 64 bytes count, with all parts captured, or below 500 where their sender put more into one frame before",
		Example:   "20-byte message in two frames",
	},
	r3144Fill - messageBase: {
		ID: "DP8-3.1.4.4-FILL", Clause: "MC-DPL8R 3.1.4.4", Level: conform.Should, Severity: conform.Note, Scope: "D", Summed: true,
		Statement: "parts are filled to the maximum",
		Care:      "parts of equal size are allowed, and masks take room: only a part below three quarters of the largest is reported",
		Example:   "parts of 1200, 10, 1200",
	},
	r3144Props - messageBase: {
		ID: "DP8-3.1.4.4-PROPS", Clause: "MC-DPL8R 2.2.2", Level: conform.Impl, Severity: conform.Warn, Scope: "D",
		Guards:    conform.Of(conform.GuardClean),
		Statement: "all parts share RELIABLE/SEQUENTIAL/USER flags",
		Example:   "NEW reliable, END unreliable",
	},
	r31526Open - messageBase: {
		ID: "DP8-3.1.5.2.6-OPEN", Clause: "MC-DPL8R 3.1.5.2.6", Level: conform.Should, Severity: conform.Note, Scope: "D",
		Statement: "a split message ends within a limit of packets or bytes",
		Care:      "the text gives no limit: 4 MiB or 60 s while no part is missing, not counting the time the previous part waited for its acknowledgement",
		Example:   "10,000 parts without END",
	},
}
