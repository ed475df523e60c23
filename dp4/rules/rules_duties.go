package rules

import (
	"github.com/dpdissect/dpdissect/session/conform"
)

// Rules of what receivers and senders must do.
const dutiesBase = countersBase + len(countersRules)

const (
	r3152Sak = dutiesBase + iota
	r3152FinalAck
	r3152Reack
	r3152NackOoo
	r3152Range
	r3152Contig
	r3152SakProductRetry
	r3152SakProduct24
	r3152SakProduct50ms
	r3153Retx
	r3153AckedRetx
	r3153AckPrior
	r13Envelope
)

var dutiesRules = [...]conform.Rule{
	r3152Sak - dutiesBase: {
		ID: "DP4-3.1.5.2-SAK", Clause: "MC-DPL4R 3.1.5.2, 2.2.2", Level: conform.Must, Severity: conform.Warn, Scope: "BT", Operation: true,
		Guards:    conform.Of(conform.GuardBidir, conform.GuardClean, conform.GuardOdds, conform.GuardVant, conform.GuardClock),
		Statement: "a data frame with SAK is answered at once by an ACK or NACK",
		Care:      "bytes received proves that the packet arrived, and a quick answer to a later packet that the path worked; a single answer may be lost, so many must be missing; a late answer proves nothing",
		Example:   "packets with SAK repeatedly arrive (bytes received counts them) without an answer: the next ACK, 300 ms later, names another packet",
	},
	r3152FinalAck - dutiesBase: {
		ID: "DP4-3.1.5.2-FINAL-ACK", Clause: "MC-DPL4R 3.1.5.2", Level: conform.Must, Severity: conform.Warn, Scope: "BT",
		Guards:    conform.Of(conform.GuardBidir, conform.GuardClean, conform.GuardOdds, conform.GuardVant, conform.GuardClock),
		Statement: "the last part of a complete multi-packet message is acknowledged at once",
		Care:      "as DP4-3.1.5.2-SAK, for a last part without SAK; all parts were captured",
		Example:   "repeatedly no ACK when a three-packet message is complete; the next ACK, 300 ms later, names another message",
	},
	r3152Reack - dutiesBase: {
		ID: "DP4-3.1.5.2-REACK", Clause: "MC-DPL4R 3.1.5.2", Level: conform.Must, Severity: conform.Warn, Scope: "BT", Operation: true,
		Guards:    conform.Of(conform.GuardBidir, conform.GuardClean, conform.GuardOdds, conform.GuardVant, conform.GuardClock),
		Statement: "a repeat of the last reliable message received is acknowledged again",
		Care:      "as DP4-3.1.5.2-SAK; nothing was sent after the repeat until the answer was due",
		Example:   "message 5 is acknowledged and sent again, bytes received counts it, but no new ACK follows; this happens repeatedly",
	},
	r3152NackOoo - dutiesBase: {
		ID: "DP4-3.1.5.2-NACK-OOO", Clause: "MC-DPL4R 3.1.5.2", Level: conform.Must, Severity: conform.Note, Scope: "B",
		Guards:    conform.Of(conform.GuardBidir, conform.GuardClean),
		Statement: "an out-of-sequence packet leads to a NACK (at once or later)",
		Care:      "passes when the gap is reported; a receiver may wait before reporting a gap, which may fill in the meantime, and Windows reports none",
		Example:   "q=5,7,8,9 arrive, gap never NACKed, q=6 retried by timeout",
		CountOnly: true,
	},
	r3152Range - dutiesBase: {
		ID: "DP4-3.1.5.2-RANGE", Clause: "MC-DPL4R 3.1.5.2", Level: conform.Must, Severity: conform.Warn, Scope: "B", Seldom: true,
		Guards:    conform.Of(conform.GuardBidir, conform.GuardClean, conform.GuardHold, conform.GuardUnwrap),
		Statement: "a frame outside [earliest receive, +23] must be ignored, so it must not be acknowledged",
		Example:   "window at m=10, frame m=60 acknowledged",
	},
	r3152Contig - dutiesBase: {
		ID: "DP4-3.1.5.2-CONTIG", Clause: "MC-DPL4R 3.1.5.2", Level: conform.Must, Severity: conform.Error, Scope: "D", Operation: true,
		Guards:    conform.Of(conform.GuardUnwrap),
		Statement: "every sequence between a message's STA and EOM belongs to that message",
		Example:   "m=4 q=10 STA, m=5 q=11, m=4 q=12 EOM",
	},
	r3152SakProductRetry - dutiesBase: {
		ID: "DP4-3.1.5.2-SAK-PRODUCT-RETRY", Clause: "MC-DPL4R app. A <8>", Level: conform.Rec, Severity: conform.Note, Scope: "D", Summed: true, Seldom: true,
		Statement: "Windows sets SAK on every retransmission",
		Example:   "retry without SAK",
	},
	r3152SakProduct24 - dutiesBase: {
		ID: "DP4-3.1.5.2-SAK-PRODUCT-24", Clause: "MC-DPL4R app. A <8>", Level: conform.Rec, Severity: conform.Note, Scope: "D", Summed: true, Seldom: true,
		Guards:    conform.Of(conform.GuardClean),
		Statement: "Windows sets SAK at least every 24 packets",
		Example:   "30 packets without SAK",
	},
	r3152SakProduct50ms - dutiesBase: {
		ID: "DP4-3.1.5.2-SAK-PRODUCT-50MS", Clause: "MC-DPL4R app. A <8>", Level: conform.Rec, Severity: conform.Note, Scope: "BT", Summed: true, Seldom: true,
		Guards:    conform.Of(conform.GuardRTT, conform.GuardClock),
		Statement: "Windows sets SAK on reliable or unfinished packets once > 50 ms and > ¼ RTT have passed since the last SAK",
		Example:   "reliable packet 400 ms after last SAK, RTT 80 ms, no SAK",
	},
	r3153Retx - dutiesBase: {
		ID: "DP4-3.1.5.3-RETX", Clause: "MC-DPL4R 3.1.5.3", Level: conform.Must, Severity: conform.Warn, Scope: "BT", Operation: true,
		Guards:    conform.Of(conform.GuardBidir, conform.GuardHold),
		Statement: "a packet that a NACK reports missing is retransmitted",
		Care:      "BIDIR, HOLD; a NACK may be lost after the capture point and a retry before it: fails only when the packet was reported four times in 2 s while 32 other frames left, and so often that losses like those seen do not explain it (ODDS)",
		Example:   "N q=4 three times, q=4 never resent, traffic continues",
	},
	r3153AckedRetx - dutiesBase: {
		ID: "DP4-3.1.5.3-ACKED-RETX", Clause: "MC-DPL4R 3.1.5.3, 2.2.4", Level: conform.Rec, Severity: conform.Note, Scope: "BT",
		Guards:    conform.Of(conform.GuardBidir, conform.GuardKnew, conform.GuardVant),
		Statement: "acknowledged data need not be sent again",
		Care:      "KNEW (ACKs are not numbered, so ≥ 4 covering ones are needed), VANT, BIDIR: the copy was sent later than the ACK's time + the delay of the sender's side",
		Example:   "A q=9 at 1.00 s, q=9 resent at 1.80 s, sender-side delay 2 ms",
		Unchecked: "not observable: acknowledgements have no numbers, so nothing shows which of them the sender received",
	},
	r3153AckPrior - dutiesBase: {
		ID: "DP4-3.1.5.3-ACK-PRIOR", Clause: "MC-DPL4R 3.1.5.3", Level: conform.Impl, Severity: conform.Note, Scope: "B",
		Guards:    conform.Of(conform.GuardReord),
		Statement: "a NACK for messageid m means that all messages before m are complete, so no later NACK is below m",
		Care:      "REORD by tick",
		Example:   "N m=8, then N m=6",
	},
	r13Envelope - dutiesBase: {
		ID: "DP4-1.3-ENVELOPE", Clause: "MC-DPL4R 1.3", Level: conform.Rec, Severity: conform.Note, Scope: "B",
		Statement: "DP4 frames are used only after the join; join messages to the host are bare MC-DPL4CS",
		Care:      "only if MC-DPL4CS messages were captured",
		Example:   "join request wrapped in a DP4 frame",
	},
}
