package lab

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen"
)

// A paper writes Markdown.
type paper struct {
	out   io.Writer
	a     *Accuracy
	whole bool // all tables, not only those that sum up
}

func (p *paper) say(format string, args ...any) { fmt.Fprintf(p.out, format+"\n\n", args...) }

// table writes a table; the first column is text, the others numbers.
func (p *paper) table(head []string, rows [][]string) {
	fmt.Fprintf(p.out, "| %s |\n|---|%s\n", strings.Join(head, " | "), strings.Repeat("---:|", len(head)-1))
	for _, r := range rows {
		fmt.Fprintf(p.out, "| %s |\n", strings.Join(r, " | "))
	}
	fmt.Fprintln(p.out)
}

// WriteAccuracy writes docs/accuracy.md, which people read, or the whole of what was
// measured.
func WriteAccuracy(out io.Writer, whole bool, a *Accuracy, detections []*Detection, seeds int, ends []*EndResult, endSeeds int) {
	p := &paper{out, a, whole}
	frames := 0
	for _, c := range a.Cells {
		frames += c.Frames
	}
	p.say("# How accurate the analysis is")
	p.say(`<!-- Written by make accuracy; do not edit. -->`)
	p.say(`Measured by `+"`make accuracy`"+` on generated sessions whose truth is known: %d random sessions of each protocol under each
condition, %s datagrams in all. Two endpoints that keep the rules talk over a path of 10 to 60 ms each way that loses 3%% of
the packets, duplicates 1%% and lets others overtake 2%% by up to 25 ms, in both directions; these are divided between the path
before the capture point and the path after it, by its position. *Near the sender* is at a twentieth of the path,
*near the receiver* at nineteen twentieths. *Capture loss* is the share of the packets that pass and are missed by the
capture. A kNet library has no second connect datagram: its first 150 ms are without loss by the network. Generated
sessions are not the world: the numbers say what the analysis concludes when nothing but the network
and the capture goes wrong. `+"`lab accuracy -whole`"+` prints what these tables sum up: by rule, by place, by cause.`, a.Sessions, count(frames))
	p.falseFindings()
	p.detection(detections, seeds)
	p.retries()
	p.places()
	p.ends(ends, endSeeds)
}

// WriteEndAccuracy writes its part on how connections end.
func WriteEndAccuracy(out io.Writer, ends []*EndResult, seeds int) {
	p := &paper{out: out, whole: true}
	p.ends(ends, seeds)
}

// sum adds the cells that match.
func (p *paper) sum(match func(Condition) bool) *Cell {
	all := &Cell{}
	for at, c := range p.a.Cells {
		if match(at) {
			all.add(c)
		}
	}
	return all
}

func (p *paper) at(proto string, loss float64, place int) *Cell {
	return p.sum(func(c Condition) bool { return c == Condition{Proto: proto, Loss: loss, Place: place} })
}

func (p *paper) protos() (names, labels []string) {
	for _, s := range speakers {
		names, labels = append(names, s.Name), append(labels, protoLabel(s.Protocol))
	}
	return names, labels
}

func protoLabel(p *dissect.Protocol) string { return "`" + p.Name + "`" }

func (p *paper) falseFindings() {
	names, labels := p.protos()
	p.say("## False findings")
	p.say(`Endpoints keep all rules, so every finding about one of them is false. Numbers are false findings per million datagrams,
with the datagrams in parentheses. Notes that the bytes of one frame prove, and those on
habits that an endpoint shows without capture loss, too, are true and not
counted.`)
	var rows [][]string
	for place := range nPlaces {
		for _, loss := range Losses {
			row := []string{placeNames[place] + ", capture loss " + percent(loss)}
			for _, proto := range names {
				row = append(row, p.at(proto, loss, place).perMillion())
			}
			rows = append(rows, row)
		}
	}
	p.table(append([]string{"capture"}, labels...), rows)
	p.say("The same against reordering: so many packets are overtaken by others, by up to 25 ms; the capture misses nothing.")
	rows = nil
	for _, late := range Lates {
		row := []string{"overtaken " + percent(late)}
		for _, proto := range names {
			row = append(row, p.sum(func(c Condition) bool { return c.Proto == proto && c.Reorder && c.Late == late }).perMillion())
		}
		rows = append(rows, row)
	}
	p.table(append([]string{"network"}, labels...), rows)
	all := p.sum(func(Condition) bool { return true })
	if len(all.False) == 0 {
		p.say("No rule was called broken that was not.")
		return
	}
	rows = nil
	for _, rule := range slices.SortedFunc(maps.Keys(all.False), func(a, b string) int { return cmp.Or(all.False[b]-all.False[a], cmp.Compare(a, b)) }) {
		rows = append(rows, []string{"`" + rule + "`", strconv.Itoa(all.False[rule])})
	}
	p.say("Rules that were called broken and were not:")
	p.table([]string{"rule", "findings"}, rows)
}

func (c *Cell) perMillion() string {
	n := 0
	for _, k := range c.False {
		n += k
	}
	if n == 0 {
		return fmt.Sprintf("0 (%s)", count(c.Frames))
	}
	return fmt.Sprintf("%.1f (%s)", 1e6*float64(n)/float64(c.Frames), count(c.Frames))
}

func (p *paper) detection(all []*Detection, seeds int) {
	p.say("## Detection")
	p.say(`Mutants are endpoints that break one rule each. Each is played with %d seeds under each capture loss. A capture in which no
frame at fault was captured shows nothing and does not count. *Other errors* are captures in which another rule of
severity error was called broken.`, seeds)
	head := []string{"rule", "mutants"}
	for _, loss := range DetectionLosses {
		head = append(head, "found at capture loss "+percent(loss))
	}
	head = append(head, "other errors")
	var rows [][]string
	byProto := map[string]*Detection{}
	for _, d := range all {
		rows = append(rows, d.row("`"+d.Rule.ID+"`"))
		t := byProto[d.Proto]
		if t == nil {
			n := len(DetectionLosses)
			t = &Detection{Played: make([]int, n), Found: make([]int, n), Errors: make([]int, n)}
			byProto[d.Proto] = t
		}
		t.Mutants += d.Mutants
		for i := range DetectionLosses {
			t.Played[i] += d.Played[i]
			t.Found[i] += d.Found[i]
			t.Errors[i] += d.Errors[i]
		}
	}
	var totals [][]string
	names, labels := p.protos()
	for i, proto := range names {
		if t := byProto[proto]; t != nil {
			totals = append(totals, t.row("all of "+labels[i]))
		}
	}
	if p.whole {
		totals = append(totals, rows...)
	}
	p.table(head, totals)
	if p.whole {
		p.untried(all)
	}
}

// untried names the evaluated rules of which nothing is known here.
func (p *paper) untried(all []*Detection) {
	var names []string
	for _, s := range speakers {
		for i := range s.Rules {
			r := &s.Rules[i]
			if r.Alias == "" && r.Unchecked == "" && !slices.ContainsFunc(all, func(d *Detection) bool { return d.Rule.ID == r.ID }) {
				names = append(names, "`"+r.ID+"`")
			}
		}
	}
	if len(names) > 0 {
		p.say("No mutant breaks these %d rules, though they are evaluated: %s.", len(names), strings.Join(names, ", "))
	}
}

func (d *Detection) row(name string) []string {
	row, errors := []string{name, strconv.Itoa(d.Mutants)}, 0
	for i := range DetectionLosses {
		row = append(row, share(d.Found[i], d.Played[i])+fmt.Sprintf(" (%d of %d)", d.Found[i], d.Played[i]))
		errors += d.Errors[i]
	}
	return append(row, strconv.Itoa(errors))
}

var classNames = [tracegen.NClasses]string{"first transmission", "needed retry", "unneeded retry", "network copy", "reordered"}

func (p *paper) retries() {
	names, labels := p.protos()
	p.say("## Retries, copies, reordering")
	p.say(`What a captured datagram really was, and what the analysis says it was. A retry is *unneeded* when an earlier transmission of it
arrived, at any time, and *needed* when none did. An observer cannot prove that a retry was needed, so the analysis never
says so: it says *unneeded* when the acknowledgement was captured before the retry, and otherwise leaves it open
(*retry, need unknown*). A first transmission is *reordered* when one that was sent later passed the capture point earlier.
Acknowledgements, and frames without a number, count as first transmissions. kNet's own format and Hazel do not mark retries: one whose
first transmission was not captured looks like a first transmission, perhaps a late one; a copy of a frame without a number cannot be
recognised without an IPv4 identification (IPv6, or systems that leave it zero). What is called unneeded and was needed is Hazel's:
the history bits of some releases acknowledge what never came.`)
	head := []string{"really", "datagrams", "first transmission", "unneeded retry", "retry, need unknown", "network copy", "reordered", "not recognised"}
	for i, proto := range names {
		p.saidOfWhat(proto, labels[i], head)
	}
}

// saidOfWhat writes the tables of a protocol.
func (p *paper) saidOfWhat(proto, label string, head []string) {
	at := func(loss float64) *Cell {
		return p.sum(func(at Condition) bool { return at.Proto == proto && at.Loss == loss && !at.Reorder })
	}
	var rows [][]string
	if p.whole {
		p.say("### %s: what is said of what, all places together", label)
		for _, loss := range Losses {
			c := at(loss)
			for class := range c.Said {
				rows = append(rows, c.saidOf(tracegen.Class(class), "capture loss "+percent(loss)+": "))
			}
		}
		p.table(head, rows)
	}
	p.say("%s: of what is said to be so, how much is, all places together:", label)
	rows = nil
	for _, loss := range Losses {
		rows = append(rows, append([]string{percent(loss)}, at(loss).precision()...))
	}
	p.table([]string{"capture loss", "retry", "unneeded retry", "network copy", "reordered", "first transmission"}, rows)
	if !p.whole {
		return
	}
	p.say("Right / wrong / unknown for each class, by the place of the capture point, in %%. Unknown: the analysis leaves it open.")
	rows = nil
	for place := range nPlaces {
		for _, loss := range Losses {
			rows = append(rows, append([]string{placeNames[place] + ", capture loss " + percent(loss)}, p.at(proto, loss, place).verdicts()...))
		}
	}
	p.table([]string{"capture", "needed", "unneeded", "network copy", "reordered", "first transmission"}, rows)
}

func (c *Cell) saidOf(class tracegen.Class, prefix string) []string {
	total := 0
	for _, n := range c.Said[class] {
		total += n
	}
	row := []string{prefix + classNames[class], count(total)}
	for _, n := range c.Said[class] {
		row = append(row, share(n, total))
	}
	return row
}

// precision is the share of what is said that is so.
func (c *Cell) precision() (out []string) {
	type cls = []tracegen.Class
	for _, k := range []struct {
		said []int
		are  cls
	}{
		{[]int{saysRetry, saysUnneeded}, cls{tracegen.Needed, tracegen.Unneeded}}, {[]int{saysUnneeded}, cls{tracegen.Unneeded}},
		{[]int{saysCopy}, cls{tracegen.Copied}}, {[]int{saysReordered}, cls{tracegen.Reordered}}, {[]int{saysFirst}, cls{tracegen.First}},
	} {
		total, right := 0, 0
		for class := range tracegen.NClasses {
			for _, said := range k.said {
				total += c.Said[class][said]
				if slices.Contains(k.are, class) {
					right += c.Said[class][said]
				}
			}
		}
		out = append(out, share(right, total)+" of "+count(total))
	}
	return out
}

// verdicts are right, wrong and unknown for the classes. A retry that is called
// unneeded, and was, is right; one of which only is said that it is a retry is
// unknown.
func (c *Cell) verdicts() (out []string) {
	for _, k := range []struct {
		class tracegen.Class
		right int
	}{{tracegen.Needed, -1}, {tracegen.Unneeded, saysUnneeded}, {tracegen.Copied, saysCopy}, {tracegen.Reordered, saysReordered}, {tracegen.First, saysFirst}} {
		right, unknown, total := 0, c.Said[k.class][saysNothing], 0
		for what, n := range c.Said[k.class] {
			total += n
			switch {
			case what == k.right:
				right += n
			case what == saysRetry && (k.class == tracegen.Needed || k.class == tracegen.Unneeded):
				unknown += n
			}
		}
		out = append(out, thirds(right, total-right-unknown, unknown, total))
	}
	return out
}

func (p *paper) places() {
	names, labels := p.protos()
	p.say("## Places of losses")
	p.say(`Lost datagrams that have a number, by where they were lost, and what the analysis says of them, in %%: lost before the
capture point / after it / by the capture / unknown. The last column counts datagrams that are said to be lost and were not.
An observer cannot tell a loss before the capture point from a loss by the capture: as soon as a capture shows losses of its
own, nothing is said of those before it. A loss before the capture point is taken for one by the capture where the send
mask that gave it up was itself not captured. kNet reports nothing missing, and Hazel marks no retries, so that for them some
places are never claimed; see [analysis.md](analysis.md). A number that was lost several times is claimed once.`)
	for i, proto := range names {
		p.say("### %s: where lost datagrams are said to be lost", labels[i])
		var rows [][]string
		for place := range nPlaces {
			for _, loss := range p.losses() {
				c := p.at(proto, loss, place)
				row := []string{placeNames[place] + ", capture loss " + percent(loss)}
				for _, really := range []int{tracegen.LostBefore, tracegen.LostAfter, tracegen.LostByTap} {
					row = append(row, c.saidOfLost(really)...)
				}
				wrong := 0
				for _, n := range c.Lost[notLost] {
					wrong += n
				}
				rows = append(rows, append(row, strconv.Itoa(wrong)))
			}
		}
		p.table([]string{"capture", "lost before", "said", "lost after", "said", "by the capture", "said", "not lost"}, rows)
	}
}

// losses are those that a table has rows for.
func (p *paper) losses() []float64 {
	if p.whole {
		return Losses
	}
	return []float64{0, 0.05}
}

// saidOfLost is how many were lost at a place, and the shares of what is said.
func (c *Cell) saidOfLost(really int) []string {
	total := 0
	for _, n := range c.Lost[really] {
		total += n
	}
	if total == 0 {
		return []string{"0", "-"}
	}
	var shares []string
	for _, n := range c.Lost[really] {
		shares = append(shares, bare(n, total))
	}
	return []string{count(total), strings.Join(shares, " / ")}
}

func thirds(right, wrong, unknown, total int) string {
	if total == 0 {
		return "-"
	}
	return fmt.Sprintf("%s / %s / %s", bare(right, total), bare(wrong, total), bare(unknown, total))
}

func bare(n, of int) string { return strings.TrimSuffix(share(n, of), "%") }

// share is n of a whole in percent; what is not nothing does not look like nothing,
// and what is not all does not look like all.
func share(n, of int) string {
	if of == 0 {
		return "-"
	}
	x := 100 * float64(n) / float64(of)
	switch {
	case n == 0:
		return "0%"
	case n == of:
		return "100%"
	case x < 0.05:
		return "<0.1%"
	case x > 99.95 && n < of:
		return ">99.9%"
	}
	return fmt.Sprintf("%.1f%%", x)
}

func percent(x float64) string { return strconv.FormatFloat(100*x, 'f', -1, 64) + "%" }

// count groups the digits of a number.
func count(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
