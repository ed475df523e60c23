package main

import (
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/dpdissect/dpdissect/internal/exit"
	"github.com/dpdissect/dpdissect/internal/flags"
	"github.com/dpdissect/dpdissect/internal/ladder"
	"github.com/dpdissect/dpdissect/internal/pipeline"
	"github.com/dpdissect/dpdissect/internal/report"
	"github.com/dpdissect/dpdissect/internal/source"
)

// ladderCommand is the flags of the command.
type ladderCommand struct {
	input
	around flags.Positive
	all    bool
	ascii  bool
}

// ladderWait lets a live frame wait for its acknowledgement and its retries.
// It can be long, because nothing is drawn before the end.
const ladderWait = 2 * time.Second

func newLadder() *cobra.Command {
	c := &ladderCommand{}
	c.Delay = source.ReportDelay
	c.pair = &pairInput{run: c.runPair}
	c.formats = []string{flags.Text, "svg for a picture", "mermaid for Markdown", flags.JSON}
	cmd := &cobra.Command{
		Use:   "ladder INPUT...",
		Short: "Draw a connection as a sequence diagram",
		Long: `Draw a connection as a sequence diagram: two lifelines, and an arrow for each
frame. Retries and copies name the frame that they repeat. A proven loss is a
broken arrow, which ends before the capture point or after it; what arrived and
was not captured is a dashed one. Findings stand at their frames, and the frames
that 'dpdissect explain' takes as proof are marked.

Like frames of which there is nothing to say are put together in one row, where
data and acknowledgements take turns in one for each: '12 x DFRAME 40-51, all
acknowledged'. --all gives each frame its own row. Pauses of a second and more
are told, unless frames come at such intervals anyway.

--connection is needed where the capture has several. --from, --to and -Y choose
among its frames, and --around FRAME shows 20 of them before a frame and 20
after it. A ladder holds 100,000 frames: of a longer connection choose a part.

Two captures of one session, made at two points, are drawn together: a lifeline
for each point, with the frames and the clock of its capture, and an arrow for
each datagram as 'dpdissect compare' pairs them, with how long it was on its
way. Those lost between the points end on the way. Connections have the numbers
of compare, and --around takes a frame of the first point. --point names the
points, as for compare; it is needed where a router changes addresses between
them, because files of other addresses are merged.

svg is a picture for browsers, in dark and light; mermaid is a sequenceDiagram
for Markdown; json is one document with all that a drawing needs, and
'dpdissect schema ladder' describes it. What was lost before the capture point
has no frame: it stands where the gap showed, if the frame there was chosen.`,
		Example: `  dpdissect ladder game.pcap
  dpdissect ladder --connection 2 --from 12:02 --to 12:03 game.pcap
  dpdissect ladder --around 340 game.pcap
  dpdissect ladder --format svg -o game.svg game.pcap
  dpdissect ladder --from 12:02 --to 12:03 player.pcap server.pcap`,
		Annotations: map[string]string{quietMeans: "no progress bar"},
		RunE:        c.runE,
	}
	f := cmd.Flags()
	f.Var(&c.around, "around", "show the frames around `FRAME`: 20 before it and 20 after it")
	f.BoolVar(&c.all, "all", false, "show each frame in a row of its own")
	c.pair.add(cmd)
	f.BoolVar(&c.ascii, "ascii", false, "draw text with ASCII characters only")
	c.add(cmd)
	return cmd
}

func (c *ladderCommand) runE(cmd *cobra.Command, paths []string) error {
	if err := c.checkSpan(); err != nil {
		return err
	}
	if c.ascii && c.format.Value != "text" {
		return exit.Usagef("--ascii is for text, not for --format %s", c.format.Value)
	}
	j, err := c.open(cmd, paths, true)
	if err != nil {
		return err
	}
	l, err := c.collect(j)
	if err == nil && l != nil {
		err = c.write(j, l)
	}
	return j.finish(err)
}

// collect reads the captures. The ladder is nil where nothing could be read.
func (c *ladderCommand) collect(j *job) (*ladder.Ladder, error) {
	k := ladder.NewCollector(ladder.Options{
		Connection: int(c.connection.ID), Around: uint64(c.around), All: c.all, Filtered: c.display != "",
		Display: pipeline.Display{Filter: j.show, Window: c.window()}, Clock: c.clock(),
	})
	k.Configure(&j.run.Config)
	j.run.Config.Explain, j.run.Config.Endings = true, true
	j.maxWait = ladderWait
	q := pipeline.NewQueue(io.Discard, k)
	if err := j.doWith(q, k.Err); err != nil {
		return nil, err
	}
	if j.unreadable() {
		return nil, nil
	}
	a := j.analysis(q.Findings)
	if len(a.Conns) == 0 && !c.connection.Given && c.around == 0 {
		return nil, ladder.WriteNone(j.out, c.format.Value, report.None(false))
	}
	if err := c.chosen(len(a.Conns)); err != nil {
		return nil, err
	}
	if err := k.Missing(); err != nil {
		return nil, exit.AsUsage(err)
	}
	l := k.Ladder(a.Findings, a.Story)
	if l == nil { // of a live run, which has no connection of that number yet
		return nil, exit.Usagef("--connection %d: no frame of it was captured", c.connection.ID)
	}
	return l, nil
}

// chosen is an error where it is not clear which connection to draw, or none is there.
func (c *ladderCommand) chosen(n int) error {
	switch {
	case n == 0:
		return exit.Usagef("no connection was recognised: there is nothing to draw")
	case n > 1 && !c.connection.Given:
		return exit.Usagef("the capture has connections 0 to %d: choose one with --connection; 'dpdissect analyze' lists them", n-1)
	}
	return nil
}

func (c *ladderCommand) write(j *job, l *ladder.Ladder) error {
	switch c.format.Value {
	case "svg":
		return ladder.WriteSVG(j.out, l, c.nameOf())
	case "mermaid":
		return ladder.WriteMermaid(j.out, l, c.nameOf())
	case "json":
		return ladder.WriteJSON(j.out, l, c.nameOf())
	}
	return ladder.WriteText(j.out, l, ladder.TextOptions{Palette: j.screen.palette, Width: j.screen.width, ASCII: c.ascii, Names: c.nameOf()})
}
