package main

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dpdissect/dpdissect/dissect/stable"
	"github.com/dpdissect/dpdissect/internal/report"
	"github.com/dpdissect/dpdissect/session"
)

// stories reads captures and gives, for each address pair, how it was recognised.
func (in *input) stories(cmd *cobra.Command, paths []string) ([]*session.Story, error) {
	j, err := in.open(cmd, paths, true)
	if err != nil {
		return nil, err
	}
	j.run.Config.Explain, j.run.Config.Recognised = true, true
	err = j.do(nil)
	return j.run.Stories(), j.finish(err)
}

// storyJSON is the record of a pair.
type storyJSON struct {
	A         string    `json:"a"`
	B         string    `json:"b"`
	First     uint64    `json:"first_frame"`
	Datagrams int       `json:"datagrams"`
	Protocol  string    `json:"protocol,omitempty"`
	Frame     uint64    `json:"decided_in,omitempty"`
	Tries     []tryJSON `json:"evidence"`
}

type tryJSON struct {
	Protocol string       `json:"protocol"`
	Bits     float64      `json:"bits"`
	Hopeless bool         `json:"ruled_out"`
	Reasons  []reasonJSON `json:"reasons"`
}

type reasonJSON struct {
	What  string  `json:"what"`
	Times int     `json:"times"`
	Bits  float64 `json:"bits"`
}

func storiesJSON(stories []*session.Story) []byte {
	rows := []storyJSON{}
	for _, s := range stories {
		row := storyJSON{A: s.A, B: s.B, First: s.First, Datagrams: s.Datagrams, Protocol: s.Protocol, Frame: s.Frame, Tries: []tryJSON{}}
		for _, t := range s.Tries {
			try := tryJSON{Protocol: t.Protocol, Bits: t.Held, Hopeless: t.Hopeless, Reasons: []reasonJSON{}}
			for _, r := range t.Reasons {
				try.Reasons = append(try.Reasons, reasonJSON{r.What, r.Times, r.Bits})
			}
			row.Tries = append(row.Tries, try)
		}
		rows = append(rows, row)
	}
	return indented(rows)
}

// storiesText is one paragraph a pair: what it is, then what each protocol's
// probe saw, the most likely first.
func storiesText(stories []*session.Story) []byte {
	var b strings.Builder
	if len(stories) == 0 {
		b.WriteString("No UDP address pairs.\n")
	}
	for i, s := range stories {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%s ↔ %s: %s\n", s.A, s.B, outcome(s))
		stable.Sort(s.Tries, func(x, y session.Try) int { return cmp.Compare(y.Held, x.Held) })
		for _, t := range s.Tries {
			fmt.Fprintf(&b, "  %-6s %6.1f bits%s\n", t.Protocol, t.Held, tryVerdict(s, &t))
			for _, r := range t.Reasons {
				fmt.Fprintf(&b, "    %+7.1f  %s%s\n", r.Bits, r.What, report.Times(uint64(r.Times)))
			}
		}
	}
	return []byte(b.String())
}

func outcome(s *session.Story) string {
	n := fmt.Sprintf("%d datagrams", s.Datagrams)
	if s.Datagrams == 1 {
		n = "1 datagram"
	}
	if s.Protocol == "" {
		return fmt.Sprintf("not recognised from frame %d on, after %s", s.First, n)
	}
	return fmt.Sprintf("%s, certain in frame %d after %s", s.Protocol, s.Frame, n)
}

func tryVerdict(s *session.Story, t *session.Try) string {
	switch {
	case t.Protocol == s.Protocol:
		return ""
	case t.Hopeless:
		return ", ruled out"
	case t.Held >= session.LockBits:
		return ", but too little evidence relates the two sides"
	}
	return ""
}
