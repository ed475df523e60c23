package rules

import (
	"github.com/dpdissect/dpdissect/session/conform"
)

// Rules of signatures.
const signatureBase = closeBase + len(closeRules)

const (
	rSigFast = signatureBase + iota
	rSigFastDir
	rSigFull
	rSigEpoch
	rSigEarly
	rSigRetrykey
	rSigResign
	rSigModifier
	rSigSackkey
	rSigHdisckey
	rSigVer
	rSigActed
	rSigUnsignedActed
	rSigSecretleak
	rSecretContradicted
)

var signatureRules = [...]conform.Rule{
	rSigFast - signatureBase: {
		ID: "DP8-SIG-FAST", Clause: "MC-DPL8R 3.1.4.4, 3.1.5.2.7", Level: conform.Must, Severity: conform.Error, Scope: "D", Operation: true,
		Statement: "FAST: signature equals the sender's secret",
		Care:      "one step less severe if the secret was learned from the frames themselves: the frame may be a third party's",
		Example:   "one frame with another 8 bytes",
	},
	rSigFastDir - signatureBase: {
		ID: "DP8-SIG-FAST-DIR", Clause: "MC-DPL8R 3.1.4.4", Level: conform.Must, Severity: conform.Error, Scope: "B",
		Guards:    conform.Of(conform.GuardRole),
		Statement: "the connector signs with ullSenderSecret, the listener with ullReceiverSecret, fast or full",
		Example:   "both sides use ullSenderSecret",
	},
	rSigFull - signatureBase: {
		ID: "DP8-SIG-FULL", Clause: "MC-DPL8R 3.1.4.4, 3.1.5.2.7", Level: conform.Must, Severity: conform.Error, Scope: "D", Operation: true,
		Statement: "FULL: signature = first 8 bytes of SHA-1(frame with zeroed signature ‖ secret little-endian)",
		Care:      "judged only with the secret of the number's own epoch; inconclusive when the capture may have missed an epoch",
		Example:   "one payload byte changed, signature kept",
	},
	rSigEpoch - signatureBase: {
		ID: "DP8-SIG-EPOCH", Clause: "MC-DPL8R 3.1.4.4", Level: conform.Must, Severity: conform.Error, Scope: "D", Operation: true,
		Statement: "after number 255 the sender uses SHA-1(previous secret ‖ modifier), first 8 bytes",
		Care:      "proved when the frame verifies with the previous secret; a frame that verifies with no known secret proves nothing",
		Example:   "seq=256+3 verifies with the epoch-0 key",
	},
	rSigEarly - signatureBase: {
		ID: "DP8-SIG-EARLY", Clause: "MC-DPL8R 3.1.4.4", Level: conform.Must, Severity: conform.Error, Scope: "D",
		Statement: "the new key is not used before the wrap",
		Care:      "proved when the frame verifies with a possible next secret",
		Example:   "seq=250 verifies only with the next key",
	},
	rSigRetrykey - signatureBase: {
		ID: "DP8-SIG-RETRYKEY", Clause: "MC-DPL8R 3.1.4.4", Level: conform.Must, Severity: conform.Error, Scope: "D", Seldom: true,
		Statement: "a retry of 192–255 sent after the wrap uses the previous key",
		Care:      "proved when the frame verifies with the secret used after the wrap",
		Example:   "RETRY seq=250 after wrap signed with the new key",
	},
	rSigResign - signatureBase: {
		ID: "DP8-SIG-RESIGN", Clause: "MC-DPL8R 3.1.6.5", Level: conform.Must, Severity: conform.Error, Scope: "D",
		Statement: "a retry whose header or content changed is signed again",
		Care:      "an earlier transmission was captured; needs no secret: the same signature on different bytes is proof",
		Example:   "retry with new nrcv but the old signature",
	},
	rSigModifier - signatureBase: {
		ID: "DP8-SIG-MODIFIER", Clause: "MC-DPL8R 3.1.4.4, 3.1.5.2.7", Level: conform.Must, Severity: conform.Note, Scope: "D",
		Statement: "the modifier derives from the lowest-numbered reliable non-KA payload below 192 of the epoch (first reliable part if coalesced); none ⇒ reuse",
		Care:      "the text leaves the derivation open (AMB-DP8-12): the known derivations are tried, and one that verifies 8 frames is used; if none does, the epoch stays unverified",
		CountOnly: true,
	},
	rSigSackkey - signatureBase: {
		ID: "DP8-SIG-SACKKEY", Clause: "MC-DPL8R 2.2.1.5", Level: conform.Must, Severity: conform.Error, Scope: "D",
		Statement: "a SACK is signed with the key for bNSeq",
		Care:      "bNSeq = 0 right after number 255 means the new epoch",
		Example:   "SACK bNSeq 0 (epoch 1) verifies with epoch-0 key",
	},
	rSigHdisckey - signatureBase: {
		ID: "DP8-SIG-HDISCKEY", Clause: "MC-DPL8R 2.2.1.4", Level: conform.Must, Severity: conform.Error, Scope: "D",
		Statement: "an HDISC is signed with the key for bRspId",
		Care:      "only for a side whose other frames verify",
		Example:   "HDISC signature fails although all DFs verify",
	},
	rSigVer - signatureBase: {
		ID: "DP8-SIG-VER", Clause: "MC-DPL8R 1.7, 2.2.1", Level: conform.Must, Severity: conform.Error, Scope: "B",
		Guards:    conform.Of(conform.GuardVer),
		Statement: "signing is agreed on only if both sides are 1.6 or later",
		Example:   "peer 1.5, CSIGNED exchange completes",
	},
	rSigActed - signatureBase: {
		ID: "DP8-SIG-ACTED", Clause: "MC-DPL8R 3.1.5.2, 3.1.5.2.7", Level: conform.Must, Severity: conform.Warn, Scope: "B",
		Guards:    conform.Of(conform.GuardBidir, conform.GuardHold),
		Statement: "a frame with a wrong signature is discarded, so it is not acknowledged",
		Care:      "the capture misses nothing else, and no valid copy arrives in time",
		Example:   "DF seq=9 fails, nrcv=10 follows, no good copy captured",
	},
	rSigUnsignedActed - signatureBase: {
		ID: "DP8-SIG-UNSIGNED-ACTED", Clause: "MC-DPL8R 3.1.5.2", Level: conform.Must, Severity: conform.Warn, Scope: "B", Seldom: true,
		Statement: "an unsigned frame on a signed connection is discarded",
		Care:      "as for a wrong signature",
		Example:   "unsigned KA acknowledged",
	},
	rSigSecretleak - signatureBase: {
		ID: "DP8-SIG-SECRETLEAK", Clause: "MC-DPL8R 2.2.1.3, 5.1", Level: conform.Rec, Severity: conform.Note, Scope: "B", Summed: true,
		Statement: "the secrets cross the wire in the clear, so signatures do not protect against anyone who saw the handshake",
		Care:      "informational, once per connection",
		Example:   "any captured signed handshake",
	},
	rSecretContradicted - signatureBase: {
		ID: "DP8-SECRET-CONTRADICTED", Clause: "MC-DPL8R 2.2.1.3", Level: conform.Impl, Severity: conform.Error, Scope: "B", Seldom: true,
		Statement: "secrets supplied by the user are those of the captured handshake",
		Care:      "those of the handshake are used",
		Example:   "--secret names other secrets than the connector's CONNECTED_SIGNED",
	},
}
