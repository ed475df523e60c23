package rules

import (
	"github.com/dpdissect/dpdissect/session/conform"
)

// Rules of CONNECTED_SIGNED.
const signedBase = connectedBase + len(connectedRules)

const (
	r2213Cmd = signedBase + iota
	r2213PollListener
	r2213PollConnector
	r2213Msgid
	r2213Rspid
	r2213Major
	r2213MinorMin
	r2213MinorSign
	r2213Sessid
	r2213SigEcho
	r2213SigCookie
	r2213SecretListener
	r2213SecretConnector
	r2213SecretRandom
	r2213SecretStable
	r2213OptsOne
	r2213OptsReserved
	r2213OptsMatch
	r2213EchoZero
	r2213EchoMatch
	r31513Mix
	r31513Stateless
	r31513KaConnector
	r31513KaListener
	r31513Reconfirm
)

var signedRules = [...]conform.Rule{
	r2213Cmd - signedBase: {
		ID: "DP8-2.2.1.3-CMD", Clause: "MC-DPL8R 2.2.1.3", Level: conform.Must, Severity: conform.Error, Scope: "F",
		Statement: "only the CFRAME and POLL bits are set",
		Example:   "98 03 …",
	},
	r2213PollListener - signedBase: {
		ID: "DP8-2.2.1.3-POLL-LISTENER", Clause: "MC-DPL8R 2.2.1.3", Level: conform.Must, Severity: conform.Error, Scope: "B",
		Guards:    conform.Of(conform.GuardRole),
		Statement: "the listener sets POLL",
		Example:   "first CSIGNED 80 03",
	},
	r2213PollConnector - signedBase: {
		ID: "DP8-2.2.1.3-POLL-CONNECTOR", Clause: "MC-DPL8R 2.2.1.3, 3.1.5.1.3", Level: conform.Must, Severity: conform.Error, Scope: "B",
		Guards:    conform.Of(conform.GuardRole),
		Statement: "the connector does not set POLL",
		Example:   "connector's CSIGNED 88 03",
	},
	r2213Msgid - signedBase: {
		ID: "DP8-2.2.1.3-MSGID", Clause: "MC-DPL8R 2.2.1.3", Level: conform.Should, Severity: conform.Note, Scope: "D",
		Guards:    conform.Of(conform.GuardStart),
		Statement: "the connector starts at 0 and adds one per retry; the listener may always use 0",
		Care:      "START; AMB-DP8-03",
		Example:   "connector's retries all bMsgID 4",
	},
	r2213Rspid - signedBase: {
		ID: "DP8-2.2.1.3-RSPID", Clause: "MC-DPL8R 2.2.1.3", Level: conform.Must, Severity: conform.Error, Scope: "B",
		Guards:    conform.Of(conform.GuardBidir),
		Statement: "bRspId equals the bMsgID answered",
		Care:      "BIDIR, CLEAN; any bMsgID of the attempt is accepted",
		Example:   "listener bMsgID 0, connector bRspId 3",
	},
	r2213Major - signedBase: {
		ID: "DP8-2.2.1.3-MAJOR", Clause: "MC-DPL8R 2.2.1.3", Level: conform.Must, Severity: conform.Error, Scope: "F",
		Statement: "major version is 1",
		Example:   "06 00 02 00",
	},
	r2213MinorMin - signedBase: {
		ID: "DP8-2.2.1.3-MINOR-MIN", Clause: "MC-DPL8R 2.2.1.3", Level: conform.Must, Severity: conform.Error, Scope: "F",
		Statement: "minor version ≥ 5",
		Example:   "04 00 01 00 in CSIGNED",
	},
	r2213MinorSign - signedBase: {
		ID: "DP8-2.2.1.3-MINOR-SIGN", Clause: "MC-DPL8R 2.2.1.3, 1.7", Level: conform.Must, Severity: conform.Warn, Scope: "F",
		Statement: "minor version ≥ 6, otherwise a peer that signs must ignore the frame",
		Care:      "the text also allows 5 (AMB-DP8-16)",
		Example:   "CSIGNED with 05 00 01 00",
	},
	r2213Sessid - signedBase: {
		ID: "DP8-2.2.1.3-SESSID", Clause: "MC-DPL8R 2.2.1.3", Level: conform.Must, Severity: conform.Error, Scope: "B",
		Guards:    conform.Of(conform.GuardBidir),
		Statement: "dwSessID echoes the handshake's id",
		Example:   "other id in CSIGNED",
	},
	r2213SigEcho - signedBase: {
		ID: "DP8-2.2.1.3-SIG-ECHO", Clause: "MC-DPL8R 2.2.1.3", Level: conform.Must, Severity: conform.Error, Scope: "B",
		Guards:    conform.Of(conform.GuardBidir),
		Statement: "the connector echoes the listener's ullConnectSig unchanged",
		Care:      "BIDIR, CLEAN: any cookie of the attempt is accepted",
		Example:   "last cookie byte differs",
	},
	r2213SigCookie - signedBase: {
		ID: "DP8-2.2.1.3-SIG-COOKIE", Clause: "MC-DPL8R 2.2.1.3, 3.1.5.1.3", Level: conform.Should, Severity: conform.Note, Scope: "D",
		Guards:    conform.Of(conform.GuardSample),
		Statement: "the cookie can prove that the connector received it: it is not zero and differs from client to client and over time",
		Care:      "SAMPLE ≥ 3 clients",
		Example:   "cookie 0 for every client",
	},
	r2213SecretListener - signedBase: {
		ID: "DP8-2.2.1.3-SECRET-LISTENER", Clause: "MC-DPL8R 2.2.1.3", Level: conform.Must, Severity: conform.Error, Scope: "B",
		Guards:    conform.Of(conform.GuardRole),
		Statement: "the listener sends both secrets as 0",
		Care:      "ROLE (POLL bit also tells)",
		Example:   "listener's CSIGNED with non-zero ullSenderSecret",
	},
	r2213SecretConnector - signedBase: {
		ID: "DP8-2.2.1.3-SECRET-CONNECTOR", Clause: "MC-DPL8R 2.2.1.3", Level: conform.Must, Severity: conform.Error, Scope: "B",
		Guards:    conform.Of(conform.GuardRole),
		Statement: "both secrets of the connector are non-zero",
		Example:   "connector's ullReceiverSecret 0",
	},
	r2213SecretRandom - signedBase: {
		ID: "DP8-2.2.1.3-SECRET-RANDOM", Clause: "MC-DPL8R 2.2.1.3, 3.1.5.1.3", Level: conform.Should, Severity: conform.Note, Scope: "D",
		Guards:    conform.Of(conform.GuardSample),
		Statement: "secrets come from a secure random source",
		Care:      "SAMPLE; equal sender and receiver secrets, reuse across connections and ≤ 16 significant bits are reported",
		Example:   "same secret in two connections",
	},
	r2213SecretStable - signedBase: {
		ID: "DP8-2.2.1.3-SECRET-STABLE", Clause: "MC-DPL8R 2.2.1.3", Level: conform.Impl, Severity: conform.Warn, Scope: "D", Seldom: true,
		Statement: "retries of the connector's CSIGNED repeat the same secrets",
		Example:   "bMsgID 1 and 2 carry different secrets",
	},
	r2213OptsOne - signedBase: {
		ID: "DP8-2.2.1.3-OPTS-ONE", Clause: "MC-DPL8R 2.2.1.3, 3.1.5.1.3", Level: conform.Must, Severity: conform.Error, Scope: "F",
		Statement: "exactly one of FAST (1) and FULL (2) is set",
		Example:   "options 3, or 0",
	},
	r2213OptsReserved - signedBase: {
		ID: "DP8-2.2.1.3-OPTS-RESERVED", Clause: "MC-DPL8R 2.2.1.3", Level: conform.Should, Severity: conform.Warn, Scope: "F",
		Statement: "all other option bits are 0",
		Example:   "options 0x00000102",
	},
	r2213OptsMatch - signedBase: {
		ID: "DP8-2.2.1.3-OPTS-MATCH", Clause: "MC-DPL8R 3.1.5.1.3", Level: conform.Must, Severity: conform.Error, Scope: "B",
		Guards:    conform.Of(conform.GuardBidir),
		Statement: "both sides choose the same mode",
		Example:   "listener FULL, connector FAST",
	},
	r2213EchoZero - signedBase: {
		ID: "DP8-2.2.1.3-ECHO-ZERO", Clause: "MC-DPL8R 2.2.1.3", Level: conform.Must, Severity: conform.Error, Scope: "B",
		Guards:    conform.Of(conform.GuardRole),
		Statement: "dwEchoTimestamp is 0 in an answer to CONNECT",
		Example:   "listener's CSIGNED echo 1234",
	},
	r2213EchoMatch - signedBase: {
		ID: "DP8-2.2.1.3-ECHO-MATCH", Clause: "MC-DPL8R 2.2.1.3", Level: conform.Must, Severity: conform.Error, Scope: "B",
		Guards:    conform.Of(conform.GuardBidir),
		Statement: "dwEchoTimestamp = tTimestamp of the CSIGNED answered",
		Care:      "BIDIR, CLEAN; any timestamp of the attempt is accepted; also yields the handshake RTT",
		Example:   "echo 0 in connector's CSIGNED",
	},
	r31513Mix - signedBase: {
		ID: "DP8-3.1.5.1.3-MIX", Clause: "MC-DPL8R 3.1.5.1.2, 3.1.5.1.3", Level: conform.Must, Severity: conform.Error, Scope: "B", Operation: true,
		Guards:    conform.Of(conform.GuardBidir),
		Statement: "a handshake is signed or unsigned throughout",
		Example:   "CSIGNED answered by plain CONNECTED",
	},
	r31513Stateless - signedBase: {
		ID: "DP8-3.1.5.1.3-STATELESS", Clause: "MC-DPL8R 3.1.5.1.1", Level: conform.Should, Severity: conform.Note, Scope: "BT", Seldom: true,
		Guards:    conform.Of(conform.GuardBidir, conform.GuardClean),
		Statement: "a signing listener keeps no state for the first CONNECT: it does not itself retry CSIGNED",
		Example:   "one CONNECT, CSIGNED sent at 0, 200, 400 ms",
	},
	r31513KaConnector - signedBase: {
		ID: "DP8-3.1.5.1.3-KA-CONNECTOR", Clause: "MC-DPL8R 3.1.5.1.3", Level: conform.Must, Severity: conform.Warn, Scope: "BT",
		Guards:    conform.Of(conform.GuardBidir, conform.GuardHold, conform.GuardRole),
		Statement: "after its CSIGNED the connector sends a reliable KA",
		Care:      "ROLE, BIDIR, CLEAN, HOLD (any reliable data frame within 1 s also proves the connection: then note)",
		Example:   "connector's CSIGNED, then 20 s silence",
	},
	r31513KaListener - signedBase: {
		ID: "DP8-3.1.5.1.3-KA-LISTENER", Clause: "MC-DPL8R 3.1.5.1.3", Level: conform.Should, Severity: conform.Note, Scope: "BT",
		Statement: "the listener sends a reliable KA at once",
		Care:      "as above",
		Example:   "listener silent for 10 s",
	},
	r31513Reconfirm - signedBase: {
		ID: "DP8-3.1.5.1.3-RECONFIRM", Clause: "MC-DPL8R 3.1.5.1.3", Level: conform.Should, Severity: conform.Warn, Scope: "BT", Seldom: true,
		Guards:    conform.Of(conform.GuardBidir, conform.GuardClean, conform.GuardHold, conform.GuardRole),
		Statement: "a repeated listener CSIGNED (POLL set, same id) on an established connection is answered again",
		Example:   "listener's CSIGNED repeated, no answer",
	},
}
