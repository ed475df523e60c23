package verdict

import (
	"fmt"
	"strings"

	"github.com/dpdissect/dpdissect/dissect/filter"
	"github.com/dpdissect/dpdissect/internal/yamlfile"
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

// Quantities of the analysis document: what counts is added up, what measures or
// names is looked at place by place.
var quantities = [...]quantity{
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
	{"frames", ofDirection, false, none, "UDP datagrams"},
	{"bytes", ofDirection, false, none, "their payload"},
	{"data_frames", ofDirection, false, none, "frames that carry application data"},
	{"acks", ofDirection, false, none, "frames that only acknowledge"},
	{"retries", ofDirection, false, none, "transmissions of units sent before"},
	{sendings, ofDirection, false, none, "transmissions that retries are a share of, retries included"},
	{"unneeded_retries", ofDirection, false, unknown, "retries of acknowledged units"},
	{"duplicates", ofDirection, false, none, "copies made by the network or the capture"},
	{"out_of_order", ofDirection, false, none, "late first copies"},
	{"gaps", ofDirection, false, none, "forward jumps of the number"},
	{"missing", ofDirection, false, none, "numbers never captured"},
	{"lost.before_capture", ofDirection, false, unknown, "proved lost before the capture point"},
	{"lost.after_capture", ofDirection, false, unknown, "proved lost after the capture point"},
	{"lost.not_captured", ofDirection, false, unknown, "proved lost by the capture"},
	{"messages", ofDirection, false, none, "application messages"},
	{"message_bytes", ofDirection, false, none, "their bytes"},
	{"incomplete_messages", ofDirection, false, none, "messages that lack a part"},
	{"keepalives", ofDirection, false, none, "keepalives and pings"},
	{"rtt.samples", ofDirection, false, zero, "round trips measured"},
	{"rtt.min_ms", ofDirection, true, unknown, "shortest round trip"},
	{"rtt.p50_ms", ofDirection, true, unknown, "median round trip"},
	{"rtt.p95_ms", ofDirection, true, unknown, "95 of 100 round trips are shorter"},
	{"rtt.max_ms", ofDirection, true, unknown, "longest round trip"},
	{"ack_wait.samples", ofDirection, false, zero, "waits measured, from the first transmission of a unit to its first acknowledgement"},
	{"ack_wait.min_ms", ofDirection, true, unknown, "shortest wait"},
	{"ack_wait.p50_ms", ofDirection, true, unknown, "median wait"},
	{"ack_wait.p95_ms", ofDirection, true, unknown, "95 of 100 waits are shorter"},
	{"ack_wait.max_ms", ofDirection, true, unknown, "longest wait"},
	{"paired_rtt.samples", ofDirection, false, zero, "round trips of units sent several times"},
	{"paired_rtt.min_ms", ofDirection, true, inapplicable, "shortest of them"},
	{"paired_rtt.p50_ms", ofDirection, true, inapplicable, "median of them"},
	{"paired_rtt.p95_ms", ofDirection, true, inapplicable, "95 of 100 of them are shorter"},
	{"paired_rtt.max_ms", ofDirection, true, inapplicable, "longest of them"},
	{"ping_rtt.samples", ofDirection, false, zero, "pings measured"},
	{"ping_rtt.min_ms", ofDirection, true, inapplicable, "shortest round trip of a ping"},
	{"ping_rtt.p50_ms", ofDirection, true, inapplicable, "median of pings"},
	{"ping_rtt.p95_ms", ofDirection, true, inapplicable, "95 of 100 pings are shorter"},
	{"ping_rtt.max_ms", ofDirection, true, inapplicable, "longest round trip of a ping"},
	{"signatures.valid", ofDirection, false, zero, "signatures that verify"},
	{"signatures.invalid", ofDirection, false, zero, "signatures that do not"},
	{"signatures.unverifiable", ofDirection, false, zero, "signatures whose secret is not known"},
}

// quantityCount is their number.
const quantityCount = len(quantities)

const sendings = "sendings"

// Quantities that others are computed with, by their place in the table.
var qDataFrames, qSamples, qP50, qP95 = mustFind("data_frames"), mustFind("rtt.samples"), mustFind("rtt.p50_ms"), mustFind("rtt.p95_ms")

func mustFind(name string) int {
	i, _, err := findQuantity(name)
	if err != nil {
		panic(err)
	}
	return i
}

// shareOf makes data_frames, below retries, the sendings that these are a share of: a
// budget means the same in all protocols, whatever a protocol sends again.
func shareOf(x, y *node) *node {
	if x.op != 'a' || y.op != 'a' || y.num.name != "data_frames" || x.num.name != "retries" && x.num.name != "unneeded_retries" {
		return y
	}
	return nameNode(mustFind(sendings), y.side)
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
		return " (did you mean " + yamlfile.List(longer[:min(4, len(longer))]) + "?)"
	}
	return filter.DidYouMean(name, QuantityNames())
}
