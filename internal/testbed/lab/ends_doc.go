package lab

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/dpdissect/dpdissect/internal/testbed/tracegen"
)

// ends writes what explain says of sessions whose end is known.
func (p *paper) ends(all []*EndResult, seeds int) {
	p.say("## How connections end")
	s := sumEnds(all)
	p.say(`What `+"`explain`"+` says of generated sessions whose end is known: %d events with each dialect in which they make sense,
%d seeds each, captured at one side, half way and at the other side, by captures that miss 0, 1, 5 and 20%% of the packets
that pass; %s captures. What is true is told by the generator, never by the capture, and so is what an honest
observer may say at a capture point: a killed process and a cut cable look alike from one end, so that both are
*peer-silent* there. *Named right* is a cause, with its side, that may be said; *undecided* is `+"`undecided`"+`,
`+"`poor-capture`"+` where the capture did miss packets, or nothing. A capture is *decidable* unless it missed every frame that
would tell, such as the only closing frame; what is said to be likely of one that is not counts as undecided. `+"`lab ends`"+` plays
them and names each that is wrong; `+"`lab ends -only NAME -w out.pcap`"+` writes the capture of one.`, countEvents(all), seeds, count(len(all)))
	p.table([]string{"of all", "captures", "share"}, [][]string{
		{"named right, of those named", count(s.Right + s.Wrong), share(s.Right, s.Right+s.Wrong)},
		{"named right, of the decidable", count(s.Decidable), share(s.Named, s.Decidable)},
		{"undecided", count(s.Runs), share(s.Open, s.Runs)},
		{"a side blamed for certain that did nothing", count(s.Runs), share(s.Blamed, s.Runs)},
		{"sentences that are untrue of what happened to each datagram, or that no check knows", count(s.Sentences), share(s.Lies, s.Sentences)},
	})
	p.confusion(all)
	if p.whole {
		p.endShares(all)
	}
	p.contributing(all)
}

func countEvents(all []*EndResult) int {
	names, _ := groups(all, func(r *EndResult) string { return r.Run.Case.Event })
	return len(names)
}

// shown is the cause that the capture shows best.
func shown(r *EndResult) string { return r.Truth.Accept[0].Cause }

// confusion writes what is said of what.
func (p *paper) confusion(all []*EndResult) {
	p.say("### What is said of what")
	p.say("The first column is the cause that a capture there shows best. Other causes that are not wrong there, such as *retries-exhausted* of a side that is silent, count as named right.")
	causes, of := groups(all, shown)
	var rows [][]string
	for _, cause := range causes {
		s, wrong, other := sumEnds(of[cause]), map[string]int{}, map[string]int{}
		for _, r := range of[cause] {
			switch {
			case r.Mark == endWrong:
				wrong[r.Cause]++
			case r.Mark == endRight && r.Cause != cause:
				other[r.Cause]++
			}
		}
		rows = append(rows, []string{"`" + cause + "`", count(s.Runs), share(s.Right, s.Runs), tally(other), share(s.Open, s.Runs), tally(wrong)})
	}
	p.table([]string{"shown", "captures", "named right", "by another name", "undecided", "wrong"}, rows)
}

// tally lists counts, the largest first.
func tally(of map[string]int) string {
	if len(of) == 0 {
		return "-"
	}
	names := slices.SortedFunc(maps.Keys(of), func(a, b string) int { return cmp.Or(of[b]-of[a], cmp.Compare(a, b)) })
	for i, name := range names {
		names[i] = fmt.Sprintf("%s %d", name, of[name])
	}
	return strings.Join(names, ", ")
}

// endShares writes shares by cause and protocol, capture point and capture loss.
func (p *paper) endShares(all []*EndResult) {
	names, labels := p.protos()
	p.endTable(all, "protocol", names, labels, func(r *EndResult) string { return protoOf(r.Run.Case.Kind) })
	kinds, _ := groups(all, func(r *EndResult) string { return r.Run.Case.Kind })
	p.endTotals(all, "dialect", kinds, func(r *EndResult) string { return r.Run.Case.Kind })
	p.endTable(all, "capture point", tracegen.EndPlaces, []string{"at a", "half way", "at b"}, func(r *EndResult) string { return r.Run.Place })
	var losses []string
	for _, x := range EndLosses {
		losses = append(losses, percent(x))
	}
	p.endTable(all, "capture loss", losses, losses, func(r *EndResult) string { return percent(r.Run.Loss) })
}

func protoOf(kind string) string {
	proto, _, _ := strings.Cut(kind, "-")
	return proto
}

// endTable writes a table of causes by a property of the run.
func (p *paper) endTable(all []*EndResult, by string, keys, labels []string, key func(*EndResult) string) {
	p.say("### By cause and %s", by)
	p.say("Named right / undecided / wrong in percent.")
	causes, of := groups(all, shown)
	var rows [][]string
	for _, cause := range append(causes, "") {
		list, name := of[cause], "`"+cause+"`"
		if cause == "" {
			list, name = all, "all"
		}
		row := []string{name}
		_, parts := groups(list, key)
		for _, k := range keys {
			s := sumEnds(parts[k])
			row = append(row, thirds(s.Right, s.Open, s.Wrong, s.Runs))
		}
		rows = append(rows, row)
	}
	p.table(append([]string{"shown"}, labels...), rows)
}

// endTotals writes a table of sums by a property of the run.
func (p *paper) endTotals(all []*EndResult, by string, keys []string, key func(*EndResult) string) {
	p.say("### By %s", by)
	_, parts := groups(all, key)
	var rows [][]string
	for _, k := range keys {
		s := sumEnds(parts[k])
		rows = append(rows, []string{"`" + k + "`", count(s.Runs), share(s.Right, s.Right+s.Wrong), share(s.Named, s.Decidable), strconv.Itoa(s.Blamed)})
	}
	p.table([]string{by, "captures", "right, of those named", "named, of the decidable", "blamed wrongly"}, rows)
}

// contributing writes what is said of what makes sessions slow.
func (p *paper) contributing(all []*EndResult) {
	p.say("### What makes connections slow")
	p.say(`Of sessions with one such cause, how often it is named where the capture point can show it. *False* is how often it is
named in sessions of which it is not true, by how sure the words are.`)
	head := []string{"cause", "captures"}
	for _, loss := range EndLosses {
		head = append(head, "named at capture loss "+percent(loss))
	}
	sums := slowSums(all)
	var rows [][]string
	for _, cause := range slices.Sorted(maps.Keys(sums)) {
		s := sums[cause]
		row := []string{"`" + cause + "`", count(s.must)}
		for _, loss := range EndLosses {
			row = append(row, share(s.named[loss], s.of[loss]))
		}
		rows = append(rows, append(row, strconv.Itoa(s.untrue), strconv.Itoa(s.doubt)))
	}
	p.table(append(head, "false, said to be proved", "false, said to be likely"), rows)
}

// A slowSum counts what is said of one contributing cause.
type slowSum struct {
	must          int
	of, named     map[float64]int // by capture loss
	untrue, doubt int
}

func slowSums(all []*EndResult) map[string]*slowSum {
	sums := map[string]*slowSum{}
	at := func(cause string) *slowSum {
		if sums[cause] == nil {
			sums[cause] = &slowSum{of: map[float64]int{}, named: map[float64]int{}}
		}
		return sums[cause]
	}
	for _, r := range all {
		for _, x := range r.Truth.Must {
			s := at(x)
			s.must++
			s.of[r.Run.Loss]++
			if !slices.Contains(r.Lacking, x) {
				s.named[r.Run.Loss]++
			}
		}
		for _, x := range r.False {
			at(x).untrue++
		}
		for _, x := range r.Doubt {
			at(x).doubt++
		}
	}
	return sums
}
