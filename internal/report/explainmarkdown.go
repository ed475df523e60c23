package report

import (
	"cmp"
	"fmt"
	"io"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/explain"
	"github.com/dpdissect/dpdissect/internal/terminal"
)

// WriteExplainMarkdown writes what happened to connections for a ticket. names are those of
// addresses, see TextOptions.
func WriteExplainMarkdown(w io.Writer, captures []capture.Info, d *explain.Document, names func(dissect.Endpoint) string) error {
	p := &painter{names: names}
	var dst []byte
	for i := range captures {
		in := &captures[i]
		dst = fmt.Appendf(dst, "- %s: %s", Markdown(inputName(in.Path)), terminal.Counted(in.Packets, "packet"))
		if in.HasTime {
			dst = fmt.Appendf(dst, ", %s UTC", fromTo(in.FirstTime, in.LastTime, " to "))
		}
		dst = append(dst, '\n')
	}
	dst = appendSpan(dst, Markdown(d.Span), "- shown are the connections with packets %s, and what slowed them in that time; ends and numbers are those of the whole connection\n")
	if a := d.Asked; a != nil {
		dst = fmt.Appendf(dst, "\n### Asked: %s\n\n%s\n", Markdown(cmp.Or(a.Text, a.At.String())), Markdown(a.Sentence))
		for i := range a.Also {
			dst = fmt.Appendf(dst, "\n- %s", Markdown(a.Also[i].Sentence))
		}
		if len(a.Also) > 0 {
			dst = append(dst, '\n')
		}
	}
	for i := range d.Groups {
		dst = fmt.Appendf(dst, "\n**%s**\n", Markdown(d.Groups[i].Sentence))
	}
	out := pieces{w: w}
	for _, i := range worstFirst(d, func(*explain.Connection) bool { return true }) {
		c := d.At(int(i))
		dst = out.put(dst)
		v := &c.Verdict
		dst = fmt.Appendf(dst, "\n### %s %s ↔ %s: %s\n\n%s\n\n", Markdown(fmt.Sprintf("#%d %s", c.ID, c.Protocol)), Markdown(p.named(c.A)), Markdown(p.named(c.B)), Markdown(c.Headline()), Markdown(v.Sentence))
		for i := range c.Contributing {
			x := &c.Contributing[i]
			dst = fmt.Appendf(dst, "- %s (`%s`, %s; %s)\n", Markdown(x.Sentence), x.Cause, certainties[x.Certainty], packetList(x.Frames))
		}
		dst = fmt.Appendf(dst, "- how it ended: `%s` (%s; %s)\n", v.Cause, certainties[v.Certainty], packetList(v.Frames))
		if v.WouldRefute != "" {
			dst = fmt.Appendf(dst, "- what would disprove it: %s\n", Markdown(v.WouldRefute))
		}
	}
	for i, u := range d.Untold() {
		if i == 0 {
			dst = append(dst, "\n### Not recognised\n\n"...)
		}
		dst = fmt.Appendf(dst, "- %s\n", Markdown(u.Sentence))
	}
	if d.LeftOut > 0 {
		dst = fmt.Appendf(dst, "\n%s\n", StoriesText(d.LeftOut))
	}
	return out.end(dst)
}
