//go:build !js

package liveview

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"charm.land/lipgloss/v2"

	"github.com/dpdissect/dpdissect/dissect/render"
	"github.com/dpdissect/dpdissect/internal/report"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
)

// lay draws as many lines of a page as there is room for, from m.scroll on. Lines may
// have sequences in them.
func (m *model) lay(s *screen, lines []string) {
	n := m.lines()
	m.scroll = max(0, min(m.scroll, len(lines)-n))
	m.laid = len(lines)
	for _, line := range lines[m.scroll:min(len(lines), m.scroll+n)] {
		if lipgloss.Width(line) > s.width {
			line = lipgloss.NewStyle().MaxWidth(s.width).Render(line)
		}
		s.text = append(s.text, line...)
		s.end()
	}
}

func styled(text string, s render.Style) string { return s.Start + text + s.Stop }

// details are the lines of the page of one connection. A connection that is gone is
// shown as it was.
func (m *model) details() []string {
	gone := true
	if m.snap != nil {
		for i := range m.snap.Rows {
			if m.snap.Rows[i].Key == m.detail.Key {
				m.detail, gone = m.snap.Rows[i], false
				break
			}
		}
	}
	r := &m.detail
	lines := []string{m.title(r)}
	a, b := "a "+m.end(r, 0), "b "+m.end(r, 1)
	if ends := " " + a + "  ↔  " + b; width(ends) <= m.width {
		lines = append(lines, ends)
	} else {
		lines = append(lines, " "+a, " "+b)
	}
	lines = append(lines, " "+strings.Join(m.facts(r, gone), ", "), "")
	lines = append(lines, m.numbers(r)...)
	if plots := m.plots(r); len(plots) > 0 {
		lines = append(append(lines, ""), plots...)
	}
	return append(append(lines, ""), m.notes(r)...)
}

// numbers are those of both sides in blocks: three side by side, two, or none.
func (m *model) numbers(r *Row) []string {
	lay := func(blocks ...[]report.Pair) []string {
		text := string(report.AppendPairs(nil, m.look.Palette, m.width, blocks...))
		return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	}
	now, sent, lost := m.now(r), m.sendings(r), m.losses(r)
	if lines := lay(now, sent, lost); len(lines) == 1+max(len(now), len(sent), len(lost)) {
		return lines
	}
	return append(append(lay(now, sent), ""), lay(lost)...)
}

func (m *model) title(r *Row) string {
	name := r.Protocol
	if r.ID >= 0 {
		name = "#" + strconv.Itoa(r.ID) + " " + name
	}
	return " " + styled(name, m.look.Heading)
}

func (m *model) end(r *Row, i int) string {
	known := cmp.Or(r.Role[i], r.Player[i])
	if known == "" {
		return r.Name[i]
	}
	return r.Name[i] + " (" + known + ")"
}

func (m *model) facts(r *Row, gone bool) []string {
	state := m.look.ending(r)
	facts := []string{styled(state.Text, state.Style), clock(r.Duration)}
	switch {
	case gone:
		facts = append(facts, styled("gone from the list", m.look.Warn))
	case r.Over:
		facts = append(facts, "ended "+clock(r.Idle)+" ago")
	default:
		facts = append(facts, "idle "+clock(r.Idle))
	}
	if !r.Complete {
		facts = append(facts, styled("start not captured", m.look.Warn))
	}
	for sev, n := range r.Findings {
		if sev := conform.Severity(sev); n > 0 {
			facts = append(facts, styled(report.Counted(n, report.SeverityNoun(sev)), report.SeverityStyle(&m.look.Palette, sev)))
		}
	}
	return facts
}

// both makes a pair of what f says of each direction.
func both(r *Row, label string, f func(d *Dir) report.Cell) report.Pair {
	return report.Pair{Label: label, Sides: [2]report.Cell{f(&r.Dir[0]), f(&r.Dir[1])}}
}

// now is how the sides do at present.
func (m *model) now(r *Row) []report.Pair {
	l := m.look
	wait := func(label string, of func(t *seq.RTT) int64) report.Pair {
		return both(r, label, func(d *Dir) report.Cell {
			if d.Times == nil || d.Times[seq.AckWait].Samples == 0 {
				return l.unknown()
			}
			return l.millis(known(float64(of(&d.Times[seq.AckWait]))/1e6), false)
		})
	}
	return []report.Pair{
		both(r, "ping", func(d *Dir) report.Cell { return l.millis(d.Ping, d.Stale) }),
		both(r, "  jitter", func(d *Dir) report.Cell { return l.millis(d.Jitter, d.Stale) }),
		both(r, "  shortest", func(d *Dir) report.Cell { return l.millis(d.MinPing, false) }),
		both(r, "  samples", func(d *Dir) report.Cell { return l.number(d.Samples, render.Style{}) }),
		both(r, "ack wait", func(d *Dir) report.Cell { return l.millis(d.Wait, d.Stale) }),
		wait("  p95", func(t *seq.RTT) int64 { return t.P95 }),
		wait("  longest", func(t *seq.RTT) int64 { return t.Max }),
		both(r, "loss", func(d *Dir) report.Cell { return l.percent(d.Loss, lossWarn, lossBad) }),
		both(r, "retries", func(d *Dir) report.Cell { return l.percent(d.RetryShare, retryWarn, 101) }),
		both(r, "quality", func(d *Dir) report.Cell { return l.quality(d.Quality) }),
		both(r, "in flight", func(d *Dir) report.Cell { return l.whole(d.InFlight) }),
		both(r, "rate", func(d *Dir) report.Cell { return l.rate(d.BytesPerSec) }),
		both(r, "  datagrams", func(d *Dir) report.Cell { return l.often(d.FramesPerSec) }),
		both(r, "idle", func(d *Dir) report.Cell {
			if !d.Idle.Known {
				return l.unknown()
			}
			return l.plain(clock(int64(d.Idle.V)))
		}),
	}
}

// sendings are what the sides sent so far.
func (m *model) sendings(r *Row) []report.Pair {
	number := func(label string, f func(d *Dir) uint64) report.Pair {
		return both(r, label, func(d *Dir) report.Cell { return m.look.number(f(d), render.Style{}) })
	}
	return []report.Pair{
		number("frames", func(d *Dir) uint64 { return d.Frames }),
		both(r, "bytes", func(d *Dir) report.Cell { return m.look.plain(report.Size(d.Bytes)) }),
		number("data frames", func(d *Dir) uint64 { return d.Data }),
		number("acks", func(d *Dir) uint64 { return d.Acks }),
		number("keepalives", func(d *Dir) uint64 { return d.KeepAlives }),
		number("messages", func(d *Dir) uint64 { return d.Messages }),
		both(r, "  incomplete", func(d *Dir) report.Cell { return m.look.number(d.Incomplete, m.look.Warn) }),
		number("retries", func(d *Dir) uint64 { return d.Retries }),
		both(r, "  unneeded", func(d *Dir) report.Cell { return m.look.maybe(d.Unneeded, d.KnowsUnneeded, m.look.Warn) }),
		number("duplicates", func(d *Dir) uint64 { return d.Duplicates }),
	}
}

// losses are what went wrong so far.
func (m *model) losses(r *Row) []report.Pair {
	l := m.look
	return []report.Pair{
		both(r, "missing", func(d *Dir) report.Cell { return l.number(d.Missing, l.Warn) }),
		both(r, "gaps", func(d *Dir) report.Cell { return l.number(d.Gaps, render.Style{}) }),
		both(r, "out of order", func(d *Dir) report.Cell { return l.number(d.OutOfOrder, render.Style{}) }),
		both(r, "lost before capture", func(d *Dir) report.Cell { return l.maybe(d.Lost.BeforeCapture, d.KnowsBefore, l.Error) }),
		both(r, "lost after capture", func(d *Dir) report.Cell { return l.maybe(d.Lost.AfterCapture, d.KnowsAfter, l.Error) }),
		both(r, "not captured", func(d *Dir) report.Cell { return l.maybe(d.Lost.NotCaptured, d.KnowsUnseen, l.Warn) }),
		both(r, "bad signatures", func(d *Dir) report.Cell { return l.maybe(d.BadSignatures, d.HasSignatures, l.Error) }),
	}
}

// notes are the latest findings, newest first.
func (m *model) notes(r *Row) (lines []string) {
	total := r.Findings[0] + r.Findings[1] + r.Findings[2]
	if total == 0 {
		return []string{" " + styled("no findings", m.look.Derived)}
	}
	head := report.Counted(total, "finding")
	if n := len(r.Notes); uint64(n) < total && n > 0 {
		head += ", the latest " + strconv.Itoa(n)
	}
	lines = append(lines, " "+styled(head, m.look.Heading))
	for i := len(r.Notes) - 1; i >= 0; i-- {
		n := &r.Notes[i]
		text := "frame " + strconv.FormatUint(n.Frame, 10)
		if n.HasTime {
			text = time.Unix(0, n.Time).UTC().Format("15:04:05.000") + "  " + text
		}
		if n.Side == session.SideA || n.Side == session.SideB {
			text += " of " + n.Side.String()
		}
		text += ": " + n.Message
		lines = append(lines, wrap(" "+styled(n.Severity.String(), report.SeverityStyle(&m.look.Palette, n.Severity))+"  "+styled(n.Rule, m.look.Heading), text, m.width)...)
	}
	return lines
}

// wrap puts a text behind a head, in indented lines of so many columns.
func wrap(head, text string, columns int) []string {
	lines, line := []string{head}, "   "
	for word := range strings.SplitSeq(text, " ") {
		if width(line)+1+width(word) > columns && line != "   " {
			lines, line = append(lines, line), "   "
		}
		if line != "   " {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}
