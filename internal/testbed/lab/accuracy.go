package lab

import (
	"bytes"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
)

// Losses are the shares that the capture misses in the tables of accuracy.
var Losses = []float64{0, 0.001, 0.01, 0.05, 0.10, 0.20}

// Lates are the shares of overtaken packets.
var Lates = []float64{0, 0.01, 0.05, 0.20}

// Where the capture point lies, as seen from who sent a datagram.
const (
	nearSender = iota
	middle
	nearReceiver
	nPlaces
)

var placeNames = [nPlaces]string{"near the sender", "middle", "near the receiver"}

// What the analysis says of a datagram.
const (
	saysFirst    = iota // nothing of those below
	saysUnneeded        // sent again, and the capture shows why it need not have been
	saysRetry           // sent again, and the capture does not show whether it was needed
	saysCopy
	saysReordered
	saysNothing // of no connection
	nSays
)

// A Cell is what was measured under one condition.
type Cell struct {
	Frames int
	False  map[string]int // findings by rule
	Said   [tracegen.NClasses][nSays]int
	Lost   [nLost][nLost]int // what was lost where, and what is said of it
}

// Places of losses, and what is said of them, besides those of tracegen.
const (
	notLost = 3 // really
	unknown = 3 // said
	nLost   = 4
)

func (c *Cell) add(o *Cell) {
	c.Frames += o.Frames
	for rule, n := range o.False {
		c.blame(rule, n)
	}
	for i := range c.Said {
		for k := range c.Said[i] {
			c.Said[i][k] += o.Said[i][k]
		}
	}
	for i := range c.Lost {
		for k := range c.Lost[i] {
			c.Lost[i][k] += o.Lost[i][k]
		}
	}
}

func (c *Cell) blame(rule string, n int) {
	if c.False == nil {
		c.False = map[string]int{}
	}
	c.False[rule] += n
}

// A Condition is a place in the tables.
type Condition struct {
	Proto   string
	Loss    float64 // by the capture
	Place   int
	Reorder bool // in the table of reordering: no capture loss, in the middle
	Late    float64
}

// An Accuracy is all that was measured on generated sessions.
type Accuracy struct {
	Sessions int // of each protocol under each condition
	Cells    map[Condition]*Cell
	Err      error
}

// Measure plays so many sessions of each protocol under each condition.
func Measure(sessions int) *Accuracy {
	a := &Accuracy{Sessions: sessions, Cells: map[Condition]*Cell{}}
	var mu sync.Mutex
	parallel(sessions*len(speakers), func(i int) {
		p, seed := speakers[i%len(speakers)], uint64(i/len(speakers)+1)
		cells, err := measured(p.Name, seed)
		mu.Lock()
		defer mu.Unlock()
		if err != nil {
			a.Err = err
		}
		for at, c := range cells {
			if a.Cells[at] == nil {
				a.Cells[at] = &Cell{}
			}
			a.Cells[at].add(c)
		}
	})
	return a
}

// parallel does n things, as many at a time as there are processors.
func parallel(n int, do func(i int)) {
	var all sync.WaitGroup
	free := make(chan bool, runtime.NumCPU())
	for i := range n {
		free <- true
		all.Go(func() {
			do(i)
			<-free
		})
	}
	all.Wait()
}

// measured plays the session of a seed under all conditions.
func measured(proto string, seed uint64) (map[Condition]*Cell, error) {
	m := &meter{proto: proto, seed: seed, habits: map[string]bool{}, cells: map[Condition]*Cell{}}
	usual := tracegen.Conditions{Loss: 0.03, Dup: 0.01, Late: 0.02, LateBy: 25 * time.Millisecond}
	for _, loss := range Losses { // without loss first: it shows habits
		for _, place := range []float64{0.05, 0.5} {
			c := usual
			c.CaptureLoss, c.Place = loss, place
			if err := m.play(c, Condition{Proto: proto, Loss: loss}); err != nil {
				return nil, err
			}
		}
	}
	for _, late := range Lates {
		c := usual
		c.Late, c.Place = late, 0.5
		if err := m.play(c, Condition{Proto: proto, Reorder: true, Late: late}); err != nil {
			return nil, err
		}
	}
	return m.cells, nil
}

// A meter compares what is said of a session with what is true of it.
type meter struct {
	proto  string
	seed   uint64
	habits map[string]bool // rules that note a habit of the endpoints
	cells  map[Condition]*Cell

	fates   *tracegen.Fates
	at      Condition
	central bool
	whole   bool // shows habits
	settled map[direction][]seq.Settled
}

// A direction is one side of a connection, as the analysis knows it.
type direction struct {
	conn *session.Conn
	dir  dissect.Dir
}

func (m *meter) play(under tracegen.Conditions, at Condition) error {
	s, ok := tracegen.WildUnder(m.proto, m.seed, under)
	if !ok {
		return fmt.Errorf("no traces of %s", m.proto)
	}
	var file bytes.Buffer
	fates, err := s.Fates(&file)
	if err != nil {
		return err
	}
	all, err := readAll(&file)
	if err != nil {
		return err
	}
	m.fates, m.at, m.central, m.whole = fates, at, under.Place == 0.5, at.Loss == 0 && !at.Reorder
	m.settled = map[direction][]seq.Settled{}
	t := session.NewTable(session.Config{Protocols: speakers, Sink: m, Links: true, Settled: func(c *session.Conn, dir dissect.Dir, x seq.Settled) {
		m.settled[direction{c, dir}] = append(m.settled[direction{c, dir}], x)
	}})
	end := int64(0)
	for i := range all {
		t.Add(&all[i])
		end = max(end, all[i].Time)
	}
	t.Close(end)
	m.losses()
	return nil
}

// cell is where a datagram of a sender counts.
func (m *meter) cell(from tracegen.Sender) *Cell {
	at := m.at
	switch {
	case m.central:
		at.Place = middle
	case from.Side == 1:
		at.Place = nearReceiver
	}
	c := m.cells[at]
	if c == nil {
		c = &Cell{}
		m.cells[at] = c
	}
	return c
}

// Frame implements session.Sink.
func (m *meter) Frame(fr *dissect.Frame, c *session.Conn) {
	fate, ok := m.fates.Frames[int(fr.Frame)]
	if !ok {
		return
	}
	cell := m.cell(fate.From)
	cell.Frames++
	cell.Said[fate.Class][said(fr, c)]++
}

// said is what the analysis says of a frame.
func said(fr *dissect.Frame, c *session.Conn) int {
	switch w := fr.Words; {
	case c == nil:
		return saysNothing
	case w.Has(dissect.Duplicate):
		return saysCopy
	case w.Has(dissect.UnneededRetry):
		return saysUnneeded
	case w.Has(dissect.Retry):
		return saysRetry
	case w.Has(dissect.OutOfOrder):
		return saysReordered
	}
	return saysFirst
}

// Acked implements session.Sink.
func (*meter) Acked(seq.Position, uint64) {}

// Message implements session.Sink.
func (*meter) Message(*session.Message) {}

// Finding implements session.Sink. Notes on habits that the session shows without
// capture loss are true, and so are those that the bytes of one frame prove: the
// endpoint did send it so.
func (m *meter) Finding(f *session.Finding) {
	if !f.Failed() || !f.Rule.EndpointFault() {
		return
	}
	if f.Severity == conform.Note {
		if f.Rule.Scope == "F" {
			return
		}
		if m.whole {
			m.habits[f.Rule.ID] = true
		}
		if m.habits[f.Rule.ID] {
			return
		}
	}
	m.cell(m.fates.Frames[int(f.Frame)].From).blame(f.Rule.ID, 1)
}
