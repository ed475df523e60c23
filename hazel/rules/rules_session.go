package rules

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
		Statement: "a keepalive is sent after a fixed idle time since the side's last transmission",
		Care:      "keepalives have IDs, so a missed one shows as a gap; reported after four times the interval, which is learned from at least 3 keepalives, otherwise that of the dialect, as a note; in 0.1 receiving restarts the interval, from ack3 on only reliable packets do (AMB-HZ-09)",
		Example:   "interval 10 s learned, 45 s silence, then data",
	},
	rKaReliable - sessionBase: {
		ID: "HZ-KA-RELIABLE", Clause: "Hazel page, Keepalive", Level: conform.Should, Severity: conform.Warn, Scope: "D",
		Statement: "keepalives use reliable delivery",
		Care:      "a keepalive is recognised by its type (8 with one byte, 12), or by its period and constant content",
		Example:   "periodic 00 00 only",
		Unchecked: "not observable: a periodic unreliable datagram may be the application's own; Ping and Hello are reliable by their type",
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
		Care:      "at least three keepalives of a side, and more than half of all, within 3/10 of its own interval (10 s if unknown) after another datagram that is not an acknowledgement; not applicable from ack3 on",
		Example:   "keepalive 100 ms after data, interval 10 s",
	},
	rKaDead - sessionBase: {
		ID: "HZ-KA-DEAD", Clause: "Hazel page, Keepalive", Level: conform.Should, Severity: conform.Note, Scope: "BT",
		Guards:    conform.Of(conform.GuardBidir, conform.GuardClean),
		Statement: "unacknowledged keepalives end the connection",
		Care:      "the library ends the connection at six: reported above twelve, while the other side is captured sending",
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
		Care:      "four Hellos without a captured acknowledgement, where the share of the server's resends makes so much loss unbelievable",
		Example:   "four Hellos, no acknowledgement, but data",
	},
	rSesHelloAgain - sessionBase: {
		ID: "HZ-SES-HELLO-AGAIN", Clause: "Hazel page, Header Data", Level: conform.Impl, Severity: conform.Note, Scope: "D",
		Statement: "a Hello after the start is a keepalive (0.1), a repeat that is only acknowledged, or, with a new ID series, a new connection",
		Care:      "a keepalive has no data, and a new connection starts its IDs again (AMB-HZ-14)",
	},
	rSesDiscLast - sessionBase: {
		ID: "HZ-SES-DISC-LAST", Clause: "Hazel page, Header Data", Level: conform.Impl, Severity: conform.Warn, Scope: "DT", Operation: true,
		Guards:    conform.Of(conform.GuardReord, conform.GuardHold),
		Statement: "nothing follows a side's Disconnect",
		Care:      "acknowledgements within 1 s and reordered datagrams within 200 ms are tolerated; after that the IPv4 identification must show that the datagram was sent after the Disconnect, or 5 s must have passed, since the path may delay datagrams; what may belong to a new connection whose Hello was missed is not reported",
		Example:   "Disconnect, then Type 1 data",
	},
	rSesDiscReply - sessionBase: {
		ID: "HZ-SES-DISC-REPLY", Clause: "Hazel page, Header Data", Level: conform.Impl, Severity: conform.Note, Scope: "BT", Operation: true,
		Guards:    conform.Of(conform.GuardHold, conform.GuardVant),
		Statement: "a received Disconnect ends the other side's traffic",
		Care:      "a Disconnect may be lost, so four of them and 10 s are needed",
		Example:   "peer keeps resending for 10 s",
	},
	rSesDiscSilent - sessionBase: {
		ID: "HZ-SES-DISC-SILENT", Clause: "Hazel page, Reliable Delivery", Level: conform.Impl, Severity: conform.Note, Scope: "BT",
		Statement: "a session does not stop with unacknowledged reliable packets",
		Care:      "the end of the capture is not the end of the session",
		Example:   "last 8 s: ID 7 resent nine times, nothing back",
		Unchecked: "no side can be blamed: the last acknowledgement and the Disconnect may have been missed; FLD-GIVEUP names the packet",
	},
}
