package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/dpdissect/dpdissect/internal/exit"
	"github.com/dpdissect/dpdissect/internal/inputs"
	"github.com/dpdissect/dpdissect/internal/verdict"
)

// readExpected reads the findings that the capture is to have.
func (c *check) readExpected(cmd *cobra.Command, paths []string) error {
	if !cmd.Flags().Changed("expect") {
		return nil
	}
	for _, other := range []string{"baseline", "write-baseline", "against"} {
		if cmd.Flags().Changed(other) {
			return exit.Usagef("--expect names all findings, and --%s takes some out: give one", other)
		}
	}
	if len(paths) > 1 && !c.merge {
		return exit.Usagef("--expect names the findings of one capture: give one INPUT, or --merge")
	}
	text, err := inputs.ReadBounded(c.expect, maxBaseline)
	if err != nil {
		return fmt.Errorf("--expect: %w", err)
	}
	if c.expected, err = verdict.ReadExpectation(c.expect, text, c.book); err != nil {
		return err
	}
	c.inconclusive = c.inconclusive || c.expected.Inconclusive()
	return nil
}
