package main

import (
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/dpdissect/dpdissect/internal/explain"
	"github.com/dpdissect/dpdissect/internal/flags"
	"github.com/dpdissect/dpdissect/internal/report"
)

// explanation is the flags of the command.
type explanation struct {
	input
	text string
	at   moment
	all  bool
}

func newExplain() *cobra.Command {
	c := &explanation{}
	c.formats = []string{flags.Text, flags.JSON, "markdown for tickets"}
	cmd := &cobra.Command{
		Use:   "explain INPUT...",
		Short: "Say what happened to each connection, in sentences with proof",
		Long: `Say what happened to each connection, for readers who do not know the protocol:
whether it was closed, refused, cut off or never answered, who did it, what made
it slow, which frames prove it, and which frame would refute it. Where the
capture cannot tell, the verdict is "undecided", with the causes that remain and
the capture that would decide between them.

--text takes the sentence that a game showed its player and finds what it refers
to: 'Reliable packet 16 (size=4711) was not ack'd after 7510 ms'.

--at takes a time, for "it lagged at 20:25": what was unusual around it, in
which connection, and the others after it. --text with a time does the same.

When several connections end for the same cause with one machine within seconds,
or the same thing troubles them then, one sentence tells all of them; --all
tells each.

--from and --to select the connections with a packet between them and what made
them slow in that time; how these connections ended is reported in any case.

--format json is one document; 'dpdissect schema explain' describes it. markdown
is for tickets.`,
		Example: `  dpdissect explain game.pcap
  dpdissect explain --at 20:25 game.pcap
  dpdissect explain --from 12:02 --to 12:04 game.pcap
  dpdissect explain -Y 'ip.addr == 10.0.0.1' game.pcap
  dpdissect explain --text 'Reliable packet 16 (size=4711)' game.pcap
  dpdissect explain --format markdown game.pcap > ticket.md`,
		Annotations: map[string]string{quietMeans: "no progress bar"},
		RunE:        c.runE,
	}
	cmd.Flags().StringVar(&c.text, "text", "", "the `SENTENCE` that the game showed: find what it refers to")
	cmd.Flags().Var(&c.at, "at", "what was unusual around `TIME`, in the forms of --from: within 30 s before and after it")
	cmd.Flags().BoolVar(&c.all, "all", false, "tell each connection, also those that share a story with others or that nothing is wrong with")
	c.add(cmd)
	return cmd
}

func (c *explanation) runE(cmd *cobra.Command, paths []string) error {
	if err := c.checkSpan(); err != nil {
		return err
	}
	j, err := c.open(cmd, paths, true)
	if err != nil {
		return err
	}
	j.run.Config.Explain = true
	j.run.Config.Endings = true
	a, err := j.analyse()
	if err == nil {
		d := a.Story.Telling(a.Conns)
		if c.connection.Given {
			d.Beside()
		}
		if j.part != nil {
			from, to := j.part.bounds()
			d.Narrow(from, to, c.span.words())
		}
		if c.connection.Given {
			d.Only = fmt.Sprintf("Connection %d", c.connection.ID)
		}
		d.Hint = report.WhyNone(&a.Totals)
		d.Grouped()
		d.Asked = c.asked(a)
		err = c.render(j.out, a, d, &j.screen)
	}
	return j.finish(err)
}

// asked answers --at and --text, nil without them. A text with a time in it that nothing else
// is known of asks for that time.
func (c *explanation) asked(a *report.Analysis) *explain.Asked {
	at, first := c.at, firstTime(a)
	var said *explain.Asked
	if c.text != "" {
		said = a.Story.Ask(c.text)
		if at.kind == noMoment && !explain.Says(c.text) {
			at = momentIn(c.text)
		}
	}
	if at.kind == noMoment || first == 0 {
		return said
	}
	found := a.Story.At(at.at(c.zone())(first), a.Conns)
	found.Text = c.text
	return found
}

// momentIn is the first time of day, or the time with its date, in a text.
func momentIn(text string) (m moment) {
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(",;!?()\"'", r) }) {
		if word = strings.TrimRight(word, "."); strings.Contains(word, ":") && m.Set(word) == nil {
			return m
		}
	}
	return moment{}
}

// firstTime is the time of the first packet of the captures, ns since 1970, 0 for none.
func firstTime(a *report.Analysis) (first int64) {
	for i := range a.Captures {
		if in := &a.Captures[i]; in.HasTime && (first == 0 || in.FirstTime < first) {
			first = in.FirstTime
		}
	}
	return first
}

func (c *explanation) render(w io.Writer, a *report.Analysis, d *explain.Document, s *screen) error {
	switch c.format.Value {
	case "json":
		return report.WriteExplainJSON(w, a.Captures, d)
	case "markdown":
		return report.WriteExplainMarkdown(w, a.Captures, d, c.nameOf())
	}
	return report.WriteExplainText(w, a.Captures, d, report.TextOptions{Palette: s.palette, Width: s.width, Names: c.nameOf(), Chosen: c.display != "", All: c.all})
}
