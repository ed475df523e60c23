package main

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dpdissect/dpdissect/internal/report"
	"github.com/dpdissect/dpdissect/internal/verdict"
)

// A share is a flag as people write it: "10%" or "0.1".
type share float64

func (s *share) String() string { return strconv.FormatFloat(float64(*s)*100, 'g', 6, 64) + "%" }
func (s *share) Type() string   { return "SHARE" }
func (s *share) Set(text string) error {
	number, percent := strings.CutSuffix(text, "%")
	v, err := strconv.ParseFloat(number, 64)
	if percent {
		v /= 100
	}
	if err != nil || !(v >= 0 && v <= 100) {
		return fmt.Errorf("want a share such as 10%%")
	}
	*s = share(v)
	return nil
}

// readPriors reads the earlier report of --against.
func (c *check) readPriors() error {
	if c.against == "" {
		return nil
	}
	text, err := readBounded(c.against, maxReport)
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
