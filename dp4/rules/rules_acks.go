package rules

import (
	"github.com/dpdissect/dpdissect/session/conform"
)

// Rules of ACK and NACK frames.
const acksBase = dataBase + len(dataRules)

const (
	r2NackNnack0 = acksBase + iota
	r223Product
	r223Len
	r223Strayflags
	r223Reliable
	r223Known
	r223Pair
	r223MaskBeyond
	r223MaskLie
	r223First
	r224Len
	r224Sent
	r224Pair
	r224Serial
	r224Cum
	r224CumGap
)

var acksRules = [...]conform.Rule{
	r2NackNnack0 - acksBase: {
		ID: "DP4-2-NACK-NNACK0", Clause: "MC-DPL4R 2", Level: conform.Rec, Severity: conform.Note, Scope: "F",
		Statement: "the frame-type table requires a non-zero nNACK in NACK frames",
		Care:      "contradicts 2.2.3 and the example (AMB-DP4-03): never more than a note",
		Example:   "NACK with extended flags 00",
	},
	r223Product - acksBase: {
		ID: "DP4-2.2.3-PRODUCT", Clause: "MC-DPL4R app. A <2>", Level: conform.Rec, Severity: conform.Note, Scope: "F", Summed: true, Seldom: true,
		Statement: "the Windows product does not implement NACK frames",
		Care:      "DIAL; contradicted by <7> (AMB-DP4-09)",
		Example:   "NACK from a Windows peer",
	},
	r223Len - acksBase: {
		ID: "DP4-2.2.3-LEN", Clause: "MC-DPL4R 2.2.3", Level: conform.Must, Severity: conform.Error, Scope: "F",
		Statement: "a NACK is exactly 12 + nNACK bytes after the indexes",
		Care:      "trailing bytes are a warning, missing bytes an error",
		Example:   "NACK nNACK=1 with 14 bytes",
	},
	r223Strayflags - acksBase: {
		ID: "DP4-2.2.3-STRAYFLAGS", Clause: "MC-DPL4R 2.2.3, 2.2.4", Level: conform.Impl, Severity: conform.Note, Scope: "F",
		Statement: "STA, EOM, SAK and RLY have no meaning in ACK/NACK frames",
		Care:      "listed in the tables, so only a note",
		Example:   "ACK frame with flags 12",
	},
	r223Reliable - acksBase: {
		ID: "DP4-2.2.3-RELIABLE", Clause: "MC-DPL4R 2.2.3", Level: conform.Must, Severity: conform.Warn, Scope: "B",
		Guards:    conform.Of(conform.GuardBidir, conform.GuardClean),
		Statement: "packets of unreliable messages are not NACKed",
		Care:      "BIDIR, CLEAN; inconclusive if the named packet was never captured; a note if the receiver had no part of the message yet: anything out of sequence leads to a NACK, and the receiver cannot tell how a missing packet was sent (AMB-DP4-11)",
		Example:   "q=5 captured without RLY, N q=5",
	},
	r223Known - acksBase: {
		ID: "DP4-2.2.3-KNOWN", Clause: "MC-DPL4R 2.2.3", Level: conform.Must, Severity: conform.Error, Scope: "B", Operation: true,
		Guards:    conform.Of(conform.GuardBidir, conform.GuardClean, conform.GuardHold),
		Statement: "a NACK names a messageid/sequence that the peer has sent (or skipped over)",
		Example:   "highest q sent 20, N q=60",
	},
	r223Pair - acksBase: {
		ID: "DP4-2.2.3-PAIR", Clause: "MC-DPL4R 2.2.3", Level: conform.Must, Severity: conform.Error, Scope: "B",
		Guards:    conform.Of(conform.GuardBidir, conform.GuardClean),
		Statement: "messageid and sequence of the NACK belong to the same packet",
		Example:   "q=12 belongs to m=4, N m=7 q=12",
	},
	r223MaskBeyond - acksBase: {
		ID: "DP4-2.2.3-MASK-BEYOND", Clause: "MC-DPL4R 2.2.3", Level: conform.Must, Severity: conform.Warn, Scope: "B",
		Guards:    conform.Of(conform.GuardBidir, conform.GuardClean, conform.GuardHold),
		Statement: "mask bits name only sequences the peer has sent; bit i stands for sequence + 1 + i",
		Example:   "N q=7 mask=0xFF, highest sent 9",
	},
	r223MaskLie - acksBase: {
		ID: "DP4-2.2.3-MASK-LIE", Clause: "MC-DPL4R 2.2.3, 2.2.4", Level: conform.Must, Severity: conform.Error, Scope: "B", Operation: true,
		Guards:    conform.Of(conform.GuardUnwrap),
		Statement: "a NACK does not report missing what an ACK or NACK sent earlier by the same side reported received",
		Care:      "order by local tick count, not by capture order; UNWRAP",
		Example:   "A q=9 t=1000, then N q=6 t=1200",
	},
	r223First - acksBase: {
		ID: "DP4-2.2.3-FIRST", Clause: "MC-DPL4R 2.2.3", Level: conform.Impl, Severity: conform.Note, Scope: "B",
		Guards:    conform.Of(conform.GuardReord),
		Statement: "the NACK sequence is the *first* missing one: a NACK or ACK sent next must not reveal an earlier missing packet",
		Care:      "REORD by tick",
		Example:   "N q=9 t=1000, N q=6 t=1001, nothing lost in between",
	},
	r224Len - acksBase: {
		ID: "DP4-2.2.4-LEN", Clause: "MC-DPL4R 2.2.4", Level: conform.Must, Severity: conform.Error, Scope: "F",
		Statement: "an ACK is exactly 12 bytes after the indexes",
		Care:      "trailing bytes are a warning",
		Example:   "ACK with 16 bytes",
	},
	r224Sent - acksBase: {
		ID: "DP4-2.2.4-SENT", Clause: "MC-DPL4R 2.2.4", Level: conform.Must, Severity: conform.Error, Scope: "B", Operation: true,
		Guards:    conform.Of(conform.GuardBidir),
		Statement: "an ACK names a packet that was sent",
		Care:      "a sequence above all captured ones was missed by the capture, unless it or a lower one is first sent later",
		Example:   "highest q 30, A q=120",
	},
	r224Pair - acksBase: {
		ID: "DP4-2.2.4-PAIR", Clause: "MC-DPL4R 2.2.4", Level: conform.Must, Severity: conform.Error, Scope: "B", Operation: true,
		Guards:    conform.Of(conform.GuardBidir),
		Statement: "messageid and sequence of the ACK belong to the same packet",
		Care:      "BIDIR, packet captured",
		Example:   "q=2 is m=0, A m=1 q=2",
	},
	r224Serial - acksBase: {
		ID: "DP4-2.2.4-SERIAL", Clause: "MC-DPL4R 2.2.4", Level: conform.Must, Severity: conform.Warn, Scope: "B",
		Guards:    conform.Of(conform.GuardBidir, conform.GuardClean),
		Statement: "the ACK's serial is a serial that was sent for that packet",
		Care:      "BIDIR, CLEAN; a serial one above those captured is evidence of loss",
		Example:   "q=4 sent with s=0,1; A q=4 s=9",
	},
	r224Cum - acksBase: {
		ID: "DP4-2.2.4-CUM", Clause: "MC-DPL4R 2.2.4", Level: conform.Must, Severity: conform.Warn, Scope: "B", Operation: true,
		Guards:    conform.Of(conform.GuardClean),
		Statement: "the acknowledged sequence never goes back in send order (it covers all earlier ones)",
		Care:      "order by tick, no verdict for equal ticks; the ACK of a repeated packet may name that packet",
		Example:   "A q=20 t=500, A q=17 t=600",
	},
	r224CumGap - acksBase: {
		ID: "DP4-2.2.4-CUM-GAP", Clause: "MC-DPL4R 2.2.4, 3.1.5.2", Level: conform.Must, Severity: conform.Error, Scope: "B", Operation: true,
		Statement: "an ACK must not cover a reliable packet that the same receiver has not yet received",
		Care:      "fails only on proof: the covered packet was first captured after the ACK, and the byte count of the ACK does not include it",
		Example:   "q=6 first sent at t=2 s; A q=8 at t=1 s counts bytes of q≤5,7,8 only",
	},
}
