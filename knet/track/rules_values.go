package track

import (
	"github.com/dpdissect/dpdissect/session/conform"
)

// Rules of characteristic values.
const valuesBase = reservedBase + len(reservedRules)

const (
	rCvInitrate = valuesBase + iota
	rCvPingint
	rCvAckdelay
	rCvResend
	rCvLost
	rCvConnto
	rCvDiscto
	rCvMaxsend
)

var valuesRules = [...]conform.Rule{
	rCvInitrate - valuesBase: {
		ID: "KN-CV-INITRATE", Clause: "kNet page, Characteristic Values; Flow Control", Level: conform.Rec, Severity: conform.Note, Scope: "DT",
		Guards:    conform.Of(conform.GuardStart, conform.GuardClock, conform.GuardClean),
		Statement: "at most 15 datagrams/s per direction until another rate is agreed",
		Care:      "START, CLOCK, CLEAN: a request for another rate may have been missed; captured rate ≤ sent rate, so an excess is certain",
		Example:   "60 datagrams in the first second",
	},
	rCvPingint - valuesBase: {
		ID: "KN-CV-PINGINT", Clause: "kNet page, Characteristic Values; Round-Trip Estimation", Level: conform.Rec, Severity: conform.Note, Scope: "DT",
		Guards:    conform.Of(conform.GuardClean, conform.GuardSample),
		Statement: "a PingRequest about every 5 s",
		Example:   "no ping for 60 s of idle connection",
	},
	rCvAckdelay - valuesBase: {
		ID: "KN-CV-ACKDELAY", Clause: "kNet page, Characteristic Values; Reliable Datagrams", Level: conform.Should, Severity: conform.Note, Scope: "BT",
		Guards:    conform.Of(conform.GuardBidir, conform.GuardClean, conform.GuardVant, conform.GuardClock, conform.GuardSample),
		Statement: "PacketAck within 33 ms of the oldest unacknowledged reliable datagram",
		Care:      "BIDIR, CLEAN, VANT, CLOCK, SAMPLE; the replies to pings tell how long the way takes: late is 200 ms more, in three of four seconds",
		Example:   "acks regularly after 500 ms, replies to pings after 40 ms",
	},
	rCvResend - valuesBase: {
		ID: "KN-CV-RESEND", Clause: "kNet page, Characteristic Values", Level: conform.Rec, Severity: conform.Note, Scope: "DT",
		Guards:    conform.Of(conform.GuardClean, conform.GuardClock),
		Statement: "unacknowledged reliable datagram resent after 2 s",
		Care:      "CLOCK, CLEAN; lower bound only (too early)",
		Example:   "resend after 200 ms",
	},
	rCvLost - valuesBase: {
		ID: "KN-CV-LOST", Clause: "kNet page, Characteristic Values; Round-Trip Estimation", Level: conform.Rec, Severity: conform.Note, Scope: "BT",
		Guards:    conform.Of(conform.GuardBidir, conform.GuardClean, conform.GuardVant),
		Statement: "15 s without anything from the peer ⇒ connection lost",
		Example:   "side still sends data 60 s after the last inbound datagram",
	},
	rCvConnto - valuesBase: {
		ID: "KN-CV-CONNTO", Clause: "kNet page, Characteristic Values; Session Management", Level: conform.Rec, Severity: conform.Note, Scope: "BT",
		Guards:    conform.Of(conform.GuardStart, conform.GuardBidir),
		Statement: "10 s without ConnectSynAck/ConnectAck ⇒ attempt dead",
		Example:   "ConnectSynAck 25 s after ConnectSyn accepted",
	},
	rCvDiscto - valuesBase: {
		ID: "KN-CV-DISCTO", Clause: "kNet page, Characteristic Values; Closing a Connection", Level: conform.Rec, Severity: conform.Note, Scope: "BT", Seldom: true,
		Guards:    conform.Of(conform.GuardBidir),
		Statement: "5 s without DisconnectAck ⇒ closed",
		Example:   "side still retries Disconnect after 20 s",
	},
	rCvMaxsend - valuesBase: {
		ID: "KN-CV-MAXSEND", Clause: "kNet page, Characteristic Values", Level: conform.Rec, Severity: conform.Note, Scope: "D",
		Statement: "a reliable message is tried at most 50 times",
		Example:   "60 copies",
	},
}
