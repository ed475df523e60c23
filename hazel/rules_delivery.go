package hazel

import "github.com/dpdissect/dpdissect/session"

// Rules of reliable delivery.
const deliveryBase = headerBase + len(headerRules)

const (
	rRelAck = deliveryBase + iota
	rRelAckDup
	rRelAckKnown
	rRelAckType
	rRelAckDelay
	rRelAckSurplus
	rRelAckHistory
	rRelAckHistoryLoss
	rRelResend
	rRelResendSame
	rRelBackoff
	rRelNoresend
	rRelEarly
	rRelGiveup
	rRelIdUnique
	rRelIdSeq
	rRelIdFirst
	rRelIdDensity
	rRelOnce
)

var deliveryRules = [...]session.Rule{
	rRelAck - deliveryBase: {
		ID: "HZ-REL-ACK", Clause: "Hazel page, Reliable Delivery", Level: session.Must, Severity: session.Warn, Scope: "BT",
		Guards:    session.Of(session.GuardBidir, session.GuardClean, session.GuardHold, session.GuardVant),
		Statement: "every reliable packet received is acknowledged",
		Care:      "BIDIR, CLEAN, HOLD, VANT; loss after the capture point looks the same: fail only if all copies (≥ 3) stay unacknowledged while other IDs sent in between are acknowledged",
		Example:   "ID 7 sent four times, IDs 6, 8, 9 acknowledged, 7 never",
	},
	rRelAckDup - deliveryBase: {
		ID: "HZ-REL-ACK-DUP", Clause: "Hazel page, Reliable Delivery", Level: session.Must, Severity: session.Warn, Scope: "BT",
		Statement: "every copy is acknowledged again",
		Care:      "as above; count over the session: acknowledgements < 50% of copies after the first while nothing else is lost",
		Example:   "copies 2–4 of acknowledged ID 7 never answered",
	},
	rRelAckKnown - deliveryBase: {
		ID: "HZ-REL-ACK-KNOWN", Clause: "Hazel page, Reliable Delivery", Level: session.Must, Severity: session.Error, Scope: "B",
		Guards:    session.Of(session.GuardBidir, session.GuardClean, session.GuardHold),
		Statement: "an acknowledgement names an ID the peer has sent",
		Care:      "BIDIR, CLEAN, HOLD; near misses are capture-loss evidence; fail when the ID is > 1,024 away or the session start was captured and the ID was never reached",
		Example:   "highest ID 12, acknowledgement of 500",
	},
	rRelAckType - deliveryBase: {
		ID: "HZ-REL-ACK-TYPE", Clause: "Hazel page, Reliable Delivery", Level: session.Must, Severity: session.Error, Scope: "B",
		Statement: "only reliable packets have IDs, so only their IDs are acknowledged",
		Care:      "covered by ACK-KNOWN; fragments by their ID at offset 5",
		Example:   "acknowledgement carrying a fragment's message id",
		Alias:     "HZ-REL-ACK-KNOWN",
	},
	rRelAckDelay - deliveryBase: {
		ID: "HZ-REL-ACK-DELAY", Clause: "Hazel page, Reliable Delivery", Level: session.Impl, Severity: session.Note, Scope: "BT",
		Guards:    session.Of(session.GuardVant, session.GuardClock, session.GuardSample),
		Statement: "the acknowledgement is the immediate reply",
		Care:      "VANT, CLOCK, SAMPLE: distribution; > 100 ms above side delay",
		Example:   "replies 300 ms late",
		Unchecked: "not observable: at one capture point the delay of a receiver looks like that of the path behind it",
	},
	rRelAckSurplus - deliveryBase: {
		ID: "HZ-REL-ACK-SURPLUS", Clause: "Hazel page, Reliable Delivery", Level: session.Impl, Severity: session.Note, Scope: "B",
		Guards:    session.Of(session.GuardBidir, session.GuardClean),
		Statement: "one acknowledgement per received copy",
		Example:   "one packet, five acknowledgements",
	},
	rRelAckHistory - deliveryBase: {
		ID: "HZ-REL-ACK-HISTORY", Clause: "Hazel library", Level: session.Must, Severity: session.Warn, Scope: "B",
		Statement: "history bits do not acknowledge IDs that were not received",
		Care:      "current, fork36; proof needed: the ID's first copy was captured after the acknowledgement; IDs before the session's first may be set or clear; releases of 2020-04 to 2021-01 and other implementations are known to set false bits: name the release if it fits",
		Example:   "bit for ID 9 set at t=1.0, ID 9 first sent at t=1.2",
		Unchecked: "never provable: an ID that the history names was sent before the acknowledged one, and a first sending that was lost looks like one that the capture missed; several releases and other implementations are known to set wrong bits",
	},
	rRelAckHistoryLoss - deliveryBase: {
		ID: "HZ-REL-ACK-HISTORY-LOSS", Clause: "Hazel library", Level: session.Should, Severity: session.Note, Scope: "BT",
		Guards:    session.Of(session.GuardBidir, session.GuardHold),
		Statement: "a packet whose ID the history denied is resent",
		Care:      "current, fork36, BIDIR, HOLD; pings exempt",
		Example:   "ID 9 denied in five acknowledgements, never resent",
	},
	rRelResend - deliveryBase: {
		ID: "HZ-REL-RESEND", Clause: "Hazel page, Reliable Delivery", Level: session.Must, Severity: session.Warn, Scope: "BT",
		Guards:    session.Of(session.GuardBidir, session.GuardClean, session.GuardHold),
		Statement: "without acknowledgement the packet is resent",
		Care:      "BIDIR, CLEAN, HOLD max(5 s, 10×RTT); pings are not resent since 2019-10: exempt",
		Example:   "ID 7 never acknowledged, one copy, traffic goes on for 20 s",
	},
	rRelResendSame - deliveryBase: {
		ID: "HZ-REL-RESEND-SAME", Clause: "Hazel page, Reliable Delivery", Level: session.Must, Severity: session.Error, Scope: "D",
		Guards:    session.Of(session.GuardUnwrap),
		Statement: "the resend is the same packet",
		Care:      "UNWRAP (65,536 IDs), LIFE",
		Example:   "ID 7 resent with other data",
	},
	rRelBackoff - deliveryBase: {
		ID: "HZ-REL-BACKOFF", Clause: "Hazel page, Reliable Delivery", Level: session.Must, Severity: session.Warn, Scope: "DT",
		Guards:    session.Of(session.GuardClean, session.GuardClock),
		Statement: "the time to the next resend doubles",
		Care:      "CLOCK, CLEAN (a missed copy doubles a gap), ≥ 3 copies; ratio of gaps in 1.6–2.5 (0.1: 1.3–2.5); n/a from ack3 on",
		Example:   "gaps 200, 200, 200 ms in 0.1",
	},
	rRelNoresend - deliveryBase: {
		ID: "HZ-REL-NORESEND", Clause: "Hazel page, Reliable Delivery", Level: session.Should, Severity: session.Warn, Scope: "BT",
		Guards:    session.Of(session.GuardBidir, session.GuardKnew, session.GuardVant),
		Statement: "no resend after the acknowledgement arrived",
		Care:      "KNEW (acknowledgements are unnumbered: ≥ 4 for this ID older than the side delay while other IDs' acknowledgements demonstrably arrive), VANT, BIDIR",
		Example:   "acknowledgement at 1.00 s, copy at 1.40 s, side delay 5 ms",
	},
	rRelEarly - deliveryBase: {
		ID: "HZ-REL-EARLY", Clause: "Hazel page, Reliable Delivery", Level: session.Impl, Severity: session.Note, Scope: "BT",
		Guards:    session.Of(session.GuardRTT, session.GuardSample),
		Statement: "resend not before the round trip",
		Example:   "RTT 250 ms, resend after 60 ms",
	},
	rRelGiveup - deliveryBase: {
		ID: "HZ-REL-GIVEUP", Clause: "Hazel page, Reliable Delivery", Level: session.Rec, Severity: session.Note, Scope: "BT",
		Statement: "after a limited number of resends the sender gives the connection up",
		Care:      "dialect limit; only \"still sending new data long after the limit\"",
		Example:   "ID 7 sent 30 times, new data continues",
	},
	rRelIdUnique - deliveryBase: {
		ID: "HZ-REL-ID-UNIQUE", Clause: "Hazel page, Reliable Delivery", Level: session.Must, Severity: session.Error, Scope: "D",
		Guards:    session.Of(session.GuardOdds, session.GuardUnwrap),
		Statement: "an ID is not reused while its packet is unacknowledged",
		Example:   "ID 7 outstanding, new packet ID 7",
	},
	rRelIdSeq - deliveryBase: {
		ID: "HZ-REL-ID-SEQ", Clause: "Hazel page, Reliable Delivery", Level: session.Impl, Severity: session.Note, Scope: "D",
		Statement: "new IDs step by one",
		Care:      "gaps are loss evidence; backward step with new content fails",
		Example:   "IDs 5, 6, 9, 7 (9 first)",
	},
	rRelIdFirst - deliveryBase: {
		ID: "HZ-REL-ID-FIRST", Clause: "Hazel library", Level: session.Impl, Severity: session.Note, Scope: "D",
		Guards:    session.Of(session.GuardStart),
		Statement: "first ID 1, or 0 (since 2023-01)",
		Care:      "START; dialect evidence",
		Example:   "first ID 4,000",
	},
	rRelIdDensity - deliveryBase: {
		ID: "HZ-REL-ID-DENSITY", Clause: "Hazel page, Reliable Delivery", Level: session.Impl, Severity: session.Warn, Scope: "B",
		Guards:    session.Of(session.GuardUnwrap),
		Statement: "at most 32,768 IDs outstanding (receivers cannot tell new from old beyond)",
		Example:   "outstanding range 40,000",
	},
	rRelOnce - deliveryBase: {
		ID: "HZ-REL-ONCE", Clause: "Hazel page, Reliable Delivery", Level: session.Must, Severity: session.Note, Scope: "",
		Statement: "a packet is handed up once",
		Care:      "not observable; the reconstruction must do the same",
		Unchecked: "not observable: what the receiver hands to its user is not on the wire",
	},
}
