package rules

import (
	"github.com/dpdissect/dpdissect/session/conform"
)

// Rules of CONNECT.
const connectBase = dispatchBase + len(dispatchRules)

const (
	r2211Cmd = connectBase + iota
	r2211Poll
	r2211MsgidInit
	r2211MsgidInc
	r2211Rspid
	r2211Major
	r2211Minor
	r2211MinorHigh
	r2211SessidZero
	r2211SessidConst
	r2211SessidRandom
	r31511Est
	r31511Dupreply
	r31511Otherid
	r31511VerIgnore
	r31511SignVer
	r31511SignSessid0
	r3142Retry
)

var connectRules = [...]conform.Rule{
	r2211Cmd - connectBase: {
		ID: "DP8-2.2.1.1-CMD", Clause: "MC-DPL8R 2.2.1.1", Level: conform.Must, Severity: conform.Error, Scope: "F",
		Statement: "only CFRAME (80) and POLL (08) may be set",
		Care:      "seen only when the second byte and the length identify a CONNECT despite the bad first byte; the frame is then reported and ignored",
		Example:   "C8 01 00 00 06 00 01 00 …",
	},
	r2211Poll - connectBase: {
		ID: "DP8-2.2.1.1-POLL", Clause: "MC-DPL8R 2.2.1.1", Level: conform.Should, Severity: conform.Warn, Scope: "F",
		Statement: "POLL should be set",
		Example:   "80 01 00 00 06 00 01 00 …",
	},
	r2211MsgidInit - connectBase: {
		ID: "DP8-2.2.1.1-MSGID-INIT", Clause: "MC-DPL8R 2.2.1.1", Level: conform.Should, Severity: conform.Note, Scope: "D", Summed: true,
		Guards:    conform.Of(conform.GuardStart),
		Statement: "the first bMsgID is 0",
		Example:   "first CONNECT 88 01 07 00 …",
	},
	r2211MsgidInc - connectBase: {
		ID: "DP8-2.2.1.1-MSGID-INC", Clause: "MC-DPL8R 2.2.1.1", Level: conform.Should, Severity: conform.Warn, Scope: "D", Summed: true,
		Statement: "bMsgID grows by one per retry",
		Care:      "CLEAN (missing numbers = loss), DUP",
		Example:   "two CONNECTs 200 ms apart, both bMsgID 0",
	},
	r2211Rspid - connectBase: {
		ID: "DP8-2.2.1.1-RSPID", Clause: "MC-DPL8R 2.2.1.1", Level: conform.Must, Severity: conform.Error, Scope: "F",
		Statement: "bRspId is 0",
		Care:      "receiver ignores it",
		Example:   "88 01 00 05 06 00 01 00 C6 AE C9 79 9D 36 67 23",
	},
	r2211Major - connectBase: {
		ID: "DP8-2.2.1.1-MAJOR", Clause: "MC-DPL8R 2.2.1.1", Level: conform.Must, Severity: conform.Error, Scope: "F",
		Statement: "major version (upper 16 bits) is 1",
		Example:   "version 06 00 02 00",
	},
	r2211Minor - connectBase: {
		ID: "DP8-2.2.1.1-MINOR", Clause: "MC-DPL8R 2.2.1.1", Level: conform.Should, Severity: conform.Note, Scope: "F", Summed: true,
		Statement: "minor version is 6",
		Care:      "pre-DirectX 9 systems report < 5 (app. A): note",
		Example:   "version 04 00 01 00",
	},
	r2211MinorHigh - connectBase: {
		ID: "DP8-2.2.1.1-MINOR-HIGH", Clause: "MC-DPL8R 2.2.1.1", Level: conform.Should, Severity: conform.Note, Scope: "F", Summed: true,
		Statement: "a minor version above 6 is unknown; recipients should cope with it",
		Example:   "version 09 00 01 00",
	},
	r2211SessidZero - connectBase: {
		ID: "DP8-2.2.1.1-SESSID-ZERO", Clause: "MC-DPL8R 2.2.1.1", Level: conform.Must, Severity: conform.Error, Scope: "F",
		Statement: "dwSessID ≠ 0 unless minor < 5",
		Example:   "minor 6, session id 0",
	},
	r2211SessidConst - connectBase: {
		ID: "DP8-2.2.1.1-SESSID-CONST", Clause: "MC-DPL8R 2.2.1.1", Level: conform.Must, Severity: conform.Error, Scope: "D",
		Statement: "retries keep dwSessID",
		Care:      "LIFE: a new attempt (bMsgID back to 0, or > 10 s pause, or after a close) may choose a new id",
		Example:   "bMsgID 0 id A, bMsgID 1 id B, 200 ms later",
	},
	r2211SessidRandom - connectBase: {
		ID: "DP8-2.2.1.1-SESSID-RANDOM", Clause: "MC-DPL8R 2.2.1.1", Level: conform.Should, Severity: conform.Note, Scope: "D",
		Guards:    conform.Of(conform.GuardSample),
		Statement: "dwSessID is random and unpredictable",
		Care:      "SAMPLE ≥ 3 connections; ids that are equal, grow by 1 or derive from the time are reported",
		Example:   "three connections with ids 1, 2, 3",
		Unchecked: "needs the connections of several address pairs, which are followed apart from each other",
	},
	r31511Est - connectBase: {
		ID: "DP8-3.1.5.1.1-EST", Clause: "MC-DPL8R 3.1.5.1.1", Level: conform.Should, Severity: conform.Warn, Scope: "B", Seldom: true,
		Guards:    conform.Of(conform.GuardStart, conform.GuardBidir),
		Statement: "CONNECT from an established peer is ignored",
		Care:      "START, BIDIR, LIFE (the peer may have restarted: a new id, with state on one side only)",
		Example:   "established connection, new CONNECT, CONNECTED comes back at once",
	},
	r31511Dupreply - connectBase: {
		ID: "DP8-3.1.5.1.1-DUPREPLY", Clause: "MC-DPL8R 3.1.5.1.1", Level: conform.Should, Severity: conform.Note, Scope: "BT", Seldom: true,
		Guards:    conform.Of(conform.GuardBidir, conform.GuardClean, conform.GuardHold),
		Statement: "a repeated CONNECT of a pending handshake gets another reply at once",
		Example:   "CONNECT retried three times, one CONNECTED",
	},
	r31511Otherid - connectBase: {
		ID: "DP8-3.1.5.1.1-OTHERID", Clause: "MC-DPL8R 3.1.5.1.1", Level: conform.Should, Severity: conform.Warn, Scope: "B", Seldom: true,
		Guards:    conform.Of(conform.GuardStart, conform.GuardBidir),
		Statement: "during a pending handshake a CONNECT with another dwSessID is ignored",
		Example:   "reply echoes the second id while the first is pending",
	},
	r31511VerIgnore - connectBase: {
		ID: "DP8-3.1.5.1.1-VER-IGNORE", Clause: "MC-DPL8R 3.1.5.1.1, 2.2.1.1", Level: conform.Must, Severity: conform.Error, Scope: "B", Operation: true,
		Guards:    conform.Of(conform.GuardBidir),
		Statement: "CONNECT with a wrong major version is not answered",
		Example:   "CONNECT major 2, CONNECTED follows",
	},
	r31511SignVer - connectBase: {
		ID: "DP8-3.1.5.1.1-SIGN-VER", Clause: "MC-DPL8R 2.2.1.1, 1.7", Level: conform.Must, Severity: conform.Error, Scope: "B",
		Guards:    conform.Of(conform.GuardBidir),
		Statement: "a signing listener does not answer a CONNECT with minor < 6",
		Example:   "CONNECT minor 5, CSIGNED follows",
	},
	r31511SignSessid0 - connectBase: {
		ID: "DP8-3.1.5.1.1-SIGN-SESSID0", Clause: "MC-DPL8R 3.1.5.1.1", Level: conform.Must, Severity: conform.Error, Scope: "B",
		Guards:    conform.Of(conform.GuardBidir),
		Statement: "a signing listener does not answer dwSessID 0",
		Example:   "CONNECT id 0, CSIGNED follows",
	},
	r3142Retry - connectBase: {
		ID: "DP8-3.1.4.2-RETRY", Clause: "MC-DPL8R 3.1.4.2, 3.1.6.1", Level: conform.Should, Severity: conform.Note, Scope: "BT",
		Guards:    conform.Of(conform.GuardBidir, conform.GuardHold),
		Statement: "an unanswered CONNECT is resent",
		Care:      "BIDIR, HOLD (application may give up)",
		Example:   "one CONNECT, no reply, nothing more",
		Unchecked: "never certain: the application may give up after the first CONNECT, and an attempt without any answer shows nothing of the other direction",
	},
}
