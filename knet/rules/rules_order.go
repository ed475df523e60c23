package rules

import (
	"github.com/dpdissect/dpdissect/session/conform"
)

// Rules of ordering, flow control and fragments.
const orderBase = reliableBase + len(reliableRules)

const (
	rIoPast = orderBase + iota
	rIoRelOnUnrel
	rIoIndex
	rIoLimit
	rIoDupdep
	rIoStuck
	rFcHonor
	rFcRange
	rFrReliable
	rFrStartOnce
	rFrNumUnique
	rFrIdReuse
	rFrComplete
	rFrExtra
	rFrOrder
	rFrConcurrent
	rFrEarly
)

var orderRules = [...]conform.Rule{
	rIoPast - orderBase: {
		ID: "KN-IO-PAST", Clause: "kNet page, InOrder Datagrams and Messages", Level: conform.Must, Severity: conform.Error, Scope: "D", Operation: true,
		Guards:    conform.Of(conform.GuardStart, conform.GuardUnwrap),
		Statement: "a dependency (PacketID − delta − 1) lies within the session",
		Example:   "PacketID 5, delta 30",
	},
	rIoRelOnUnrel - orderBase: {
		ID: "KN-IO-REL-ON-UNREL", Clause: "kNet page, InOrder Datagrams and Messages", Level: conform.Must, Severity: conform.Error, Scope: "D",
		Statement: "a reliable message does not depend on an unreliable datagram",
		Care:      "the target was captured",
		Example:   "reliable 9 depends on unreliable 7",
	},
	rIoIndex - orderBase: {
		ID: "KN-IO-INDEX", Clause: "kNet page, InOrder Datagrams and Messages", Level: conform.Must, Severity: conform.Warn, Scope: "D",
		Statement: "the message index points to an existing message of that datagram",
		Care:      "the target was captured; meaning of the array: AMB-KN-19",
		Example:   "index 4 of a 2-message datagram",
	},
	rIoLimit - orderBase: {
		ID: "KN-IO-LIMIT", Clause: "kNet page, InOrder Datagrams and Messages", Level: conform.Must, Severity: conform.Note, Scope: "F",
		Statement: "a datagram has at most 256 distinct dependencies; the count byte allows 255",
		Care:      "structural (AMB-KN-07)",
		Unchecked: "the count is one byte: no datagram can break it",
	},
	rIoDupdep - orderBase: {
		ID: "KN-IO-DUPDEP", Clause: "kNet page, InOrder Datagrams and Messages", Level: conform.Impl, Severity: conform.Note, Scope: "F",
		Statement: "no dependency is listed twice",
		Example:   "deltas 3, 3",
	},
	rIoStuck - orderBase: {
		ID: "KN-IO-STUCK", Clause: "kNet page, InOrder Datagrams and Messages", Level: conform.Impl, Severity: conform.Note, Scope: "B",
		Guards:    conform.Of(conform.GuardBidir, conform.GuardClean),
		Statement: "a dependency is eventually delivered",
		Care:      "BIDIR, CLEAN, session end",
		Example:   "reliable messages waiting for a datagram that was never acknowledged",
		Unchecked: "not observable: nothing a receiver sends shows what it has delivered",
	},
	rFcHonor - orderBase: {
		ID: "KN-FC-HONOR", Clause: "kNet page, Flow Control", Level: conform.Must, Severity: conform.Error, Scope: "BT", Operation: true, Seldom: true,
		Guards:    conform.Of(conform.GuardBidir, conform.GuardKnew, conform.GuardClock),
		Statement: "after a FlowControlRequest the peer sends no faster than requested (5/s are always allowed)",
		Care:      "KNEW (the request is reliable, so it applies from its captured PacketAck on), BIDIR, CLOCK; the captured rate cannot exceed the sent rate, so an excess is certain; bursts of one window are tolerated",
		Example:   "request 20/s, 80/s for ten seconds",
	},
	rFcRange - orderBase: {
		ID: "KN-FC-RANGE", Clause: "kNet page, Flow Control; Characteristic Values", Level: conform.Impl, Severity: conform.Note, Scope: "F",
		Statement: "the requested rate is at least 5",
		Example:   "rate 0",
	},
	rFrReliable - orderBase: {
		ID: "KN-FR-RELIABLE", Clause: "kNet page, Fragmented Transfers", Level: conform.Must, Severity: conform.Error, Scope: "F", Operation: true,
		Statement: "fragments are sent in reliable datagrams",
		Care:      "reference: the message's own reliable bit is set as well",
		Example:   "Fragment set, Reliable clear",
	},
	rFrStartOnce - orderBase: {
		ID: "KN-FR-START-ONCE", Clause: "kNet page, Fragmented Transfers", Level: conform.Must, Severity: conform.Error, Scope: "D",
		Statement: "a transfer has a single FragmentStart content",
		Care:      "copies allowed; LIFE of the transfer (ids are reused at once)",
		Example:   "two different starts under id 3",
	},
	rFrNumUnique - orderBase: {
		ID: "KN-FR-NUM-UNIQUE", Clause: "kNet page, Fragmented Transfers", Level: conform.Must, Severity: conform.Error, Scope: "D", Operation: true,
		Statement: "a fragment number of a transfer has a single content",
		Care:      "LIFE of the transfer",
		Example:   "number 2 with two contents",
	},
	rFrIdReuse - orderBase: {
		ID: "KN-FR-ID-REUSE", Clause: "kNet page, Fragmented Transfers", Level: conform.Must, Severity: conform.Error, Scope: "B", Seldom: true,
		Guards:    conform.Of(conform.GuardBidir, conform.GuardHold, conform.GuardOdds),
		Statement: "a TransferID is reused only after all datagrams of its fragments were acknowledged",
		Example:   "new start with id 3 while fragment 4 of the old one is unacknowledged",
	},
	rFrComplete - orderBase: {
		ID: "KN-FR-COMPLETE", Clause: "kNet page, Fragmented Transfers", Level: conform.Impl, Severity: conform.Note, Scope: "B",
		Guards:    conform.Of(conform.GuardClean, conform.GuardHold),
		Statement: "all FragmentCount fragments are sent",
		Care:      "CLEAN, HOLD to session end",
		Example:   "9 of 10 ever sent",
	},
	rFrExtra - orderBase: {
		ID: "KN-FR-EXTRA", Clause: "kNet page, Fragmented Transfers", Level: conform.Must, Severity: conform.Error, Scope: "D",
		Statement: "no fragment beyond FragmentCount",
		Care:      "as MB-FRAGNUM (alias)",
		Example:   "number 12 of 10",
		Alias:     "KN-MB-FRAGNUM",
	},
	rFrOrder - orderBase: {
		ID: "KN-FR-ORDER", Clause: "kNet page, Fragmented Transfers", Level: conform.Rec, Severity: conform.Note, Scope: "F", Seldom: true,
		Statement: "only the first fragment states dependencies",
		Example:   "code 3 on a later fragment",
	},
	rFrConcurrent - orderBase: {
		ID: "KN-FR-CONCURRENT", Clause: "kNet page, Fragmented Transfers", Level: conform.Must, Severity: conform.Note, Scope: "D",
		Statement: "at most 256 transfers at once (reference 255: id 0 unused)",
		Care:      "structural (one-byte id)",
		Unchecked: "the TransferID is one byte: no datagram can break it",
	},
	rFrEarly - orderBase: {
		ID: "KN-FR-EARLY", Clause: "kNet page, Fragmented Transfers", Level: conform.Must, Severity: conform.Note, Scope: "", Summed: true,
		Statement: "fragments may arrive before their start, so receivers must cope",
		Care:      "no verdict; the reconstruction must do the same",
		Unchecked: "not observable: nothing a receiver sends shows whether it copes",
	},
}
