package rules

import (
	"github.com/dpdissect/dpdissect/session/conform"
)

// Rules of reserved messages.
const reservedBase = blockBase + len(blockRules)

const (
	rRmIdmap = reservedBase + iota
	rRmPingLen
	rRmPongLen
	rRmFlowLen
	rRmAckLen
	rRmDiscLen
	rRmDiscackLen
	rRmConnackLen
	rRmPingRel
	rRmPongRel
	rRmAckRel
	rRmFlowRel
	rRmConnackRel
	rRmSynRel
	rRmDiscRel
	rRmDiscOrder
	rRmPlainOrder
	rRmNofrag
)

var reservedRules = [...]conform.Rule{
	rRmIdmap - reservedBase: {
		ID: "KN-RM-IDMAP", Clause: "kNet page, Reserved Messages", Level: conform.Must, Severity: conform.Warn, Scope: "B", Operation: true,
		Guards:    conform.Of(conform.GuardDial),
		Statement: "ping 0/1 or 1/2, flow 2 or 3, ack 3 or 4: a session uses one numbering (both dialects)",
		Example:   "both numberings in one session",
	},
	rRmPingLen - reservedBase: {
		ID: "KN-RM-PING-LEN", Clause: "kNet page, Reserved Messages", Level: conform.Must, Severity: conform.Error, Scope: "F",
		Guards:    conform.Of(conform.GuardDial),
		Statement: "PingRequest payload is 1 byte",
		Example:   "0 bytes",
	},
	rRmPongLen - reservedBase: {
		ID: "KN-RM-PONG-LEN", Clause: "kNet page, Reserved Messages", Level: conform.Must, Severity: conform.Error, Scope: "F",
		Guards:    conform.Of(conform.GuardDial),
		Statement: "PingReply payload is 1 byte",
		Example:   "2 bytes",
	},
	rRmFlowLen - reservedBase: {
		ID: "KN-RM-FLOW-LEN", Clause: "kNet page, Reserved Messages", Level: conform.Must, Severity: conform.Error, Scope: "F",
		Guards:    conform.Of(conform.GuardDial),
		Statement: "FlowControlRequest payload is 2 bytes",
		Example:   "1 byte",
	},
	rRmAckLen - reservedBase: {
		ID: "KN-RM-ACK-LEN", Clause: "kNet page, Reserved Messages", Level: conform.Must, Severity: conform.Error, Scope: "F", Operation: true,
		Guards:    conform.Of(conform.GuardDial),
		Statement: "PacketAck payload is 7 bytes",
		Example:   "3 bytes",
	},
	rRmDiscLen - reservedBase: {
		ID: "KN-RM-DISC-LEN", Clause: "kNet page, Reserved Messages", Level: conform.Must, Severity: conform.Error, Scope: "F",
		Statement: "Disconnect has no payload",
		Example:   "4 bytes",
	},
	rRmDiscackLen - reservedBase: {
		ID: "KN-RM-DISCACK-LEN", Clause: "kNet page, Reserved Messages", Level: conform.Must, Severity: conform.Error, Scope: "F",
		Statement: "DisconnectAck has no payload",
		Example:   "1 byte",
	},
	rRmConnackLen - reservedBase: {
		ID: "KN-RM-CONNACK-LEN", Clause: "kNet page, Reserved Messages", Level: conform.Must, Severity: conform.Error, Scope: "F",
		Statement: "ConnectAck has no payload",
		Example:   "1 byte",
	},
	rRmPingRel - reservedBase: {
		ID: "KN-RM-PING-REL", Clause: "kNet page, Reserved Messages", Level: conform.Should, Severity: conform.Note, Scope: "F",
		Statement: "PingRequest is unreliable",
		Care:      "coalescing may put it into a reliable datagram, so only a note (AMB-KN-09)",
		Example:   "in a reliable datagram",
	},
	rRmPongRel - reservedBase: {
		ID: "KN-RM-PONG-REL", Clause: "kNet page, Reserved Messages", Level: conform.Should, Severity: conform.Note, Scope: "F",
		Statement: "PingReply is unreliable",
		Care:      "as above",
		Example:   "in a reliable datagram",
	},
	rRmAckRel - reservedBase: {
		ID: "KN-RM-ACK-REL", Clause: "kNet page, Reserved Messages", Level: conform.Should, Severity: conform.Warn, Scope: "F",
		Statement: "PacketAck is unreliable",
		Care:      "as above; a reliable datagram that contains only acknowledgements is a warning (acks of acks)",
		Example:   "reliable datagram holding one PacketAck",
	},
	rRmFlowRel - reservedBase: {
		ID: "KN-RM-FLOW-REL", Clause: "kNet page, Reserved Messages", Level: conform.Must, Severity: conform.Error, Scope: "F",
		Statement: "FlowControlRequest is reliable",
		Care:      "reference: the message's own bit decides, and it is a note (the library never sends one)",
		Example:   "in an unreliable datagram",
	},
	rRmConnackRel - reservedBase: {
		ID: "KN-RM-CONNACK-REL", Clause: "kNet page, Reserved Messages", Level: conform.Must, Severity: conform.Error, Scope: "F",
		Statement: "ConnectAck is reliable",
		Example:   "in an unreliable datagram",
	},
	rRmSynRel - reservedBase: {
		ID: "KN-RM-SYN-REL", Clause: "kNet page, Reserved Messages", Level: conform.Should, Severity: conform.Note, Scope: "F",
		Statement: "ConnectSyn and ConnectSynAck are unreliable",
		Example:   "ConnectSyn in a reliable datagram",
	},
	rRmDiscRel - reservedBase: {
		ID: "KN-RM-DISC-REL", Clause: "kNet page, Reserved Messages", Level: conform.Should, Severity: conform.Note, Scope: "F",
		Statement: "Disconnect and DisconnectAck are unreliable",
		Care:      "spec only (reference sends Disconnect reliably)",
		Example:   "reliable Disconnect in spec",
	},
	rRmDiscOrder - reservedBase: {
		ID: "KN-RM-DISC-ORDER", Clause: "kNet page, Reserved Messages", Level: conform.Must, Severity: conform.Warn, Scope: "F",
		Statement: "Disconnect and DisconnectAck are sent in an InOrder datagram",
		Care:      "spec only",
		Example:   "flag clear",
	},
	rRmPlainOrder - reservedBase: {
		ID: "KN-RM-PLAIN-ORDER", Clause: "kNet page, Reserved Messages", Level: conform.Must, Severity: conform.Warn, Scope: "F",
		Statement: "ping, pong, flow, ack, syn, synack and connect-ack have InOrder code 0",
		Care:      "spec only",
		Example:   "PingRequest with code 2",
	},
	rRmNofrag - reservedBase: {
		ID: "KN-RM-NOFRAG", Clause: "kNet page, Reserved Messages; Fragmented Transfers", Level: conform.Must, Severity: conform.Error, Scope: "F",
		Statement: "no reserved message is fragmented",
		Care:      "visible on the first fragment",
		Example:   "ConnectSyn with FragmentStart",
	},
}
