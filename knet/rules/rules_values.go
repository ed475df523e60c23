package rules

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
		Statement: "a direction sends at most 15 datagrams/s until another rate is agreed",
		Care:      "START, CLOCK, CLEAN: a request for another rate may have been missed; the captured rate cannot exceed the sent rate, so an excess is certain",
		Example:   "60 datagrams in the first second",
	},
	rCvPingint - valuesBase: {
		ID: "KN-CV-PINGINT", Clause: "kNet page, Characteristic Values; Round-Trip Estimation", Level: conform.Rec, Severity: conform.Note, Scope: "DT",
		Guards:    conform.Of(conform.GuardClean, conform.GuardSample),
		Statement: "a PingRequest is sent about every 5 s",
		Example:   "no ping for 60 s of idle connection",
	},
	rCvAckdelay - valuesBase: {
		ID: "KN-CV-ACKDELAY", Clause: "kNet page, Characteristic Values; Reliable Datagrams", Level: conform.Should, Severity: conform.Note, Scope: "BT",
		Guards:    conform.Of(conform.GuardBidir, conform.GuardClean, conform.GuardVant, conform.GuardClock, conform.GuardSample),
		Statement: "a PacketAck is sent within 33 ms of the oldest unacknowledged reliable datagram",
		Care:      "BIDIR, CLEAN, VANT, CLOCK, SAMPLE; the replies to pings give the round trip: late means 200 ms more than that, in three of four seconds",
		Example:   "acks regularly after 500 ms, replies to pings after 40 ms",
	},
	rCvResend - valuesBase: {
		ID: "KN-CV-RESEND", Clause: "kNet page, Characteristic Values", Level: conform.Rec, Severity: conform.Note, Scope: "DT",
		Guards:    conform.Of(conform.GuardClean, conform.GuardClock),
		Statement: "an unacknowledged reliable datagram is resent after 2 s",
		Care:      "CLOCK, CLEAN; only too early is judged",
		Example:   "resend after 200 ms",
	},
	rCvLost - valuesBase: {
		ID: "KN-CV-LOST", Clause: "kNet page, Characteristic Values; Round-Trip Estimation", Level: conform.Rec, Severity: conform.Note, Scope: "BT",
		Guards:    conform.Of(conform.GuardBidir, conform.GuardClean, conform.GuardVant),
		Statement: "after 15 s without anything from the peer the connection is lost",
		Example:   "side still sends data 60 s after the last inbound datagram",
	},
	rCvConnto - valuesBase: {
		ID: "KN-CV-CONNTO", Clause: "kNet page, Characteristic Values; Session Management", Level: conform.Rec, Severity: conform.Note, Scope: "BT",
		Guards:    conform.Of(conform.GuardStart, conform.GuardBidir),
		Statement: "after 10 s without ConnectSynAck or ConnectAck the attempt has failed",
		Example:   "ConnectSynAck 25 s after ConnectSyn accepted",
	},
	rCvDiscto - valuesBase: {
		ID: "KN-CV-DISCTO", Clause: "kNet page, Characteristic Values; Closing a Connection", Level: conform.Rec, Severity: conform.Note, Scope: "BT", Seldom: true,
		Guards:    conform.Of(conform.GuardBidir),
		Statement: "after 5 s without DisconnectAck the connection is closed",
		Example:   "side still retries Disconnect after 20 s",
	},
	rCvMaxsend - valuesBase: {
		ID: "KN-CV-MAXSEND", Clause: "kNet page, Characteristic Values", Level: conform.Rec, Severity: conform.Note, Scope: "D",
		Statement: "a reliable message is tried at most 50 times",
		Example:   "60 copies",
	},
}
