package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/dpdissect/dpdissect/dissect/render"
	"github.com/dpdissect/dpdissect/internal/exit"
	"github.com/dpdissect/dpdissect/internal/fleet"
)

// statusCommand is the flags of the command.
type statusCommand struct {
	queue  connection
	format string
	failOn []string
}

// answerTime is waited for a queue that is away, by commands that ask.
const answerTime = 10 * time.Second

func newStatus() *cobra.Command {
	c := &statusCommand{}
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Tell where everything stands",
		Long: `Tell how many steps wait, are worked on, are done and could not be done, how old
the oldest one that waits is, and what each worker does.

With --fail-on the exit code is 1 when there are steps that could not be done
(dead), or when the oldest one waits for longer than lag=DURATION.`,
		Example: `  dpdissect-fleet status --fail-on dead,lag=10m
  dpdissect-fleet status --format json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return c.run(cmd) },
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&c.format, "format", "text", "`FORMAT` is text or json")
	f.StringSliceVar(&c.failOn, "fail-on", nil, "exit code 1 on a comma-separated `LIST` of dead and lag=DURATION")
	c.queue.add(cmd, answerTime)
	return cmd
}

func (c *statusCommand) run(cmd *cobra.Command) error {
	dead, lag, err := c.limits()
	if err == nil {
		err = checkFormat(c.format)
	}
	if err != nil {
		return err
	}
	q, err := c.queue.connect(cmd, asRead)
	if err != nil {
		return err
	}
	defer q.Close()
	s, err := q.Status(cmd.Context())
	if err != nil {
		return err
	}
	if c.format == "json" {
		err = printJSON(cmd.OutOrStdout(), s)
	} else {
		err = printStatus(cmd.OutOrStdout(), s)
	}
	if err != nil {
		return err
	}
	if dead && s.Dead > 0 || lag > 0 && s.LagMS != nil && *s.LagMS > lag.Milliseconds() {
		return exit.Code(exit.Fail)
	}
	return nil
}

// limits reads --fail-on.
func (c *statusCommand) limits() (dead bool, lag time.Duration, err error) {
	for _, x := range c.failOn {
		text, is := strings.CutPrefix(x, "lag=")
		switch {
		case x == "dead":
			dead = true
		case is:
			if lag, err = time.ParseDuration(text); err != nil || lag <= 0 {
				return false, 0, fmt.Errorf("--fail-on %s: want lag=10m", x)
			}
		default:
			return false, 0, fmt.Errorf("--fail-on %s: want dead or lag=DURATION", x)
		}
	}
	return dead, lag, nil
}

func checkFormat(s string) error {
	if s != "text" && s != "json" {
		return errors.New("--format " + s + ": want text or json")
	}
	return nil
}

func printJSON(w io.Writer, x any) error {
	b, err := json.MarshalIndent(x, "", "  ")
	if err == nil {
		_, err = fmt.Fprintf(w, "%s\n", b)
	}
	return err
}

// printStatus prints for people. Names are somebody else's.
func printStatus(w io.Writer, s *fleet.Status) error {
	var b strings.Builder
	fmt.Fprintf(&b, "steps    %d queued, %d working, %d done, %d dead\n", s.Queued, s.Working, s.Done, s.Dead)
	fmt.Fprintf(&b, "chains   %d, of which %d wait\n", s.Chains, s.ChainsWaiting)
	if s.Redelivered+s.Restarted > 0 {
		fmt.Fprintf(&b, "again    %d steps given out again, %d chains begun again\n", s.Redelivered, s.Restarted)
	}
	if s.LagMS != nil {
		fmt.Fprintf(&b, "lag      %v\n", (time.Duration(*s.LagMS) * time.Millisecond).Round(100*time.Millisecond))
	}
	for _, x := range s.Workers {
		fmt.Fprintf(&b, "worker   %s, %s: ", x.Name, x.Build)
		if x.Step == nil {
			b.WriteString("idle\n")
			continue
		}
		fmt.Fprintf(&b, "%s at %s, step %d, since %s\n", x.Chain, x.Point, *x.Step, x.Since.Format(time.RFC3339))
	}
	for i := range s.DeadLetters {
		b.WriteString(letterLine(&s.DeadLetters[i]))
	}
	return printLines(w, b.String())
}

// letterLine is a letter for people.
func letterLine(l *fleet.LetterInfo) string {
	return fmt.Sprintf("dead     %s at %s, step %d: %s\n", l.Chain, l.Point, l.Step, l.Reason)
}

// printLines prints lines that can't drive a terminal.
func printLines(w io.Writer, text string) error {
	for line := range strings.Lines(text) {
		if _, err := fmt.Fprintln(w, render.Logged(strings.TrimSuffix(line, "\n"))); err != nil {
			return err
		}
	}
	return nil
}
