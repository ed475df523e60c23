package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/dpdissect/dpdissect/internal/inputs"
	"github.com/dpdissect/dpdissect/internal/report"
	"github.com/dpdissect/dpdissect/internal/verdict"
)

// readPriors reads the earlier report of --against.
func (c *check) readPriors() error {
	if c.against == "" {
		return nil
	}
	text, err := inputs.ReadBounded(c.against, maxReport)
	if err != nil {
		return fmt.Errorf("--against: %w", err)
	}
	if c.priors, err = verdict.ReadPriors(c.against, text); err != nil {
		return fmt.Errorf("--against: %w", err)
	}
	return nil
}

// compareWith finds the earlier report of what is judged, and says whether the numbers are
// wanted that a later run is compared with.
func (c *check) compareWith(run *verdict.Run, paths []string) (err error) {
	run.Measured = slices.ContainsFunc(c.used(), func(f *report.CheckFormat) bool { return f.Measures })
	if c.priors == nil {
		return nil
	}
	run.Tolerance = float64(c.tolerance)
	run.Prior, err = c.priors.Of(cmp.Or(strings.Join(paths, " "), "-"), c.alone)
	if err != nil {
		return fmt.Errorf("--against: %w", err)
	}
	return nil
}
