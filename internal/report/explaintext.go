package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dpdissect/dpdissect/dissect/render"
	"github.com/dpdissect/dpdissect/dissect/stable"
	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/explain"
	"github.com/dpdissect/dpdissect/internal/terminal"
)

// told is how many connections of which nothing is wrong are still told one by one.
const told = 8

// explainIndent is how far sentences stand in, and explainWidth how wide they are at most:
// lines that are read, not scanned.
const (
	explainIndent = "    "
	explainWidth  = 100
)

// An explainer is a painter of sentences.
type explainer struct{ *painter }

// WriteExplainText writes what happened to connections for people: those in trouble first,
// the worst before the others. What nothing is wrong with is counted when there is much of
// it.
func WriteExplainText(w io.Writer, captures []capture.Info, d *explain.Document, opts TextOptions) error {
	if Unopened(captures) {
		return nil
	}
	p := explainer{newPainter(&opts)}
	width := min(cmp.Or(max(opts.Width, 0), 80), explainWidth)
	dst := p.appendExplainHead(nil, captures, d, opts.Chosen, width)
	dst = p.appendAsked(dst, d.Asked, width)
	dst, grouped := p.appendGroups(dst, d.Groups, opts.All, width)
	named := d.Asked.Names()
	quiet := func(c *explain.Connection) bool {
		switch {
		case opts.All || opts.Verbose || named[c.ID]:
			return false
		case grouped[c.ID] || d.Asked != nil && d.Asked.At != 0:
			return true
		}
		return d.Len() > told && !c.Bad()
	}
	rest := map[string]int{}
	list := worstFirst(d, func(c *explain.Connection) bool {
		if quiet(c) {
			if !grouped[c.ID] {
				rest[c.Kind()]++
			}
			return false
		}
		return true
	})
	out := pieces{w: w}
	for _, i := range list {
		dst = out.put(p.appendExplained(append(dst, '\n'), d.At(int(i)), width))
	}
	if len(rest) > 0 {
		head := "Of the others: "
		if len(list) == 0 && len(grouped) == 0 {
			head = "Of all: "
		}
		dst = terminal.AppendWrapped(append(append(dst, '\n'), head...), terminal.Cells(kindsOf(rest)), len(head), width)
	}
	dst = p.appendUnrecognised(dst, d.Untold(), width)
	if d.LeftOut > 0 {
		dst = terminal.AppendLines(append(dst, '\n'), p.Warn.Start, p.Warn.Stop, StoriesText(d.LeftOut), width)
	}
	return out.end(dst)
}

// appendAsked appends the answer to what was asked, which stands before everything else.
func (p explainer) appendAsked(dst []byte, a *explain.Asked, width int) []byte {
	if a == nil {
		return dst
	}
	head := "Asked: " + a.Text
	if a.Text == "" {
		head = "Around " + a.At.Clock() + " UTC"
	}
	dst = append(terminal.AppendStyled(append(dst, '\n'), p.Heading, terminal.Escaped(head)), '\n')
	dst = p.appendSentence(dst, a.Sentence, width)
	if a.Cause != "" {
		dst = p.appendProof(dst, "", a.Frames, width)
	}
	for i := range a.Also {
		dst = p.appendSentence(dst, "Also then: "+a.Also[i].Sentence, width)
	}
	return dst
}

// appendGroups appends what several connections share, and gives their numbers: they are not
// told one by one, unless all are.
func (p explainer) appendGroups(dst []byte, groups []explain.Group, all bool, width int) ([]byte, map[int]bool) {
	members := map[int]bool{}
	for i := range groups {
		g := &groups[i]
		dst = append(dst, '\n')
		style := p.Error
		if !g.Grave() {
			style = p.Warn
		}
		dst = p.appendStyledLines(dst, style, terminal.Wrap(terminal.Escaped(g.Sentence), width-len(explainIndent)))
		list := "#" + strconv.Itoa(g.Connections[0])
		for k, id := range g.Connections[1:] {
			if k == listedMembers {
				list += fmt.Sprintf(" and %d more", len(g.Connections)-k-1)
				break
			}
			list += ", #" + strconv.Itoa(id)
		}
		if !all {
			list += "; --all tells each of them"
		}
		dst = p.appendSentence(dst, list+".", width)
		for _, id := range g.Connections {
			members[id] = true
		}
	}
	return dst, members
}

// listedMembers bounds the connections of a group that are listed after the first.
const listedMembers = 11

// appendExplainHead appends "game.pcap  08:33:31–08:33:57 UTC, 6 connections: 4 closed …".
func (p explainer) appendExplainHead(dst []byte, captures []capture.Info, d *explain.Document, chosen bool, width int) []byte {
	captures = readable(captures)
	if len(captures) > listedCaptures {
		all := together(captures)
		dst = p.appendExplainFile(dst, severalNames(captures), &all)
		for i := range captures {
			dst = p.appendProblem(dst, &captures[i], render.Logged(captures[i].Path)+": ")
		}
	} else {
		for i := range captures {
			dst = p.appendExplainFile(dst, terminal.Escaped(inputName(captures[i].Path)), &captures[i])
			dst = p.appendProblem(dst, &captures[i], "")
		}
	}
	dst = appendSpan(dst, d.Span, "   Shown are the connections with packets %s, and what slowed them in that time.\n   Ends and numbers are those of the whole connection.\n")
	switch {
	case d.Len() > 0:
	case d.Span != "":
		return appendBeside(dst, captures, d.Only)
	default:
		dst = append(dst, None(chosen)...)
		if chosen || d.Hint == "" {
			return dst
		}
		return p.appendSentence(dst, d.Hint, width)
	}
	kinds := map[string]int{}
	for c := range d.All() {
		kinds[c.Kind()]++
	}
	head := terminal.Counted(uint64(d.Len()), "connection") + ": "
	return terminal.AppendWrapped(append(dst, head...), terminal.Cells(kindsOf(kinds)), len(head), width)
}

// appendExplainFile appends "game.pcap  2026-11-20 08:33:31–08:33:57 UTC".
func (p explainer) appendExplainFile(dst []byte, name string, in *capture.Info) []byte {
	dst = terminal.AppendStyled(dst, p.Heading, name)
	if in.HasTime {
		dst = fmt.Appendf(dst, "  %s UTC", fromTo(in.FirstTime, in.LastTime, "–"))
	}
	return append(dst, '\n')
}

// appendBeside says that no connection has packets in a span of time, and where there are
// any: who looks for them may have meant another zone or day.
func appendBeside(dst []byte, captures []capture.Info, only string) []byte {
	var first, last int64
	for i := range captures {
		if in := &captures[i]; in.HasTime {
			if first == 0 || in.FirstTime < first {
				first = in.FirstTime
			}
			last = max(last, in.LastTime)
		}
	}
	if only != "" {
		dst = append(append(dst, only...), " has no packets in that time"...)
	} else {
		dst = append(dst, "No connection has packets in that time"...)
	}
	if last > 0 {
		dst = fmt.Appendf(dst, ": the capture is from %s UTC", fromTo(first, last, " to "))
	}
	return append(dst, ".\n"...)
}

// appendSpan says that only a span of time is told, where it is so.
func appendSpan(dst []byte, span, says string) []byte {
	if span == "" {
		return dst
	}
	return fmt.Appendf(dst, says, terminal.Escaped(span))
}

// fromTo names two times, the second with its date where that is another one.
func fromTo(first, last int64, to string) string {
	layout := "15:04:05"
	if utc(first, time.DateOnly) != utc(last, time.DateOnly) {
		layout = time.DateTime
	}
	return utc(first, time.DateTime) + to + utc(last, layout)
}

func utc(ns int64, layout string) string { return time.Unix(0, ns).UTC().Format(layout) }

// kindsOf are "4 closed in order", "1 cut off", the most first.
func kindsOf(kinds map[string]int) []string {
	var names []string
	for k := range kinds {
		names = append(names, k)
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(kinds[b], kinds[a]), cmp.Compare(a, b)) })
	for i, k := range names {
		names[i] = strconv.Itoa(kinds[k]) + " " + k
	}
	return names
}

// worstFirst gives the places of connections in the order in which they are told, of those
// that are.
func worstFirst(d *explain.Document, told func(*explain.Connection) bool) []int32 {
	type key struct {
		weight float64
		place  int32
	}
	var list []key
	place := int32(0)
	for c := range d.All() {
		if told(c) {
			list = append(list, key{c.Weight(), place})
		}
		place++
	}
	stable.Sort(list, func(a, b key) int { return cmp.Compare(b.weight, a.weight) })
	places := make([]int32, len(list))
	for i := range list {
		places[i] = list[i].place
	}
	return places
}

// appendExplained appends what happened to one connection.
func (p explainer) appendExplained(dst []byte, c *explain.Connection, width int) []byte {
	v := &c.Verdict
	title := terminal.Escaped(fmt.Sprintf("#%d  %s %s ↔ %s", c.ID, c.Protocol, p.named(c.A), p.named(c.B)))
	headline := terminal.Escaped(c.Headline())
	dst = append(terminal.AppendStyled(dst, p.Heading, title), "  "...)
	lines := []string{headline}
	if terminal.Width(title)+2+terminal.Width(headline) > width {
		dst = append(append(dst[:len(dst)-2], '\n'), explainIndent...)
		lines = wrapHeadline(headline, width-len(explainIndent))
	}
	dst = p.appendStyledLines(dst, p.gravity(c), lines)
	also := ""
	tellEnd := func() {
		dst = p.appendSentence(dst, also+v.Sentence, width)
		dst = p.appendProof(dst, v.Certainty, v.Frames, width)
		if v.WouldRefute != "" {
			dst = p.appendDerived(dst, "what would disprove it: "+v.WouldRefute, width)
		}
		if len(v.Candidates) > 0 {
			dst = p.appendDerived(dst, "other explanations: "+explain.Words(v.Candidates), width)
		}
	}
	slow := c.Headlined() != nil // the headline is about that
	if !slow {
		tellEnd()
		also = "Also: "
	}
	for i := range c.Contributing {
		x := &c.Contributing[i]
		dst = p.appendSentence(dst, also+x.Sentence, width)
		dst = p.appendProof(dst, x.Certainty, x.Frames, width)
		also = "Also: "
	}
	if slow {
		also = "The end: "
		tellEnd()
	}
	return dst
}

// wrapHeadline breaks "14:54:35  what happened" into lines. The time stands apart.
func wrapHeadline(headline string, width int) []string {
	at, what, timed := strings.Cut(headline, "  ")
	if !timed {
		return terminal.Wrap(headline, width)
	}
	lines := terminal.Wrap(what, width-len(at)-2)
	lines[0] = at + "  " + lines[0]
	return lines
}

// appendStyledLines appends lines of one style, all but the first of them indented.
func (p explainer) appendStyledLines(dst []byte, style render.Style, lines []string) []byte {
	for i, line := range lines {
		if i > 0 {
			dst = append(dst, explainIndent...)
		}
		dst = append(terminal.AppendStyled(dst, style, line), '\n')
	}
	return dst
}

// certainties are words for people.
var certainties = map[explain.Certainty]string{explain.Proved: "certain", explain.Likely: "likely", explain.Unsettled: "undecided"}

// appendProof appends how sure a statement is, and by which packets.
func (p explainer) appendProof(dst []byte, c explain.Certainty, frames []uint64, width int) []byte {
	var parts []string
	if c != "" {
		parts = append(parts, certainties[c])
	}
	if len(frames) > 0 {
		parts = append(parts, "see "+packetList(frames))
	}
	return p.appendDerived(dst, strings.Join(parts, "; "), width)
}

// appendDerived appends what is said of a sentence.
func (p explainer) appendDerived(dst []byte, text string, width int) []byte {
	for _, line := range terminal.Wrap(terminal.Escaped(text), width-len(explainIndent)-2) {
		dst = append(terminal.AppendStyled(append(append(dst, explainIndent...), "  "...), p.Derived, line), '\n')
	}
	return dst
}

// packetList is "packet 5" or "packets 5, 7, 9".
func packetList(frames []uint64) string {
	words := make([]string, len(frames))
	for i, f := range frames {
		words[i] = strconv.FormatUint(f, 10)
	}
	switch len(words) {
	case 0:
		return "no packet"
	case 1:
		return "packet " + words[0]
	}
	return "packets " + strings.Join(words, ", ")
}

func (p explainer) appendSentence(dst []byte, text string, width int) []byte {
	for _, line := range terminal.Wrap(terminal.Escaped(text), width-len(explainIndent)) { // each may begin with a word of a packet
		dst = append(append(append(dst, explainIndent...), render.Logged(line)...), '\n')
	}
	return dst
}

// appendUnrecognised appends the address pairs that may be of one of the protocols.
func (p explainer) appendUnrecognised(dst []byte, pairs []explain.Unrecognised, width int) []byte {
	for i := range pairs {
		u := &pairs[i]
		if i == 0 {
			dst = append(terminal.AppendStyled(append(dst, '\n'), p.Heading, "Not recognised"), '\n')
		}
		if i == told {
			return append(append(dst, explainIndent...), terminal.Counted(uint64(len(pairs)-i), "more pair")+" in --format json.\n"...)
		}
		dst = p.appendSentence(dst, u.Sentence, width)
		if u.Guess != "" && u.Cause == "" {
			dst = append(terminal.AppendStyled(append(dst, explainIndent...), p.Derived, terminal.Escaped("to force it: "+u.Hint)), '\n')
		}
	}
	return dst
}

// gravity is the colour of what happened.
func (p *painter) gravity(c *explain.Connection) render.Style {
	switch {
	case c.Verdict.Grave():
		return p.Error
	case c.Bad():
		return p.Warn
	}
	return render.Style{}
}
