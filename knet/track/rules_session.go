package track

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
		Unchecked: "a connection is known to begin with its ConnectSyn alone: what came before it belongs to an older one, for all that shows",
	},
	rSmSynackUnsol - sessionBase: {
		ID: "KN-SM-SYNACK-UNSOL", Clause: "kNet page, Session Management", Level: conform.Must, Severity: conform.Error, Scope: "B",
		Guards:    conform.Of(conform.GuardStart, conform.GuardBidir, conform.GuardClean),
		Statement: "ConnectSynAck only in answer to ConnectSyn",
		Example:   "ConnectSynAck out of nowhere",
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
		Care:      "KNEW: that the client received the ConnectSynAck shows in nothing but the answer that is missing",
		Example:   "ConnectSynAck repeated, client silent",
		CountOnly: true,
	},
	rSmRole - sessionBase: {
		ID: "KN-SM-ROLE", Clause: "kNet page, Session Management", Level: conform.Must, Severity: conform.Error, Scope: "B",
		Guards:    conform.Of(conform.GuardStart),
		Statement: "ConnectSyn and ConnectAck from the client, ConnectSynAck from the server",
		Example:   "both sides send ConnectSyn and ConnectSynAck",
	},
	rSmNewep - sessionBase: {
		ID: "KN-SM-NEWEP", Clause: "kNet page, Session Management", Level: conform.Should, Severity: conform.Note, Scope: "B",
		Guards:    conform.Of(conform.GuardStart, conform.GuardBidir),
		Statement: "a server stays silent to unknown endpoints that send anything but ConnectSyn",
		Example:   "PingReply to an unknown endpoint",
		Unchecked: "a conversation without a ConnectSyn looks like one whose start was not captured",
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
		Care:      "REORD; DisconnectAck for a crossing Disconnect and acknowledgements in reference tolerated (AMB-KN-11)",
		Example:   "Disconnect, then application data",
	},
	rClDiscack - sessionBase: {
		ID: "KN-CL-DISCACK", Clause: "kNet page, Closing a Connection", Level: conform.Should, Severity: conform.Warn, Scope: "BT", Operation: true,
		Guards:    conform.Of(conform.GuardBidir, conform.GuardClean, conform.GuardHold),
		Statement: "Disconnect is answered by DisconnectAck",
		Care:      "BIDIR, CLEAN, HOLD; hasty close allowed for the side that ends",
		Example:   "three Disconnects, peer keeps sending data",
	},
	rClDiscackUnsol - sessionBase: {
		ID: "KN-CL-DISCACK-UNSOL", Clause: "kNet page, Closing a Connection; Session Management", Level: conform.Must, Severity: conform.Warn, Scope: "B",
		Guards:    conform.Of(conform.GuardStart, conform.GuardBidir, conform.GuardClean),
		Statement: "DisconnectAck only after Disconnect or as refusal",
		Example:   "DisconnectAck in mid-session",
	},
	rClAfterAck - sessionBase: {
		ID: "KN-CL-AFTER-ACK", Clause: "kNet page, Closing a Connection", Level: conform.Must, Severity: conform.Error, Scope: "D",
		Guards:    conform.Of(conform.GuardReord),
		Statement: "nothing after DisconnectAck",
		Example:   "data after own DisconnectAck",
	},
	rClState - sessionBase: {
		ID: "KN-CL-STATE", Clause: "kNet page, Closing a Connection", Level: conform.Impl, Severity: conform.Note, Scope: "B",
		Guards:    conform.Of(conform.GuardStart),
		Statement: "Disconnect only on an established connection",
		Example:   "Disconnect before ConnectSynAck",
	},
}
