package rules

import (
	"github.com/dpdissect/dpdissect/session/conform"
)

// Rules of sequence, acknowledgement and window.
const sequenceBase = messageBase + len(messageRules)

const (
	r31521Start = sequenceBase + iota
	r31522Start
	r31521Inc
	r31521Reuse
	r31521Range
	r31521OorSack
	r31522Mono
	r31522Max
	r31522Gapack
	r31523Base
	r31523Unsent
	r31523Bit63
	r31523Renege
	r31523Noretry
	r31523Fast
	r31521Sackinfo
	r31522Ackedretry
	r31524Reliable
	r31524Base
	r31524Unsent
	r31524Acked
	r31524Advance
	r3165UnrelMask
	r3165UnrelRetry
	r2215Pollack
	r3144CcInit
	r3144CcLoss
)

var sequenceRules = [...]conform.Rule{
	r31521Start - sequenceBase: {
		ID: "DP8-3.1.5.2.1-START", Clause: "MC-DPL8R 3.1.5.2.1", Level: conform.Must, Severity: conform.Error, Scope: "D",
		Guards:    conform.Of(conform.GuardStart, conform.GuardClean),
		Statement: "sequence ids start at 0",
		Example:   "first frame after handshake seq=1 with nothing lost (peer's nrcv proves it never saw 0)",
	},
	r31522Start - sequenceBase: {
		ID: "DP8-3.1.5.2.2-START", Clause: "MC-DPL8R 3.1.5.2.2", Level: conform.Must, Severity: conform.Error, Scope: "D",
		Guards:    conform.Of(conform.GuardStart),
		Statement: "bNRcv starts at 0",
		Example:   "first frame of a side nrcv=9 before the peer sent anything",
	},
	r31521Inc - sequenceBase: {
		ID: "DP8-3.1.5.2.1-INC", Clause: "MC-DPL8R 3.1.5.2.1", Level: conform.Must, Severity: conform.Error, Scope: "D", Operation: true,
		Statement: "new frames take consecutive ids",
		Care:      "a step forward shows frames that were lost or not captured; a lower number first sent well after a higher one, or with a higher bNRcv, is a violation, and the frame that stepped ahead is the one reported when the numbers continue below it",
		Example:   "new payload at a number below the highest sent",
	},
	r31521Reuse - sequenceBase: {
		ID: "DP8-3.1.5.2.1-REUSE", Clause: "MC-DPL8R 3.1.5.2.1, 3.1.6.5", Level: conform.Must, Severity: conform.Error, Scope: "D", Operation: true,
		Guards:    conform.Of(conform.GuardUnwrap),
		Statement: "inside the live window a number names one payload",
		Care:      "a retry may leave out the unreliable parts of a coalesced frame; numbers are compared only while they cannot have wrapped",
		Example:   "seq=7 \"abc\", later seq=7 RETRY \"xyz\"",
	},
	r31521Range - sequenceBase: {
		ID: "DP8-3.1.5.2.1-RANGE", Clause: "MC-DPL8R 3.1.5.2.1, 3.1.4.4", Level: conform.Must, Severity: conform.Error, Scope: "B", Operation: true,
		Guards:    conform.Of(conform.GuardBidir, conform.GuardHold, conform.GuardOdds),
		Statement: "seq ≤ lowest unacknowledged + 63: at most 64 in flight",
		Care:      "an acknowledgement that was not captured explains an excess; proof is many in a row, more in a quarter of the round trip than the window holds, or a single frame after which the side continues below it",
		Example:   "nrcv 10, DF seq=74",
	},
	r31521OorSack - sequenceBase: {
		ID: "DP8-3.1.5.2.1-OOR-SACK", Clause: "MC-DPL8R 3.1.5.2.1", Level: conform.Should, Severity: conform.Note, Scope: "BT",
		Guards:    conform.Of(conform.GuardBidir, conform.GuardClean, conform.GuardHold, conform.GuardVant),
		Statement: "a number outside the receive range triggers a SACK: at once with POLL, else after the short delay (20 ms)",
		Example:   "duplicate of an acknowledged reliable frame, no SACK",
	},
	r31522Mono - sequenceBase: {
		ID: "DP8-3.1.5.2.2-MONO", Clause: "MC-DPL8R 3.1.5.2.2", Level: conform.Must, Severity: conform.Error, Scope: "D", Operation: true,
		Guards:    conform.Of(conform.GuardReord),
		Statement: "bNRcv never goes back in send order",
		Care:      "the order is that of numbers and ticks, otherwise that of the capture beyond the reorder horizon; retries have their own rule",
		Example:   "DF seq=20 nrcv=9, DF seq=21 nrcv=7",
	},
	r31522Max - sequenceBase: {
		ID: "DP8-3.1.5.2.2-MAX", Clause: "MC-DPL8R 3.1.5.2.2", Level: conform.Must, Severity: conform.Error, Scope: "B", Operation: true,
		Statement: "bNRcv ≤ peer's highest sent + 1",
		Care:      "an excess usually shows what was not captured; it is a violation when the number is first sent later, when the other side's bNSeq contradicts it, or when the side takes it back",
		Example:   "peer's SACK bNSeq 5, other side nrcv=40",
	},
	r31522Gapack - sequenceBase: {
		ID: "DP8-3.1.5.2.2-GAPACK", Clause: "MC-DPL8R 3.1.5.2.2", Level: conform.Must, Severity: conform.Error, Scope: "B", Operation: true,
		Statement: "bNRcv does not pass a reliable number that has not been delivered yet",
		Care:      "certain only when the number is first sent (RETRY clear) well after it was acknowledged",
		Example:   "nrcv=9 at t=1.0, reliable seq=8 first sent at t=1.5",
	},
	r31523Base - sequenceBase: {
		ID: "DP8-3.1.5.2.3-BASE", Clause: "MC-DPL8R 3.1.5.2.3", Level: conform.Must, Severity: conform.Note, Scope: "B",
		Guards:    conform.Of(conform.GuardSample),
		Statement: "SACK bit i means bNRcv + 1 + i",
		Care:      "reported once, when bit 0 is never set and either a mask names a number that is first sent long after, or 20 make more sense as bNRcv + i: numbers they would report missing had arrived",
		Example:   "every mask has bit 0 set while bNRcv is later retried",
	},
	r31523Unsent - sequenceBase: {
		ID: "DP8-3.1.5.2.3-UNSENT", Clause: "MC-DPL8R 3.1.5.2.3", Level: conform.Must, Severity: conform.Error, Scope: "B", Operation: true,
		Guards:    conform.Of(conform.GuardBidir, conform.GuardHold),
		Statement: "SACK bits name only numbers that were sent",
		Care:      "proved as for an excess of bNRcv; an excess of one may mean that the mask counts from another number",
		Example:   "highest seq 12, bit for 40",
	},
	r31523Bit63 - sequenceBase: {
		ID: "DP8-3.1.5.2.3-BIT63", Clause: "MC-DPL8R 3.1.5.2.3, 3.1.5.2.1", Level: conform.Must, Severity: conform.Error, Scope: "F",
		Statement: "bit 63 (bNRcv + 64) cannot be set: outside the window",
		Example:   "dwSACKMask2 = 0x80000000",
	},
	r31523Renege - sequenceBase: {
		ID: "DP8-3.1.5.2.3-RENEGE", Clause: "MC-DPL8R 3.1.5.2.3", Level: conform.Impl, Severity: conform.Warn, Scope: "B",
		Guards:    conform.Of(conform.GuardReord),
		Statement: "a number that was selectively acknowledged is not reported missing later",
		Care:      "masks are compared in the order of numbers and ticks; nothing is reported that bit 0 meaning bNRcv would explain",
		Example:   "seq=8 sacked, next mask (same nrcv) without it",
	},
	r31523Noretry - sequenceBase: {
		ID: "DP8-3.1.5.2.3-NORETRY", Clause: "MC-DPL8R 3.1.5.2.3", Level: conform.Should, Severity: conform.Warn, Scope: "BT", Operation: true,
		Guards:    conform.Of(conform.GuardBidir, conform.GuardKnew, conform.GuardVant),
		Statement: "selectively acknowledged packets are not retried",
		Care:      "the retry's own bNRcv must acknowledge a reliable frame that carried the mask",
		Example:   "seq=8 sacked at 1.00 s, RETRY seq=8 at 1.60 s",
	},
	r31523Fast - sequenceBase: {
		ID: "DP8-3.1.5.2.3-FAST", Clause: "MC-DPL8R 3.1.5.2.3", Level: conform.Should, Severity: conform.Note, Scope: "BT",
		Guards:    conform.Of(conform.GuardVant, conform.GuardClock, conform.GuardSample),
		Statement: "a SACK mask shortens the retry timer of the first window frame to 10 ms",
		Example:   "gap reported, retry only after 900 ms",
	},
	r31521Sackinfo - sequenceBase: {
		ID: "DP8-3.1.5.2.1-SACKINFO", Clause: "MC-DPL8R 3.1.5.2.1", Level: conform.Should, Severity: conform.Note, Scope: "B",
		Guards:    conform.Of(conform.GuardBidir, conform.GuardSample),
		Statement: "a receiver with queued out-of-order packets says so in SACK masks",
		Care:      "what was queued shows only in later acknowledgements, which an uncaptured retry would explain as well, so three in four of 20 or more are needed",
		Example:   "seq 5,7,8 delivered, SACK nrcv=6 without mask, then nrcv=9 right after 6",
	},
	r31522Ackedretry - sequenceBase: {
		ID: "DP8-3.1.5.2.2-ACKEDRETRY", Clause: "MC-DPL8R 3.1.5.2.2", Level: conform.Should, Severity: conform.Note, Scope: "BT",
		Guards:    conform.Of(conform.GuardBidir, conform.GuardKnew, conform.GuardVant),
		Statement: "acknowledged packets are not retried",
		Care:      "the retry's own bNRcv must acknowledge a reliable frame that carried the acknowledgement; otherwise the acknowledgement may have been lost on its way",
		Example:   "nrcv=9 at 1.0 s, RETRY seq=8 at 1.9 s",
	},
	r31524Reliable - sequenceBase: {
		ID: "DP8-3.1.5.2.4-RELIABLE", Clause: "MC-DPL8R 3.1.5.2.4", Level: conform.Must, Severity: conform.Error, Scope: "D",
		Statement: "send masks name only packets not marked reliable",
		Care:      "the number must have been captured; masks of retries count from their own number",
		Example:   "seq=5 reliable, seq=9 send mask bit 3",
	},
	r31524Base - sequenceBase: {
		ID: "DP8-3.1.5.2.4-BASE", Clause: "MC-DPL8R 3.1.5.2.4, 3.1.6.5", Level: conform.Must, Severity: conform.Note, Scope: "D",
		Statement: "send-mask bit i means bSeq − 1 − i (SACK: bNSeq − 1 − i), also in retries",
		Care:      "reported for retries whose mask makes sense only relative to the next number",
		Example:   "retry seq=5 whose mask only makes sense relative to 20",
	},
	r31524Unsent - sequenceBase: {
		ID: "DP8-3.1.5.2.4-UNSENT", Clause: "MC-DPL8R 3.1.5.2.4", Level: conform.Must, Severity: conform.Error, Scope: "D",
		Guards:    conform.Of(conform.GuardStart, conform.GuardUnwrap),
		Statement: "send masks do not reach before the connection's first number",
		Example:   "seq=2 with send bit 10",
	},
	r31524Acked - sequenceBase: {
		ID: "DP8-3.1.5.2.4-ACKED", Clause: "MC-DPL8R 3.1.5.2.4", Level: conform.Impl, Severity: conform.Note, Scope: "B",
		Guards:    conform.Of(conform.GuardBidir, conform.GuardVant),
		Statement: "send masks name unacknowledged packets",
		Example:   "masked number acknowledged 1 s earlier",
	},
	r31524Advance - sequenceBase: {
		ID: "DP8-3.1.5.2.4-ADVANCE", Clause: "MC-DPL8R 3.1.5.2.4", Level: conform.Must, Severity: conform.Warn, Scope: "BT",
		Guards:    conform.Of(conform.GuardBidir, conform.GuardHold),
		Statement: "the receiver advances past masked numbers",
		Care:      "the side itself selectively acknowledges a frame whose captured transmissions all gave the number up",
		Example:   "only gap seq=5 masked in ten acknowledged frames, nrcv stays 5",
	},
	r3165UnrelMask - sequenceBase: {
		ID: "DP8-3.1.6.5-UNREL-MASK", Clause: "MC-DPL8R 3.1.6.5", Level: conform.Should, Severity: conform.Warn, Scope: "BT",
		Guards:    conform.Of(conform.GuardBidir, conform.GuardHold),
		Statement: "lost unreliable packets are announced by a send mask",
		Care:      "the other side reports the number missing, and waits for none before it, for 3 s, and many frames pass without a mask that names it",
		Example:   "unreliable seq=5 missing, no mask, nrcv stuck at 5 for 3 s",
	},
	r3165UnrelRetry - sequenceBase: {
		ID: "DP8-3.1.6.5-UNREL-RETRY", Clause: "MC-DPL8R 1.3, 3.1.6.5", Level: conform.Must, Severity: conform.Warn, Scope: "D",
		Statement: "packets not marked reliable are not retried",
		Care:      "the text of 3.1.6.5 is ambiguous (AMB-DP8-30)",
		Example:   "seq=5 unreliable, RETRY seq=5 unreliable",
	},
	r2215Pollack - sequenceBase: {
		ID: "DP8-2.2.1.5-POLLACK", Clause: "MC-DPL8R 1.3, 2.2.1.5", Level: conform.Must, Severity: conform.Warn, Scope: "BT", Operation: true,
		Guards:    conform.Of(conform.GuardBidir, conform.GuardClean, conform.GuardHold, conform.GuardVant),
		Statement: "POLL is acknowledged immediately",
		Care:      "any frame whose bNRcv or mask covers the number counts; single answers may have been lost, so six or more in a row are needed, each 100 ms slower than the quickest",
		Example:   "POLL seq=9, covered by nrcv only 400 ms later (side delay 5 ms)",
	},
	r3144CcInit - sequenceBase: {
		ID: "DP8-3.1.4.4-CC-INIT", Clause: "MC-DPL8R 3.1.4.4", Level: conform.Should, Severity: conform.Note, Scope: "BT",
		Guards:    conform.Of(conform.GuardStart, conform.GuardBidir),
		Statement: "congestion control starts with two packets and grows by one per acknowledgement",
		Care:      "31 packets in half a round trip, known from five of each side or from the handshake",
		Example:   "40 packets before the first ack",
	},
	r3144CcLoss - sequenceBase: {
		ID: "DP8-3.1.4.4-CC-LOSS", Clause: "MC-DPL8R 3.1.4.4", Level: conform.Should, Severity: conform.Note, Scope: "BT",
		Guards:    conform.Of(conform.GuardBidir, conform.GuardSample),
		Statement: "the window shrinks on loss",
		Example:   "64 in flight throughout 20% loss",
	},
}
