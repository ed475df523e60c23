package session

import "github.com/dpdissect/dpdissect/session/conform"

// Rules of capture quality.
const captureBase = 0

const (
	rCapGap = captureBase + iota
	rCapDrops
	rCapDup
	rCapTime
	rCapClockres
	rCapSnap
	rCapSum
	rCapIpfrag
	rCapOffload
	rCapOneway
	rCapMidstart
	rCapUploss
	rCapReorder
	rCapNat
	rCapMultipath
	rCapTunnel
)

var captureRules = [...]conform.Rule{
	rCapGap - captureBase: {
		ID: "CAP-GAP", Level: conform.Impl, Severity: conform.Note, Scope: "B", Operation: true,
		Statement: "the peer acknowledged numbers that were never captured",
		Care:      "DP8: numbers covered by a send mask do not count; report share of acknowledged-unseen per direction and time (estimate of capture loss)",
		Example:   "nrcv jumps from 9 to 14, frames 10–13 absent",
	},
	rCapDrops - captureBase: {
		ID: "CAP-DROPS", Level: conform.Impl, Severity: conform.Note, Scope: "F", Operation: true,
		Statement: "the capture file or kernel declares drops",
		Care:      "opens a CLEAN gap between the two packets around it",
		Example:   "drop count 37 between frames 301 and 302",
	},
	rCapDup - captureBase: {
		ID: "CAP-DUP", Level: conform.Impl, Severity: conform.Note, Scope: "F", Operation: true,
		Statement: "the same datagram appears twice because of the capture (mirror port, two interfaces, bridge)",
		Care:      "as guard DUP; a TTL one lower shows a second capture point; what is no copy is a sending of its own",
		Example:   "every frame twice 20 µs apart",
	},
	rCapTime - captureBase: {
		ID: "CAP-TIME", Level: conform.Impl, Severity: conform.Note, Scope: "F", Operation: true,
		Statement: "capture time runs backwards or jumps, or the two sides were captured with clocks that differ",
		Care:      "merged files are sorted first; > 1 ms backwards disables CLOCK in the window; clocks that differ disable CLOCK, REORD and VANT",
		Example:   "frame 12 is 40 ms before frame 11",
	},
	rCapClockres - captureBase: {
		ID: "CAP-CLOCKRES", Level: conform.Impl, Severity: conform.Note, Scope: "F",
		Statement: "time stamps coarser than the timers judged",
		Care:      "> 1 ms resolution disables all REC timer rules",
		Example:   "all times multiples of 10 ms",
	},
	rCapSnap - captureBase: {
		ID: "CAP-SNAP", Level: conform.Impl, Severity: conform.Note, Scope: "F",
		Statement: "packets cut by the snapshot length",
		Care:      "parse what is there; no length, padding or signature rules",
		Example:   "captured 96 of 1,400 bytes",
	},
	rCapSum - captureBase: {
		ID: "CAP-SUM", Level: conform.Impl, Severity: conform.Note, Scope: "F",
		Statement: "bad UDP checksum",
		Care:      "from the capturing host itself: offload, ignore; else drop the frame from state",
		Example:   "checksum wrong on received frame",
	},
	rCapIpfrag - captureBase: {
		ID: "CAP-IPFRAG", Level: conform.Impl, Severity: conform.Note, Scope: "F",
		Statement: "IP fragments missing, so datagrams are lost to analysis",
		Care:      "counts as capture or network loss, not endpoint fault",
		Example:   "first fragment without the rest",
		Unchecked: "fragments of datagrams that never become whole belong to no connection: ip_fragments of the totals counts all fragments",
	},
	rCapOffload - captureBase: {
		ID: "CAP-OFFLOAD", Level: conform.Impl, Severity: conform.Note, Scope: "F",
		Statement: "segmentation offload: one captured super-datagram stands for many wire datagrams",
		Care:      "split only if every segment parses alike; else note and disable size rules",
		Example:   "8,400-byte UDP payload on a 1,500-byte link",
	},
	rCapOneway - captureBase: {
		ID: "CAP-ONEWAY", Level: conform.Impl, Severity: conform.Note, Scope: "B", Operation: true,
		Statement: "only one direction captured",
		Care:      "every BIDIR rule inconclusive",
		Example:   "5,000 frames one way, none back",
	},
	rCapMidstart - captureBase: {
		ID: "CAP-MIDSTART", Level: conform.Impl, Severity: conform.Note, Scope: "B",
		Statement: "the session began before the capture",
		Care:      "START rules inconclusive; numbers unwrapped from an arbitrary base",
		Example:   "first frame seq=117",
	},
	rCapUploss - captureBase: {
		ID: "CAP-UPLOSS", Level: conform.Impl, Severity: conform.Note, Scope: "D", Operation: true,
		Statement: "first captured copy of a number is a retry",
		Care:      "loss between sender and capture point, or capture loss: separated by CAP-GAP/CAP-DROPS",
		Example:   "first copy of seq=7 has RETRY",
	},
	rCapReorder - captureBase: {
		ID: "CAP-REORDER", Level: conform.Impl, Severity: conform.Note, Scope: "D", Operation: true,
		Statement: "packets out of order at the capture point",
		Care:      "extent and lateness per RFC 4737 style",
		Example:   "5% of frames late by 1–3 positions",
	},
	rCapNat - captureBase: {
		ID: "CAP-NAT", Level: conform.Impl, Severity: conform.Note, Scope: "B",
		Statement: "the same session captured on both sides of an address translator",
		Care:      "two views of one packet: pair them, never count twice",
		Example:   "same frames with two source addresses 0.3 ms apart",
		Unchecked: "address pairs are followed apart, so two views of one connection are not compared",
	},
	rCapMultipath - captureBase: {
		ID: "CAP-MULTIPATH", Level: conform.Impl, Severity: conform.Note, Scope: "B",
		Statement: "a stable share of one direction never passes the capture point although acknowledged (load-balanced or asymmetric path)",
		Care:      "share stable (±5 points) over ≥ 1,000 numbers and not bursty ⇒ second path rather than overload; all CLEAN rules of that direction inconclusive",
		Example:   "every second number never captured, all acknowledged",
	},
	rCapTunnel - captureBase: {
		ID: "CAP-TUNNEL", Level: conform.Impl, Severity: conform.Note, Scope: "F",
		Statement: "datagrams inside a tunnel header",
		Care:      "analyse the inner packet once",
		Example:   "GRE copy of every packet",
		Unchecked: "tunnels are not taken apart: their datagrams are those of the outer header",
	},
}
