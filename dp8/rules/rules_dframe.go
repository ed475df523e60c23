package rules

import (
	"github.com/dpdissect/dpdissect/session/conform"
)

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

var dframeRules = [...]conform.Rule{
	r222Hdrlen - dframeBase: {
		ID: "DP8-2.2.2-HDRLEN", Clause: "MC-DPL8R 2.2.2", Level: conform.Must, Severity: conform.Error, Scope: "F",
		Statement: "all announced masks, and the session id of a KeepAlive, fit into the frame",
		Example:   "3F 10 05 03 01",
	},
	r222Mtu - dframeBase: {
		ID: "DP8-2.2.2-MTU", Clause: "MC-DPL8R 2.2.2", Level: conform.Should, Severity: conform.Warn, Scope: "F", Operation: true,
		Statement: "header and payload together are smaller than the MTU",
		Care:      "seen from IP fragments; over IPv4 a router may have made them, so the severity is one step lower",
		Example:   "data frame in two IP fragments",
	},
	r222Maskzero - dframeBase: {
		ID: "DP8-2.2.2-MASKZERO", Clause: "MC-DPL8R 2.2.2", Level: conform.Impl, Severity: conform.Note, Scope: "F", Summed: true,
		Statement: "an announced mask has at least one bit set",
		Care:      "allowed (AMB-DP8-42)",
		Example:   "SACK1 with mask 0",
	},
	r222Retrybit - dframeBase: {
		ID: "DP8-2.2.2-RETRYBIT", Clause: "MC-DPL8R 2.2.2", Level: conform.Must, Severity: conform.Error, Scope: "D", Operation: true,
		Guards:    conform.Of(conform.GuardUnwrap),
		Statement: "a sequence number that is sent again carries RETRY",
		Care:      "only equal content under the same number counts as sent again; byte-identical frames close together may be copies, those with another header are not",
		Example:   "seq=7 sent, resent 300 ms later with RETRY clear",
	},
	r222Retryfirst - dframeBase: {
		ID: "DP8-2.2.2-RETRYFIRST", Clause: "MC-DPL8R 2.2.2", Level: conform.Must, Severity: conform.Note, Scope: "D",
		Guards:    conform.Of(conform.GuardStart, conform.GuardClean),
		Statement: "RETRY is set only on a number that was sent before",
		Care:      "the first transmission may have been lost before the capture point or by the capture: always inconclusive, only counted",
		Example:   "first captured frame with seq=7 has RETRY",
		CountOnly: true,
	},
	r222SigPresent - dframeBase: {
		ID: "DP8-2.2.2-SIG-PRESENT", Clause: "MC-DPL8R 2.2.2, 3.1.5.2.7", Level: conform.Must, Severity: conform.Error, Scope: "B", Operation: true,
		Guards:    conform.Of(conform.GuardVer),
		Statement: "on a signed connection every data frame has a signature",
		Care:      "certain where a KeepAlive has no room for one; where signing was only inferred, at least one signature must have verified",
		Example:   "KA of 8 bytes on a signed connection",
	},
	r222SigAbsent - dframeBase: {
		ID: "DP8-2.2.2-SIG-ABSENT", Clause: "MC-DPL8R 2.2.2", Level: conform.Must, Severity: conform.Error, Scope: "B",
		Statement: "on an unsigned connection no data frame has a signature",
		Care:      "provable only on KeepAlives, whose length is fixed: eight bytes precede the session id",
		Example:   "KA of 16 bytes, unsigned",
	},
	r222KaFlags - dframeBase: {
		ID: "DP8-2.2.2-KA-FLAGS", Clause: "MC-DPL8R 2.2.2", Level: conform.Must, Severity: conform.Error, Scope: "F",
		Guards:    conform.Of(conform.GuardVer),
		Statement: "a KeepAlive has DATA, RELIABLE, SEQUENTIAL and END_MSG",
		Example:   "31 02 00 00 C6 AE C9 79",
	},
	r222KaNew - dframeBase: {
		ID: "DP8-2.2.2-KA-NEW", Clause: "MC-DPL8R 2.2.2", Level: conform.Rec, Severity: conform.Note, Scope: "F", Summed: true,
		Statement: "a KeepAlive is a frame of its own and has NEW_MSG",
		Care:      "the list of its flags omits NEW_MSG, the example sets it (AMB-DP8-04)",
		Example:   "2F 02 00 00 C6 AE C9 79",
	},
	r222KaSessid - dframeBase: {
		ID: "DP8-2.2.2-KA-SESSID", Clause: "MC-DPL8R 2.2.2, 3.1.6.6", Level: conform.Must, Severity: conform.Error, Scope: "B",
		Guards:    conform.Of(conform.GuardVer),
		Statement: "a KeepAlive carries the connection's dwSessID",
		Care:      "not reported when it may belong to another connection between the same addresses; without a handshake the ids must agree with each other",
		Example:   "KA id differs from CONNECT id",
	},
	r222KaEmpty - dframeBase: {
		ID: "DP8-2.2.2-KA-EMPTY", Clause: "MC-DPL8R 2.2.2", Level: conform.Must, Severity: conform.Error, Scope: "F",
		Guards:    conform.Of(conform.GuardVer),
		Statement: "a KeepAlive carries nothing but the session id",
		Example:   "3F 02 00 00 C6 AE C9 79 41",
	},
	r3152KaCoalesce - dframeBase: {
		ID: "DP8-3.1.5.2-KA-COALESCE", Clause: "MC-DPL8R 3.1.5.2", Level: conform.Must, Severity: conform.Error, Scope: "F",
		Guards:    conform.Of(conform.GuardVer),
		Statement: "a KeepAlive does not have COALESCE",
		Example:   "bControl 06",
	},
	r222KaActed - dframeBase: {
		ID: "DP8-2.2.2-KA-ACTED", Clause: "MC-DPL8R 3.1.5.2", Level: conform.Must, Severity: conform.Error, Scope: "B", Seldom: true,
		Guards:    conform.Of(conform.GuardBidir, conform.GuardClean, conform.GuardHold),
		Statement: "a KeepAlive with a wrong session id is ignored, so it is not acknowledged",
		Example:   "KA seq=4 with wrong id, then nrcv=5",
	},
	r222KaOldEmpty - dframeBase: {
		ID: "DP8-2.2.2-KA-OLD-EMPTY", Clause: "MC-DPL8R 3.1.6.6", Level: conform.Must, Severity: conform.Warn, Scope: "B",
		Guards:    conform.Of(conform.GuardVer),
		Statement: "below version 1.5 a KeepAlive has neither payload nor session id",
		Care:      "only when both versions were seen and the payload is exactly the session id (AMB-DP8-05)",
		Example:   "peer 1.4, 3F 00 … + 4-byte id",
	},
	r222KaVer - dframeBase: {
		ID: "DP8-2.2.2-KA-VER", Clause: "MC-DPL8R 2.2.2, 3.1.6.6", Level: conform.Must, Severity: conform.Warn, Scope: "B",
		Guards:    conform.Of(conform.GuardVer),
		Statement: "bit 02 of bControl means KeepAlive only if both sides are 1.5 or later; below, it asks for a dedicated acknowledgement",
		Example:   "one side 1.4, bit 02 with a 4-byte payload equal to the id",
	},
	r222SessidAbsent - dframeBase: {
		ID: "DP8-2.2.2-SESSID-ABSENT", Clause: "MC-DPL8R 2.2.2", Level: conform.Must, Severity: conform.Note, Scope: "F",
		Statement: "frames other than KeepAlives carry no dwSessID",
		Care:      "only when the whole payload is the session id",
		Example:   "3F 00 00 00 C6 AE C9 79",
	},
	r222CorrelateAck - dframeBase: {
		ID: "DP8-2.2.2-CORRELATE-ACK", Clause: "MC-DPL8R 2.2.2", Level: conform.Must, Severity: conform.Note, Scope: "BT",
		Guards:    conform.Of(conform.GuardBidir, conform.GuardClean, conform.GuardHold, conform.GuardVant, conform.GuardVer),
		Statement: "below version 1.5 bit 02 of bControl is answered by a dedicated acknowledgement",
		Example:   "correlate frame, only piggy-backed ack",
		Unchecked: "never provable: a SACK has no number, so one that was lost before the capture point leaves no trace",
	},
	r222Userflags - dframeBase: {
		ID: "DP8-2.2.2-USERFLAGS", Clause: "MC-DPL8R 3.1.4.4, MC-DPL8CS 2.1.1", Level: conform.Rec, Severity: conform.Note, Scope: "F",
		Statement: "USER_1 marks session messages: they begin with a known packet type and are reliable",
		Care:      "only on connections that have carried a session message of the DirectPlay 8 core; other programs are free to use the flag",
		Example:   "USER1 with payload shorter than 4 bytes",
	},
}
