package verdict

import (
	"fmt"
	"strings"

	"github.com/dpdissect/dpdissect/dissect/spell"
	"github.com/dpdissect/dpdissect/internal/measure"
	"github.com/dpdissect/dpdissect/session/seq"
)

// absence says why there is no value.
type absence uint8

const (
	none         absence = iota
	inapplicable         // there is nothing it could be of
	unknown              // the capture does not tell
	boundless            // it is beyond what can be computed with: infinite, or no number
	zero                 // there was none: it is 0
)

// level is what has a quantity.
type level uint8

const (
	ofRun level = iota
	ofCapture
	ofConnection
	ofDirection
)

// A quantity is a number of the analysis document.
type quantity struct {
	name   string // the keys to it
	level  level
	each   bool // must hold at each place; else places are added up
	absent absence
	doc    string
}

// general are the quantities of more than a direction: what counts is added up, what measures
// or names is looked at place by place.
var general = [...]quantity{
	{"connections", ofRun, false, none, "how many there are"},
	{"captures", ofRun, false, none, "how many inputs there are"},
	{"totals.packets", ofRun, false, none, "packets"},
	{"totals.udp_datagrams", ofRun, false, none, "UDP datagrams"},
	{"totals.decoded", ofRun, false, none, "datagrams of connections"},
	{"totals.malformed", ofRun, false, none, "decode errors among them"},
	{"totals.other_udp", ofRun, false, none, "all other datagrams"},
	{"totals.not_udp", ofRun, false, none, "packets that are not UDP"},
	{"totals.ip_fragments", ofRun, false, none, "packets that are IP fragments"},
	{"totals.bad_checksums", ofRun, false, none, "datagrams with a bad checksum"},
	{"totals.connections_left_out", ofRun, false, none, "connections not tracked to their end or, live, only counted"},
	{"totals.findings_left_out", ofRun, false, none, "findings that are counted but not listed"},
	{"totals.undecided_left_out", ofRun, false, none, "address pairs given up before they were recognised: too many at the same time"},
	{"captures.packets", ofCapture, false, none, "packets"},
	{"captures.bytes", ofCapture, false, none, "captured bytes"},
	{"captures.received", ofCapture, false, unknown, "live: packets the kernel counted"},
	{"captures.dropped", ofCapture, false, unknown, "packets the capture itself lost, where it says so"},
	{"confidence_bits", ofConnection, true, none, "evidence for the protocol"},
	{"first_frame", ofConnection, true, none, "number of the first frame"},
	{"last_frame", ofConnection, true, none, "number of the last frame"},
	{"duration_ms", ofConnection, true, unknown, "from first to last frame"},
	{"internal_error.frame", ofConnection, true, zero, "where an internal error ended it, 0 where none did"},
	{"icmp.notices", ofConnection, false, zero, "ICMP notices that a datagram was not delivered"},
	{"icmp.first_frame", ofConnection, true, inapplicable, "the first of them"},
	{"findings.error", ofConnection, false, none, "findings, before any rules file"},
	{"findings.warn", ofConnection, false, none, "findings, before any rules file"},
	{"findings.note", ofConnection, false, none, "findings, before any rules file"},
}

// quantityCount is the number of quantities that the analysis document has.
const quantityCount = len(general) + int(measure.Counters) + int(seq.NMeasures)*(1+len(measure.Statistics))

// quantities are those of the analysis document.
var quantities = func() (all [quantityCount]quantity) {
	n := copy(all[:], general[:])
	put := func(q quantity) {
		q.level = ofDirection
		all[n] = q
		n++
	}
	for i := range measure.Table {
		x := &measure.Table[i]
		put(quantity{name: x.Key, absent: absences[x.Absent], doc: x.Doc})
	}
	for m := range seq.NMeasures {
		key, missing := seq.Measures[m].Key, inapplicable
		if measure.Times[m].Absent == measure.Unknown {
			missing = unknown
		}
		put(quantity{name: key + "." + measure.Samples, absent: zero, doc: measure.SamplesDoc(m)})
		for i := range measure.Statistics {
			s := &measure.Statistics[i]
			put(quantity{name: key + "." + s.Key, each: true, absent: missing, doc: s.Doc(m)})
		}
	}
	return all
}()

// absences are what it means here that a counter is absent.
var absences = [...]absence{measure.Never: none, measure.Zero: zero, measure.Unknown: unknown}

// transmissions is what retries are a share of.
var transmissions = measure.Table[measure.Transmissions].Key

// Quantities that others are computed with, by their place in the table.
var qDataFrames, qSamples, qP50, qP95 = mustFind("data_frames"), mustFind("rtt.samples"), mustFind("rtt.p50_ms"), mustFind("rtt.p95_ms")

func mustFind(name string) int {
	i, _, err := findQuantity(name)
	if err != nil {
		panic(err)
	}
	return i
}

// shareOf makes data_frames, below retries, the transmissions that these are a share of: a
// budget means the same in all protocols, whatever a protocol sends again.
func shareOf(x, y *node) *node {
	if x.op != 'a' || y.op != 'a' || y.num.name != "data_frames" || x.num.name != "retries" && x.num.name != "unneeded_retries" {
		return y
	}
	return nameNode(mustFind(transmissions), y.side)
}

// QuantityNames are the names budgets know.
func QuantityNames() (names []string) {
	for i := range quantities {
		names = append(names, quantities[i].name)
	}
	return names
}

// Unknowable are the names of numbers that a capture may not show. All others are 0 where
// there was nothing to count.
func Unknowable() (names []string) {
	for i := range quantities {
		if q := &quantities[i]; q.absent == unknown || q.absent == inapplicable {
			names = append(names, q.name)
		}
	}
	return names
}

// QuantityRows are the names with whether places are added up, where they are,
// and what they are: for the reference.
func QuantityRows() (rows [][3]string) {
	where := [...]string{"the run", "inputs", "connections", "directions"}
	for i := range quantities {
		q := &quantities[i]
		how := "sum over all " + where[q.level]
		if q.level == ofRun {
			how = "of the run"
		} else if q.each {
			how = "each of the " + where[q.level]
		}
		rows = append(rows, [3]string{q.name, how, q.doc})
	}
	return rows
}

// findQuantity finds the place of a number by its name. The keys on the way to connections
// and directions may be written; a and b choose a side.
func findQuantity(name string) (place int, side int8, err error) {
	short := strings.TrimPrefix(strings.TrimPrefix(name, "connections."), "directions.")
	if rest, ok := strings.CutPrefix(short, "a."); ok {
		short, side = rest, 1
	} else if rest, ok := strings.CutPrefix(short, "b."); ok {
		short, side = rest, 2
	}
	for i := range quantities {
		if q := &quantities[i]; q.name == short && (side == 0 || q.level == ofDirection) {
			return i, side, nil
		}
	}
	return 0, 0, fmt.Errorf("unknown number %s%s", name, hint(short))
}

// hint suggests names that begin so, or else those spelt alike.
func hint(name string) string {
	var longer []string
	for _, n := range QuantityNames() {
		if strings.HasPrefix(n, name) {
			longer = append(longer, n)
		}
	}
	if len(longer) > 0 {
		return " (did you mean " + spell.OrList(longer[:min(4, len(longer))]) + "?)"
	}
	return spell.DidYouMean(name, QuantityNames())
}
