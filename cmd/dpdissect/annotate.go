package main

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/dpdissect/dpdissect/internal/annotate"
	"github.com/dpdissect/dpdissect/internal/exit"
	"github.com/dpdissect/dpdissect/internal/pipeline"
	"github.com/dpdissect/dpdissect/internal/source"
	"github.com/dpdissect/dpdissect/internal/terminal"
)

// annotateCommand is the flags of the command.
type annotateCommand struct {
	input
	write string
	plain bool
	split splitting
	sums  bool          // sections have a summary
	waits time.Duration // the longest time that a live packet waits for later ones
}

// annotateWait is the usual time.
const annotateWait = 2 * time.Second

func newAnnotate() *cobra.Command { return (&annotateCommand{waits: annotateWait}).command() }

func (c *annotateCommand) command() *cobra.Command {
	c.Delay, c.Blocks = source.ReportDelay, true
	c.formats = []string{"pcapng"}
	cmd := &cobra.Command{
		Use:   "annotate INPUT... -w FILE",
		Short: "Write the packets as pcapng with comments that Wireshark shows",
		Long: `Write the packets, byte for byte, to a pcapng file, with a comment on each
packet that the analysis has something to say about: Wireshark shows them, and
finds them as frame.comment. The first line of a comment is for programs, as in

  ` + annotate.Mark + ` conn=0 dir=a protocol=dp8 type=DFRAME analysis=retry retry_of=36

where keys and values are those of 'decode --format ndjson'; docs/annotate.md
lists them. The lines below it are for people: one for each finding and each
word of the analysis.

-Y, --connection, --from and --to write only the packets they choose, which cuts
one player's packets out of a capture; --plain adds no comments. Links between
frames, such as retry_of, are by the numbers of the input: where packets are
left out, frame= says which number a packet had there.

Interfaces, statistics, drop counts, names, options, comments and unknown blocks
of the input are kept. pcap becomes pcapng with the same link type, snapshot
length and resolution. Several inputs go into one section, merged by time.

--split writes several files, one for each connection or for each stretch of
time, and prints their names: game.pcapng becomes game-c0.pcapng, game-c1.pcapng
and game-other.pcapng, or game-20231114T221300Z.pcapng.

--summary puts a comment into the file with counts of the whole input and what
explain says first.

A packet is written once it is known what later packets say about it, but no
later than ` + waits() + `
after it: an acknowledgement that is captured later is not in its comment.
Packets without a time (simple packet blocks) have no place for comments.`,
		Example: `  dpdissect annotate game.pcap -w annotated.pcapng
  dpdissect annotate -Y 'ip.addr == 10.0.0.7' --plain -w one.pcapng game.pcapng
  dpdissect annotate --connection 2 game.pcap -w - | wireshark -k -i -
  dpdissect annotate --split connection -w game.pcapng game.pcap`,
		Annotations: map[string]string{quietMeans: "no progress bar and no summary"},
		RunE:        c.runE,
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVarP(&c.write, "write", "w", "", "write packets to `FILE`; - is standard output; the same as -o")
	f.BoolVar(&c.plain, "plain", false, "add no comments")
	f.BoolVar(&c.sums, "summary", false, "put counts and what explain says first of the whole input into a comment of the file; reads the input twice")
	c.split.add(f)
	c.add(cmd)
	return cmd
}

// waits says how long a packet waits for later ones.
func waits() string {
	return fmt.Sprintf("%d packets, %d MiB of packets or, live, %v", pipeline.HoldFrames, annotate.Room>>20, annotateWait)
}

// place makes -w the output.
func (c *annotateCommand) place() error {
	switch {
	case c.write == "" && c.output == "":
		return exit.Usagef("no file: give -w FILE, or -w - for standard output")
	case c.write != "" && c.output != "":
		return exit.Usagef("-w and -o both name the file: give one")
	case c.write != "":
		c.outputFlag = "-w"
		if c.output = c.write; c.write == "-" {
			c.output = ""
		}
	}
	return nil
}

func (c *annotateCommand) runE(cmd *cobra.Command, paths []string) error {
	if err := c.place(); err != nil {
		return err
	}
	if err := c.readSplit(); err != nil {
		return err
	}
	if err := c.checkSummary(paths); err != nil {
		return err
	}
	stamps := stampsOf(paths)
	j, err := c.open(cmd, paths, true)
	if err != nil {
		return err
	}
	if j.screen.terminal && c.output == "" && c.split.by == "" {
		return j.finish(exit.Usagef("the output is a capture, which no terminal shows: give -w FILE"))
	}
	summary, err := c.summary(paths)
	if err != nil {
		return j.finish(err)
	}
	p := annotate.New(annotate.Options{
		Display: pipeline.Display{Filter: j.show, Window: c.window()}, Plain: c.plain, Filtered: c.Filter != "" || c.Bytecode != "",
		Join: max(len(paths), len(c.Interfaces)) > 1, Application: "dpdissect " + buildVersion().Version, Summary: summary,
	})
	if c.split.by != "" {
		err = c.writeApart(j, p)
	} else {
		err = c.writeWhole(j, p)
	}
	if err == nil && c.sums {
		err = sameFiles(j.stderr, paths, stamps)
	}
	return j.finish(err)
}

// writeWhole writes the packets to one file.
func (c *annotateCommand) writeWhole(j *job, p *annotate.Printer) error {
	q := pipeline.NewQueue(j.out, p)
	q.Notes = !c.plain && !j.Live()
	p.Attach(&j.run, q)
	j.maxWait = c.waits
	q.Append(func(dst []byte) []byte { return p.Begin(dst, j.run.Source) })
	err := q.Flush()
	if err == nil {
		err = j.doWith(q, func() error { return cmp.Or(p.Err(), c.ended(j)) })
	}
	if err == errEnded {
		err = q.Finish()
	}
	if err == nil {
		q.Append(func(dst []byte) []byte { return p.Finish(dst, j.run.Source) })
		if err = q.Flush(); err == nil {
			err = p.Err()
		}
	}
	if err == nil {
		c.tell(j, p)
	}
	return err
}

// errEnded ends a run over files that was told to end.
var errEnded = errors.New("the run was told to end")

// ended is errEnded once a run was told to end whose source goes on all the same.
func (c *annotateCommand) ended(j *job) error {
	if c.Stopped.Load() && !j.run.Source.Waits() {
		return errEnded
	}
	return nil
}

// tell says what was written.
func (c *annotateCommand) tell(j *job, p *annotate.Printer) {
	j.stop()
	if n := p.Lost(); n > 0 {
		fmt.Fprintf(j.stderr, "dpdissect: %d blocks that are no packets were left out: more than 16 MiB of them between two packets\n", n)
	}
	if !c.quiet {
		fmt.Fprintf(j.stderr, "%s written\n", terminal.Counted(p.Written(), "packet"))
	}
}
