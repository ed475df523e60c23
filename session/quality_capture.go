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
	rCapCrowd
)

var captureRules = [...]conform.Rule{
	rCapGap - captureBase: {
		ID: "CAP-GAP", Level: conform.Impl, Severity: conform.Note, Scope: "B", Operation: true,
		Statement: "the peer acknowledged numbers that were never captured",
		Care:      "DP8: numbers covered by a send mask do not count; reports the share of acknowledged numbers not captured, per direction and time (an estimate of capture loss)",
		Example:   "nrcv jumps from 9 to 14, frames 10–13 not captured",
	},
	rCapDrops - captureBase: {
		ID: "CAP-DROPS", Level: conform.Impl, Severity: conform.Note, Scope: "F", Operation: true,
		Statement: "the capture file or the kernel reports dropped packets",
		Care:      "CLEAN fails between the two packets around the drop",
		Example:   "drop count 37 between frames 301 and 302",
	},
	rCapDup - captureBase: {
		ID: "CAP-DUP", Level: conform.Impl, Severity: conform.Note, Scope: "F", Operation: true,
		Statement: "the same datagram appears twice because of the capture (mirror port, two interfaces, bridge)",
		Care:      "as guard DUP; a TTL that is one lower shows a second capture point; anything that is not a copy is a transmission of its own",
		Example:   "every frame twice 20 µs apart",
	},
	rCapTime - captureBase: {
		ID: "CAP-TIME", Level: conform.Impl, Severity: conform.Note, Scope: "F", Operation: true,
		Statement: "capture time runs backwards or jumps, or the two sides were captured with clocks that differ",
		Care:      "merged files are sorted first; CLOCK fails around a step of > 1 ms backwards; CLOCK, REORD and VANT fail if clocks differ",
		Example:   "frame 12 is 40 ms before frame 11",
	},
	rCapClockres - captureBase: {
		ID: "CAP-CLOCKRES", Level: conform.Impl, Severity: conform.Note, Scope: "F",
		Statement: "the timestamps are coarser than the timers to be judged",
		Care:      "> 1 ms resolution disables all REC timer rules",
		Example:   "all times multiples of 10 ms",
	},
	rCapSnap - captureBase: {
		ID: "CAP-SNAP", Level: conform.Impl, Severity: conform.Note, Scope: "F",
		Statement: "packets are cut by the snapshot length",
		Care:      "the captured bytes are decoded; length, padding and signature rules are not judged",
		Example:   "captured 96 of 1,400 bytes",
	},
	rCapSum - captureBase: {
		ID: "CAP-SUM", Level: conform.Impl, Severity: conform.Note, Scope: "F",
		Statement: "a UDP checksum is wrong",
		Care:      "on packets of the capturing host itself it is checksum offload and ignored; other frames do not change the state",
		Example:   "wrong checksum on a received frame",
	},
	rCapIpfrag - captureBase: {
		ID: "CAP-IPFRAG", Level: conform.Impl, Severity: conform.Note, Scope: "F",
		Statement: "IP fragments are missing, so their datagrams cannot be analysed",
		Care:      "counts as capture or network loss, not as a fault of the endpoint",
		Example:   "first fragment without the rest",
		Unchecked: "fragments of incomplete datagrams belong to no connection; ip_fragments in the totals counts all fragments",
	},
	rCapOffload - captureBase: {
		ID: "CAP-OFFLOAD", Level: conform.Impl, Severity: conform.Note, Scope: "F",
		Statement: "segmentation offload: one large captured datagram stands for many on the wire",
		Care:      "split only if every segment decodes; otherwise a note, and size rules are not judged",
		Example:   "8,400-byte UDP payload on a 1,500-byte link",
	},
	rCapOneway - captureBase: {
		ID: "CAP-ONEWAY", Level: conform.Impl, Severity: conform.Note, Scope: "B", Operation: true,
		Statement: "only one direction was captured",
		Care:      "every BIDIR rule is inconclusive",
		Example:   "5,000 frames one way, none back",
	},
	rCapMidstart - captureBase: {
		ID: "CAP-MIDSTART", Level: conform.Impl, Severity: conform.Note, Scope: "B",
		Statement: "the session began before the capture",
		Care:      "START rules are inconclusive; numbers are unwrapped from an arbitrary base",
		Example:   "first frame seq=117",
	},
	rCapUploss - captureBase: {
		ID: "CAP-UPLOSS", Level: conform.Impl, Severity: conform.Note, Scope: "D", Operation: true,
		Statement: "the first captured copy of a number is a retry",
		Care:      "lost between the sender and the capture point, or by the capture: CAP-GAP and CAP-DROPS tell which",
		Example:   "first copy of seq=7 has RETRY",
	},
	rCapReorder - captureBase: {
		ID: "CAP-REORDER", Level: conform.Impl, Severity: conform.Note, Scope: "D", Operation: true,
		Statement: "packets are out of order at the capture point",
		Care:      "extent and lateness as in RFC 4737",
		Example:   "5% of frames late by 1–3 positions",
	},
	rCapNat - captureBase: {
		ID: "CAP-NAT", Level: conform.Impl, Severity: conform.Note, Scope: "B",
		Statement: "the same session was captured on both sides of a NAT",
		Care:      "two captures of one packet are paired and never counted twice",
		Example:   "same frames with two source addresses 0.3 ms apart",
		Unchecked: "address pairs are tracked separately, so two views of one connection are not compared",
	},
	rCapMultipath - captureBase: {
		ID: "CAP-MULTIPATH", Level: conform.Impl, Severity: conform.Note, Scope: "B",
		Statement: "a stable share of one direction never passes the capture point although it is acknowledged (load-balanced or asymmetric path)",
		Care:      "a share that is stable (±5 points) over ≥ 1,000 numbers and not bursty means a second path rather than overload; all CLEAN rules of that direction are inconclusive",
		Example:   "every second number never captured, all acknowledged",
	},
	rCapTunnel - captureBase: {
		ID: "CAP-TUNNEL", Level: conform.Impl, Severity: conform.Note, Scope: "F",
		Statement: "datagrams are inside a tunnel header",
		Care:      "the inner packet is analysed once",
		Example:   "GRE copy of every packet",
		Unchecked: "tunnels are not decoded: the datagrams analysed are those of the outer header",
	},
	rCapCrowd - captureBase: {
		ID: "CAP-CROWD", Level: conform.Impl, Severity: conform.Note, Scope: "B", Operation: true,
		Statement: "datagrams of the address pair were given up before it was recognised, because too many pairs were unrecognised at the same time",
		Care:      "they are in the capture, as plain UDP, and not in the connection; totals.undecided_left_out counts all such pairs, those that were never recognised included, and check does not pass on them",
		Example:   "a flood from 100,000 spoofed addresses within the time of a handshake",
	},
}
