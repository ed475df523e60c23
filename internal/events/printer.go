package events

import (
	"encoding/binary"
	"errors"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/internal/pipeline"
	"github.com/dpdissect/dpdissect/internal/timeline"
	"github.com/dpdissect/dpdissect/session"
)

// MaxEvents bounds the events that are held until the run is over and they can be put in order.
// Tests hold fewer.
var MaxEvents = 10_000_000

// ErrTooMany says that a capture has more events than are held.
var ErrTooMany = errors.New("the capture has more events than can be put in order: choose fewer with --connection, --from and --to, or -Y")

// mostPlaced is of how many numbers of a direction that may be lost it is known when.
const mostPlaced = 1 << 18

// A Printer makes events of a run. It stands where printers do, because frames come there in
// the order of the capture with all that is known of them, and prints everything at the end.
type Printer struct {
	pipeline.NoMessages

	display pipeline.Display
	losses  *timeline.Losses
	told    [pipeline.Shards]map[*session.Conn]*counts
	all     []event
	first   int64 // time of the first packet
	last    int64 // of the latest
	timed   bool
	frame   uint64 // the latest
	shown   map[*session.Conn]bool
	words   []string
}

// counts are the retries that events tell of, by the side that sent them.
type counts [2]struct{ retries, unneeded uint64 }

// New makes a Printer of the frames that are chosen.
func New(d pipeline.Display) *Printer {
	p := &Printer{display: d, losses: timeline.NewLosses(mostPlaced, nil), shown: map[*session.Conn]bool{}}
	for i := range p.told {
		p.told[i] = map[*session.Conn]*counts{}
	}
	return p
}

// Configure sets what the tracker must provide.
func (p *Printer) Configure(c *session.Config) {
	c.Trees, c.Links = true, true
	p.display.Configure(c)
	c.OnSettled(p.losses.Hear)
}

// Err is what stops the run: too many events.
func (p *Printer) Err() error {
	if len(p.all) > MaxEvents {
		return ErrTooMany
	}
	return nil
}

// A glimpse is what is known only while a frame is tracked: its number, what was counted since
// the frame before, and how much its peer has in flight.
type glimpse struct {
	Number, InFlight       uint64
	Retries, Unneeded      [2]uint64
	HasNumber, HasInFlight bool
}

// Prepare implements pipeline.Printer: the glimpse is kept as the slot's head.
func (p *Printer) Prepare(shard int, s *pipeline.Slot, fr *dissect.Frame) {
	p.display.Prepare(s, fr)
	s.Head = s.Head[:0]
	if s.Conn == nil || s.Conn.Dir == nil || fr.Kind != dissect.UDP {
		return
	}
	var g glimpse
	if f := s.Conn.Protocol.Numbered[fr.Type]; f != nil && fr.Tree != nil {
		if n := fr.Tree.Find(f); n != nil {
			g.Number, g.HasNumber = n.Val, true
		}
	}
	told := p.told[shard][s.Conn]
	if told == nil {
		told = new(counts)
		p.told[shard][s.Conn] = told
	}
	g.Retries, g.Unneeded = told.news(s.Conn)
	if f, ok := s.Conn.Dir[1-s.Conn.DirOf(fr.Datagram)].InFlight(); ok {
		g.InFlight, g.HasInFlight = uint64(f.Numbers), true
	}
	s.Head, _ = binary.Append(s.Head, binary.LittleEndian, &g) // its size is fixed
}

// news is what was counted since the call before.
func (c *counts) news(conn *session.Conn) (retries, unneeded [2]uint64) {
	for i := range c {
		d := &conn.Dir[i]
		retries[i], unneeded[i] = d.Retries-c[i].retries, d.UnneededRetries-c[i].unneeded
		c[i].retries, c[i].unneeded = d.Retries, d.UnneededRetries
	}
	return retries, unneeded
}

// Print implements pipeline.Printer.
func (p *Printer) Print(dst []byte, s *pipeline.Slot) []byte {
	d := &s.Datagram
	if d.HasTime {
		if !p.timed {
			p.first, p.timed = d.Time, true
		}
		p.last = d.Time
	}
	p.frame = d.Frame
	if p.display.Decide(s) && s.Conn != nil && s.IsUDP() && p.Err() == nil {
		p.shown[s.Conn] = true
		p.packet(s)
	}
	return dst
}

// add adds an event of the packet at hand.
func (p *Printer) add(s *pipeline.Slot, k kind, dir int, data []byte) {
	p.all = append(p.all, event{time: p.last, frame: s.Datagram.Frame, conn: int32(s.Frame.Connection), kind: k, dir: "ab"[dir], data: data})
}

// packet adds the events of a datagram.
func (p *Printer) packet(s *pipeline.Slot) {
	var g glimpse
	_, _ = binary.Decode(s.Head, binary.LittleEndian, &g) // what has none is zero
	fr, dir := &s.Frame, int(s.Conn.DirOf(&s.Datagram))
	o := object{}.text("type", fr.Type)
	if g.HasNumber {
		o = o.number("number", g.Number)
	}
	p.words = p.words[:0]
	for i, word := range dissect.WordNames {
		if fr.Words.Has(1 << i) {
			p.words = append(p.words, word)
		}
	}
	p.add(s, sent+kind(dir), dir, o.number("length", uint64(s.Datagram.Length)).texts("words", p.words).end())
	for side := range g.Retries {
		of := uint64(0)
		if side == dir {
			of = fr.RetryOf
		}
		for n := range g.Retries[side] {
			p.add(s, retransmitted, side, again(of, n < g.Unneeded[side]))
		}
	}
	if len(fr.Acks) == 0 {
		return
	}
	p.add(s, acked, dir, object{}.numbers("frames", fr.Acks).end())
	if fr.AckRTT > 0 {
		p.add(s, metrics, dir, measured(fr.AckRTT, &g))
	}
}
