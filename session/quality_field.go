package session

import "github.com/dpdissect/dpdissect/session/conform"

// Rules of field diagnosis.
const fieldBase = captureBase + len(captureRules)

const (
	rFldMtu = fieldBase + iota
	rFldGiveup
	rFldNoreply
	rFldOneway
	rFldAckloss
	rFldSpurious
	rFldBurst
	rFldBlackout
	rFldRttshift
	rFldSide
	rFldRebind
	rFldInject
	rFldFlood
	rFldHol
	rFldDtls
)

var fieldRules = [...]conform.Rule{
	rFldMtu - fieldBase: {
		ID: "FLD-MTU", Level: conform.Impl, Severity: conform.Warn, Scope: "BT", Operation: true,
		Statement: "large reliable packets never get through while small ones do",
		Care:      "≥ 3 copies of a packet above the largest size ever acknowledged, while smaller ones are acknowledged; both sizes are stated",
		Example:   "4,711-byte reliable packet resent 11 times, all packets < 1,200 bytes acknowledged",
	},
	rFldGiveup - fieldBase: {
		ID: "FLD-GIVEUP", Level: conform.Impl, Severity: conform.Note, Scope: "BT", Operation: true,
		Statement: "names the packet whose missing acknowledgement ended the session, in the words of the library (\"reliable packet N, size S, not acknowledged after T ms, R resends\")",
		Care:      "the end of the capture is not the end of the session",
		Example:   "ID 42 size 10, 5,090 ms, 6 resends",
	},
	rFldNoreply - fieldBase: {
		ID: "FLD-NOREPLY", Level: conform.Impl, Severity: conform.Warn, Scope: "BT", Operation: true,
		Statement: "no attempt is answered: filter, wrong port or dead server (with ICMP evidence if present)",
		Care:      "BIDIR is proved by other traffic of the hosts",
		Example:   "15 CONNECTs, ICMP port unreachable",
	},
	rFldOneway - fieldBase: {
		ID: "FLD-ONEWAY", Level: conform.Impl, Severity: conform.Warn, Scope: "BT", Operation: true,
		Statement: "one side receives the other, but not the reverse",
		Care:      "a capture at one end shows only one half; the message says which",
		Example:   "acknowledgements leave, data keeps being retried",
	},
	rFldAckloss - fieldBase: {
		ID: "FLD-ACKLOSS", Level: conform.Impl, Severity: conform.Note, Scope: "BT", Operation: true,
		Statement: "acknowledgements are lost rather than data",
		Care:      "needs in-band evidence",
		Example:   "90% of retries are of packets the receiver already had",
	},
	rFldSpurious - fieldBase: {
		ID: "FLD-SPURIOUS", Level: conform.Impl, Severity: conform.Note, Scope: "BT", Operation: true,
		Statement: "the share of spurious retries",
		Example:   "35% spurious, RTO of 60 ms with an RTT of 80–140 ms",
	},
	rFldBurst - fieldBase: {
		ID: "FLD-BURST", Level: conform.Impl, Severity: conform.Note, Scope: "BT", Operation: true,
		Statement: "loss comes in bursts or periods (radio, scan, policing)",
		Care:      "SAMPLE; run lengths and period are stated",
		Example:   "12 losses in 200 ms every 60 s",
	},
	rFldBlackout - fieldBase: {
		ID: "FLD-BLACKOUT", Level: conform.Impl, Severity: conform.Note, Scope: "BT", Operation: true,
		Statement: "both directions are silent for seconds, then resume",
		Care:      "not if CAP-TIME explains it; all sessions of the host at once point to the host or link",
		Example:   "6.2 s gap on all sessions of 10.0.0.5",
	},
	rFldRttshift - fieldBase: {
		ID: "FLD-RTTSHIFT", Level: conform.Impl, Severity: conform.Note, Scope: "BT", Operation: true,
		Statement: "the round trip steps up, or grows under load (bufferbloat)",
		Example:   "40 → 310 ms while the rate doubles",
	},
	rFldSide - fieldBase: {
		ID: "FLD-SIDE", Level: conform.Impl, Severity: conform.Note, Scope: "BT", Operation: true,
		Statement: "splits round trip and loss into \"left of the capture point\" and \"right of it\"",
		Care:      "needs both directions",
		Example:   "2 ms on one side, 180 ms and all loss on the other",
	},
	rFldRebind - fieldBase: {
		ID: "FLD-REBIND", Level: conform.Impl, Severity: conform.Note, Scope: "B", Operation: true,
		Statement: "a session continues from another port or address",
		Care:      "numbers within the window and the same session id; one that begins at its first numbers may be a restart. Live: judged once the old connection is closed",
		Example:   "source port 50,123 → 61,044, numbers continue",
	},
	rFldInject - fieldBase: {
		ID: "FLD-INJECT", Level: conform.Impl, Severity: conform.Warn, Scope: "B", Operation: true,
		Statement: "a frame does not come from the endpoint: TTL or IP identification out of line, wrong session id, failed signature, impossible acknowledgement",
		Care:      "two independent signs are needed",
		Example:   "HDISC with TTL 243 among frames with TTL 117",
	},
	rFldFlood - fieldBase: {
		ID: "FLD-FLOOD", Level: conform.Impl, Severity: conform.Warn, Scope: "BT",
		Statement: "unfinished handshakes or unknown-opcode traffic in bulk",
		Example:   "3,000 CONNECTs per second from 200 sources",
		Unchecked: "connections are judged one by one; refused and unanswered ones are listed with their state",
	},
	rFldHol - fieldBase: {
		ID: "FLD-HOL", Level: conform.Impl, Severity: conform.Note, Scope: "BT",
		Statement: "the time messages waited for an earlier gap to fill (head-of-line blocking)",
		Example:   "14 sequential messages delayed 480 ms by seq=77",
		Unchecked: "messages have the time when their last part was captured, not how long they waited after that",
	},
	rFldDtls - fieldBase: {
		ID: "FLD-DTLS", Level: conform.Impl, Severity: conform.Note, Scope: "F",
		Statement: "the connection looks like Hazel, but its payload is DTLS: its contents cannot be judged",
		Example:   "16 FE FD … on port 22023",
	},
}
