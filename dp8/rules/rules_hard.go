package rules

import (
	"github.com/dpdissect/dpdissect/session/conform"
)

// Rules of HARD_DISCONNECT.
const hardBase = signedBase + len(signedRules)

const (
	r2214Cmd = hardBase + iota
	r2214Poll
	r2214Msgid
	r2214RspidZero
	r2214RspidSeq
	r2214Version
	r2214Sessid
	r2214SigPresent
	r2214SigAbsent
	r3145Count
	r3124Spacing
	r3124SpacingMax
	r3145Nodata
	r31514Reply
	r31514Ignored
	r31514Once
)

var hardRules = [...]conform.Rule{
	r2214Cmd - hardBase: {
		ID: "DP8-2.2.1.4-CMD", Clause: "MC-DPL8R 2.2.1.4", Level: conform.Must, Severity: conform.Error, Scope: "F",
		Statement: "only the CFRAME and POLL bits are set",
		Example:   "C0 04 …",
	},
	r2214Poll - hardBase: {
		ID: "DP8-2.2.1.4-POLL", Clause: "MC-DPL8R 2.2.1.4", Level: conform.Should, Severity: conform.Warn, Scope: "F",
		Statement: "POLL is not set",
		Example:   "88 04 …",
	},
	r2214Msgid - hardBase: {
		ID: "DP8-2.2.1.4-MSGID", Clause: "MC-DPL8R 2.2.1.4", Level: conform.Should, Severity: conform.Note, Scope: "D",
		Guards:    conform.Of(conform.GuardStart),
		Statement: "bMsgID is one more than that of the side's previous CFRAME, not counting SACKs",
		Care:      "START, CLEAN; receivers ignore the value",
		Example:   "last CFRAME bMsgID 1, HDISC bMsgID 77",
	},
	r2214RspidZero - hardBase: {
		ID: "DP8-2.2.1.4-RSPID-ZERO", Clause: "MC-DPL8R 2.2.1.4", Level: conform.Should, Severity: conform.Warn, Scope: "B",
		Guards:    conform.Of(conform.GuardVer),
		Statement: "bRspId is 0 unless the connection is fully signed",
		Example:   "unsigned HDISC bRspId 9",
	},
	r2214RspidSeq - hardBase: {
		ID: "DP8-2.2.1.4-RSPID-SEQ", Clause: "MC-DPL8R 2.2.1.4", Level: conform.Must, Severity: conform.Error, Scope: "D", Seldom: true,
		Guards:    conform.Of(conform.GuardReord),
		Statement: "on a fully signed connection bRspId is the sender's next data sequence number",
		Care:      "CLEAN (a later number is evidence of capture loss), REORD",
		Example:   "highest DF seq=40, HDISC bRspId 12",
	},
	r2214Version - hardBase: {
		ID: "DP8-2.2.1.4-VERSION", Clause: "MC-DPL8R 2.2.1.4", Level: conform.Should, Severity: conform.Warn, Scope: "D",
		Guards:    conform.Of(conform.GuardVer),
		Statement: "the version is that of the handshake",
		Example:   "handshake 1.6, HDISC 1.5",
	},
	r2214Sessid - hardBase: {
		ID: "DP8-2.2.1.4-SESSID", Clause: "MC-DPL8R 2.2.1.4", Level: conform.Must, Severity: conform.Error, Scope: "B",
		Statement: "dwSessID is the connection's",
		Care:      "known from handshake or KA",
		Example:   "other id",
	},
	r2214SigPresent - hardBase: {
		ID: "DP8-2.2.1.4-SIG-PRESENT", Clause: "MC-DPL8R 2.2.1.4", Level: conform.Must, Severity: conform.Error, Scope: "B", Operation: true,
		Guards:    conform.Of(conform.GuardVer),
		Statement: "on a signed connection the 8-byte signature is present",
		Example:   "16-byte HDISC on a signed connection",
	},
	r2214SigAbsent - hardBase: {
		ID: "DP8-2.2.1.4-SIG-ABSENT", Clause: "MC-DPL8R 2.2.1.4", Level: conform.Must, Severity: conform.Error, Scope: "B", Seldom: true,
		Guards:    conform.Of(conform.GuardVer),
		Statement: "on an unsigned connection there is no signature",
		Example:   "24-byte HDISC on an unsigned connection",
	},
	r3145Count - hardBase: {
		ID: "DP8-3.1.4.5-COUNT", Clause: "MC-DPL8R 3.1.4.5", Level: conform.Rec, Severity: conform.Note, Scope: "D",
		Guards:    conform.Of(conform.GuardClean, conform.GuardHold),
		Statement: "at least one HDISC is sent; three are recommended",
		Care:      "CLEAN, HOLD to the end of the capture; the side may stop early once the peer's HDISC has arrived",
		Example:   "single HDISC, peer silent",
		Unchecked: "never provable: a HARD_DISCONNECT that the capture missed looks like one that was not sent",
	},
	r3124Spacing - hardBase: {
		ID: "DP8-3.1.2.4-SPACING", Clause: "MC-DPL8R 3.1.2.4", Level: conform.Rec, Severity: conform.Note, Scope: "DT", Seldom: true,
		Guards:    conform.Of(conform.GuardClock),
		Statement: "HDISCs are about RTT/2 apart, and at least 10 ms",
		Care:      "CLOCK, RTT; HDISCs in answer are sent at once (3.1.5.1.4), so only the initiator is judged",
		Example:   "three HDISCs within 1 ms",
	},
	r3124SpacingMax - hardBase: {
		ID: "DP8-3.1.2.4-SPACING-MAX", Clause: "MC-DPL8R 3.1.2.4", Level: conform.Should, Severity: conform.Warn, Scope: "DT",
		Guards:    conform.Of(conform.GuardClock),
		Statement: "HDISCs are at most 500 ms apart",
		Example:   "HDISCs at 0 s and 2 s",
	},
	r3145Nodata - hardBase: {
		ID: "DP8-3.1.4.5-NODATA", Clause: "MC-DPL8R 3.1.4.5", Level: conform.Must, Severity: conform.Error, Scope: "D",
		Guards:    conform.Of(conform.GuardReord),
		Statement: "a side sends nothing but HDISCs after its first HDISC",
		Care:      "REORD (twice the horizon; for SACKs also the tick), LIFE (new connection)",
		Example:   "HDISC, 300 ms later DF seq=41 from the same side",
	},
	r31514Reply - hardBase: {
		ID: "DP8-3.1.5.1.4-REPLY", Clause: "MC-DPL8R 3.1.5.1.4", Level: conform.Should, Severity: conform.Note, Scope: "BT",
		Guards:    conform.Of(conform.GuardBidir, conform.GuardClean, conform.GuardHold, conform.GuardVant),
		Statement: "a received HDISC is answered at once by three HDISCs",
		Example:   "HDISC, no answer, data continues",
	},
	r31514Ignored - hardBase: {
		ID: "DP8-3.1.5.1.4-IGNORED", Clause: "MC-DPL8R 3.1.5.1.4", Level: conform.Should, Severity: conform.Warn, Scope: "BT",
		Guards:    conform.Of(conform.GuardBidir, conform.GuardHold, conform.GuardVant),
		Statement: "after receiving a HDISC a side sends no more data",
		Care:      "BIDIR, VANT, HOLD; fewer than 3 HDISCs may all have been lost after the capture point",
		Example:   "three HDISCs received, peer sends DFs for 5 s",
	},
	r31514Once - hardBase: {
		ID: "DP8-3.1.5.1.4-ONCE", Clause: "MC-DPL8R 3.1.5.1.4", Level: conform.Should, Severity: conform.Note, Scope: "B",
		Guards:    conform.Of(conform.GuardBidir, conform.GuardSample),
		Statement: "further HDISCs cause no further replies",
		Example:   "30 HDISCs ping-pong",
	},
}
