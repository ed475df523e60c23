package rules

import (
	"github.com/dpdissect/dpdissect/session/conform"
)

// Rules of reliability and round trips.
const reliableBase = sessionBase + len(sessionRules)

const (
	rRdAcked = reliableBase + iota
	rRdAckKnown
	rRdAckUnrel
	rRdAckSpan
	rRdAckDup
	rRdNoresend
	rRdResend
	rRtIdInc
	rRtPongMatch
	rRtPong
	rRtPongOnce
	rRtKeepalive
)

var reliableRules = [...]conform.Rule{
	rRdAcked - reliableBase: {
		ID: "KN-RD-ACKED", Clause: "kNet page, Reliable Datagrams", Level: conform.Must, Severity: conform.Warn, Scope: "BT", Operation: true,
		Guards:    conform.Of(conform.GuardBidir, conform.GuardClean, conform.GuardHold),
		Statement: "every reliable datagram received is acknowledged",
		Care:      "BIDIR, CLEAN, HOLD; loss after the capture point looks the same: fails only if ≥ 3 later PacketIDs are acknowledged by later PacketAcks and the datagram (or its content) is not resent either, or once 32 small datagrams stay unacknowledged while four pings in between are answered (inconclusive without those: nothing shows that they arrived)",
		Example:   "10, 12, 13, 14 acknowledged, 11 never, no resend",
	},
	rRdAckKnown - reliableBase: {
		ID: "KN-RD-ACK-KNOWN", Clause: "kNet page, Reliable Datagrams", Level: conform.Must, Severity: conform.Error, Scope: "B", Operation: true,
		Guards:    conform.Of(conform.GuardBidir, conform.GuardClean, conform.GuardHold, conform.GuardUnwrap),
		Statement: "a PacketAck names PacketIDs the peer has sent",
		Care:      "BIDIR, CLEAN, HOLD, UNWRAP; a slight excess is evidence of capture loss",
		Example:   "highest 40, ack of 900",
	},
	rRdAckUnrel - reliableBase: {
		ID: "KN-RD-ACK-UNREL", Clause: "kNet page, Reliable Datagrams", Level: conform.Must, Severity: conform.Warn, Scope: "B", Operation: true,
		Statement: "a PacketAck names reliable datagrams only",
		Care:      "the datagram was captured",
		Example:   "PacketID 7 unreliable, acknowledged",
	},
	rRdAckSpan - reliableBase: {
		ID: "KN-RD-ACK-SPAN", Clause: "kNet page, Reliable Datagrams", Level: conform.Must, Severity: conform.Note, Scope: "F",
		Statement: "one PacketAck covers at most 35 datagrams: PacketID + 34 following (reference 33: + 32)",
		Care:      "bit order: AMB-KN-06; the reading that fits the capture is used",
	},
	rRdAckDup - reliableBase: {
		ID: "KN-RD-ACK-DUP", Clause: "kNet page, Reliable Datagrams", Level: conform.Impl, Severity: conform.Note, Scope: "B",
		Guards:    conform.Of(conform.GuardBidir, conform.GuardClean),
		Statement: "a PacketID is acknowledged once per received copy",
		Example:   "9 acknowledged in ten PacketAcks",
	},
	rRdNoresend - reliableBase: {
		ID: "KN-RD-NORESEND", Clause: "kNet page, Reliable Datagrams; Characteristic Values", Level: conform.Impl, Severity: conform.Warn, Scope: "BT", Operation: true,
		Guards:    conform.Of(conform.GuardBidir, conform.GuardKnew, conform.GuardVant),
		Statement: "a datagram is not resent after its acknowledgement",
		Care:      "KNEW (proved when the PacketAck was in a reliable datagram that was itself acknowledged, otherwise by ≥ 4 PacketAcks, or more where others were lost on their way), VANT, BIDIR; reference: the message number appears again under a later PacketID; a PacketAck was also received when a PingRequest in the same datagram was answered",
		Example:   "ack at 1.0 s, same PacketID again at 3.0 s",
	},
	rRdResend - reliableBase: {
		ID: "KN-RD-RESEND", Clause: "kNet page, Characteristic Values", Level: conform.Must, Severity: conform.Warn, Scope: "BT", Operation: true,
		Guards:    conform.Of(conform.GuardBidir, conform.GuardClean, conform.GuardHold),
		Statement: "an unacknowledged reliable datagram (or its messages) is sent again",
		Care:      "BIDIR, CLEAN, HOLD 10 s",
		Example:   "never resent, traffic continues",
	},
	rRtIdInc - reliableBase: {
		ID: "KN-RT-ID-INC", Clause: "kNet page, Round-Trip Estimation", Level: conform.Should, Severity: conform.Note, Scope: "D",
		Guards:    conform.Of(conform.GuardClean),
		Statement: "pingID grows by one per request (mod 256)",
		Care:      "CLEAN (gaps are losses)",
		Example:   "5, 5, 5",
	},
	rRtPongMatch - reliableBase: {
		ID: "KN-RT-PONG-MATCH", Clause: "kNet page, Round-Trip Estimation", Level: conform.Must, Severity: conform.Error, Scope: "B", Operation: true,
		Guards:    conform.Of(conform.GuardBidir, conform.GuardClean, conform.GuardHold),
		Statement: "a PingReply repeats the pingID of a request",
		Example:   "request 7, reply 9",
	},
	rRtPong - reliableBase: {
		ID: "KN-RT-PONG", Clause: "kNet page, Round-Trip Estimation", Level: conform.Should, Severity: conform.Warn, Scope: "BT", Operation: true,
		Guards:    conform.Of(conform.GuardBidir, conform.GuardClean, conform.GuardHold, conform.GuardVant),
		Statement: "every PingRequest is answered as fast as possible",
		Care:      "BIDIR, CLEAN, VANT, HOLD; a warning if there are no replies; a note if datagrams sent after the requests are acknowledged 500 ms before the replies",
		Example:   "ten requests, no reply, data flows",
	},
	rRtPongOnce - reliableBase: {
		ID: "KN-RT-PONG-ONCE", Clause: "kNet page, Round-Trip Estimation", Level: conform.Impl, Severity: conform.Note, Scope: "B",
		Statement: "a request gets one reply",
		Example:   "three replies",
	},
	rRtKeepalive - reliableBase: {
		ID: "KN-RT-KEEPALIVE", Clause: "kNet page, Round-Trip Estimation", Level: conform.Should, Severity: conform.Note, Scope: "DT",
		Guards:    conform.Of(conform.GuardClean),
		Statement: "an otherwise silent side sends a ping before 15 s have passed",
		Example:   "40 s silence on an open connection",
	},
}
