package compare

import "github.com/dpdissect/dpdissect/dissect"

// A Passage is a datagram of a connection with what became of it, as its record has it, for who
// draws it.
type Passage struct {
	Fate      Fate
	From      dissect.Dir // the side that sent it
	First     int         // the point that its direction passes first, -1 where it is not known
	Time      int64       // on the axis, ns since 1970: at the first of the points that have it; 0 for none
	Frames    [2]uint64   // at each point, 0 where it has none
	Parts     [2]uint8    // among the datagrams that its packet was taken apart into
	Times     [2]int64    // as captured, ns since 1970, 0 for none
	Copies    [2][]uint32 // further frames of it
	HasDelay  bool        // it was delivered, and the clocks are known
	OneWay    int64       // how long it was on its way, ns …
	HasOneWay bool        // … unless only one direction bounds the offset of the clocks
	Queue     int64       // how much longer than the fastest of its direction, ns
	Altered   bool
	Reordered bool
	Length    int // bytes of UDP payload
}

// Passages calls f with the datagrams of a connection that are shown, in the order of the axis.
func (r *Comparison) Passages(id int, f func(x *Passage)) {
	least := r.leastDelays()
	r.inOrder(func(x *passage) {
		if x.conn == nil || x.conn.id != id || !r.shows(x) {
			return
		}
		p := Passage{Fate: x.fate, From: x.conn.side(x.dir), First: x.way.first, Time: x.time}
		for at, i := range x.at {
			if i == none {
				continue
			}
			d := &r.p.c[at].list[i]
			p.Frames[at], p.Parts[at], p.Length, p.Copies[at] = uint64(d.frame), d.part, int(d.length), r.p.copies[at][i]
			if d.bits&timed != 0 {
				p.Times[at] = d.time
			}
			p.Altered, p.Reordered = p.Altered || d.bits&altered != 0, p.Reordered || d.bits&reordered != 0
		}
		if p.HasDelay = x.timed; x.timed {
			p.OneWay, p.HasOneWay, p.Queue = x.delay, x.truly, x.delay-least[r.stretch(x)]
		}
		f(&p)
	})
}
