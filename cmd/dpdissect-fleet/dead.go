package main

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dpdissect/dpdissect/internal/fleet"
)

// deadCommand is the flags of the commands below dead.
type deadCommand struct {
	queue        connection
	format       string
	point, chain string
	step         int
	all          bool
}

// A deadDocument is what these commands print: the steps that they list, or did something with.
type deadDocument struct {
	Schema      string             `json:"schema"`
	Did         string             `json:"did"` // list, retry, drop
	DeadLetters []fleet.LetterInfo `json:"dead_letters"`
}

func newDead() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "dead",
		Short: "List, retry or drop the steps that could not be done",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(
		newDeadCommand("list", "List the steps that could not be done, with their reasons", nil),
		newDeadCommand("retry", "Queue steps again, each as a chain of its own, CHAIN~STEP", (*fleet.Queue).Retry),
		newDeadCommand("drop", "Take steps off the list", (*fleet.Queue).Drop))
	return cmd
}

func newDeadCommand(name, short string, do func(*fleet.Queue, context.Context, *fleet.Letter) error) *cobra.Command {
	c := &deadCommand{}
	cmd := &cobra.Command{
		Use:   name,
		Short: short,
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return c.run(cmd, name, do) },
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&c.point, "point", "", "those of the capture point `NAME`")
	f.StringVar(&c.chain, "chain", "", "those of the chain `NAME`")
	f.IntVar(&c.step, "step", -1, "that of the number `N`")
	f.Lookup("step").DefValue = ""
	if do != nil {
		f.BoolVar(&c.all, "all", false, "all of them")
	}
	f.StringVar(&c.format, "format", "text", "`FORMAT` is text or json")
	c.queue.add(cmd, answerTime)
	return cmd
}

func (c *deadCommand) run(cmd *cobra.Command, name string, do func(*fleet.Queue, context.Context, *fleet.Letter) error) error {
	if do != nil && !c.all && c.point == "" && c.chain == "" && c.step < 0 {
		return errors.New("which? Give --point, --chain or --step, or --all")
	}
	if err := checkFormat(c.format); err != nil {
		return err
	}
	user := asRead
	if do != nil {
		user = asSubmit
	}
	q, err := c.queue.connect(cmd, user)
	if err != nil {
		return err
	}
	defer q.Close()
	letters, err := q.Dead(cmd.Context(), c.point, c.chain, c.step)
	if err != nil {
		return err
	}
	doc := deadDocument{Schema: "dpdissect/fleet-dead/1", Did: name, DeadLetters: []fleet.LetterInfo{}}
	for _, l := range letters {
		if do != nil {
			switch e := do(q, cmd.Context(), l); {
			case errors.Is(e, fleet.ErrNotAgain):
				tell(cmd.ErrOrStderr(), l.Chain+" at "+l.Point+": "+e.Error())
				continue
			case e != nil:
				err = e
			}
		}
		if err != nil {
			break
		}
		doc.DeadLetters = append(doc.DeadLetters, l.Info())
	}
	return errors.Join(c.print(cmd, &doc), err)
}

func (c *deadCommand) print(cmd *cobra.Command, doc *deadDocument) error {
	if c.format == "json" {
		return printJSON(cmd.OutOrStdout(), doc)
	}
	var b strings.Builder
	for i := range doc.DeadLetters {
		b.WriteString(letterLine(&doc.DeadLetters[i]))
	}
	return printLines(cmd.OutOrStdout(), b.String())
}
