package report

import (
	"cmp"

	"github.com/dpdissect/dpdissect/dissect/stable"
	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/terminal"
	"github.com/dpdissect/dpdissect/internal/verdict"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/conform"
)

// Names and versions of the check document, and of the one that holds several.
const (
	CheckSchema  = "dpdissect/check/1"
	ChecksSchema = "dpdissect/checks/1"
)

// A Check is a verdict on one capture, or on several that were judged as one, with
// all that led to it.
type Check struct {
	*verdict.Result
	Version  string // of the program
	Captures []capture.Info
	Totals   Totals
	Conns    int
	Internal int    // connections that ended by a fault of this program
	Span     string // "from 12:00 to 12:05" where findings and budgets are of that time, else ""
	// Locate finds a frame: the input it came from, and its number there; -1 and its number
	// among all frames where that is not known.
	Locate func(frame uint64) (input int, number uint64)
}

// counts are findings by severity, and the inconclusive ones.
func (c *Check) counts() (fails [conform.Note + 1]uint64, unclear uint64) {
	for i := range c.Findings {
		if f := &c.Findings[i]; f.Failed() {
			fails[f.Severity]++
		} else {
			unclear++
		}
	}
	return fails, unclear
}

// failing reports whether a finding is one of those that make the check fail.
func (c *Check) failing(f *session.Finding) bool {
	return f.Failed() && f.Severity <= c.FailFrom && c.Failing[f.Rule.ID]
}

// locate is where a frame is: the path of the input and the number there; no path where that
// is not known.
func (c *Check) locate(frame uint64) (path string, number uint64) {
	if len(c.Captures) == 0 {
		return "", frame
	}
	input := 0
	if c.Locate != nil {
		input, frame = c.Locate(frame)
	}
	if input < 0 {
		return "", frame
	}
	return c.Captures[min(input, len(c.Captures)-1)].Path, frame
}

// headline is the verdict in one line: "pass", "fail: 1 error; budget … exceeded".
func (c *Check) headline() string {
	s := c.Outcome.String()
	if note := c.note(); c.Outcome == verdict.Pass && note != "" {
		s += ": " + note
	}
	for i, r := range c.Reasons {
		switch i {
		case 0:
			s += ": " + r
		case shownReasons:
			return s + "; …"
		default:
			s += "; " + r
		}
	}
	return s
}

// note says what a pass does not cover, "" when there is nothing to say.
func (c *Check) note() string {
	switch {
	case c.Internal > 0:
		return "an internal error prevented a complete judgement of " + terminal.Counted(uint64(c.Internal), "connection")
	case c.Outcome == verdict.Unreadable:
		return ""
	case c.Totals.UDPDatagrams == 0:
		return "no UDP datagrams: there is nothing to judge"
	case len(c.Rules) == 0:
		return "no rule had an opportunity"
	}
	return ""
}

// shownReasons bounds the reasons that stand in the headline.
const shownReasons = 6

// guardText is " (inconclusive: BIDIR asks that both directions are visible)".
func guardText(f *session.Finding) string {
	return " (inconclusive: " + f.Guard.String() + " requires that " + f.Guard.Asks() + ")"
}

// A bundle is the findings of one rule, one severity and one side of a
// connection in one check: what repeats is reported once.
type bundle struct {
	of     *Check
	first  *session.Finding
	frames []uint64 // the offending ones
	count  uint64
}

// bundles puts findings together, the worst first, else in their order.
func (c *Check) bundles() []*bundle {
	var list []*bundle
	for _, g := range groups(c.Findings) {
		for i := range g.places {
			pl := &g.places[i]
			list = append(list, &bundle{c, pl.first, pl.frames, pl.count})
		}
	}
	return list
}

// shared puts bundles in an order in which each rule has its turn, the worst first,
// when a report has not room for all of them.
func shared(list []*bundle, room int) []*bundle {
	if len(list) <= room {
		return list
	}
	turn, seen := map[*bundle]int{}, map[string]int{}
	for _, b := range list {
		turn[b] = seen[b.first.Rule.ID]
		seen[b.first.Rule.ID]++
	}
	stable.Sort(list, func(a, b *bundle) int {
		return cmp.Or(cmp.Compare(a.first.Severity, b.first.Severity), cmp.Compare(turn[a], turn[b]))
	})
	return list
}
