package rules

import (
	"github.com/dpdissect/dpdissect/session/conform"
)

// Rules of the graceful close.
const closeBase = retryBase + len(retryRules)

const (
	r3143Reliable = closeBase + iota
	r3143Empty
	r3143Last
	r3143Reply
	r3143Keepack
	r3143Terminated
	r3143Beyond
	r3143Queued
)

var closeRules = [...]conform.Rule{
	r3143Reliable - closeBase: {
		ID: "DP8-3.1.4.3-RELIABLE", Clause: "MC-DPL8R 3.1.4.3", Level: conform.Should, Severity: conform.Warn, Scope: "F",
		Statement: "the frame with END_STREAM is reliable",
		Example:   "35 08 …",
	},
	r3143Empty - closeBase: {
		ID: "DP8-3.1.4.3-EMPTY", Clause: "MC-DPL8R 3.1.4.3", Level: conform.Should, Severity: conform.Note, Scope: "F",
		Statement: "the frame with END_STREAM has no payload",
		Care:      "it may be the last data packet, so this is a note",
		Example:   "ENDSTREAM with 100 bytes",
	},
	r3143Last - closeBase: {
		ID: "DP8-3.1.4.3-LAST", Clause: "MC-DPL8R 3.1.4.3", Level: conform.Must, Severity: conform.Error, Scope: "D",
		Guards:    conform.Of(conform.GuardUnwrap),
		Statement: "no new data frames follow END_STREAM, only retries",
		Care:      "a new frame has a number above that of END_STREAM; the first one is reported",
		Example:   "ENDSTREAM seq=40, DF seq=41",
	},
	r3143Reply - closeBase: {
		ID: "DP8-3.1.4.3-REPLY", Clause: "MC-DPL8R 3.1.4.3, 3.1.5.2", Level: conform.Should, Severity: conform.Warn, Scope: "BT", Operation: true,
		Guards:    conform.Of(conform.GuardBidir, conform.GuardClean, conform.GuardHold),
		Statement: "a side that receives END_STREAM ends its own stream too",
		Care:      "only for a side that acknowledged it, sent nothing for 5 s and then sends something else; HARD_DISCONNECT also counts as ending",
		Example:   "ENDSTREAM acknowledged, peer never ends",
	},
	r3143Keepack - closeBase: {
		ID: "DP8-3.1.4.3-KEEPACK", Clause: "MC-DPL8R 3.1.4.3", Level: conform.Must, Severity: conform.Warn, Scope: "BT", Seldom: true,
		Guards:    conform.Of(conform.GuardBidir, conform.GuardClean, conform.GuardHold, conform.GuardVant),
		Statement: "a side that ended still acknowledges until the peer ends",
		Care:      "only for a side that still sends SACKs although one number was sent to it ten times",
		Example:   "after own ENDSTREAM ten peer frames unacknowledged, peer retries",
	},
	r3143Terminated - closeBase: {
		ID: "DP8-3.1.4.3-TERMINATED", Clause: "MC-DPL8R 3.1.4.3", Level: conform.Should, Severity: conform.Note, Scope: "BT",
		Guards:    conform.Of(conform.GuardHold),
		Statement: "when both sides have ended and are acknowledged the connection is over",
		Care:      "new frames more than 1 s later; late retries and their acknowledgements do not count",
		Example:   "KA two minutes later",
	},
	r3143Beyond - closeBase: {
		ID: "DP8-3.1.4.3-BEYOND", Clause: "MC-DPL8R 3.1.4.3", Level: conform.Must, Severity: conform.Warn, Scope: "B",
		Guards:    conform.Of(conform.GuardBidir),
		Statement: "numbers above the peer's END_STREAM are ignored, so they are not acknowledged",
		Example:   "ENDSTREAM seq=40, DF seq=41, nrcv=42",
	},
	r3143Queued - closeBase: {
		ID: "DP8-3.1.4.3-QUEUED", Clause: "MC-DPL8R 3.1.4.3", Level: conform.Should, Severity: conform.Warn, Scope: "D",
		Guards:    conform.Of(conform.GuardClean),
		Statement: "END_STREAM follows all queued messages, so none is left incomplete",
		Example:   "ENDSTREAM while NEW part has no END",
	},
}
