package dp8

import "github.com/dpdissect/dpdissect/session"

// Rules of the header of data frames.
const dframeBase = sackBase + len(sackRules)

const (
	r222Hdrlen = dframeBase + iota
	r222Mtu
	r222Maskzero
	r222Retrybit
	r222Retryfirst
	r222SigPresent
	r222SigAbsent
	r222KaFlags
	r222KaNew
	r222KaSessid
	r222KaEmpty
	r3152KaCoalesce
	r222KaActed
	r222KaOldEmpty
	r222KaVer
	r222SessidAbsent
	r222CorrelateAck
	r222Userflags
)

var dframeRules = [...]session.Rule{
	r222Hdrlen - dframeBase: {
		ID: "DP8-2.2.2-HDRLEN", Clause: "MC-DPL8R 2.2.2", Level: session.Must, Severity: session.Error, Scope: "F",
		Statement: "all announced masks (and signature, and KA id) fit",
		Example:   "3F 10 05 03 01",
	},
	r222Mtu - dframeBase: {
		ID: "DP8-2.2.2-MTU", Clause: "MC-DPL8R 2.2.2", Level: session.Should, Severity: session.Warn, Scope: "F",
		Statement: "header + payload below the MTU",
		Example:   "data frame in two IP fragments",
	},
	r222Maskzero - dframeBase: {
		ID: "DP8-2.2.2-MASKZERO", Clause: "MC-DPL8R 2.2.2", Level: session.Impl, Severity: session.Note, Scope: "F",
		Statement: "an announced mask has a bit set",
		Example:   "SACK1 with mask 0",
	},
	r222Retrybit - dframeBase: {
		ID: "DP8-2.2.2-RETRYBIT", Clause: "MC-DPL8R 2.2.2", Level: session.Must, Severity: session.Error, Scope: "D",
		Guards:    session.Of(session.GuardUnwrap),
		Statement: "a second sending of a sequence number carries RETRY",
		Care:      "UNWRAP, DUP (copies as in guard DUP), LIFE",
		Example:   "seq=7 sent, resent 300 ms later with RETRY clear",
	},
	r222Retryfirst - dframeBase: {
		ID: "DP8-2.2.2-RETRYFIRST", Clause: "MC-DPL8R 2.2.2", Level: session.Must, Severity: session.Note, Scope: "D",
		Guards:    session.Of(session.GuardStart, session.GuardClean),
		Statement: "RETRY only on a number already sent",
		Care:      "evidence of loss/capture loss; fail only if START, CLEAN and the peer's SACK mask shows the number was never sent before (peer never reported a gap) — in practice always inconclusive; count as CAP-UPLOSS",
		Example:   "first sight of seq=7 has RETRY",
	},
	r222SigPresent - dframeBase: {
		ID: "DP8-2.2.2-SIG-PRESENT", Clause: "MC-DPL8R 2.2.2, 3.1.5.2.7", Level: session.Must, Severity: session.Error, Scope: "B",
		Guards:    session.Of(session.GuardVer),
		Statement: "signed connection: ullSignature in every data frame",
		Care:      "VER; detected by KA length and by signature check",
		Example:   "KA of 8 bytes on a signed connection",
	},
	r222SigAbsent - dframeBase: {
		ID: "DP8-2.2.2-SIG-ABSENT", Clause: "MC-DPL8R 2.2.2", Level: session.Must, Severity: session.Error, Scope: "B",
		Statement: "unsigned connection: none",
		Care:      "only provable on KA frames (fixed length)",
		Example:   "KA of 16 bytes, unsigned",
	},
	r222KaFlags - dframeBase: {
		ID: "DP8-2.2.2-KA-FLAGS", Clause: "MC-DPL8R 2.2.2", Level: session.Must, Severity: session.Error, Scope: "F",
		Guards:    session.Of(session.GuardVer),
		Statement: "KA has DATA, RELIABLE, SEQUENTIAL, END",
		Example:   "31 02 00 00 C6 AE C9 79",
	},
	r222KaNew - dframeBase: {
		ID: "DP8-2.2.2-KA-NEW", Clause: "MC-DPL8R 2.2.2", Level: session.Rec, Severity: session.Note, Scope: "F",
		Statement: "a single frame has NEW and END; the KA list omits NEW, the example sets it",
		Care:      "AMB-DP8-04",
		Example:   "2F 02 00 00 C6 AE C9 79",
	},
	r222KaSessid - dframeBase: {
		ID: "DP8-2.2.2-KA-SESSID", Clause: "MC-DPL8R 2.2.2, 3.1.6.6", Level: session.Must, Severity: session.Error, Scope: "B",
		Guards:    session.Of(session.GuardVer),
		Statement: "KA carries the connection's dwSessID",
		Care:      "VER; if the handshake was not captured: ids of KAs must agree with each other and with HDISC",
		Example:   "KA id differs from CONNECT id",
	},
	r222KaEmpty - dframeBase: {
		ID: "DP8-2.2.2-KA-EMPTY", Clause: "MC-DPL8R 2.2.2", Level: session.Must, Severity: session.Error, Scope: "F",
		Guards:    session.Of(session.GuardVer),
		Statement: "KA carries nothing but the id",
		Example:   "3F 02 00 00 C6 AE C9 79 41",
	},
	r3152KaCoalesce - dframeBase: {
		ID: "DP8-3.1.5.2-KA-COALESCE", Clause: "MC-DPL8R 3.1.5.2", Level: session.Must, Severity: session.Error, Scope: "F",
		Guards:    session.Of(session.GuardVer),
		Statement: "KA never has COALESCE",
		Example:   "bControl 06",
	},
	r222KaActed - dframeBase: {
		ID: "DP8-2.2.2-KA-ACTED", Clause: "MC-DPL8R 3.1.5.2", Level: session.Must, Severity: session.Error, Scope: "B",
		Guards:    session.Of(session.GuardBidir, session.GuardClean, session.GuardHold),
		Statement: "a KA with a wrong id is ignored: not acknowledged",
		Example:   "KA seq=4 with wrong id, then nrcv=5",
	},
	r222KaOldEmpty - dframeBase: {
		ID: "DP8-2.2.2-KA-OLD-EMPTY", Clause: "MC-DPL8R 3.1.6.6", Level: session.Must, Severity: session.Warn, Scope: "B",
		Guards:    session.Of(session.GuardVer),
		Statement: "versions < 5: a KeepAlive has no payload and no id",
		Care:      "VER (AMB-DP8-05); without bit 02 it cannot be told from data: only when the payload equals the id",
		Example:   "peer 1.4, 3F 00 … + 4-byte id",
	},
	r222KaVer - dframeBase: {
		ID: "DP8-2.2.2-KA-VER", Clause: "MC-DPL8R 2.2.2, 3.1.6.6", Level: session.Must, Severity: session.Warn, Scope: "B",
		Guards:    session.Of(session.GuardVer),
		Statement: "bit 02 means KA only if both sides are ≥ 1.5; below it asks for a dedicated acknowledgement",
		Example:   "one side 1.4, bit 02 with a 4-byte payload equal to the id",
	},
	r222SessidAbsent - dframeBase: {
		ID: "DP8-2.2.2-SESSID-ABSENT", Clause: "MC-DPL8R 2.2.2", Level: session.Must, Severity: session.Note, Scope: "F",
		Statement: "non-KA frames carry no dwSessID",
		Care:      "payload is opaque: only when the whole payload equals the id",
		Example:   "3F 00 00 00 C6 AE C9 79",
	},
	r222CorrelateAck - dframeBase: {
		ID: "DP8-2.2.2-CORRELATE-ACK", Clause: "MC-DPL8R 2.2.2", Level: session.Must, Severity: session.Note, Scope: "BT",
		Guards:    session.Of(session.GuardBidir, session.GuardClean, session.GuardHold, session.GuardVant, session.GuardVer),
		Statement: "versions < 5: bit 02 is answered by a dedicated acknowledgement",
		Example:   "correlate frame, only piggy-backed ack",
	},
	r222Userflags - dframeBase: {
		ID: "DP8-2.2.2-USERFLAGS", Clause: "MC-DPL8R 3.1.4.4, MC-DPL8CS 2.1.1", Level: session.Rec, Severity: session.Note, Scope: "F",
		Statement: "USER1 marks session messages (first four bytes a known packet type, always reliable), USER2 voice",
		Care:      "only for DirectPlay 8 core traffic, not other consumers",
		Example:   "USER1 with payload shorter than 4 bytes",
	},
}
