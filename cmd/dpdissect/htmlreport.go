package main

import (
	"bytes"
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dpdissect/dpdissect/dissect/stable"
	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/exit"
	"github.com/dpdissect/dpdissect/internal/explain"
	"github.com/dpdissect/dpdissect/internal/htmlreport"
	"github.com/dpdissect/dpdissect/internal/pipeline"
	"github.com/dpdissect/dpdissect/internal/report"
	"github.com/dpdissect/dpdissect/internal/source"
	"github.com/dpdissect/dpdissect/session"
)

// reportCommand is the flags of the command.
type reportCommand struct {
	input
	title  string
	redact bool
	both   *pairReport // of two captures of one session, else nil
}

func newReport() *cobra.Command {
	c := &reportCommand{}
	c.formats = []string{"html"}
	c.pair = &pairInput{run: c.runPair}
	cmd := &cobra.Command{
		Use:   "report INPUT...",
		Short: "Write one HTML page that shows what happened, with plots",
		Long: `Write one HTML file for a ticket or a colleague: what happened to each
connection, the table of connections, what each side sent over time, with every
retry and every proven loss, round trips, numbers in flight, rates, frames one
by one, and the findings with their frames. It opens from the disk in any
browser, loads nothing and sends nothing: its content security policy allows no
request.

Plots are drawn for 20 connections at most, the worst first, and frames are
shown for the 3 worst of them, up to 20,000 frames; --connection, -Y, --from and
--to choose others. Captures are read twice, so they have to be files. --redact
replaces addresses, paths and the texts that packets carry with placeholders,
the same for the same; session ids and --title stay.

Of two captures of one session, made at two points, the page says and draws what
'dpdissect compare' finds: where datagrams were lost, how long each direction
takes over time, the clocks, how connections ended by the evidence of both, and
the moments that count, datagram by datagram from one point to the other. All
else in it is of the first capture.`,
		Example: `  dpdissect report game.pcap -o report.html
  dpdissect report --connection 3 --from 12:02 --to 12:05 -o lag.html game.pcap
  dpdissect report player.pcap server.pcap -o both.html
  dpdissect report --redact --title 'Ticket 4711' -o ticket.html game.pcap`,
		Annotations: map[string]string{quietMeans: "no progress bar, no word of a large page"},
		RunE:        c.runE,
	}
	c.pair.add(cmd)
	cmd.Flags().StringVar(&c.title, "title", "", "the `TEXT` above the report; the names of the captures by default")
	cmd.Flags().BoolVar(&c.redact, "redact", false, "replace addresses, paths and words of packets, the same for the same")
	c.add(cmd)
	source.HideLive(cmd)
	return cmd
}

func (c *reportCommand) runE(cmd *cobra.Command, paths []string) error {
	if err := c.checkSpan(); err != nil {
		return err
	}
	switch {
	case c.Live() || c.Follow:
		return exit.Usagef("a report is made of captures that are complete, not live")
	case slices.ContainsFunc(paths, capture.ReadOnce):
		return exit.Usagef("a report reads its captures twice: give files, not standard input or pipes")
	}
	return c.one(cmd, paths)
}

// one writes the page of captures that are merged by time.
func (c *reportCommand) one(cmd *cobra.Command, paths []string) error {
	j, err := c.open(cmd, paths, true)
	if err != nil {
		return err
	}
	if j.screen.terminal && c.output == "" {
		return j.finish(exit.Usagef("a report is an HTML page: give -o FILE"))
	}
	return j.finish(c.write(cmd, j, paths))
}

// write makes the page: one pass for the analysis, another one for the pictures of some of
// its connections.
func (c *reportCommand) write(cmd *cobra.Command, j *job, paths []string) error {
	pseudonyms := c.pseudonyms()
	if pseudonyms.attach(&j.run); pseudonyms != nil {
		j.real = pseudonyms.realAddress
	}
	stamps := stampsOf(paths)
	j.run.Config.Explain, j.run.Config.Endings = true, true
	a, err := j.analyse()
	if err != nil && !exit.Told(err) {
		return err
	}
	if len(a.Conns) == 0 && j.show != nil && !c.quiet {
		fmt.Fprintln(j.stderr, "dpdissect: note: no connection has a datagram that the display filter matches")
	}
	if pseudonyms != nil {
		pseudonyms.words(a)
		a.Story = j.story(j.run.Conns(), a)
	}
	drawn := &htmlreport.Report{Unlisted: listWorst(a)}
	told := a.Story.Document(a.Conns)
	if e := c.documents(j, a, told, drawn); e != nil {
		return e
	}
	if len(a.Conns) == 0 {
		drawn.Hint = report.WhyNone(&a.Totals)
	}
	worst, heard := c.worst(a, drawn), heardUntil(a)
	drawn.Overview = c.lanes(j, a, told)
	a.Conns, a.Findings, a.Story = nil, nil, nil
	j.run.Release() // the second reading takes as much room
	again, e := c.again(paths)
	if e != nil {
		return e
	}
	defer again.Source.Close()
	pseudonyms.attach(again)
	if e := cmp.Or(c.draw(j, drawn, worst, heard, again), sameInputs(j, again, paths, stamps)); e != nil {
		return e
	}
	drawn.Title, drawn.Made, drawn.Redacted = cmp.Or(c.title, titleOf(paths, c.redact)), madeBy(cmd), c.redact
	if e := c.both.put(drawn, worst); e != nil {
		return e
	}
	drawn.Chosen = slices.ContainsFunc([]string{"display-filter", "connection", "from", "to", "protocols"}, cmd.Flags().Changed)
	size, e := htmlreport.Write(j.out, drawn)
	if e == nil && size > largePage && !c.quiet {
		fmt.Fprintf(j.stderr, "dpdissect: note: the page has more than %d MB, which browsers open slowly: --connection and -Y choose connections\n", size/1e6)
	}
	return cmp.Or(e, err)
}

// largePage is the size in bytes beyond which a page is reported as large.
var largePage int64 = 50_000_000

// mostListed is the number of connections whose analysis a page holds: browsers open it, and
// search it, without a wait. More are in the output of analyze and explain.
var mostListed = 2000

// listWorst leaves the worst connections of an analysis in it, where there are too many for
// a page, with their findings, and gives the number of the others. Totals stay those of all.
func listWorst(a *report.Analysis) (left int) {
	if left = len(a.Conns) - mostListed; left <= 0 {
		return 0
	}
	listed := make(map[*session.Conn]bool, mostListed)
	for _, c := range a.Arranged("worst")[:mostListed] {
		listed[c] = true
	}
	a.Conns = slices.DeleteFunc(slices.Clone(a.Conns), func(c *session.Conn) bool { return !listed[c] })
	a.Findings = slices.DeleteFunc(a.Findings, func(f session.Finding) bool { return f.Conn != nil && !listed[f.Conn] })
	a.Totals.LeftOut += uint64(left)
	return left
}

// documents puts the analysis and what is told of its connections into the page.
func (c *reportCommand) documents(j *job, a *report.Analysis, d *explain.Document, p *htmlreport.Report) error {
	if j.part != nil {
		from, to := j.part.bounds()
		d.Narrow(from, to, c.span.words())
	}
	d.Grouped()
	var analysis, explained bytes.Buffer
	err := cmp.Or(report.WriteJSON(&analysis, a), report.WriteExplainJSON(&explained, a.Captures, d))
	p.Analysis, p.Explain = analysis.Bytes(), explained.Bytes()
	return err
}

// worst are the connections that are drawn.
func (c *reportCommand) worst(a *report.Analysis, p *htmlreport.Report) []*session.Conn {
	conns := a.Arranged("worst")
	n := min(len(conns), htmlreport.MostPictures)
	p.LeftOut = len(conns) - n + p.Unlisted
	return slices.Clone(conns[:n])
}

// draw reads the captures again, for pictures and ladders of the worst connections. heard is
// until when the captures listened.
func (c *reportCommand) draw(j *job, p *htmlreport.Report, conns []*session.Conn, heard int64, again *pipeline.Run) error {
	frames := c.ladders(j, conns)
	queue := frames.attach(again)
	drawing := htmlreport.NewCollector(conns)
	drawing.Attach(again)
	p.Overview.Attach(again)
	err := again.Do()
	if err == nil && queue != nil {
		err = queue.Finish()
	}
	tracked(again)
	if err != nil {
		return err
	}
	within := func(int64) bool { return true }
	if j.part != nil {
		within = func(at int64) bool { return j.part.place(at) == 0 }
	}
	p.Pictures = drawing.Pictures(again.Conns(), within)
	p.Lanes = p.Overview.Finish(again.Conns())
	order := make(map[int]int, len(conns))
	for i, conn := range conns {
		order[conn.ID] = i
	}
	stable.Sort(p.Pictures, func(x, y htmlreport.Picture) int {
		return cmp.Compare(order[x.Connection], order[y.Connection])
	})
	p.LongLadders = frames.long
	p.Ladders, err = frames.documents(again, queue, heard, c.redact)
	return err
}

// again opens the captures for another pass.
func (c *reportCommand) again(paths []string) (*pipeline.Run, error) {
	cfg, err := c.Config(c.dp8)
	if err != nil {
		return nil, err
	}
	src, err := c.source(paths)
	if err != nil {
		return nil, err
	}
	cfg.Pack = true
	return &pipeline.Run{Source: src, Config: cfg, Workers: c.workerCount()}, nil
}

// titleOf names the captures.
func titleOf(paths []string, redacted bool) string {
	if redacted {
		return "Report of a capture"
	}
	names := make([]string, len(paths))
	for i, p := range paths {
		names[i] = filepath.Base(p)
	}
	if len(names) > 3 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:2], ", "), len(names)-2)
	}
	return strings.Join(names, ", ")
}

// notTold are flags that make no difference to the page.
var notTold = []string{"output", "format", "workers", "quiet", "color", "no-pager"}

// madeBy says which program made the page, and with which flags; their values may be secret.
// The system that it ran on makes no difference.
func madeBy(cmd *cobra.Command) string {
	text := "dpdissect " + buildVersion().Version
	var flags []string
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if !slices.Contains(notTold, f.Name) {
			flags = append(flags, "--"+f.Name)
		}
	})
	if len(flags) > 0 {
		text += ", with " + strings.Join(flags, " ")
	}
	return text
}
