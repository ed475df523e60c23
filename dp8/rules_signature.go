package dp8

import "github.com/dpdissect/dpdissect/session"

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

var signatureRules = [...]session.Rule{
	rSigFast - signatureBase: {
		ID: "DP8-SIG-FAST", Clause: "MC-DPL8R 3.1.4.4, 3.1.5.2.7", Level: session.Must, Severity: session.Error, Scope: "D",
		Statement: "FAST: signature equals the sender's secret",
		Care:      "learned key: constancy check, VER-style drop to warn; a single deviating frame may be injected traffic",
		Example:   "one frame with another 8 bytes",
	},
	rSigFastDir - signatureBase: {
		ID: "DP8-SIG-FAST-DIR", Clause: "MC-DPL8R 3.1.4.4", Level: session.Must, Severity: session.Error, Scope: "B",
		Guards:    session.Of(session.GuardRole),
		Statement: "connector signs with ullSenderSecret, listener with ullReceiverSecret",
		Example:   "both sides use ullSenderSecret",
	},
	rSigFull - signatureBase: {
		ID: "DP8-SIG-FULL", Clause: "MC-DPL8R 3.1.4.4, 3.1.5.2.7", Level: session.Must, Severity: session.Error, Scope: "D",
		Statement: "FULL: signature = first 8 bytes of SHA-1(frame with zeroed signature ‖ secret little-endian)",
		Care:      "epoch 0 only (no modifier needed) gives fail; later epochs need SIG-MODIFIER solved, else inconclusive; SNAP",
		Example:   "one payload byte changed, signature kept",
	},
	rSigEpoch - signatureBase: {
		ID: "DP8-SIG-EPOCH", Clause: "MC-DPL8R 3.1.4.4", Level: session.Must, Severity: session.Error, Scope: "D",
		Statement: "after number 255 the sender uses SHA-1(previous secret ‖ modifier), first 8 bytes",
		Care:      "needs derived key; distinguishes \"old key still used\" (fail) from \"unknown key\" (inconclusive)",
		Example:   "seq=256+3 verifies with the epoch-0 key",
	},
	rSigEarly - signatureBase: {
		ID: "DP8-SIG-EARLY", Clause: "MC-DPL8R 3.1.4.4", Level: session.Must, Severity: session.Error, Scope: "D",
		Statement: "the new key is not used before the wrap",
		Care:      "as above",
		Example:   "seq=250 verifies only with the next key",
	},
	rSigRetrykey - signatureBase: {
		ID: "DP8-SIG-RETRYKEY", Clause: "MC-DPL8R 3.1.4.4", Level: session.Must, Severity: session.Error, Scope: "D",
		Statement: "a retry of 192–255 sent after the wrap uses the previous key",
		Care:      "needs both keys",
		Example:   "RETRY seq=250 after wrap signed with the new key",
	},
	rSigResign - signatureBase: {
		ID: "DP8-SIG-RESIGN", Clause: "MC-DPL8R 3.1.6.5", Level: session.Must, Severity: session.Error, Scope: "D",
		Statement: "a retry with any changed header or content is signed afresh",
		Care:      "first copy captured; needs no key: same signature with different bytes is already proof in FULL mode",
		Example:   "retry with new nrcv but the old signature",
	},
	rSigModifier - signatureBase: {
		ID: "DP8-SIG-MODIFIER", Clause: "MC-DPL8R 3.1.4.4, 3.1.5.2.7", Level: session.Must, Severity: session.Note, Scope: "D",
		Statement: "the modifier derives from the lowest-numbered reliable non-KA payload below 192 of the epoch (first reliable part if coalesced); none ⇒ reuse",
		Care:      "derivation is unspecified (AMB-DP8-12): try the candidates at each wrap, accept one that verifies ≥ 8 frames of the next epoch (chance 2^-64 each), report which; none ⇒ that epoch unverifiable, its rules inconclusive",
	},
	rSigSackkey - signatureBase: {
		ID: "DP8-SIG-SACKKEY", Clause: "MC-DPL8R 2.2.1.5", Level: session.Must, Severity: session.Error, Scope: "D",
		Statement: "a SACK is signed with the key for bNSeq",
		Care:      "bNSeq = 0 right after number 255 means the new epoch",
		Example:   "SACK bNSeq 0 (epoch 1) verifies with epoch-0 key",
	},
	rSigHdisckey - signatureBase: {
		ID: "DP8-SIG-HDISCKEY", Clause: "MC-DPL8R 2.2.1.4", Level: session.Must, Severity: session.Error, Scope: "D",
		Statement: "an HDISC is signed with the key for bRspId",
		Example:   "HDISC signature fails although all DFs verify",
	},
	rSigVer - signatureBase: {
		ID: "DP8-SIG-VER", Clause: "MC-DPL8R 1.7, 2.2.1", Level: session.Must, Severity: session.Error, Scope: "B",
		Guards:    session.Of(session.GuardVer),
		Statement: "signing only if both sides are ≥ 1.6",
		Example:   "peer 1.5, CSIGNED exchange completes",
	},
	rSigActed - signatureBase: {
		ID: "DP8-SIG-ACTED", Clause: "MC-DPL8R 3.1.5.2, 3.1.5.2.7", Level: session.Must, Severity: session.Warn, Scope: "B",
		Guards:    session.Of(session.GuardBidir, session.GuardHold),
		Statement: "a frame with a wrong signature is discarded: not acknowledged",
		Care:      "keys certain, BIDIR, CLEAN, HOLD; a good copy may have passed unseen",
		Example:   "DF seq=9 fails, nrcv=10 follows, no good copy captured",
	},
	rSigUnsignedActed - signatureBase: {
		ID: "DP8-SIG-UNSIGNED-ACTED", Clause: "MC-DPL8R 3.1.5.2", Level: session.Must, Severity: session.Warn, Scope: "B",
		Statement: "an unsigned frame on a signed connection is discarded",
		Care:      "as above",
		Example:   "unsigned KA acknowledged",
	},
	rSigSecretleak - signatureBase: {
		ID: "DP8-SIG-SECRETLEAK", Clause: "MC-DPL8R 2.2.1.3, 5.1", Level: session.Rec, Severity: session.Note, Scope: "B",
		Statement: "the secrets cross the wire in clear, so signatures do not protect against anyone who saw the handshake",
		Care:      "informational, once per capture",
		Example:   "any captured signed handshake",
	},
	rSecretContradicted - signatureBase: {
		ID: "DP8-SECRET-CONTRADICTED", Clause: "MC-DPL8R 2.2.1.3", Level: session.Impl, Severity: session.Error, Scope: "B",
		Statement: "secrets supplied by the user are those of the captured handshake",
		Care:      "the handshake's are used",
		Example:   "--secret names other secrets than the connector's CONNECTED_SIGNED",
	},
}
