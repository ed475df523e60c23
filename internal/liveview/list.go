//go:build !js

package liveview

import (
	"slices"
	"strings"

	"github.com/dpdissect/dpdissect/dissect/render"
	"github.com/dpdissect/dpdissect/internal/sampler"
	"github.com/dpdissect/dpdissect/internal/terminal"
)

const (
	marker = "▸"
	gap    = 2 // columns between two of the table

	protocolColumn = 1
)

// list draws the table: the rows on the screen and no others, however many there are.
func (m *model) list(s *screen) {
	if len(m.order) == 0 {
		m.none(s)
		return
	}
	n := m.lines()
	if m.picked != 0 {
		m.top = min(max(m.top, m.at-n+1), m.at)
	}
	m.top = max(0, min(m.top, len(m.order)-n))
	rows := m.order[m.top:min(len(m.order), m.top+n)]
	cells := make([][]terminal.Cell, len(rows))
	for i, r := range rows {
		cells[i] = m.cells(&m.snap.Rows[r])
	}
	m.shown = m.fit(s.width)
	m.head(s)
	for i, r := range rows {
		m.line(s, &m.snap.Rows[r], cells[i])
	}
}

// none says why there is nothing.
func (m *model) none(s *screen) {
	if s.height > 3 {
		s.end()
	}
	text := "No connection recognised yet."
	switch {
	case m.snap == nil || m.snap.Packets == 0:
		text = "No packet captured yet."
	case m.filter != "" && len(m.snap.Rows) > 0:
		text = "No connection has “" + m.filter + "” in it; esc clears the filter."
	}
	s.space(1)
	s.put(text, render.Style{})
	s.end()
}

// cells makes those of a row and keeps how wide they are.
func (m *model) cells(r *sampler.Row) []terminal.Cell {
	out := make([]terminal.Cell, len(columns))
	for i := range columns {
		out[i] = columns[i].cell(m.look, r)
		switch {
		case i == protocolColumn && m.width < wide:
			out[i].Text, _, _ = strings.Cut(out[i].Text, " ")
		case columns[i].end:
			out[i].Text = terminal.Cut(out[i].Text, max(sampler.LongestIPv4, m.width/4), true)
		}
		m.widths[i] = max(m.widths[i], width(out[i].Text), width(columns[i].head), columns[i].room)
	}
	return out
}

// fit chooses the columns there is room for. The one that rows are ordered by stays.
func (m *model) fit(room int) []int {
	all, total := make([]int, len(columns)), 1-gap
	for i := range columns {
		all[i] = i
		total += m.widths[i] + gap
	}
	for total > room {
		worst := -1
		for at, i := range all {
			if columns[i].rank > 0 && i != m.sort && (worst < 0 || columns[i].rank > columns[all[worst]].rank) {
				worst = at
			}
		}
		if worst < 0 {
			break
		}
		total -= m.widths[all[worst]] + gap
		all = slices.Delete(all, worst, worst+1)
	}
	return all
}

// head draws the names of the columns; an arrow says how rows are ordered. It stands
// in the gap beside the name, so that nothing moves.
func (m *model) head(s *screen) {
	arrow := "▲"
	if columns[m.sort].most != m.reverse {
		arrow = "▼"
	}
	s.space(1)
	for at, i := range m.shown {
		c := &columns[i]
		before, after := 0, m.widths[i]-width(c.head)
		if !c.left {
			before, after = after, 0
		}
		lead := 0
		if at > 0 {
			lead = gap
		}
		switch {
		case i != m.sort:
			s.space(lead + before)
			s.put(c.head, m.look.Heading)
		case c.left:
			s.space(lead)
			s.put(c.head+arrow, m.look.Heading)
			after--
		case lead+before == 0:
			s.used--
			s.text = s.text[:len(s.text)-1]
			s.put(arrow+c.head, m.look.Heading)
		default:
			s.space(lead + before - 1)
			s.put(arrow+c.head, m.look.Heading)
		}
		if at < len(m.shown)-1 {
			s.overlap(after)
		}
	}
	s.end()
}

// overlap appends space; -1 is an arrow that took a column of the gap after it.
func (s *screen) overlap(n int) {
	if n >= 0 {
		s.space(n)
		return
	}
	s.owed = -n
}

// line draws a row.
func (m *model) line(s *screen, r *sampler.Row, cells []terminal.Cell) {
	picked := r.Key == m.picked && m.picked != 0
	style, whole := render.Style{}, true
	mark := " "
	switch {
	case picked:
		style, mark = m.look.Highlight, marker
	case r.Over:
		style = m.look.Derived
	default:
		whole = false
	}
	if whole {
		s.text = append(s.text, style.Start...)
	}
	s.put(mark, render.Style{})
	for at, i := range m.shown {
		if at > 0 {
			s.space(gap)
		}
		c := cells[i]
		if whole {
			c.Style = render.Style{}
		}
		room := m.widths[i] - width(c.Text)
		if !columns[i].left {
			s.space(room)
			room = 0
		}
		s.put(c.Text, c.Style)
		if at < len(m.shown)-1 {
			s.space(room)
		}
	}
	if picked {
		s.space(s.width - s.used)
	}
	if whole {
		s.text = append(s.text, style.Stop...)
	}
	s.end()
}
