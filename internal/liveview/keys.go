//go:build !js

package liveview

import (
	"slices"

	tea "charm.land/bubbletea/v2"
)

// key handles a key and reports whether it ends the view.
func (m *model) key(k tea.KeyPressMsg) (quit bool) {
	name := k.String()
	if name == "ctrl+c" {
		return true
	}
	if m.typing {
		m.typeKey(name, k.Text)
		return false
	}
	switch name {
	case "q", "Q":
		return true
	case "p", "space":
		m.pause()
		return false
	case "h", "?", "f1":
		m.turnTo(helpPage)
		return false
	case "s":
		m.nextSort(1)
		return false
	case "S", "shift+s":
		m.nextSort(-1)
		return false
	case "r":
		m.reverse = !m.reverse
		m.arrange()
		return false
	}
	if m.page != listPage {
		m.pageKey(name)
	} else {
		m.listKey(name)
	}
	return false
}

// turnTo goes to a page; from that page, back to the list.
func (m *model) turnTo(p page) {
	if m.page == p {
		p = listPage
	}
	m.page, m.scroll = p, 0
	if p == listPage {
		m.find()
	}
}

func (m *model) pause() {
	m.paused = !m.paused
	if !m.paused && m.waiting != nil {
		m.show(m.waiting)
		m.waiting = nil
	}
}

// step is how far a key moves, in lines, on a page of so many; ok is false for keys
// that do not move.
func step(name string, lines int) (n int, ok bool) {
	const far = 1 << 30
	switch name {
	case "up", "k", "ctrl+p":
		return -1, true
	case "down", "j", "ctrl+n":
		return 1, true
	case "pgup", "ctrl+b":
		return -max(1, lines-1), true
	case "pgdown", "ctrl+f":
		return max(1, lines-1), true
	case "home", "g":
		return -far, true
	case "end", "G", "shift+g":
		return far, true
	}
	return 0, false
}

func (m *model) listKey(name string) {
	if n, ok := step(name, m.lines()); ok {
		switch {
		case m.picked != 0:
			m.pick(m.at + n)
		case n > 0:
			m.pick(m.top + n - 1)
		default:
			m.pick(m.top)
		}
		return
	}
	switch name {
	case "enter":
		if m.picked == 0 {
			m.pick(m.top)
		}
		if m.picked != 0 {
			m.detail = *m.row(m.at)
			m.turnTo(detailPage)
		}
	case "esc":
		if m.filter != "" {
			m.refilter("")
		} else {
			m.picked = 0
		}
	case "right":
		m.nextSort(1)
	case "left":
		m.nextSort(-1)
	case "/":
		m.typing = true
	default:
		if len(name) == 1 && name[0] >= '1' && name[0] <= '9' {
			if i := int(name[0] - '1'); i < len(m.shown) {
				m.sortBy(m.shown[i])
			}
		}
	}
}

func (m *model) pageKey(name string) {
	if n, ok := step(name, m.lines()); ok {
		m.scroll = max(0, m.scroll+n) // the page knows its end
		return
	}
	switch name {
	case "enter", "esc", "backspace":
		m.turnTo(listPage)
	case "left":
		m.turn(-1)
	case "right":
		m.turn(1)
	}
}

// turn shows the detail of a neighbour.
func (m *model) turn(by int) {
	if m.page == detailPage && len(m.order) > 0 {
		m.pick(m.at + by)
		m.detail = *m.row(m.at)
	}
}

func (m *model) typeKey(name, text string) {
	switch name {
	case "enter":
		m.typing = false
	case "esc":
		m.typing = false
		m.refilter("")
	case "backspace":
		m.refilter(m.filter[:max(0, len(m.filter)-1)])
	case "ctrl+u":
		m.refilter("")
	default:
		m.refilter(m.filter + printable(text))
	}
}

// sortBy orders by a column, the most interesting first. The same once more reverses.
func (m *model) sortBy(c int) {
	m.reverse = m.sort == c && !m.reverse
	m.sort = c
	m.arrange()
}

// nextSort orders by a neighbour of the column, among those on the screen.
func (m *model) nextSort(by int) {
	if len(m.shown) == 0 {
		return
	}
	i := slices.Index(m.shown, m.sort)
	if i < 0 && by < 0 {
		i = 0
	}
	m.sort, m.reverse = m.shown[(i+by+len(m.shown))%len(m.shown)], false
	m.arrange()
}
