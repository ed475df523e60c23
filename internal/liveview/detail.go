//go:build !js

package liveview

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"charm.land/lipgloss/v2"

	"github.com/dpdissect/dpdissect/dissect/render"
	"github.com/dpdissect/dpdissect/internal/measure"
	"github.com/dpdissect/dpdissect/internal/sampler"
	"github.com/dpdissect/dpdissect/internal/terminal"
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
func (m *model) numbers(r *sampler.Row) []string {
	lay := func(blocks ...[]terminal.Pair) []string {
		text := string(m.look.AppendPanels(nil, m.width, blocks...))
		return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	}
	now, sent, lost := m.now(r), m.transmissions(r), m.losses(r)
	if lines := lay(now, sent, lost); len(lines) == 1+max(len(now), len(sent), len(lost)) {
		return lines
	}
	return append(append(lay(now, sent), ""), lay(lost)...)
}

func (m *model) title(r *sampler.Row) string {
	name := r.Protocol
	if r.ID >= 0 {
		name = "#" + strconv.Itoa(r.ID) + " " + name
	}
	return " " + styled(name, m.look.Heading)
}

func (m *model) end(r *sampler.Row, i int) string {
	known := cmp.Or(r.Role[i], r.Player[i])
	if known == "" {
		return r.Name[i]
	}
	return r.Name[i] + " (" + known + ")"
}

func (m *model) facts(r *sampler.Row, gone bool) []string {
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
			facts = append(facts, styled(terminal.Counted(n, terminal.SeverityNoun(sev)), terminal.SeverityStyle(&m.look.Palette, sev)))
		}
	}
	return facts
}

// both makes a pair of what f says of each direction.
func both(r *sampler.Row, label string, f func(d *sampler.Dir) terminal.Cell) terminal.Pair {
	return terminal.Pair{Label: label, Sides: [2]terminal.Cell{f(&r.Dir[0]), f(&r.Dir[1])}}
}

// now is how the sides do at present.
func (m *model) now(r *sampler.Row) []terminal.Pair {
	l := m.look
	wait := func(label string, of func(t *seq.RTT) int64) terminal.Pair {
		return both(r, label, func(d *sampler.Dir) terminal.Cell {
			if d.Times == nil || d.Times[seq.AckWait].Samples == 0 {
				return l.Unknown()
			}
			return l.millis(sampler.Known(float64(of(&d.Times[seq.AckWait]))/1e6), false)
		})
	}
	return []terminal.Pair{
		both(r, "ping", func(d *sampler.Dir) terminal.Cell { return l.millis(d.Ping, d.Stale) }),
		both(r, "  jitter", func(d *sampler.Dir) terminal.Cell { return l.millis(d.Jitter, d.Stale) }),
		both(r, "  shortest", func(d *sampler.Dir) terminal.Cell { return l.millis(d.MinPing, false) }),
		both(r, "  samples", func(d *sampler.Dir) terminal.Cell { return l.Judged(d.Samples, render.Style{}) }),
		both(r, "ack wait", func(d *sampler.Dir) terminal.Cell { return l.millis(d.Wait, d.Stale) }),
		wait("  p95", func(t *seq.RTT) int64 { return t.P95 }),
		wait("  longest", func(t *seq.RTT) int64 { return t.Max }),
		both(r, "loss", func(d *sampler.Dir) terminal.Cell { return l.percent(d.Loss, lossWarn, lossBad) }),
		both(r, "retries", func(d *sampler.Dir) terminal.Cell { return l.percent(d.RetryShare, retryWarn, 101) }),
		both(r, "quality", func(d *sampler.Dir) terminal.Cell { return l.quality(d.Quality) }),
		both(r, "in flight", func(d *sampler.Dir) terminal.Cell { return l.whole(d.InFlight) }),
		both(r, "rate", func(d *sampler.Dir) terminal.Cell { return l.rate(d.BytesPerSec) }),
		both(r, "  datagrams", func(d *sampler.Dir) terminal.Cell { return l.often(d.FramesPerSec) }),
		both(r, "idle", func(d *sampler.Dir) terminal.Cell {
			if !d.Idle.Known {
				return l.Unknown()
			}
			return l.Plain(clock(int64(d.Idle.V)))
		}),
	}
}

// transmissions are what the sides sent so far.
func (m *model) transmissions(r *sampler.Row) []terminal.Pair {
	plain, warn := render.Style{}, m.look.Warn
	return []terminal.Pair{
		m.count(r, "frames", measure.Frames, plain),
		both(r, "bytes", func(d *sampler.Dir) terminal.Cell {
			return m.look.Plain(terminal.Size(uint64(d.Counts[measure.Bytes])))
		}),
		m.count(r, "data frames", measure.DataFrames, plain),
		m.count(r, "acks", measure.Acks, plain),
		m.count(r, "keepalives", measure.KeepAlives, plain),
		m.count(r, "messages", measure.Messages, plain),
		m.count(r, "  incomplete", measure.IncompleteMessages, warn),
		m.count(r, "retries", measure.Retries, plain),
		m.count(r, "  unneeded", measure.UnneededRetries, warn),
		m.count(r, "duplicates", measure.Duplicates, plain),
	}
}

// losses are what went wrong so far.
func (m *model) losses(r *sampler.Row) []terminal.Pair {
	plain, warn, bad := render.Style{}, m.look.Warn, m.look.Error
	return []terminal.Pair{
		m.count(r, "missing", measure.Missing, warn),
		m.count(r, "gaps", measure.Gaps, plain),
		m.count(r, "out of order", measure.OutOfOrder, plain),
		m.count(r, "lost before capture", measure.LostBefore, bad),
		m.count(r, "lost after capture", measure.LostAfter, bad),
		m.count(r, "not captured", measure.NotCaptured, warn),
		m.count(r, "bad signatures", measure.InvalidSignatures, bad),
	}
}

// count makes a pair of a counter, in a style where it is not 0.
func (m *model) count(r *sampler.Row, label string, c measure.Counter, s render.Style) terminal.Pair {
	return both(r, label, func(d *sampler.Dir) terminal.Cell { return m.look.count(d, c, s) })
}

// notes are the latest findings, newest first.
func (m *model) notes(r *sampler.Row) (lines []string) {
	total := r.Findings[0] + r.Findings[1] + r.Findings[2]
	if total == 0 {
		return []string{" " + styled("no findings", m.look.Derived)}
	}
	head := terminal.Counted(total, "finding")
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
		lines = append(lines, wrap(" "+styled(n.Severity.String(), terminal.SeverityStyle(&m.look.Palette, n.Severity))+"  "+styled(n.Rule, m.look.Heading), text, m.width)...)
	}
	return lines
}

// wrap puts a text after a head, in indented lines of so many columns.
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
