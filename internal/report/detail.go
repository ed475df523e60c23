package report

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dissect/render"
	"github.com/dpdissect/dpdissect/internal/measure"
	"github.com/dpdissect/dpdissect/internal/terminal"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
)

// appendDetail appends all that is known of one connection: two lines of what
// it is, and its numbers in two columns, as tcptrace gives them.
func (p *painter) appendDetail(dst []byte, c *session.Conn, width int) []byte {
	dst = p.appendTitle(dst, c, width)
	dst = terminal.AppendWrapped(append(dst, "   "...), p.facts(c), 3, width)
	if len(c.Inferred) > 0 {
		dst = append(dst, "   "...)
		dst = append(append(dst, p.Derived.Start...), "inferred, not captured: "...)
		dst = append(dst, terminal.Escaped(strings.Join(inferred(c), ", "))...)
		dst = append(append(dst, p.Derived.Stop...), '\n')
	}
	return p.AppendPanels(append(dst, '\n'), width, p.traffic(c), p.delivery(c), p.timing(c))
}

// appendTitle appends "#0 dp8 1.6, full signing  10.0.0.1:2302 connector ↔ …".
func (p *painter) appendTitle(dst []byte, c *session.Conn, width int) []byte {
	title := "#" + strconv.Itoa(c.ID) + " " + terminal.ProtocolName(c)
	switch c.Signing {
	case "":
	case "none":
		title += ", not signed"
	default:
		title += ", " + c.Signing + " signing"
	}
	a, b := "  a "+p.endText(c.A, c.Roles[0]), "↔ b "+p.endText(c.B, c.Roles[1])
	dst = append(terminal.AppendStyled(dst, p.Heading, title), a...)
	if terminal.Width(title+a+" "+b) > width {
		dst = append(dst, "\n  "...)
	}
	return append(append(append(dst, ' '), b...), '\n')
}

// endText is "10.0.0.1:2302 (connector)".
func (p *painter) endText(e dissect.Endpoint, role string) string {
	if role == "" {
		return p.end(e)
	}
	return p.end(e) + " (" + role + ")"
}

// facts are the state and what else is worth a few words.
func (p *painter) facts(c *session.Conn) []terminal.Cell {
	facts := []terminal.Cell{p.state(c)}
	add := func(text string) { facts = append(facts, p.Plain(text)) }
	if c.HasTime {
		add(terminal.Span(c.LastTime - c.FirstTime))
	}
	add("frames " + strconv.FormatUint(c.FirstFrame, 10) + "–" + strconv.FormatUint(c.LastFrame, 10))
	if c.Complete {
		add("captured from its start")
	} else {
		facts = append(facts, terminal.Cell{Text: "start not captured", Style: p.Warn})
	}
	if c.HasSessionID {
		add("session " + sessionID(c))
	}
	if c.HasPlayers {
		add(fmt.Sprintf("players %d and %d", c.Players[0], c.Players[1]))
	}
	add("recognised by " + c.DetectedBy.String())
	if n := c.Unreachable.N; n > 0 {
		add(terminal.Counted(n, "ICMP notice") + " from frame " + strconv.FormatUint(c.Unreachable.Frame, 10) + " on")
	}
	facts = append(facts, terminal.Cells(c.Remarks)...)
	return append(facts, p.verdicts(c)...)
}

func (p *painter) state(c *session.Conn) terminal.Cell {
	text := c.State.String()
	if c.State == session.StateUnknown {
		text = "state unknown"
	}
	if c.ClosedBy != session.NoSide {
		text += " by " + c.ClosedBy.String()
	}
	if c.Reason != "" {
		text += " (" + terminal.Escaped(c.Reason) + ")"
	}
	return terminal.Cell{Text: text, Style: terminal.StateStyle(&p.Palette, c.State)}
}

// verdicts counts the findings: "2 errors", "1 warning".
func (p *painter) verdicts(c *session.Conn) (list []terminal.Cell) {
	for s, n := range c.Findings {
		if n > 0 {
			s := conform.Severity(s)
			list = append(list, terminal.Cell{Text: terminal.Counted(n, terminal.SeverityNoun(s)), Style: terminal.SeverityStyle(&p.Palette, s)})
		}
	}
	return list
}

// both makes a pair of what f says of each direction.
func both(c *session.Conn, label string, f func(d *seq.Direction) terminal.Cell) terminal.Pair {
	return terminal.Pair{Label: label, Sides: [2]terminal.Cell{f(&c.Dir[0]), f(&c.Dir[1])}}
}

func (p *painter) traffic(c *session.Conn) []terminal.Pair {
	number := func(label string, f func(d *seq.Direction) uint64) terminal.Pair {
		return both(c, label, func(d *seq.Direction) terminal.Cell { return p.Count(f(d)) })
	}
	return []terminal.Pair{
		number("frames", func(d *seq.Direction) uint64 { return d.Frames }),
		number("bytes", func(d *seq.Direction) uint64 { return d.Bytes }),
		number("data frames", func(d *seq.Direction) uint64 { return d.DataFrames }),
		number("acks", func(d *seq.Direction) uint64 { return d.Acks }),
		number("keepalives", func(d *seq.Direction) uint64 { return d.KeepAlives }),
		number("messages", func(d *seq.Direction) uint64 { return d.Messages }),
		number("  bytes", func(d *seq.Direction) uint64 { return d.MessageBytes }),
		both(c, "  incomplete", func(d *seq.Direction) terminal.Cell { return p.Judged(d.IncompleteMessages, p.Warn) }),
	}
}

func (p *painter) delivery(c *session.Conn) []terminal.Pair {
	rows := []terminal.Pair{
		both(c, "retries", func(d *seq.Direction) terminal.Cell { return p.Judged(d.Retries, p.retryStyle(d)) }),
		both(c, "  of all sent", func(d *seq.Direction) terminal.Cell { return p.Share(d.Retries, d.Transmissions(), p.retryStyle(d)) }),
		both(c, "  unneeded", func(d *seq.Direction) terminal.Cell { return p.Maybe(d.UnneededRetries, measure.ReadsAcks(c), p.Warn) }),
		both(c, "duplicates", func(d *seq.Direction) terminal.Cell { return p.Count(d.Duplicates) }),
		both(c, "out of order", func(d *seq.Direction) terminal.Cell { return p.Count(d.OutOfOrder) }),
		both(c, "gaps", func(d *seq.Direction) terminal.Cell { return p.Count(d.Gaps) }),
		both(c, "missing", func(d *seq.Direction) terminal.Cell { return p.Judged(d.Missing(), p.Warn) }),
	}
	if !c.Dir[0].HasSignatures && !c.Dir[1].HasSignatures {
		return rows
	}
	signature := func(label string, style render.Style, f func(s *seq.Signatures) uint64) terminal.Pair {
		return both(c, label, func(d *seq.Direction) terminal.Cell { return p.Maybe(f(&d.Signatures), d.HasSignatures, style) })
	}
	return append(rows,
		signature("signatures valid", render.Style{}, func(s *seq.Signatures) uint64 { return s.Valid }),
		signature("  invalid", p.Error, func(s *seq.Signatures) uint64 { return s.Invalid }),
		signature("  unverifiable", render.Style{}, func(s *seq.Signatures) uint64 { return s.Unverifiable }),
	)
}

func (p *painter) timing(c *session.Conn) []terminal.Pair {
	var most [seq.NMeasures]uint64 // samples of a side
	time := func(m seq.Measure, part string, f func(r *seq.RTT) int64) terminal.Pair {
		return both(c, seq.Measures[m].Label+" "+part, func(d *seq.Direction) terminal.Cell {
			r := d.Times(m)
			most[m] = max(most[m], r.Samples)
			return p.roundTrip(r, f(&r))
		})
	}
	rtt := func(part string, f func(r *seq.RTT) int64) terminal.Pair { return time(seq.RoundTrip, part, f) }
	rows := []terminal.Pair{
		both(c, "lost before capture", func(d *seq.Direction) terminal.Cell {
			l := proven(d)
			return p.Maybe(l.BeforeCapture, l.knownBefore, p.Error)
		}),
		both(c, "lost after capture", func(d *seq.Direction) terminal.Cell {
			l := proven(d)
			return p.Maybe(l.AfterCapture, l.knownAfter, p.Error)
		}),
		both(c, "not captured", func(d *seq.Direction) terminal.Cell {
			l := proven(d)
			return p.Maybe(l.NotCaptured, l.known, p.Warn)
		}),
		rtt("min", func(r *seq.RTT) int64 { return r.Min }),
		rtt("p50", func(r *seq.RTT) int64 { return r.P50 }),
		rtt("p95", func(r *seq.RTT) int64 { return r.P95 }),
		rtt("max", func(r *seq.RTT) int64 { return r.Max }),
		both(c, "RTT samples", func(d *seq.Direction) terminal.Cell { return p.Count(d.RTT().Samples) }),
	}
	for m := seq.AckWait; m < seq.NMeasures; m++ {
		tail, longest := time(m, "p95", func(r *seq.RTT) int64 { return r.P95 }), time(m, "max", func(r *seq.RTT) int64 { return r.Max })
		if most[m] > 0 {
			rows = append(rows, tail, longest)
		}
	}
	return rows
}
