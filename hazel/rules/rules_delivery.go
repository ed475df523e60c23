package rules

import (
	"github.com/dpdissect/dpdissect/session/conform"
)

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

var deliveryRules = [...]conform.Rule{
	rRelAck - deliveryBase: {
		ID: "HZ-REL-ACK", Clause: "Hazel page, Reliable Delivery", Level: conform.Must, Severity: conform.Warn, Scope: "BT", Operation: true,
		Guards:    conform.Of(conform.GuardBidir, conform.GuardClean, conform.GuardHold, conform.GuardVant, conform.GuardOdds),
		Statement: "every reliable packet received is acknowledged",
		Care:      "loss after the capture point looks the same. Proof takes at least three copies, four where anything else was lost, none of them acknowledged; two other packets sent in the same time and acknowledged; a size no larger than others that arrived; and more losses than the share of resends makes believable, counting only copies between which other packets were acknowledged",
		Example:   "ID 7 sent four times, IDs 6, 8, 9 acknowledged, 7 never",
	},
	rRelAckDup - deliveryBase: {
		ID: "HZ-REL-ACK-DUP", Clause: "Hazel page, Reliable Delivery", Level: conform.Must, Severity: conform.Warn, Scope: "BT", Operation: true, Seldom: true,
		Guards:    conform.Of(conform.GuardBidir, conform.GuardClean, conform.GuardVant, conform.GuardOdds, conform.GuardSample),
		Statement: "every copy is acknowledged",
		Care:      "for one acknowledged packet: at least three resends, four where anything else was lost, none of them acknowledged while packets sent and acknowledged in between are, and more losses than the share of resends makes believable; over the session: at least 20 resends of such packets, fewer than half of them acknowledged again, while few packets need a resend",
		Example:   "copies 2–4 of acknowledged ID 7 never answered",
	},
	rRelAckKnown - deliveryBase: {
		ID: "HZ-REL-ACK-KNOWN", Clause: "Hazel page, Reliable Delivery", Level: conform.Must, Severity: conform.Error, Scope: "B", Operation: true,
		Guards:    conform.Of(conform.GuardBidir, conform.GuardClean, conform.GuardHold),
		Statement: "an acknowledgement names an ID the peer has sent",
		Care:      "up to 8 ahead, or within the IDs sent, the capture may have missed a packet; beyond that it is impossible when three new IDs of the other side continue as before, or when the side cannot have reached that ID; more than 1,024 away it is impossible even in a capture with gaps; of acknowledgements up to 8 ahead many are needed, half a second apart, each earlier than its ID by more than the way to the sender and back, until it cannot be believed that the capture missed a sending before each",
		Example:   "highest ID 12, acknowledgement of 500",
	},
	rRelAckType - deliveryBase: {
		ID: "HZ-REL-ACK-TYPE", Clause: "Hazel page, Reliable Delivery", Level: conform.Must, Severity: conform.Error, Scope: "B",
		Statement: "only reliable packets have IDs, so only their IDs are acknowledged",
		Care:      "reported under ACK-KNOWN; the ID of a fragment is at offset 5",
		Example:   "acknowledgement carrying a fragment's message id",
		Alias:     "HZ-REL-ACK-KNOWN",
	},
	rRelAckDelay - deliveryBase: {
		ID: "HZ-REL-ACK-DELAY", Clause: "Hazel page, Reliable Delivery", Level: conform.Impl, Severity: conform.Note, Scope: "BT",
		Guards:    conform.Of(conform.GuardVant, conform.GuardClock, conform.GuardSample),
		Statement: "the acknowledgement is the immediate reply",
		Care:      "VANT, CLOCK, SAMPLE: distribution; > 100 ms above the side's delay",
		Example:   "replies 300 ms late",
		Unchecked: "not observable: from one capture point, the delay of a receiver looks like that of the path to it",
	},
	rRelAckSurplus - deliveryBase: {
		ID: "HZ-REL-ACK-SURPLUS", Clause: "Hazel page, Reliable Delivery", Level: conform.Impl, Severity: conform.Note, Scope: "B",
		Guards:    conform.Of(conform.GuardBidir, conform.GuardClean),
		Statement: "one acknowledgement per received copy",
		Care:      "the network may duplicate packets: four more acknowledgements than captured copies, each with its own IP identification",
		Example:   "one packet, five acknowledgements",
	},
	rRelAckHistory - deliveryBase: {
		ID: "HZ-REL-ACK-HISTORY", Clause: "Hazel library", Level: conform.Must, Severity: conform.Warn, Scope: "B", Operation: true,
		Guards:    conform.Of(conform.GuardClean, conform.GuardReord, conform.GuardOdds),
		Statement: "history bits do not acknowledge IDs that were not received",
		Care:      "current, fork36; the ID's first copy was captured after the acknowledgement by more than the reorder horizon, and no other ID is missing; the capture may have missed the first transmission of one ID, so several are needed, half a second apart, until that cannot be believed; bits of IDs before the session's first may be set or clear; releases of 2020-04 to 2021-01 and some other implementations are known to set false bits, and the message names them where they fit",
		Example:   "bit for ID 9 set at t=1.0, ID 9 first sent at t=1.2",
	},
	rRelAckHistoryLoss - deliveryBase: {
		ID: "HZ-REL-ACK-HISTORY-LOSS", Clause: "Hazel library", Level: conform.Should, Severity: conform.Note, Scope: "BT",
		Guards:    conform.Of(conform.GuardBidir, conform.GuardHold, conform.GuardOdds),
		Statement: "a packet that the history reports missing is resent",
		Care:      "five histories without its bit, then 5 s without a resend; Pings and MTU tests are never resent; the share of capture loss decides how many such packets are needed, and no history may report missing what was acknowledged",
		Example:   "ID 9 reported missing in five acknowledgements, never resent",
	},
	rRelResend - deliveryBase: {
		ID: "HZ-REL-RESEND", Clause: "Hazel page, Reliable Delivery", Level: conform.Must, Severity: conform.Warn, Scope: "BT", Operation: true,
		Guards:    conform.Of(conform.GuardBidir, conform.GuardClean, conform.GuardHold, conform.GuardOdds),
		Statement: "an unacknowledged packet is resent",
		Care:      "the verdict waits for 5 s or ten round trips, whichever is longer; the capture may have missed the acknowledgement of one packet, so several are needed, in separate half seconds, until that cannot be believed, or one that at least five histories report missing, a second or more after it was sent, in a capture without gaps that has an acknowledgement of each transmission of the eight IDs after it; Pings have not been resent since 2019-10 (AMB-HZ-16)",
		Example:   "ID 7 never acknowledged, one copy, traffic continues for 20 s",
	},
	rRelResendSame - deliveryBase: {
		ID: "HZ-REL-RESEND-SAME", Clause: "Hazel page, Reliable Delivery", Level: conform.Must, Severity: conform.Error, Scope: "D", Operation: true,
		Guards:    conform.Of(conform.GuardUnwrap, conform.GuardHold),
		Statement: "the resend is the same packet",
		Care:      "a client that starts again, with its Hello missing from the capture, reuses IDs as well: excluded by time, and by IDs that continue as before",
		Example:   "ID 7 resent with different data",
	},
	rRelBackoff - deliveryBase: {
		ID: "HZ-REL-BACKOFF", Clause: "Hazel page, Reliable Delivery", Level: conform.Must, Severity: conform.Warn, Scope: "DT",
		Guards:    conform.Of(conform.GuardClean, conform.GuardClock),
		Statement: "the interval to the next resend doubles",
		Care:      "lost transmissions join intervals, which leaves ratios of 1.33, 1.14 and less, and the path shifts arrivals: reported at two low ones in a row; not applicable from ack3 on",
		Example:   "intervals 200, 200, 200 ms in 0.1",
	},
	rRelNoresend - deliveryBase: {
		ID: "HZ-REL-NORESEND", Clause: "Hazel page, Reliable Delivery", Level: conform.Should, Severity: conform.Warn, Scope: "BT", Operation: true,
		Guards:    conform.Of(conform.GuardBidir, conform.GuardKnew, conform.GuardVant),
		Statement: "a packet is not resent after its acknowledgement has arrived",
		Care:      "acknowledgements are unnumbered. Either at least four for this ID passed early enough to reach the sender, while those of later IDs arrive and the share of resends makes so much loss unbelievable; or many packets are resent 100 ms or more after their acknowledgement passed, more than the loss of the other side's packets on the same path makes believable, with one of those answered at once between any two",
		Example:   "acknowledgement at 1.00 s, copy at 1.40 s, side delay 5 ms",
	},
	rRelEarly - deliveryBase: {
		ID: "HZ-REL-EARLY", Clause: "Hazel page, Reliable Delivery", Level: conform.Impl, Severity: conform.Note, Scope: "BT", Summed: true,
		Guards:    conform.Of(conform.GuardRTT, conform.GuardSample),
		Statement: "a packet is not resent before a round trip has passed",
		Care:      "20 packets resent sooner than the shortest round trip, and sooner than any release does (180 ms)",
		Example:   "RTT 250 ms, resend after 60 ms",
	},
	rRelGiveup - deliveryBase: {
		ID: "HZ-REL-GIVEUP", Clause: "Hazel page, Reliable Delivery", Level: conform.Rec, Severity: conform.Note, Scope: "BT",
		Statement: "after a limited number of resends the sender gives up the connection",
		Care:      "games raise the limits: reported after 15 s and 8 copies while new data continues (AMB-HZ-08, AMB-HZ-12)",
		Example:   "ID 7 sent 30 times, new data continues",
	},
	rRelIdUnique - deliveryBase: {
		ID: "HZ-REL-ID-UNIQUE", Clause: "Hazel page, Reliable Delivery", Level: conform.Must, Severity: conform.Error, Scope: "D", Operation: true,
		Guards:    conform.Of(conform.GuardOdds, conform.GuardUnwrap, conform.GuardHold),
		Statement: "an ID is not reused while its packet is unacknowledged",
		Care:      "as HZ-REL-RESEND-SAME; only while the first packet is unacknowledged: later reuse is reported as a changed resend, and so is a packet that resembles the first; anything else is a reused ID",
		Example:   "ID 7 outstanding, new packet ID 7",
	},
	rRelIdSeq - deliveryBase: {
		ID: "HZ-REL-ID-SEQ", Clause: "Hazel page, Reliable Delivery", Level: conform.Impl, Severity: conform.Note, Scope: "D",
		Statement: "new IDs step by one",
		Care:      "gaps are evidence of loss, and an ID below the highest may be a resend: only one before the first of the connection is a finding (AMB-HZ-07)",
		Example:   "IDs 5, 6, 9, 7 (9 first)",
	},
	rRelIdFirst - deliveryBase: {
		ID: "HZ-REL-ID-FIRST", Clause: "Hazel library", Level: conform.Impl, Severity: conform.Note, Scope: "D",
		Guards:    conform.Of(conform.GuardStart, conform.GuardDial),
		Statement: "the first ID is 1, or 0 (since 2023-01)",
		Care:      "judged on the Hello that opens the connection, unless its sender may speak the page's dialect, which leaves the first ID open",
		Example:   "first ID 4,000",
	},
	rRelIdDensity - deliveryBase: {
		ID: "HZ-REL-ID-DENSITY", Clause: "Hazel page, Reliable Delivery", Level: conform.Impl, Severity: conform.Warn, Scope: "B", Operation: true,
		Guards:    conform.Of(conform.GuardUnwrap),
		Statement: "at most 32,768 IDs are outstanding (beyond that receivers cannot tell new from old)",
		Care:      "counts only packets that were resent and not acknowledged",
		Example:   "outstanding range 40,000",
	},
	rRelOnce - deliveryBase: {
		ID: "HZ-REL-ONCE", Clause: "Hazel page, Reliable Delivery", Level: conform.Must, Severity: conform.Note, Scope: "",
		Statement: "a packet is delivered to the application once",
		Care:      "not observable; reassembly here does the same",
		Unchecked: "not observable: what the receiver delivers to the application is not on the wire",
	},
}
