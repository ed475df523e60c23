package rules

import (
	"github.com/dpdissect/dpdissect/session/conform"
)

// Rules of sessions and closing.
const sessionBase = valuesBase + len(valuesRules)

const (
	rSmSynFirst = sessionBase + iota
	rSmSynackUnsol
	rSmPending
	rSmConfirm
	rSmRole
	rSmNewep
	rSmRefuseOnce
	rClAfterDisc
	rClDiscack
	rClDiscackUnsol
	rClAfterAck
	rClState
)

var sessionRules = [...]conform.Rule{
	rSmSynFirst - sessionBase: {
		ID: "KN-SM-SYN-FIRST", Clause: "kNet page, Reserved Messages; Session Management", Level: conform.Must, Severity: conform.Warn, Scope: "D",
		Guards:    conform.Of(conform.GuardStart),
		Statement: "the client's first message is ConnectSyn",
		Example:   "first message is application data",
		Unchecked: "not observable: only its ConnectSyn shows where a connection begins, and anything before it may belong to an older connection",
	},
	rSmSynackUnsol - sessionBase: {
		ID: "KN-SM-SYNACK-UNSOL", Clause: "kNet page, Session Management", Level: conform.Must, Severity: conform.Error, Scope: "B",
		Guards:    conform.Of(conform.GuardStart, conform.GuardBidir, conform.GuardClean),
		Statement: "ConnectSynAck is sent only in answer to ConnectSyn",
		Example:   "unsolicited ConnectSynAck",
	},
	rSmPending - sessionBase: {
		ID: "KN-SM-PENDING", Clause: "kNet page, Session Management", Level: conform.Must, Severity: conform.Warn, Scope: "B",
		Guards:    conform.Of(conform.GuardStart, conform.GuardBidir, conform.GuardClean),
		Statement: "in Syn and SynAck states no other datagrams are sent",
		Example:   "data between ConnectSyn and ConnectSynAck",
	},
	rSmConfirm - sessionBase: {
		ID: "KN-SM-CONFIRM", Clause: "kNet page, Reserved Messages; Session Management", Level: conform.Should, Severity: conform.Warn, Scope: "BT",
		Guards:    conform.Of(conform.GuardBidir, conform.GuardClean, conform.GuardHold, conform.GuardKnew),
		Statement: "the client confirms with ConnectAck or any message",
		Care:      "KNEW: only the missing answer could show that the client received the ConnectSynAck",
		Example:   "ConnectSynAck repeated, client silent",
		CountOnly: true,
	},
	rSmRole - sessionBase: {
		ID: "KN-SM-ROLE", Clause: "kNet page, Session Management", Level: conform.Must, Severity: conform.Error, Scope: "B",
		Guards:    conform.Of(conform.GuardStart),
		Statement: "ConnectSyn and ConnectAck come from the client, ConnectSynAck from the server",
		Example:   "both sides send ConnectSyn and ConnectSynAck",
	},
	rSmNewep - sessionBase: {
		ID: "KN-SM-NEWEP", Clause: "kNet page, Session Management", Level: conform.Should, Severity: conform.Note, Scope: "B",
		Guards:    conform.Of(conform.GuardStart, conform.GuardBidir),
		Statement: "a server does not answer unknown endpoints that send anything but ConnectSyn",
		Example:   "PingReply to an unknown endpoint",
		Unchecked: "not observable: a connection without a ConnectSyn looks like one whose start was not captured",
	},
	rSmRefuseOnce - sessionBase: {
		ID: "KN-SM-REFUSE-ONCE", Clause: "kNet page, Session Management", Level: conform.Should, Severity: conform.Note, Scope: "BT", Seldom: true,
		Guards:    conform.Of(conform.GuardBidir, conform.GuardSample),
		Statement: "a refused attempt gets at most one DisconnectAck per burst",
		Example:   "20 DisconnectAcks in a second",
	},
	rClAfterDisc - sessionBase: {
		ID: "KN-CL-AFTER-DISC", Clause: "kNet page, Closing a Connection", Level: conform.Must, Severity: conform.Error, Scope: "D", Operation: true,
		Guards:    conform.Of(conform.GuardReord),
		Statement: "nothing is sent after a side's Disconnect",
		Care:      "REORD; a DisconnectAck for a crossing Disconnect, and acknowledgements in reference, are tolerated (AMB-KN-11)",
		Example:   "Disconnect, then application data",
	},
	rClDiscack - sessionBase: {
		ID: "KN-CL-DISCACK", Clause: "kNet page, Closing a Connection", Level: conform.Should, Severity: conform.Warn, Scope: "BT", Operation: true,
		Guards:    conform.Of(conform.GuardBidir, conform.GuardClean, conform.GuardHold),
		Statement: "Disconnect is answered by DisconnectAck",
		Care:      "BIDIR, CLEAN, HOLD; the side that ends may close without waiting",
		Example:   "three Disconnects, peer keeps sending data",
	},
	rClDiscackUnsol - sessionBase: {
		ID: "KN-CL-DISCACK-UNSOL", Clause: "kNet page, Closing a Connection; Session Management", Level: conform.Must, Severity: conform.Warn, Scope: "B",
		Guards:    conform.Of(conform.GuardStart, conform.GuardBidir, conform.GuardClean),
		Statement: "DisconnectAck is sent only after Disconnect or as a refusal",
		Example:   "DisconnectAck in the middle of a session",
	},
	rClAfterAck - sessionBase: {
		ID: "KN-CL-AFTER-ACK", Clause: "kNet page, Closing a Connection", Level: conform.Must, Severity: conform.Error, Scope: "D",
		Guards:    conform.Of(conform.GuardReord),
		Statement: "nothing is sent after DisconnectAck",
		Example:   "data after own DisconnectAck",
	},
	rClState - sessionBase: {
		ID: "KN-CL-STATE", Clause: "kNet page, Closing a Connection", Level: conform.Impl, Severity: conform.Note, Scope: "B",
		Guards:    conform.Of(conform.GuardStart),
		Statement: "Disconnect is sent only on an established connection",
		Example:   "Disconnect before ConnectSynAck",
	},
}
