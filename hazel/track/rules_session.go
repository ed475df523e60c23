package track

import (
	"github.com/dpdissect/dpdissect/session/conform"
)

// Rules of keep-alives and sessions.
const sessionBase = deliveryBase + len(deliveryRules)

const (
	rKaSent = sessionBase + iota
	rKaReliable
	rKaAcked
	rKaEarly
	rKaDead
	rSesHelloFirst
	rSesHelloAck
	rSesHelloAgain
	rSesDiscLast
	rSesDiscReply
	rSesDiscSilent
)

var sessionRules = [...]conform.Rule{
	rKaSent - sessionBase: {
		ID: "HZ-KA-SENT", Clause: "Hazel page, Keepalive", Level: conform.Should, Severity: conform.Warn, Scope: "DT", Operation: true,
		Guards:    conform.Of(conform.GuardClean, conform.GuardSample),
		Statement: "after a fixed idle time since the side's last transmission a keepalive is sent",
		Care:      "keepalives have IDs: the next one follows the last; four times the interval, which at least 3 keepalives tell, else that of the dialect as a note; in 0.1 receiving puts it off, from ack3 on only reliable packets do (AMB-HZ-09)",
		Example:   "interval 10 s learned, 45 s silence, then data",
	},
	rKaReliable - sessionBase: {
		ID: "HZ-KA-RELIABLE", Clause: "Hazel page, Keepalive", Level: conform.Should, Severity: conform.Warn, Scope: "D",
		Statement: "keepalives use reliable delivery",
		Care:      "keepalive recognised by type (8 with one byte, 12) or by period + constant content",
		Example:   "periodic 00 00 only",
		Unchecked: "not observable: an unreliable datagram that comes again and again may be the application's own; Ping and Hello are reliable by their type",
	},
	rKaAcked - sessionBase: {
		ID: "HZ-KA-ACKED", Clause: "Hazel page, Keepalive; Reliable Delivery", Level: conform.Must, Severity: conform.Warn, Scope: "BT", Operation: true,
		Guards:    conform.Of(conform.GuardBidir, conform.GuardOdds),
		Statement: "keepalives are acknowledged",
		Care:      "as HZ-REL-ACK; Pings that are not resent: six in a row, with acknowledged packets between any two",
		Example:   "six pings without acknowledgement, peer sends data",
	},
	rKaEarly - sessionBase: {
		ID: "HZ-KA-EARLY", Clause: "Hazel page, Keepalive", Level: conform.Should, Severity: conform.Note, Scope: "DT", Summed: true,
		Statement: "no keepalive within the interval after another transmission",
		Care:      "three of a side and more than half of all within 3/10 of its own interval (10 s where that is not known) of another datagram but acknowledgements; n/a from ack3 on",
		Example:   "keepalive 100 ms after data, interval 10 s",
	},
	rKaDead - sessionBase: {
		ID: "HZ-KA-DEAD", Clause: "Hazel page, Keepalive", Level: conform.Should, Severity: conform.Note, Scope: "BT",
		Guards:    conform.Of(conform.GuardBidir, conform.GuardClean),
		Statement: "unacknowledged keepalives end the connection",
		Care:      "the library ends at six: more than twelve, while the other side is seen to speak",
		Example:   "20 unanswered pings, still pinging",
	},
	rSesHelloFirst - sessionBase: {
		ID: "HZ-SES-HELLO-FIRST", Clause: "Hazel page, Header Data", Level: conform.Impl, Severity: conform.Note, Scope: "D",
		Guards:    conform.Of(conform.GuardStart),
		Statement: "a connection starts with Hello",
		Example:   "first packet Type 1",
		CountOnly: true,
	},
	rSesHelloAck - sessionBase: {
		ID: "HZ-SES-HELLO-ACK", Clause: "Hazel page, Header Data; Reliable Delivery", Level: conform.Impl, Severity: conform.Warn, Scope: "BT", Operation: true,
		Guards:    conform.Of(conform.GuardBidir, conform.GuardClean, conform.GuardHold, conform.GuardOdds),
		Statement: "Hello is acknowledged before other data flows to the client",
		Care:      "four Hellos, and the acknowledgement of none captured is absurd by the share of the server's resends",
		Example:   "four Hellos, no acknowledgement, but data",
	},
	rSesHelloAgain - sessionBase: {
		ID: "HZ-SES-HELLO-AGAIN", Clause: "Hazel page, Header Data", Level: conform.Impl, Severity: conform.Note, Scope: "D",
		Statement: "Hello after the start is a keepalive (0.1), a repeat that is just acknowledged, or, with a fresh ID series, a new connection",
		Care:      "a keepalive has no data, a new connection begins its IDs anew (AMB-HZ-14)",
	},
	rSesDiscLast - sessionBase: {
		ID: "HZ-SES-DISC-LAST", Clause: "Hazel page, Header Data", Level: conform.Impl, Severity: conform.Warn, Scope: "DT", Operation: true,
		Guards:    conform.Of(conform.GuardReord, conform.GuardHold),
		Statement: "nothing follows a side's Disconnect",
		Care:      "acknowledgements within 1 s and what was overtaken within 200 ms are tolerated; later the IPv4 identification must show that it was sent behind the Disconnect, or 5 s must have passed, for the path may delay datagrams; not what may belong to a new connection whose Hello was missed",
		Example:   "Disconnect, then Type 1 data",
	},
	rSesDiscReply - sessionBase: {
		ID: "HZ-SES-DISC-REPLY", Clause: "Hazel page, Header Data", Level: conform.Impl, Severity: conform.Note, Scope: "BT", Operation: true,
		Guards:    conform.Of(conform.GuardHold, conform.GuardVant),
		Statement: "a received Disconnect ends the other side's traffic",
		Care:      "a Disconnect may be lost: four of them, and 10 s",
		Example:   "peer keeps resending for 10 s",
	},
	rSesDiscSilent - sessionBase: {
		ID: "HZ-SES-DISC-SILENT", Clause: "Hazel page, Reliable Delivery", Level: conform.Impl, Severity: conform.Note, Scope: "BT",
		Statement: "a session that stops with unacknowledged reliable packets",
		Care:      "capture end is no session end",
		Example:   "last 8 s: ID 7 resent nine times, nothing back",
		Unchecked: "blames nobody: the last acknowledgement and the Disconnect may have been missed; FLD-GIVEUP names the packet",
	},
}
