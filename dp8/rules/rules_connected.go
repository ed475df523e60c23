package rules

import (
	"github.com/dpdissect/dpdissect/session/conform"
)

// Rules of CONNECTED.
const connectedBase = connectBase + len(connectRules)

const (
	r2212Cmd = connectedBase + iota
	r2212PollListener
	r2212PollConnector
	r2212MsgidInit
	r2212MsgidInc
	r2212Rspid
	r2212Major
	r2212Minor
	r2212Sessid
	r2212VerStable
	r31512Confirm
	r31512Reconfirm
	r31512Unsolicited
	r31Est
)

var connectedRules = [...]conform.Rule{
	r2212Cmd - connectedBase: {
		ID: "DP8-2.2.1.2-CMD", Clause: "MC-DPL8R 2.2.1.2", Level: conform.Must, Severity: conform.Error, Scope: "F",
		Statement: "only the CFRAME and POLL bits are set",
		Care:      "as CONNECT-CMD",
		Example:   "A8 02 …",
	},
	r2212PollListener - connectedBase: {
		ID: "DP8-2.2.1.2-POLL-LISTENER", Clause: "MC-DPL8R 2.2.1.2", Level: conform.Must, Severity: conform.Error, Scope: "B",
		Guards:    conform.Of(conform.GuardRole),
		Statement: "the listener's CONNECTED has POLL",
		Example:   "reply to CONNECT starts 80 02",
	},
	r2212PollConnector - connectedBase: {
		ID: "DP8-2.2.1.2-POLL-CONNECTOR", Clause: "MC-DPL8R 2.2.1.2", Level: conform.Must, Severity: conform.Error, Scope: "B",
		Guards:    conform.Of(conform.GuardRole),
		Statement: "the connector's CONNECTED has no POLL",
		Example:   "connector's confirmation starts 88 02",
	},
	r2212MsgidInit - connectedBase: {
		ID: "DP8-2.2.1.2-MSGID-INIT", Clause: "MC-DPL8R 2.2.1.2", Level: conform.Should, Severity: conform.Note, Scope: "D", Summed: true,
		Guards:    conform.Of(conform.GuardStart),
		Statement: "the first bMsgID is 0",
		Care:      "START; the specification's own example breaks the literal reading (AMB-DP8-03): accept 0 or previous own CFRAME's bMsgID + 1",
		Example:   "listener's first CONNECTED bMsgID 9",
	},
	r2212MsgidInc - connectedBase: {
		ID: "DP8-2.2.1.2-MSGID-INC", Clause: "MC-DPL8R 2.2.1.2", Level: conform.Should, Severity: conform.Note, Scope: "D", Summed: true,
		Statement: "bMsgID grows by one per retry",
		Example:   "three retries, all bMsgID 0",
	},
	r2212Rspid - connectedBase: {
		ID: "DP8-2.2.1.2-RSPID", Clause: "MC-DPL8R 2.2.1.2", Level: conform.Must, Severity: conform.Error, Scope: "B", Operation: true,
		Guards:    conform.Of(conform.GuardBidir),
		Statement: "bRspId equals the bMsgID of the CONNECT/CONNECTED answered",
		Care:      "BIDIR, CLEAN: any bMsgID of the attempt seen so far is accepted (an older one may have been answered)",
		Example:   "CONNECTs carried 0 and 1, reply bRspId 7",
	},
	r2212Major - connectedBase: {
		ID: "DP8-2.2.1.2-MAJOR", Clause: "MC-DPL8R 2.2.1.2", Level: conform.Must, Severity: conform.Error, Scope: "F",
		Statement: "major version is 1",
		Example:   "06 00 00 00",
	},
	r2212Minor - connectedBase: {
		ID: "DP8-2.2.1.2-MINOR", Clause: "MC-DPL8R 2.2.1.2", Level: conform.Should, Severity: conform.Note, Scope: "F", Summed: true,
		Statement: "minor version is 6",
		Care:      "product note: old systems",
		Example:   "05 00 01 00",
	},
	r2212Sessid - connectedBase: {
		ID: "DP8-2.2.1.2-SESSID", Clause: "MC-DPL8R 2.2.1.2, 3.1.5.1.2", Level: conform.Must, Severity: conform.Error, Scope: "B", Operation: true,
		Guards:    conform.Of(conform.GuardBidir),
		Statement: "dwSessID echoes the handshake's id",
		Example:   "CONNECT id 79C9AEC6, CONNECTED id 00000000",
	},
	r2212VerStable - connectedBase: {
		ID: "DP8-2.2.1.2-VER-STABLE", Clause: "MC-DPL8R 2.2.1.2", Level: conform.Impl, Severity: conform.Warn, Scope: "D",
		Statement: "one side reports one version in a handshake",
		Example:   "CONNECT 1.6, then own CONNECTED 1.5",
	},
	r31512Confirm - connectedBase: {
		ID: "DP8-3.1.5.1.2-CONFIRM", Clause: "MC-DPL8R 3.1.5.1.2", Level: conform.Should, Severity: conform.Warn, Scope: "BT",
		Guards:    conform.Of(conform.GuardBidir, conform.GuardClean, conform.GuardHold, conform.GuardRole),
		Statement: "the connector confirms the listener's CONNECTED with its own",
		Example:   "listener's CONNECTED retried four times, connector silent but sends data",
	},
	r31512Reconfirm - connectedBase: {
		ID: "DP8-3.1.5.1.2-RECONFIRM", Clause: "MC-DPL8R 3.1.5.1.2", Level: conform.Should, Severity: conform.Warn, Scope: "BT",
		Guards:    conform.Of(conform.GuardBidir, conform.GuardClean, conform.GuardHold, conform.GuardRole),
		Statement: "a repeated listener CONNECTED (POLL set) on an established connection is answered with another CONNECTED",
		Example:   "listener keeps retrying CONNECTED, connector never repeats",
	},
	r31512Unsolicited - connectedBase: {
		ID: "DP8-3.1.5.1.2-UNSOLICITED", Clause: "MC-DPL8R 3.1.5.1.2", Level: conform.Should, Severity: conform.Note, Scope: "B",
		Guards:    conform.Of(conform.GuardStart, conform.GuardBidir),
		Statement: "a CONNECTED from a peer without a pending or established connection is ignored, and should not be sent",
		Example:   "CONNECTED without any CONNECT",
		Care:      "without an earlier CONNECT the verdict is inconclusive: a CONNECT that was not captured may have asked for it",
	},
	r31Est - connectedBase: {
		ID: "DP8-3.1-EST", Clause: "MC-DPL8R 3.1, 3.1.5.2", Level: conform.Must, Severity: conform.Warn, Scope: "B",
		Guards:    conform.Of(conform.GuardStart, conform.GuardBidir),
		Statement: "data frames are sent only after each side has received the other's CONNECTED",
		Care:      "START, BIDIR, CLEAN; the connector may send data right after its confirmation; listener data before the connector's CONNECTED is the failure",
		Example:   "listener sends DF seq=0 before any connector CONNECTED",
	},
}
