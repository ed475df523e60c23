package track

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
		Care:      "loss behind the capture point looks the same: at least three copies, four where anything else was lost, none of them acknowledged; two other packets acknowledged that were sent in the same time; no larger than others that arrived; and so many losses absurd by the share of resends, where copies count that others went there and back between",
		Example:   "ID 7 sent four times, IDs 6, 8, 9 acknowledged, 7 never",
	},
	rRelAckDup - deliveryBase: {
		ID: "HZ-REL-ACK-DUP", Clause: "Hazel page, Reliable Delivery", Level: conform.Must, Severity: conform.Warn, Scope: "BT", Operation: true, Seldom: true,
		Guards:    conform.Of(conform.GuardBidir, conform.GuardClean, conform.GuardVant, conform.GuardOdds, conform.GuardSample),
		Statement: "every copy is acknowledged again",
		Care:      "of one packet that was acknowledged: three resends and more, four where anything else was lost, none of them acknowledged, while others that went there and back between are, and so many losses absurd by the share of resends; over the session: at least 20 resends of such packets, fewer than half of them acknowledged again, while few packets need a resend",
		Example:   "copies 2–4 of acknowledged ID 7 never answered",
	},
	rRelAckKnown - deliveryBase: {
		ID: "HZ-REL-ACK-KNOWN", Clause: "Hazel page, Reliable Delivery", Level: conform.Must, Severity: conform.Error, Scope: "B", Operation: true,
		Guards:    conform.Of(conform.GuardBidir, conform.GuardClean, conform.GuardHold),
		Statement: "an acknowledgement names an ID the peer has sent",
		Care:      "up to 8 ahead, or within what was sent, the capture may have missed a packet; further off it is impossible when three new IDs of the other side go on as before, or when the side can't have come so far; more than 1,024 away in a capture with gaps, too",
		Example:   "highest ID 12, acknowledgement of 500",
	},
	rRelAckType - deliveryBase: {
		ID: "HZ-REL-ACK-TYPE", Clause: "Hazel page, Reliable Delivery", Level: conform.Must, Severity: conform.Error, Scope: "B",
		Statement: "only reliable packets have IDs, so only their IDs are acknowledged",
		Care:      "covered by ACK-KNOWN; fragments by their ID at offset 5",
		Example:   "acknowledgement carrying a fragment's message id",
		Alias:     "HZ-REL-ACK-KNOWN",
	},
	rRelAckDelay - deliveryBase: {
		ID: "HZ-REL-ACK-DELAY", Clause: "Hazel page, Reliable Delivery", Level: conform.Impl, Severity: conform.Note, Scope: "BT",
		Guards:    conform.Of(conform.GuardVant, conform.GuardClock, conform.GuardSample),
		Statement: "the acknowledgement is the immediate reply",
		Care:      "VANT, CLOCK, SAMPLE: distribution; > 100 ms above side delay",
		Example:   "replies 300 ms late",
		Unchecked: "not observable: at one capture point the delay of a receiver looks like that of the path behind it",
	},
	rRelAckSurplus - deliveryBase: {
		ID: "HZ-REL-ACK-SURPLUS", Clause: "Hazel page, Reliable Delivery", Level: conform.Impl, Severity: conform.Note, Scope: "B",
		Guards:    conform.Of(conform.GuardBidir, conform.GuardClean),
		Statement: "one acknowledgement per received copy",
		Care:      "the network may double packets: four more than copies captured, with identifications of their own",
		Example:   "one packet, five acknowledgements",
	},
	rRelAckHistory - deliveryBase: {
		ID: "HZ-REL-ACK-HISTORY", Clause: "Hazel library", Level: conform.Must, Severity: conform.Warn, Scope: "B", Operation: true,
		Guards:    conform.Of(conform.GuardClean, conform.GuardReord, conform.GuardOdds),
		Statement: "history bits do not acknowledge IDs that were not received",
		Care:      "current, fork36; the ID's first copy was captured after the acknowledgement by more than the reorder horizon, and no other ID is missing; the capture may have missed the first sending of one: so many IDs, half a second apart, that this is absurd; IDs before the session's first may be set or clear; releases of 2020-04 to 2021-01 and other implementations are known to set false bits, which the message names where it fits",
		Example:   "bit for ID 9 set at t=1.0, ID 9 first sent at t=1.2",
	},
	rRelAckHistoryLoss - deliveryBase: {
		ID: "HZ-REL-ACK-HISTORY-LOSS", Clause: "Hazel library", Level: conform.Should, Severity: conform.Note, Scope: "BT",
		Guards:    conform.Of(conform.GuardBidir, conform.GuardHold, conform.GuardOdds),
		Statement: "a packet whose ID the history denied is resent",
		Care:      "five histories without its bit, then 5 s without a resend; Pings and MTU tests are never sent again; as many such packets as the share of capture loss asks for, and no history that denies what was acknowledged",
		Example:   "ID 9 denied in five acknowledgements, never resent",
	},
	rRelResend - deliveryBase: {
		ID: "HZ-REL-RESEND", Clause: "Hazel page, Reliable Delivery", Level: conform.Must, Severity: conform.Warn, Scope: "BT", Operation: true,
		Guards:    conform.Of(conform.GuardBidir, conform.GuardClean, conform.GuardHold, conform.GuardOdds),
		Statement: "without acknowledgement the packet is resent",
		Care:      "held for the longer of 5 s and ten round trips; of one packet the capture may have missed the acknowledgement: so many packets, in separate half seconds, that this is absurd, or one that five histories and more report missing, a second and more after it was sent, in a capture without gaps; Pings are not resent since 2019-10 (AMB-HZ-16)",
		Example:   "ID 7 never acknowledged, one copy, traffic goes on for 20 s",
	},
	rRelResendSame - deliveryBase: {
		ID: "HZ-REL-RESEND-SAME", Clause: "Hazel page, Reliable Delivery", Level: conform.Must, Severity: conform.Error, Scope: "D", Operation: true,
		Guards:    conform.Of(conform.GuardUnwrap, conform.GuardHold),
		Statement: "the resend is the same packet",
		Care:      "a client that begins anew without its Hello in the capture reuses IDs, too: excluded by time, and by numbers that go on as before",
		Example:   "ID 7 resent with other data",
	},
	rRelBackoff - deliveryBase: {
		ID: "HZ-REL-BACKOFF", Clause: "Hazel page, Reliable Delivery", Level: conform.Must, Severity: conform.Warn, Scope: "DT",
		Guards:    conform.Of(conform.GuardClean, conform.GuardClock),
		Statement: "the time to the next resend doubles",
		Care:      "sendings lost on the way join two gaps, which leaves a ratio of 1.33, and the path moves them: at most 1.12, or two low ones in a row; n/a from ack3 on",
		Example:   "gaps 200, 200, 200 ms in 0.1",
	},
	rRelNoresend - deliveryBase: {
		ID: "HZ-REL-NORESEND", Clause: "Hazel page, Reliable Delivery", Level: conform.Should, Severity: conform.Warn, Scope: "BT", Operation: true,
		Guards:    conform.Of(conform.GuardBidir, conform.GuardKnew, conform.GuardVant),
		Statement: "no resend after the acknowledgement arrived",
		Care:      "acknowledgements are unnumbered: at least four of this ID passed earlier than the way to the sender takes, while those of later IDs arrive: eight, or three where so much loss is absurd by the share of resends; or many packets are sent again 100 ms and more after their acknowledgement passed, so many that it is absurd by the share of the other side's packets that need a resend, which come the same way, one of them answered at once between any two",
		Example:   "acknowledgement at 1.00 s, copy at 1.40 s, side delay 5 ms",
	},
	rRelEarly - deliveryBase: {
		ID: "HZ-REL-EARLY", Clause: "Hazel page, Reliable Delivery", Level: conform.Impl, Severity: conform.Note, Scope: "BT", Summed: true,
		Guards:    conform.Of(conform.GuardRTT, conform.GuardSample),
		Statement: "resend not before the round trip",
		Care:      "20 packets resent sooner than the shortest round trip and than any release does (180 ms)",
		Example:   "RTT 250 ms, resend after 60 ms",
	},
	rRelGiveup - deliveryBase: {
		ID: "HZ-REL-GIVEUP", Clause: "Hazel page, Reliable Delivery", Level: conform.Rec, Severity: conform.Note, Scope: "BT",
		Statement: "after a limited number of resends the sender gives the connection up",
		Care:      "games raise the limits: 15 s and 8 copies, while new data goes on (AMB-HZ-08, AMB-HZ-12)",
		Example:   "ID 7 sent 30 times, new data continues",
	},
	rRelIdUnique - deliveryBase: {
		ID: "HZ-REL-ID-UNIQUE", Clause: "Hazel page, Reliable Delivery", Level: conform.Must, Severity: conform.Error, Scope: "D", Operation: true,
		Guards:    conform.Of(conform.GuardOdds, conform.GuardUnwrap, conform.GuardHold),
		Statement: "an ID is not reused while its packet is unacknowledged",
		Care:      "as HZ-REL-RESEND-SAME; only while the first packet is not acknowledged, what is used again later is called a changed resend; what resembles the first packet is called a changed resend, anything else a reused ID",
		Example:   "ID 7 outstanding, new packet ID 7",
	},
	rRelIdSeq - deliveryBase: {
		ID: "HZ-REL-ID-SEQ", Clause: "Hazel page, Reliable Delivery", Level: conform.Impl, Severity: conform.Note, Scope: "D",
		Statement: "new IDs step by one",
		Care:      "gaps are evidence of loss, and an ID below the highest may be a resend: only one behind the first of the connection is a finding (AMB-HZ-07)",
		Example:   "IDs 5, 6, 9, 7 (9 first)",
	},
	rRelIdFirst - deliveryBase: {
		ID: "HZ-REL-ID-FIRST", Clause: "Hazel library", Level: conform.Impl, Severity: conform.Note, Scope: "D",
		Guards:    conform.Of(conform.GuardStart, conform.GuardDial),
		Statement: "first ID 1, or 0 (since 2023-01)",
		Care:      "of the Hello that opens the connection, where its sender can't speak the page's dialect, which leaves it open",
		Example:   "first ID 4,000",
	},
	rRelIdDensity - deliveryBase: {
		ID: "HZ-REL-ID-DENSITY", Clause: "Hazel page, Reliable Delivery", Level: conform.Impl, Severity: conform.Warn, Scope: "B", Operation: true,
		Guards:    conform.Of(conform.GuardUnwrap),
		Statement: "at most 32,768 IDs outstanding (receivers cannot tell new from old beyond)",
		Care:      "of packets that were resent and not acknowledged",
		Example:   "outstanding range 40,000",
	},
	rRelOnce - deliveryBase: {
		ID: "HZ-REL-ONCE", Clause: "Hazel page, Reliable Delivery", Level: conform.Must, Severity: conform.Note, Scope: "",
		Statement: "a packet is handed up once",
		Care:      "not observable; the reconstruction must do the same",
		Unchecked: "not observable: what the receiver hands to its user is not on the wire",
	},
}
