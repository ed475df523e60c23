//go:build !js

package liveview

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/dpdissect/dpdissect/internal/sampler"
	"github.com/dpdissect/dpdissect/internal/terminal"
)

// A page is what fills the screen between header and footer.
type page uint8

const (
	listPage page = iota
	detailPage
	helpPage
)

// A model is the state of the screen. It is used by one goroutine.
type model struct {
	look          *look
	width, height int

	snap    *sampler.Snapshot // shown, nil before the first
	waiting *sampler.Snapshot // the newest, while paused
	paused  bool

	page   page
	scroll int // first line of a page that is no list
	laid   int // lines of that page

	sort    int // index in columns
	reverse bool
	filter  string
	typing  bool // the filter is being typed

	order  []int       // rows shown, as they are ordered
	picked uint64      // key of a row, 0 for none
	at     int         // its place in order, or where it was
	top    int         // first place on the screen
	detail sampler.Row // of detailPage, as it was last seen
	widths []int       // widest cell of each column so far
	shown  []int       // columns on the screen, left to right
}

func newModel(opts Options) *model {
	return &model{look: newLook(opts.Color), width: 80, height: 24, widths: make([]int, len(columns))}
}

// A snapshotMsg is a new snapshot.
type snapshotMsg struct{ *sampler.Snapshot }

func (m *model) Init() tea.Cmd { return nil }

// Update implements tea.Model.
func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
		clear(m.widths)
	case snapshotMsg:
		if m.paused {
			m.waiting = msg.Snapshot
		} else {
			m.show(msg.Snapshot)
		}
	case tea.KeyPressMsg:
		if m.key(msg) {
			return m, tea.Quit
		}
	case tea.PasteMsg:
		if m.typing {
			m.refilter(m.filter + printable(msg.Content))
		}
	}
	return m, nil
}

// show takes a new snapshot.
func (m *model) show(s *sampler.Snapshot) {
	m.snap = s
	m.arrange()
}

// arrange orders the rows again and finds the picked one among them.
func (m *model) arrange() {
	m.order = m.order[:0]
	if m.snap == nil {
		return
	}
	rows := m.snap.Rows
	for i := range rows {
		if m.filter == "" || matches(&rows[i], m.filter) {
			m.order = append(m.order, i)
		}
	}
	c := &columns[m.sort]
	slices.SortFunc(m.order, func(a, b int) int { return c.compare(&rows[a], &rows[b], m.reverse) })
	m.find()
}

// find goes to the place of the picked row. When it is gone the one that took its
// place is picked.
func (m *model) find() {
	if m.picked == 0 {
		return
	}
	for at, i := range m.order {
		if m.snap.Rows[i].Key == m.picked {
			m.at = at
			return
		}
	}
	if m.page == listPage {
		m.pick(m.at)
	}
}

// row is the row at a place of the order.
func (m *model) row(at int) *sampler.Row { return &m.snap.Rows[m.order[at]] }

// pick picks the row at a place, or the nearest.
func (m *model) pick(at int) {
	if len(m.order) == 0 {
		m.picked, m.at = 0, 0
		return
	}
	m.at = min(max(at, 0), len(m.order)-1)
	m.picked = m.row(m.at).Key
}

// matches reports whether a row has a text in what is shown of it, in any case.
func matches(r *sampler.Row, text string) bool {
	text = strings.ToLower(text)
	for _, s := range [...]string{r.Name[0], r.Name[1], r.Protocol, r.State.String(), r.Role[0], r.Role[1], r.Player[0], r.Player[1]} {
		if strings.Contains(strings.ToLower(s), text) {
			return true
		}
	}
	return false
}

func (m *model) refilter(text string) {
	m.filter = terminal.Cut(text, 64, false)
	m.arrange()
}

// printable leaves out what is no printable ASCII: nothing else is in rows.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return -1
		}
		return r
	}, s)
}
