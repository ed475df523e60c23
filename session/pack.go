package session

import (
	"iter"
	"slices"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session/seq"
)

// A connection that is closed, and that no frame will come of any more, is packed where
// Config.Pack asks for it: Dir and Ending are nil then, until Unpack makes them again. Of a
// hundred thousand connections those alone take room that somebody looks at.

// LetGo tells that a connection which was finished is not looked at any more, unless a frame
// is counted in it.
func (f *Flow) LetGo(c *Conn) {
	if i := slices.Index(f.closed, c); i >= 0 {
		f.closed = slices.Delete(f.closed, i, i+1)
		f.table.pack(c)
	}
}

// packClosed packs all connections of a pair that nothing follows any more.
func (f *Flow) packClosed() {
	for _, c := range f.closed {
		f.table.pack(c)
	}
	f.closed = nil
}

func (t *Table) pack(c *Conn) {
	if r, ok := t.cfg.Sink.(Recounter); ok {
		r.Rest(c)
	}
	p := &t.packer
	p.Reset()
	p.PackSides(c.Dir)
	if c.Ending != nil {
		packEnding(p, c.Ending)
	}
	c.packed, c.hasEnding = p.Packed(), c.Ending != nil
	t.spareSides.Put(c.Dir)
	if c.Ending != nil {
		t.spareEnding(c.Ending)
	}
	c.Dir, c.Ending = nil, nil
}

// spareEnding keeps the memory of an ending that was packed for the next one.
func (t *Table) spareEnding(e *Ending) {
	for i := range e.Sides {
		if x := e.Sides[i].Trouble; x != noTrouble {
			t.spareTroubles.Put(x)
		}
	}
	t.spareEndings.Put(e)
}

// reopen unpacks a connection that a frame came of.
func (c *Conn) reopen() {
	c.Unpack()
	c.Keep()
}

// Unpack makes Dir and Ending of a connection that is packed.
func (c *Conn) Unpack() {
	if c.Dir == nil {
		c.unpack(new(unpacked))
	}
}

// unpacked is the memory of what Unpack makes.
type unpacked struct {
	dirs     [2]seq.Direction
	ending   Ending
	troubles *[2]Trouble // nil where each is made when there is any
}

func (c *Conn) unpack(x *unpacked) {
	p := seq.Unpack(c.packed)
	c.Dir = &x.dirs
	p.PackSides(c.Dir)
	if !c.hasEnding {
		return
	}
	c.Ending = &x.ending
	if x.troubles != nil {
		*x.troubles = [2]Trouble{}
		c.Ending.Sides[0].Trouble, c.Ending.Sides[1].Trouble = &x.troubles[0], &x.troubles[1]
	}
	packEnding(p, c.Ending)
}

// HasEnding reports whether it is known how the connection came to its end, see Ending.
func (c *Conn) HasEnding() bool { return c.Ending != nil || c.hasEnding }

// Rest lets go of what Unpack made. What was changed of it since is lost.
func (c *Conn) Rest() {
	if c.packed != "" {
		c.Dir, c.Ending = nil, nil
	}
}

// An Opener unpacks connections, in memory that it uses again for those after Close.
type Opener struct {
	open  []*Conn
	in    []*unpacked // those that are open
	spare []*unpacked
}

// Open unpacks a connection, unless it is.
func (o *Opener) Open(c *Conn) {
	if c.Dir != nil {
		return
	}
	if len(o.spare) == 0 {
		o.spare = append(o.spare, &unpacked{troubles: new([2]Trouble)})
	}
	last := len(o.spare) - 1
	x := o.spare[last]
	o.spare, *x = o.spare[:last], unpacked{troubles: x.troubles}
	c.unpack(x)
	o.open, o.in = append(o.open, c), append(o.in, x)
}

// Close lets go of what Open unpacked and nobody keeps (Conn.Keep).
func (o *Opener) Close() {
	for i, c := range o.open {
		if c.packed != "" {
			c.Rest()
			o.spare = append(o.spare, o.in[i])
		}
	}
	o.open, o.in = o.open[:0], o.in[:0]
}

// Unpacked gives connections one after the other, each unpacked until the next one comes.
func Unpacked(conns []*Conn) iter.Seq[*Conn] {
	return func(yield func(*Conn) bool) {
		var o Opener
		for _, c := range conns {
			o.Open(c)
			goOn := yield(c)
			if o.Close(); !goOn {
				return
			}
		}
	}
}

// Keep makes what Unpack made stay as it is now, also when it was changed.
func (c *Conn) Keep() { c.packed = "" }

func packEnding(p *seq.Packer, e *Ending) {
	for i := range e.Faults {
		packFault(p, &e.Faults[i])
	}
	sender := int64(e.Idle.Sender)
	p.Ints(&e.Shift, &e.Idle.Span, &sender)
	e.Idle.Sender = dissect.Dir(sender)
	p.Uints(&e.Idle.Frames[0], &e.Idle.Frames[1])
	p.Signs(&e.Sides[0].Last, &e.Sides[1].Last, &e.Sides[0].Data, &e.Sides[1].Data, &e.Sides[0].Waiting, &e.Sides[1].Waiting, &e.Idle.End, &e.Dropped)
	for i := range e.Sides {
		packSide(p, &e.Sides[i])
	}
}

func packFault(p *seq.Packer, f **Fault) {
	some := *f != nil
	if p.Bools(&some); !some {
		return
	}
	if *f == nil {
		*f = new(Fault)
	}
	x := *f
	p.Text(&x.Rule)
	p.Text(&x.Message)
	p.Uints(&x.Frame)
	p.Times(&x.Time)
}

func packSide(p *seq.Packer, s *SideEnding) {
	largest := uint64(s.LargestAcked)
	p.Uints(&s.Alone, &s.Numbers, &s.Uncaptured, &largest)
	s.LargestAcked = uint16(largest)
	p.Ints(&s.Trips.Least, &s.Trips.Slow)
	p.Times(&s.LatestAcked)
	p.Runs(&s.Unheard)
	troubled := s.Trouble != nil && s.Trouble != noTrouble
	p.Bools(&s.Trips.Known, &s.CutOff, &s.HearsNone, &troubled)
	if !troubled {
		s.Trouble = noTrouble
		return
	}
	if s.Trouble == nil {
		s.Trouble = new(Trouble)
	}
	packTrouble(p, s.Trouble)
}

func packTrouble(p *seq.Packer, t *Trouble) {
	g := &t.Signs
	p.Signs(&g.AsRetry, &g.Changed, &g.Copies, &g.Holes, &g.Late, &g.SlowAt, &g.Uncaptured, &g.Unneeded, &t.Stall.First, &t.ClockLead)
	p.Stuck(&t.Unanswered, &g.Stuck)
	p.Ints(&g.LateBy, (*int64)(&g.LongestHole), &t.Stall.Longest, &t.LeadBy)
	p.Uints(&g.PassedOver, &g.Soon)
	p.Times(&t.Stall.Since)
	p.Runs(&t.Healed, &t.Deaf)
	p.Bools(&t.BlackHole)
	p.Losses(&t.Losses)
	p.Swell(&t.Swell)
	p.Spells(&t.Spells)
}
