package tracegen

import (
	"time"

	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/note"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/sim"
)

// A Live is a Talk whose datagrams are carried by someone, on a clock that follows
// a real one. Several may share a clock; all of it is of one goroutine.
type Live struct {
	x    *table
	talk Talk
	seed uint64
	past *passages // nil when the setup is compact
}

// Live prepares a talk. The addresses of the setup are what the capture sees of
// the two sides. The fate of the nth datagram of a side follows from the seed, be
// its time what it may. What the capture sees is told as of a capture of every datagram that passes.
func (k Talk) Live(s Setup, seed uint64, clock *sim.Clock, carry sim.Carrier) (*Live, error) {
	t := newTrace(s, seed)
	t.Net.Clock, t.Net.Carry = clock, carry
	t.Net.Throw(seed)
	t.Net.Sink = func(sim.Packet) { t.truthWatch.packet() }
	l := &Live{talk: k, seed: seed}
	if !s.Compact {
		l.past = &passages{truthWatch: t.truthWatch, of: map[*sim.Datagram]place{}}
		t.Net.Observer, t.Net.Sent = l.past, l.past.leaves
	}
	var err error
	l.x, err = k.start(t)
	return l, err
}

// A Passage is what became of one datagram.
type Passage struct {
	Type     string          `json:"type"` // as records of frames name it
	Seq      int64           `json:"seq"`  // -1 for none
	Bytes    int             `json:"bytes"`
	Retry    bool            `json:"retry,omitempty"`
	Sent     time.Duration   `json:"sent_ns"`              // since the clock's start
	Captured int             `json:"captured"`             // times
	Arrived  []time.Duration `json:"arrived_ns,omitempty"` // each copy; none: it was lost
}

// Passages lists the datagrams of the two sides in the order in which they were
// sent; nil for a setup that is compact.
func (l *Live) Passages() [2][]Passage {
	if l.past == nil {
		return [2][]Passage{}
	}
	return l.past.all
}

// passages watches the datagrams beside the truthWatch.
type passages struct {
	*truthWatch
	of  map[*sim.Datagram]place
	all [2][]Passage
}

// A place names a Passage by its side and number.
type place struct{ side, at int }

func (p *passages) leaves(d *sim.Datagram) {
	n := d.Note.(note.Remark).Neutral()
	side := d.From.Side
	p.of[d] = place{side, len(p.all[side])}
	p.all[side] = append(p.all[side], Passage{Type: n.Type, Seq: n.Seq(), Bytes: len(d.Payload), Retry: n.Retry, Sent: p.net.Clock.Now()})
}

// passage is nil for what no host sent.
func (p *passages) passage(d *sim.Datagram) *Passage {
	at, ok := p.of[d]
	if !ok {
		return nil
	}
	return &p.all[at.side][at.at]
}

// Captured implements sim.Observer.
func (p *passages) Captured(d *sim.Datagram) {
	p.truthWatch.Captured(d)
	if x := p.passage(d); x != nil {
		x.Captured++
	}
}

// Delivered implements sim.Observer.
func (p *passages) Delivered(d *sim.Datagram, frame int) {
	p.truthWatch.Delivered(d, frame)
	if x := p.passage(d); x != nil {
		x.Arrived = append(x.Arrived, p.net.Clock.Now())
	}
}

// Established tells which sides have a connection, or had one.
func (l *Live) Established() [2]bool { return [2]bool{l.x.voices[0] != nil, l.x.voices[1] != nil} }

// Said tells which sides have said everything and know that what had to arrive did.
func (l *Live) Said() [2]bool { return l.x.said }

// Over reports that both ends are done with the connection.
func (l *Live) Over() bool { return l.x.over() }

// Kill ends both processes: nothing more is sent.
func (l *Live) Kill() { l.x.killAll() }

// Truth is what is true of the capture so far.
func (l *Live) Truth() *Truth {
	return l.x.truthWatch.report(&Scenario{Name: "talk-" + l.talk.Kind, Seed: l.seed, Clause: "none",
		Proves: "that what is captured live is told as from a file", Expect: "counts as in the truth"}, l.x.Trace)
}
