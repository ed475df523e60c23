package rules

import (
	"github.com/dpdissect/dpdissect/session/conform"
)

// Rules of retries and timers.
const retryBase = sequenceBase + len(sequenceRules)

const (
	r3165Hdrlatest = retryBase + iota
	r3165Seqkept
	r3165Flagskept
	r3165Coalretry
	r3165CoalretrySolo
	r3125First
	r3125Backoff
	r3125Cap
	r3125Max
	r3165Lost
	r3165Retrymissing
	r3121Connretry
	r3121Connmax
	r3161Failed
	r3122Ackdelay
	r3122AckdelayOoo
	r3123Sendmask
	r3126Keepalive
	r3126Early
	r3166KaRetry
)

var retryRules = [...]conform.Rule{
	r3165Hdrlatest - retryBase: {
		ID: "DP8-3.1.6.5-HDRLATEST", Clause: "MC-DPL8R 3.1.6.5", Level: conform.Must, Severity: conform.Error, Scope: "D",
		Guards:    conform.Of(conform.GuardReord),
		Statement: "a retry carries the newest header information (bNRcv, masks)",
		Care:      "bNRcv is compared only with frames captured earlier by more than the reorder horizon",
		Example:   "DF seq=20 nrcv=9, 500 ms later RETRY seq=12 nrcv=4",
	},
	r3165Seqkept - retryBase: {
		ID: "DP8-3.1.6.5-SEQKEPT", Clause: "MC-DPL8R 3.1.6.5", Level: conform.Must, Severity: conform.Note, Scope: "D", Seldom: true,
		Statement: "a retry keeps its original number",
		Care:      "equal messages are legal: reported only while the first is unacknowledged and never retried",
		Example:   "reliable seq=5 unacknowledged forever, same bytes appear as new seq=30",
	},
	r3165Flagskept - retryBase: {
		ID: "DP8-3.1.6.5-FLAGSKEPT", Clause: "MC-DPL8R 3.1.6.5", Level: conform.Impl, Severity: conform.Error, Scope: "D",
		Statement: "a retry keeps RELIABLE, SEQUENTIAL, NEW, END, USER flags",
		Care:      "POLL may change, and SEQUENTIAL where unreliable parts were left out",
		Example:   "seq=5 RELIABLE, retry without",
	},
	r3165Coalretry - retryBase: {
		ID: "DP8-3.1.6.5-COALRETRY", Clause: "MC-DPL8R 3.1.6.5, 1.3", Level: conform.Must, Severity: conform.Error, Scope: "D",
		Statement: "retried coalesced frames contain only the reliable parts, unchanged and in order",
		Care:      "proved by the frame alone",
		Example:   "retry still has an unreliable part",
	},
	r3165CoalretrySolo - retryBase: {
		ID: "DP8-3.1.6.5-COALRETRY-SOLO", Clause: "MC-DPL8R 3.1.6.5", Level: conform.Must, Severity: conform.Error, Scope: "D",
		Statement: "without the unreliable parts, the remaining bytes equal the reliable parts of the first transmission",
		Care:      "another transmission of the number must have been captured",
		Example:   "reliable part changed",
	},
	r3125First - retryBase: {
		ID: "DP8-3.1.2.5-FIRST", Clause: "MC-DPL8R 3.1.2.5, 3.1.6.5", Level: conform.Rec, Severity: conform.Note, Scope: "BT",
		Guards:    conform.Of(conform.GuardRTT, conform.GuardClock, conform.GuardSample),
		Statement: "the first retry follows after 2.5 RTT + the delayed-ack timeout (100 ms)",
		Care:      "a retry is too early only if no answer can have arrived yet; retries requested by a SACK mask do not count; several in a row are needed",
		Example:   "RTT 200 ms, retry after 60 ms without a SACK mask",
	},
	r3125Backoff - retryBase: {
		ID: "DP8-3.1.2.5-BACKOFF", Clause: "MC-DPL8R 3.1.2.5", Level: conform.Rec, Severity: conform.Note, Scope: "DT",
		Guards:    conform.Of(conform.GuardClean, conform.GuardClock, conform.GuardSample),
		Statement: "linear back-off for retries 2 and 3, exponential for 4 to 8",
		Care:      "intervals must not shrink by more than a fifth (AMB-DP8-27); the retries that must be missing to explain it are counted",
		Example:   "gaps 600, 300, 100 ms",
	},
	r3125Cap - retryBase: {
		ID: "DP8-3.1.2.5-CAP", Clause: "MC-DPL8R 3.1.2.5", Level: conform.Rec, Severity: conform.Note, Scope: "DT",
		Guards:    conform.Of(conform.GuardClean, conform.GuardHold),
		Statement: "retry interval ≤ 5 s",
		Care:      "the retries that must be missing to explain a longer interval are counted",
		Example:   "two retries 12 s apart",
	},
	r3125Max - retryBase: {
		ID: "DP8-3.1.2.5-MAX", Clause: "MC-DPL8R 3.1.2.5, 3.1.6.5", Level: conform.Rec, Severity: conform.Note, Scope: "D",
		Statement: "at most 10 retries",
		Example:   "15 retries of seq=5",
	},
	r3165Lost - retryBase: {
		ID: "DP8-3.1.6.5-LOST", Clause: "MC-DPL8R 3.1.6.5", Level: conform.Must, Severity: conform.Warn, Scope: "BT", Seldom: true,
		Guards:    conform.Of(conform.GuardBidir, conform.GuardClean),
		Statement: "after the last retry the connection is lost: no further traffic on it",
		Care:      "reported after 10 retries, or the configured maximum, and more than 10 s of new data while the other side still waits for the number",
		Example:   "seq=5 retried 10 times, never acknowledged, seq=80 follows",
	},
	r3165Retrymissing - retryBase: {
		ID: "DP8-3.1.6.5-RETRYMISSING", Clause: "MC-DPL8R 3.1.6.5", Level: conform.Should, Severity: conform.Warn, Scope: "BT", Operation: true,
		Guards:    conform.Of(conform.GuardBidir, conform.GuardClean, conform.GuardHold),
		Statement: "an unacknowledged reliable packet is resent",
		Care:      "the verdict waits for 5 s or 10 round trips, and until so many retries were due that the capture cannot have missed them all",
		Example:   "reliable seq=5 never acknowledged nor resent for 20 s, traffic continues",
	},
	r3121Connretry - retryBase: {
		ID: "DP8-3.1.2.1-CONNRETRY", Clause: "MC-DPL8R 3.1.2.1, 3.1.6.1", Level: conform.Rec, Severity: conform.Note, Scope: "DT",
		Guards:    conform.Of(conform.GuardClean, conform.GuardClock),
		Statement: "CONNECT and CONNECTED are retried after 200 ms, then at doubled intervals of at most 5 s",
		Care:      "any schedule is allowed; intervals below half the first period are reported",
		Example:   "CONNECT every 50 ms",
	},
	r3121Connmax - retryBase: {
		ID: "DP8-3.1.2.1-CONNMAX", Clause: "MC-DPL8R 3.1.2.1", Level: conform.Rec, Severity: conform.Note, Scope: "D",
		Statement: "at most 14 handshake retries",
		Example:   "40 CONNECTs",
	},
	r3161Failed - retryBase: {
		ID: "DP8-3.1.6.1-FAILED", Clause: "MC-DPL8R 3.1.6.1", Level: conform.Must, Severity: conform.Note, Scope: "BT", Seldom: true,
		Statement: "after the last handshake retry the attempt has failed",
		Care:      "only with a configured maximum",
		Example:   "handshake completes by the 30th retry",
	},
	r3122Ackdelay - retryBase: {
		ID: "DP8-3.1.2.2-ACKDELAY", Clause: "MC-DPL8R 3.1.2.2, 3.1.6.2", Level: conform.Rec, Severity: conform.Note, Scope: "BT",
		Guards:    conform.Of(conform.GuardBidir, conform.GuardClean, conform.GuardVant, conform.GuardClock, conform.GuardSample),
		Statement: "an acknowledgement follows within about 100 ms",
		Care:      "three in four of 20 or more must be late",
		Example:   "acks regularly 500 ms late",
	},
	r3122AckdelayOoo - retryBase: {
		ID: "DP8-3.1.2.2-ACKDELAY-OOO", Clause: "MC-DPL8R 3.1.2.2", Level: conform.Rec, Severity: conform.Note, Scope: "BT",
		Statement: "an acknowledgement follows within about 20 ms for out-of-order or duplicate packets",
		Care:      "three in four of 20 or more gaps reported by a mask must be late",
		Example:   "gap first reported after 300 ms",
	},
	r3123Sendmask - retryBase: {
		ID: "DP8-3.1.2.3-SENDMASK", Clause: "MC-DPL8R 3.1.2.3, 3.1.6.3", Level: conform.Rec, Severity: conform.Note, Scope: "BT",
		Statement: "a send mask is sent within about 40 ms of the decision",
		Unchecked: "never observable: when an endpoint decides to give a packet up is not on the wire",
	},
	r3126Keepalive - retryBase: {
		ID: "DP8-3.1.2.6-KEEPALIVE", Clause: "MC-DPL8R 3.1.2.6, 3.1.6.6", Level: conform.Rec, Severity: conform.Note, Scope: "BT", Seldom: true,
		Guards:    conform.Of(conform.GuardBidir, conform.GuardClean, conform.GuardVant),
		Statement: "a KA is sent after 25 s (4 s granularity) without receiving anything",
		Care:      "both sides were idle and their numbers continue, so no KeepAlive was missed",
		Example:   "60 s silence on an open connection, then data",
	},
	r3126Early - retryBase: {
		ID: "DP8-3.1.2.6-EARLY", Clause: "MC-DPL8R 3.1.2.6, 1.3", Level: conform.Rec, Severity: conform.Note, Scope: "BT", Summed: true,
		Guards:    conform.Of(conform.GuardVant),
		Statement: "no KA is sent while valid packets keep arriving (except right after the handshake)",
		Care:      "judged by the number of KeepAlives since the start: the time of a single one proves little, since it is queued like any frame",
		Example:   "KA every second during traffic",
	},
	r3166KaRetry - retryBase: {
		ID: "DP8-3.1.6.6-KA-RETRY", Clause: "MC-DPL8R 3.1.6.6", Level: conform.Must, Severity: conform.Warn, Scope: "BT",
		Statement: "an unacknowledged KA is retried like other reliable frames",
		Care:      "judged as for other reliable frames",
		Example:   "KA never acknowledged nor resent, connection continues",
	},
}
