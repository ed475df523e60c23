//go:build !js

package liveview

import (
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/dpdissect/dpdissect/dissect/render"
	"github.com/dpdissect/dpdissect/internal/terminal"
	"github.com/dpdissect/dpdissect/session/conform"
)

// View implements tea.Model.
func (m *model) View() tea.View {
	v := tea.NewView(string(m.draw()))
	v.AltScreen = true
	return v
}

// draw gives the screen: height lines, none wider than width.
func (m *model) draw() []byte {
	s := &screen{look: m.look, width: max(m.width, 1), height: max(m.height, 1)}
	m.header(s)
	switch {
	case s.height < 3: // there is no room for more
	case m.page == helpPage:
		m.lay(s, m.help())
	case m.page == detailPage:
		m.lay(s, m.details())
	default:
		m.list(s)
	}
	for s.lines < s.height-1 {
		s.end()
	}
	if s.height > 1 {
		m.footer(s)
	}
	return s.text
}

// lines is how many there are between header and footer, of a list without its head.
func (m *model) lines() int {
	if m.page == listPage {
		return max(0, m.height-3)
	}
	return max(0, m.height-2)
}

// A screen is text that is being drawn, line by line.
type screen struct {
	look          *look
	text          []byte
	width, height int
	lines         int // ended so far
	used          int // columns of the line at hand
	owed          int // columns of the next space that are taken already
}

// put appends text without sequences in a style, as much of it as there is room for.
func (s *screen) put(text string, style render.Style) {
	if text == "" {
		return
	}
	text = terminal.Cut(text, s.width-s.used, false)
	s.used += width(text)
	s.text = append(append(append(s.text, style.Start...), text...), style.Stop...)
}

func (s *screen) space(n int) {
	n, s.owed = n-s.owed, 0
	for range min(n, s.width-s.used) {
		s.text = append(s.text, ' ')
		s.used++
	}
}

// end ends the line; the last one of the screen has no end.
func (s *screen) end() {
	if s.lines++; s.lines < s.height {
		s.text = append(s.text, '\n')
	}
	s.used, s.owed = 0, 0
}

// A part of a line; those of high rank leave first when room is short.
type part struct {
	text  string
	style render.Style
	rank  int
}

// parts puts as many parts as there is room for beside so many columns.
func (s *screen) parts(list []part, beside int) {
	const gap = 2
	for {
		total, worst := -gap, -1
		for i, p := range list {
			total += width(p.text) + gap
			if p.rank > 0 && (worst < 0 || p.rank >= list[worst].rank) {
				worst = i
			}
		}
		if total <= s.width-beside-s.used || worst < 0 {
			break
		}
		list = append(list[:worst:worst], list[worst+1:]...)
	}
	for i, p := range list {
		if i > 0 {
			s.space(gap)
		}
		s.put(p.text, p.style)
	}
}

// header says what is seen and how much of it.
func (m *model) header(s *screen) {
	l := m.look
	var list []part
	if m.paused {
		list = append(list, part{" PAUSED ", l.Highlight, 0})
	}
	if m.snap == nil {
		s.parts(append(list, part{"dpdissect", l.Heading, 0}, part{"waiting for packets", render.Style{}, 1}), 0)
		s.end()
		return
	}
	n := m.snap
	list = append(list, part{strings.Join(n.Interfaces, ", "), l.Heading, 5}, part{clock(n.Elapsed), render.Style{}, 4})
	packets := terminal.Counted(n.Packets, "packet")
	if n.PacketsPerSec >= 0.5 {
		packets += " (" + strconv.FormatFloat(n.PacketsPerSec, 'f', 0, 64) + "/s)"
	}
	list = append(list, part{packets, render.Style{}, 6})
	if n.Dropped > 0 {
		list = append(list, part{strconv.FormatUint(n.Dropped, 10) + " dropped", l.Error, 0})
	}
	conns := terminal.Counted(n.Live, "connection")
	if n.Ended > 0 {
		conns += ", " + strconv.FormatUint(n.Ended, 10) + " ended"
	}
	s.parts(append(append(list, part{conns, render.Style{}, 3}), m.findings()...), 0)
	s.end()
}

func (m *model) findings() (list []part) {
	for sev, k := range m.snap.Findings {
		if k > 0 {
			sev := conform.Severity(sev)
			list = append(list, part{terminal.Counted(k, terminal.SeverityNoun(sev)), terminal.SeverityStyle(&m.look.Palette, sev), 1 + int(sev)*6})
		}
	}
	return list
}

// footer says which keys there are.
func (m *model) footer(s *screen) {
	if m.typing {
		s.put("/"+m.filter, render.Style{})
		s.put(" ", m.look.Highlight)
		s.parts([]part{{"  enter keeps it, esc clears it", m.look.Derived, 1}}, 0)
		return
	}
	place, keys := m.place(), m.keys()
	s.parts(keys, width(place)+2)
	if free := s.width - s.used - width(place); place != "" && free > 0 {
		s.space(free)
		s.put(place, m.look.Derived)
	}
}

// place says which lines of how many are on the screen, "" when all are.
func (m *model) place() string {
	first, all := m.scroll, m.laid
	if m.page == listPage {
		first, all = m.top, len(m.order)
	}
	last := min(first+m.lines(), all)
	if first == 0 && last == all {
		return ""
	}
	return strconv.Itoa(first+1) + "–" + strconv.Itoa(last) + " of " + strconv.Itoa(all)
}

// keys are those worth a word on the page.
func (m *model) keys() (keys []part) {
	key := func(name, does string, rank int) { keys = append(keys, part{name + " " + does, m.look.Derived, rank}) }
	switch m.page {
	case helpPage:
		key("↑↓", "scroll", 2)
		key("esc", "back", 1)
	case detailPage:
		key("←→", "neighbours", 3)
		key("↑↓", "scroll", 2)
		key("esc", "back", 1)
	default:
		if m.filter != "" {
			keys = append(keys, part{"/" + m.filter, m.look.Warn, 0})
		}
		key("↑↓", "pick", 3)
		key("enter", "details", 4)
		key("s", "sort", 5)
		key("r", "reverse", 8)
		key("p", "pause", 6)
		key("/", "filter", 7)
	}
	key("h", "help", 2)
	key("q", "quit", 0)
	return keys
}
