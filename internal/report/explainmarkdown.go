package report

import (
	"fmt"
	"io"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/explain"
)

// WriteExplainMarkdown writes what happened to connections for a ticket. names are those of
// addresses, see TextOptions.
func WriteExplainMarkdown(w io.Writer, captures []capture.Info, d *explain.Document, names func(dissect.Endpoint) string) error {
	p := &painter{names: names}
	var dst []byte
	for i := range captures {
		in := &captures[i]
		dst = fmt.Appendf(dst, "- %s: %s", markdown(inputName(in.Path)), counted(in.Packets, "packet"))
		if in.HasTime {
			dst = fmt.Appendf(dst, ", %s to %s UTC", utc(in.FirstTime, "2006-01-02 15:04:05"), utc(in.LastTime, "15:04:05"))
		}
		dst = append(dst, '\n')
	}
	dst = appendSpan(dst, markdown(d.Span), "- shown are the connections with packets %s, and what slowed them in that time; ends and numbers are those of the whole connection\n")
	out := pieces{w: w}
	for _, i := range worstFirst(d, func(*explain.Connection) bool { return true }) {
		c := d.At(int(i))
		dst = out.put(dst)
		v := &c.Verdict
		dst = fmt.Appendf(dst, "\n### %s %s ↔ %s: %s\n\n%s\n\n", markdown(fmt.Sprintf("#%d %s", c.ID, c.Protocol)), markdown(p.named(c.A)), markdown(p.named(c.B)), markdown(c.Headline()), markdown(v.Sentence))
		for i := range c.Contributing {
			dst = fmt.Appendf(dst, "- %s\n", markdown(c.Contributing[i].Sentence))
		}
		dst = fmt.Appendf(dst, "- cause: `%s` (%s), proof: %s\n", v.Cause, v.Certainty, frameList(v.Frames))
		if v.WouldRefute != "" {
			dst = fmt.Appendf(dst, "- would refute it: %s\n", markdown(v.WouldRefute))
		}
	}
	for i := range d.Unrecognised {
		if i == 0 {
			dst = append(dst, "\n### Not recognised\n\n"...)
		}
		dst = fmt.Appendf(dst, "- %s\n", markdown(d.Unrecognised[i].Sentence))
	}
	if d.LeftOut > 0 {
		dst = fmt.Appendf(dst, "\n%s\n", StoriesText(d.LeftOut))
	}
	if d.Asked != nil {
		dst = fmt.Appendf(dst, "\n### Asked: %s\n\n%s\n", markdown(d.Asked.Text), markdown(d.Asked.Sentence))
	}
	return out.end(dst)
}
