package report

import (
	"slices"

	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/verdict"
)

// Checks are the verdicts on several captures, each judged on its own.
type Checks struct {
	*verdict.Several
	Files []*Check // of one capture each
}

// path is where the capture of a check is.
func (c *Check) path() string {
	if len(c.Captures) == 0 {
		return ""
	}
	return c.Captures[0].Path
}

// unopened reports whether there was nothing to judge, as no input is a capture.
func (c *Check) unopened() bool { return Unopened(c.Captures) }

// Unopened reports whether none of the inputs could be opened and is a capture: people are
// told so, and that nothing was found in them is not worth a word.
func Unopened(inputs []capture.Info) bool {
	return len(inputs) > 0 && !slices.ContainsFunc(inputs, opened)
}

// opened reports an input that is a capture, though it may be damaged. Of others standard
// error has the reason, and there is no more to say of them.
func opened(in capture.Info) bool { return !in.Failed || in.Format != "" }

// named is the verdict in one line, after the name of the capture.
func (c *Check) named() string { return inputName(c.path()) + ": " + c.headline() }

// inputName is how people call an input.
func inputName(path string) string {
	if path == "-" {
		return "standard input"
	}
	return path
}

// bundles puts the findings of all files together, those of a file in a row.
func (s *Checks) bundles() (list []*bundle) {
	for _, c := range s.Files {
		list = append(list, c.bundles()...)
	}
	return list
}
