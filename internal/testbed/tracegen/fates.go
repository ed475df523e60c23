package tracegen

import (
	"io"
	"time"

	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/note"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/sim"
)

// Class is what a captured datagram really is.
type Class uint8

const (
	First     Class = iota // a first transmission in its place, or one that has no number
	Needed                 // sent again, and no earlier transmission ever arrived
	Unneeded               // sent again, and an earlier transmission arrived
	Copied                 // made by the network
	Reordered              // a first transmission that others, sent later, overtook before the capture point
	NClasses
)

// Fates is what really happened to the datagrams of a trace, told from the
// network, not as a reader of the capture could know it.
type Fates struct {
	Frames map[int]FrameFate // captured datagrams by their frame
	// Lost are the datagrams with a number that were lost, by number and place.
	Lost map[Sender]map[int64]*[3]int
	// Trips are the times from transmissions of a number to the acknowledgements that they
	// caused, all captured, for numbers that were captured more than once.
	Trips map[Sender]map[int64][]time.Duration
	// Waits are the times from the first captured transmission of each unit to the first
	// captured acknowledgement of it. Units whose first captured transmission says that it is
	// another one have none.
	Waits map[Sender][]time.Duration
}

// A Sender is one side, 0 or 1, of a connection.
type Sender struct{ Conn, Side int }

// Places of losses.
const (
	LostBefore = iota // before the capture point
	LostAfter         // after it
	LostByTap         // by the capture alone
)

// A FrameFate is what a captured datagram is.
type FrameFate struct {
	From  Sender
	Num   int64 // -1 for none
	Class Class
}

// Fates writes the capture file and tells the fates.
func (s *Scenario) Fates(w io.Writer) (*Fates, error) {
	t := newTrace(s.Setup, s.Seed)
	f := &fates{truthWatch: t.truthWatch, net: t.Net, sent: map[*sim.Datagram]*transmission{}, units: map[unitKey][]*transmission{}, top: map[Sender]int{}, lost: map[Sender]map[int64]*[3]int{}, at: map[*sim.Datagram]time.Duration{}, waits: waits{units: map[unitKey]*waiting{}, carriers: map[Sender]map[int64][]unitKey{}, took: map[Sender][]time.Duration{}}}
	t.Net.Observer, t.Net.Sent = f, f.leaves
	if err := s.play(t, w); err != nil {
		return nil, err
	}
	return f.tell(), nil
}

// fates watches the network beside the truthWatch.
type fates struct {
	*truthWatch
	net      *sim.Network
	sent     map[*sim.Datagram]*transmission
	units    map[unitKey][]*transmission
	captured []caught
	top      map[Sender]int // latest transmission captured, by its place among all
	lost     map[Sender]map[int64]*[3]int
	at       map[*sim.Datagram]time.Duration // when they were captured
	trips    []trip
	waits    waits
}

// A trip is one of Fates.Trips.
type trip struct {
	transmission *sim.Datagram
	took         time.Duration
}

// A transmission is one datagram with what it repeats.
type transmission struct {
	order   int
	again   bool
	earlier []*transmission
	arrived bool
}

// A unitKey names what is sent again: a number, or a unit of another space.
type unitKey struct {
	from  Sender
	other bool
	num   int64
}

// A caught datagram is one that was captured.
type caught struct {
	frame  int
	from   Sender
	num    int64
	sent   *transmission
	copied bool
	late   bool
}

// endpointNote is the note of an endpoint's datagram, nil for others'.
func endpointNote(d *sim.Datagram) *note.Note {
	if n := d.Note.(note.Remark).Neutral(); n.Conn != nil && n.Forged == "" && d.Proto != sim.ProtoICMP {
		return n
	}
	return nil
}

// leaves sees a datagram leave its host.
func (f *fates) leaves(d *sim.Datagram) {
	n := endpointNote(d)
	if n == nil {
		return
	}
	s := &transmission{order: len(f.sent) + 1}
	f.sent[d] = s
	for _, key := range unitsOf(n) {
		before := f.units[key]
		s.again = s.again || len(before) > 0
		s.earlier = append(s.earlier, before...)
		f.units[key] = append(before, s)
	}
}

func unitsOf(n *note.Note) (keys []unitKey) {
	from := Sender{n.Conn.ID, n.Side}
	if n.Units == nil && n.Number >= 0 {
		return []unitKey{{from: from, num: n.Number}}
	}
	for _, u := range n.Units {
		keys = append(keys, unitKey{from, true, u})
	}
	return keys
}

// Captured implements sim.Observer.
func (f *fates) Captured(d *sim.Datagram) {
	f.truthWatch.Captured(d)
	n, s := endpointNote(d), f.sent[d]
	if n == nil || s == nil {
		return
	}
	now := f.net.Clock.Now()
	if sent, ok := f.at[n.Answers]; ok && n.Answers != nil {
		f.trips = append(f.trips, trip{n.Answers, now - sent})
	}
	if _, again := f.at[d]; !again {
		f.at[d] = now
	}
	c := caught{frame: d.LastFrame, from: Sender{n.Conn.ID, n.Side}, num: n.Number, sent: s, copied: d.Captured > d.Parts}
	if n.Number >= 0 && !n.Ack {
		c.late = s.order < f.top[c.from]
		f.top[c.from] = max(f.top[c.from], s.order)
	}
	f.captured = append(f.captured, c)
	f.waits.captured(n, now)
}

// Delivered implements sim.Observer.
func (f *fates) Delivered(d *sim.Datagram, frame int) {
	f.truthWatch.Delivered(d, frame)
	if s := f.sent[d]; s != nil {
		s.arrived = true
	}
}

// Settled implements sim.Observer.
func (f *fates) Settled(d *sim.Datagram) {
	f.truthWatch.Settled(d)
	n := endpointNote(d)
	if n == nil || n.Number < 0 || d.Outside > 0 {
		return
	}
	from := Sender{n.Conn.ID, n.Side}
	switch {
	case d.Captured >= d.Parts:
		if d.Arrived < d.Parts {
			f.lose(from, n.Number, LostAfter)
		}
	case d.Passed >= d.Parts:
		f.lose(from, n.Number, LostByTap)
	case f.net.Tap.Stop == 0 || f.net.Clock.Now() < f.net.Tap.Stop:
		f.lose(from, n.Number, LostBefore)
	}
}

func (f *fates) lose(from Sender, num int64, place int) {
	if f.lost[from] == nil {
		f.lost[from] = map[int64]*[3]int{}
	}
	if f.lost[from][num] == nil {
		f.lost[from][num] = new([3]int)
	}
	f.lost[from][num][place]++
}

func (f *fates) tell() *Fates {
	out := &Fates{Frames: map[int]FrameFate{}, Lost: f.lost, Trips: map[Sender]map[int64][]time.Duration{}, Waits: f.waits.took}
	times := map[unitKey]int{}
	for _, c := range f.captured {
		times[unitKey{from: c.from, num: c.num}]++
	}
	for _, x := range f.trips {
		n := endpointNote(x.transmission)
		key := unitKey{from: Sender{n.Conn.ID, n.Side}, num: n.Number}
		if times[key] < 2 {
			continue
		}
		if out.Trips[key.from] == nil {
			out.Trips[key.from] = map[int64][]time.Duration{}
		}
		out.Trips[key.from][key.num] = append(out.Trips[key.from][key.num], x.took)
	}
	for _, c := range f.captured {
		out.Frames[c.frame] = FrameFate{c.from, c.num, c.class()}
	}
	return out
}

func (c *caught) class() Class {
	switch {
	case c.copied:
		return Copied
	case c.sent.again:
		for _, e := range c.sent.earlier {
			if e.arrived {
				return Unneeded
			}
		}
		return Needed
	case c.late:
		return Reordered
	}
	return First
}
