package measure

import "github.com/dpdissect/dpdissect/session/seq"

// A TimeRow describes a measure of time; seq.Measures has its key and its label.
type TimeRow struct {
	Doc      string // for the schema of the analysis
	Interval string // for that of intervals
	Counts   string // what exactly, for docs/analysis.md
	One      string // one of them, for the list of numbers that budgets know …
	Many     string // … and several
	Absent   Absence
}

// Times describes all measures of time.
var Times = [seq.NMeasures]TimeRow{
	seq.RoundTrip: {
		Doc:      "From this side's frame to its acknowledgement, at the capture point.",
		Interval: "Round trips whose acknowledgements were captured in the interval.",
		Counts: "time from a unit captured exactly once (not counting copies proved by their IPv4 identification) to the first later frame " +
			"of the other side that acknowledges it; numbers given up are left out. Percentiles by nearest rank: exact up to 4,096 " +
			"samples, then within 1/2048",
		One: "round trip", Many: "round trips", Absent: Unknown,
	},
	seq.AckWait: {
		Doc: "From the first transmission of a unit, where that was captured, to its first acknowledgement, whatever was sent in between, " +
			"at the capture point.",
		Interval: "Waits, from the first transmission of a unit to its first acknowledgement, that ended in the interval.",
		Counts: "time from the first transmission of a unit to its first captured acknowledgement, whatever was sent in between: `rtt` leaves " +
			"out what was sent again, which is what waits. Units are those of a retry (see below): in kNet's library reliable messages, " +
			"elsewhere numbers. Left out: units whose first transmission is known not to be captured, or that were given up. Where " +
			"nothing is sent again it is `rtt`, in kNet's library counted by messages",
		One: "wait from the first transmission of a unit to its first acknowledgement", Many: "waits", Absent: Unknown,
	},
	seq.PairedTrip: {
		Doc: "The same of units sent several times, the k-th transmission with the k-th acknowledgement, where each was acknowledged " +
			"(Hazel).",
		Interval: "Round trips of units sent several times (Hazel) whose acknowledgements were captured in the interval.",
		Counts: "Hazel, whose receivers acknowledge every transmission: the same for units sent several times, pairing the k-th transmission " +
			"with the k-th acknowledgement if equally many of both were captured. Left out if anything shows that the network duplicates " +
			"datagrams or that the capture misses some, or if datagrams have no IPv4 identification: then they cannot be distinguished. " +
			"Retries come after 300 ms or sooner, so `rtt` misses everything that takes longer",
		One: "round trip of a unit sent several times", Many: "these round trips", Absent: Zero,
	},
	seq.PingTrip: {
		Doc:      "From this side's ping to the reply that names it, where acknowledgements wait for others (kNet).",
		Interval: "Round trips of pings (kNet) whose replies were captured in the interval.",
		Counts: "kNet: time from a PingRequest to the PingReply that names it. Its PacketAcks are delayed by 33 ms and more, which `rtt` " +
			"includes",
		One: "round trip of a ping", Many: "pings", Absent: Zero,
	},
}

// A Statistic is what records say of the times of a measure.
type Statistic struct {
	Key string
	of  func(r *seq.RTT) int64 // ns
	doc func(t *TimeRow) string
}

// Samples is the key of how many times were measured.
const Samples = "samples"

// Statistics are those of every measure of time besides Samples, in the order of records.
var Statistics = [...]Statistic{
	{"min_ms", func(r *seq.RTT) int64 { return r.Min }, func(t *TimeRow) string { return "shortest " + t.One }},
	{"p50_ms", func(r *seq.RTT) int64 { return r.P50 }, func(t *TimeRow) string { return "median of " + t.Many }},
	{"p95_ms", func(r *seq.RTT) int64 { return r.P95 }, func(t *TimeRow) string { return "95 of 100 " + t.Many + " are shorter" }},
	{"max_ms", func(r *seq.RTT) int64 { return r.Max }, func(t *TimeRow) string { return "longest " + t.One }},
}

// Of gives the statistic of some times, ns.
func (s *Statistic) Of(r *seq.RTT) int64 { return s.of(r) }

// Doc says what the statistic of a measure is.
func (s *Statistic) Doc(m seq.Measure) string { return s.doc(&Times[m]) }

// SamplesDoc says what Samples of a measure is.
func SamplesDoc(m seq.Measure) string { return Times[m].Many + " that were measured" }
