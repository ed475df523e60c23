package rules

import (
	"github.com/dpdissect/dpdissect/session/conform"
)

// Rules of initial values, counters and timers.
const countersBase = acksBase + len(acksRules)

const (
	r313SeqStart = countersBase + iota
	r313TickRate
	r313TickMono
	r313TickConst
	r313BytesDup
	r313AckTrigger
	r312Rto
	r312RtoInit
	r3154BytesMono
	r3154BytesMax
	r3154BytesBase
	r3154BytesZero
)

var countersRules = [...]conform.Rule{
	r313SeqStart - countersBase: {
		ID: "DP4-3.1.3-SEQ-START", Clause: "MC-DPL4R 3.1.3", Level: conform.Must, Severity: conform.Warn, Scope: "D",
		Guards:    conform.Of(conform.GuardStart),
		Statement: "sequence numbers start at 1",
		Care:      "START; 0 is accepted by default (AMB-DP4-02), the profile strict-text requires 1",
		Example:   "first packet q=50",
	},
	r313TickRate - countersBase: {
		ID: "DP4-3.1.3-TICK-RATE", Clause: "MC-DPL4R 3.1.3", Level: conform.Must, Severity: conform.Error, Scope: "DT", Operation: true,
		Guards:    conform.Of(conform.GuardClock, conform.GuardSample),
		Statement: "the local tick count advances 1 per millisecond",
		Care:      "CLOCK, SAMPLE (≥ 20 frames over ≥ 10 s); 16 ms granularity, path jitter (the lower envelope is used) and 0.1% drift are tolerated; 0.1–1% is a note, 1–5% a warning",
		Example:   "tick advances 64 per second of capture",
	},
	r313TickMono - countersBase: {
		ID: "DP4-3.1.3-TICK-MONO", Clause: "MC-DPL4R 3.1.3", Level: conform.Must, Severity: conform.Warn, Scope: "D",
		Guards:    conform.Of(conform.GuardReord),
		Statement: "the local tick count never decreases in send order (mod 2^32)",
		Care:      "REORD: a decrease ≤ reorder horizon with lower br is a reordered frame, not a failure",
		Example:   "t=90000, br=5000 then t=2000, br=5400",
	},
	r313TickConst - countersBase: {
		ID: "DP4-3.1.3-TICK-CONST", Clause: "MC-DPL4R 3.1.3", Level: conform.Must, Severity: conform.Error, Scope: "DT",
		Guards:    conform.Of(conform.GuardSample),
		Statement: "the tick does not stand still",
		Care:      "SAMPLE, ≥ 1 s",
		Example:   "50 ACKs over 5 s all t=0",
	},
	r313BytesDup - countersBase: {
		ID: "DP4-3.1.3-BYTES-DUP", Clause: "MC-DPL4R 3.1.3", Level: conform.Should, Severity: conform.Note, Scope: "B",
		Guards:    conform.Of(conform.GuardBidir, conform.GuardClean, conform.GuardSample),
		Statement: "bytes received should include retransmitted copies",
		Care:      "BIDIR, CLEAN, SAMPLE: the model (with or without copies) that fits all deltas is used and named",
		Example:   "deltas always exclude repeated packets",
		Unchecked: "a repeated packet that is not counted may have been lost on its way to the receiver",
	},
	r313AckTrigger - countersBase: {
		ID: "DP4-3.1.3-ACK-TRIGGER", Clause: "MC-DPL4R 3.1.3", Level: conform.Must, Severity: conform.Note, Scope: "B",
		Guards:    conform.Of(conform.GuardBidir),
		Statement: "ACKs are caused by SAK or by the end of a message",
		Care:      "BIDIR, packet captured; delayed ACKs allowed unless SAK",
		Example:   "A q=11 where q=11 has neither SAK nor EOM",
		Unchecked: "not observable: a delayed acknowledgement names the packet that arrived last, not the one that caused it",
	},
	r312Rto - countersBase: {
		ID: "DP4-3.1.2-RTO", Clause: "MC-DPL4R 3.1.2", Level: conform.Rec, Severity: conform.Note, Scope: "BT", Seldom: true,
		Guards:    conform.Of(conform.GuardRTT, conform.GuardClock, conform.GuardSample),
		Statement: "the retry timeout is about the mean RTT + 3σ (or + 20%)",
		Care:      "RTT, CLOCK, SAMPLE; only the lower bound is judged, of a packet after which none was sent, which no report can name: a retry sooner than the minimum RTT of this side is certainly premature",
		Example:   "RTT ≥ 80 ms, retries after 25 ms",
	},
	r312RtoInit - countersBase: {
		ID: "DP4-3.1.2-RTO-INIT", Clause: "MC-DPL4R 3.1.2", Level: conform.Rec, Severity: conform.Note, Scope: "BT", Seldom: true,
		Guards:    conform.Of(conform.GuardStart, conform.GuardClock),
		Statement: "before any sample the retry timeout starts at 1 s",
		Example:   "first packet retried after 100 ms, no ACK yet seen",
	},
	r3154BytesMono - countersBase: {
		ID: "DP4-3.1.5.4-BYTES-MONO", Clause: "MC-DPL4R 3.1.5.4", Level: conform.Must, Severity: conform.Error, Scope: "D",
		Statement: "bytes received never decreases in send order (mod 2^32)",
		Care:      "order by tick",
		Example:   "br=9000 t=500, br=4500 t=700",
	},
	r3154BytesMax - countersBase: {
		ID: "DP4-3.1.5.4-BYTES-MAX", Clause: "MC-DPL4R 3.1.5.4", Level: conform.Must, Severity: conform.Warn, Scope: "B", Operation: true,
		Guards:    conform.Of(conform.GuardBidir),
		Statement: "bytes received grows by no more than the data bytes on the wire",
		Care:      "BIDIR; an excess is evidence of capture loss; it fails only if every sequence and serial in the interval was captured",
		Example:   "3 frames of 100 bytes, delta 10,000, no gap in sequence or serial",
	},
	r3154BytesBase - countersBase: {
		ID: "DP4-3.1.5.4-BYTES-BASE", Clause: "MC-DPL4R 3.1.5.4", Level: conform.Must, Severity: conform.Note, Scope: "B",
		Guards:    conform.Of(conform.GuardBidir, conform.GuardClean, conform.GuardSample),
		Statement: "the count covers whole data frames without the index header, and not ACK/NACK frames",
		Care:      "BIDIR, CLEAN, SAMPLE; the model that fits is reported",
		Example:   "every delta equals frame + index header",
	},
	r3154BytesZero - countersBase: {
		ID: "DP4-3.1.5.4-BYTES-ZERO", Clause: "MC-DPL4R 3.1.5.4", Level: conform.Must, Severity: conform.Warn, Scope: "B",
		Guards:    conform.Of(conform.GuardStart),
		Statement: "an ACK that follows received data has bytes received > 0",
		Example:   "first ACK br=0",
	},
}
