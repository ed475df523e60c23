package dp8

import "github.com/dpdissect/dpdissect/session"

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

var closeRules = [...]session.Rule{
	r3143Reliable - closeBase: {
		ID: "DP8-3.1.4.3-RELIABLE", Clause: "MC-DPL8R 3.1.4.3", Level: session.Should, Severity: session.Warn, Scope: "F",
		Statement: "ENDSTREAM frame is reliable",
		Example:   "35 08 …",
	},
	r3143Empty - closeBase: {
		ID: "DP8-3.1.4.3-EMPTY", Clause: "MC-DPL8R 3.1.4.3", Level: session.Should, Severity: session.Note, Scope: "F",
		Statement: "ENDSTREAM frame has no payload",
		Care:      "may be the last data packet",
		Example:   "ENDSTREAM with 100 bytes",
	},
	r3143Last - closeBase: {
		ID: "DP8-3.1.4.3-LAST", Clause: "MC-DPL8R 3.1.4.3", Level: session.Must, Severity: session.Error, Scope: "D",
		Guards:    session.Of(session.GuardUnwrap),
		Statement: "no new data frames after ENDSTREAM, only retries",
		Care:      "UNWRAP, LIFE; new = seq > ENDSTREAM seq",
		Example:   "ENDSTREAM seq=40, DF seq=41",
	},
	r3143Reply - closeBase: {
		ID: "DP8-3.1.4.3-REPLY", Clause: "MC-DPL8R 3.1.4.3, 3.1.5.2", Level: session.Should, Severity: session.Warn, Scope: "BT",
		Guards:    session.Of(session.GuardBidir, session.GuardClean, session.GuardHold),
		Statement: "the peer answers with its own ENDSTREAM",
		Care:      "BIDIR, CLEAN, HOLD; HDISC instead is acceptable",
		Example:   "ENDSTREAM acknowledged, peer never ends",
	},
	r3143Keepack - closeBase: {
		ID: "DP8-3.1.4.3-KEEPACK", Clause: "MC-DPL8R 3.1.4.3", Level: session.Must, Severity: session.Warn, Scope: "BT",
		Guards:    session.Of(session.GuardBidir, session.GuardClean, session.GuardHold, session.GuardVant),
		Statement: "a side that ended still acknowledges until the peer ends",
		Example:   "after own ENDSTREAM ten peer frames unacknowledged, peer retries",
	},
	r3143Terminated - closeBase: {
		ID: "DP8-3.1.4.3-TERMINATED", Clause: "MC-DPL8R 3.1.4.3", Level: session.Should, Severity: session.Note, Scope: "BT",
		Guards:    session.Of(session.GuardHold),
		Statement: "after both ENDSTREAMs and their acks the connection is over",
		Care:      "LIFE, HOLD 1 s for late retries",
		Example:   "KA two minutes later",
	},
	r3143Beyond - closeBase: {
		ID: "DP8-3.1.4.3-BEYOND", Clause: "MC-DPL8R 3.1.4.3", Level: session.Must, Severity: session.Warn, Scope: "B",
		Guards:    session.Of(session.GuardBidir),
		Statement: "a receiver ignores numbers beyond the peer's ENDSTREAM: does not acknowledge them",
		Example:   "ENDSTREAM seq=40, DF seq=41, nrcv=42",
	},
	r3143Queued - closeBase: {
		ID: "DP8-3.1.4.3-QUEUED", Clause: "MC-DPL8R 3.1.4.3", Level: session.Should, Severity: session.Warn, Scope: "D",
		Guards:    session.Of(session.GuardClean),
		Statement: "ENDSTREAM follows all queued messages (no open split message)",
		Example:   "ENDSTREAM while NEW part has no END",
	},
}
