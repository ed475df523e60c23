package session

import (
	"sort"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session/seq"
)

// moveWithin is how long after its last frame a side may come back from another address,
// in ns, to be taken for the same without continuing numbers.
const moveWithin = 60e9

// SeenFor is for how long after its end, in ns, what a capture shows elsewhere tells of how a
// connection ended: connections that begin behind it, and that nothing came any more. So that is
// certain while the capture goes on, and the same however long it is.
const SeenFor = 600e9

// moveGiveUp is for how long a side was silent, in ns, when its peer closed the connection
// because of that, and not in order.
const moveGiveUp = 4e9

// fewStrange is how many datagrams a pair that was not recognised must have to be taken
// for the rest of a connection.
const fewStrange = 3

// moveReach is how far a side's numbers may go on while its address changes: some frames
// may have been lost, some of the old ones come late.
const moveReach = 64

// fewAnew is below which number, the first being 0 or 1, a side may as well have begun again
// behind frames that the capture lost.
const fewAnew = 8

// mostArrivals is how many connections, and pairs, are looked at that begin after the last
// frame of a side: behind one address there may be thousands.
const mostArrivals = 64

// A Move is a side of a connection that goes on from another address.
type Move struct {
	From   *Conn
	Side   dissect.Dir // of it, by the index of its direction
	Pair   *Story      // where it goes on, if that was not recognised
	To     *Conn       // else
	ToSide dissect.Dir // of To
	At     seq.Sign    // first frame from there, by the clock of From
	Last   seq.Sign    // last one from its old address
	Same   bool        // the id of the session is the same
	Sure   bool        // it is, or the numbers continue and can't have begun again
}

// NewAddress is from where the side goes on.
func (m *Move) NewAddress() string {
	if m.To == nil {
		return m.Pair.A
	}
	e := m.To.Endpoint(m.ToSide)
	return e.String()
}

// Answered reports whether the peer answers there.
func (m *Move) Answered() bool { return m.To != nil && m.To.Trail.Sides[m.ToSide.Other()].Last.N > 0 }

// A Trail is what tells whether a side of a connection goes on from another address. A
// connection has one from its close on if it may go on, or carry on another.
type Trail struct {
	Sides [2]SideTrail
	table *Table
	told  bool // judged as From
}

// A SideTrail is the last frame of a side and its numbers that were captured, unwrapped.
type SideTrail struct {
	Last      seq.Sign // N: all frames
	Low, High seq.Num
	Numbers   uint64
}

// trail is that of a connection which is not closed yet, nil when it can't be one of a move.
func (c *Conn) trail() *Trail {
	s := c.Rules.sight
	if c.Complete && (s.frames[0] == 0 || s.frames[1] == 0) {
		return nil
	}
	t := &Trail{table: c.flow.table}
	for dir := range dissect.Dirs {
		x, d := &t.Sides[dir], &c.Dir[dir]
		x.Last = seq.Sign{N: s.frames[dir], Frame: s.frame[dir], Time: s.last[dir]}
		x.Low, x.High = d.Window().Bounds()
		x.Numbers = d.Quality().Distinct()
	}
	if c.Complete && c.endedInOrder(0, t) && c.endedInOrder(1, t) {
		return nil
	}
	return t
}

// endedInOrder reports whether a closing frame ended what a side sends: its own, or one of
// its peer, unless that gave up because the side was silent.
func (c *Conn) endedInOrder(x dissect.Dir, t *Trail) bool {
	y := c.FirstClose()
	return y == x || y >= 0 && c.Closing[y].Time-t.Sides[x].Last.Time < moveGiveUp
}

// Endpoint is the address of a side, by the index of its direction.
func (c *Conn) Endpoint(dir dissect.Dir) dissect.Endpoint {
	if dir == 0 {
		return c.A
	}
	return c.B
}

// A heading is who speaks to whom: a machine, whatever its port, and an address.
type heading struct {
	from [16]byte
	to   dissect.Endpoint
}

// arrivals are the connections whose start the capture does not hold and the pairs that
// were not recognised, by who speaks to whom, in the order of their first frames.
type arrivals struct {
	conns    map[heading][]*Conn
	pairs    map[heading][]*Story
	sessions map[uint32][]*Conn // by session id
}

// Moves finds the sides of connections that go on from another address: in a connection
// with the same peer whose start the capture does not hold, or most likely in a pair that
// was not recognised. All are in the order of their first frames; those without a
// Trail are left out.
func Moves(conns []*Conn, pairs []*Story) map[*Conn]*Move {
	a := arriving(conns, pairs)
	if len(a.conns)+len(a.pairs) == 0 {
		return nil
	}
	all := map[*Conn]*Move{}
	for _, c := range conns {
		if m := a.moveOf(c); m != nil {
			all[c] = m
		}
	}
	return all
}

func arriving(conns []*Conn, pairs []*Story) *arrivals {
	a := &arrivals{map[heading][]*Conn{}, map[heading][]*Story{}, map[uint32][]*Conn{}}
	for _, c := range conns {
		if c.Complete || c.Trail == nil {
			continue
		}
		for x := range dissect.Dirs {
			h := heading{c.Endpoint(x).IP, c.Endpoint(x.Other())}
			a.conns[h] = append(a.conns[h], c)
		}
		if c.HasSessionID {
			a.sessions[c.SessionID] = append(a.sessions[c.SessionID], c)
		}
	}
	for _, p := range pairs {
		if p.Protocol == "" && p.Sides[0] > 0 {
			h := heading{p.Src.IP, p.Dst}
			a.pairs[h] = append(a.pairs[h], p)
		}
	}
	return a
}

// moveOf finds out whether a side of a connection goes on from another address.
func (a *arrivals) moveOf(c *Conn) *Move {
	m := mover{c}
	if !m.mayMove() {
		return nil
	}
	for x := range dissect.Dirs {
		if c.endedInOrder(x, c.Trail) {
			continue
		}
		h := heading{c.Endpoint(x).IP, c.Endpoint(x.Other())}
		if to := m.goesOnIn(x, a.conns[h]); to != nil {
			return to
		}
		if c.HasSessionID {
			if to := m.goesOnIn(x, a.sessions[c.SessionID]); to != nil {
				return to
			}
		}
		for _, p := range after(a.pairs[h], c.Trail.Sides[x].Last.Frame, func(p *Story) uint64 { return p.First }) {
			if to := m.appearsIn(x, p); to != nil {
				return to
			}
		}
	}
	return nil
}

// A mover is a connection as one whose sides may go on from another address.
type mover struct{ *Conn }

// mayMove reports whether both sides of a connection were captured.
func (c mover) mayMove() bool {
	t := c.Trail
	return t != nil && t.Sides[0].Last.N > 0 && t.Sides[1].Last.N > 0
}

// isToBeJudged reports whether both sides were captured, and one was not ended in order.
func (c mover) isToBeJudged() bool {
	return c.mayMove() && !(c.endedInOrder(0, c.Trail) && c.endedInOrder(1, c.Trail))
}

// after are the first of those, in the order of their first frames, that begin behind a
// frame.
func after[T any](list []T, frame uint64, first func(T) uint64) []T {
	i := sort.Search(len(list), func(i int) bool { return first(list[i]) > frame })
	return list[i:min(len(list), i+mostArrivals)]
}

// goesOnIn is goesOn in one of some connections.
func (c mover) goesOnIn(x dissect.Dir, among []*Conn) *Move {
	for _, n := range after(among, c.Trail.Sides[x].Last.Frame, func(n *Conn) uint64 { return n.FirstFrame }) {
		if m := c.goesOn(x, n); m != nil {
			return m
		}
	}
	return nil
}

// goesOn reports whether a side goes on in another connection with the same peer.
func (c mover) goesOn(x dissect.Dir, n *Conn) *Move {
	if n == c.Conn || n.Protocol != c.Protocol || n.HasSessionID && c.HasSessionID && n.SessionID != c.SessionID {
		return nil
	}
	if n.FirstTime-c.LastTime > SeenFor {
		return nil
	}
	y := dissect.Dir(0)
	if n.A == c.Endpoint(x.Other()) {
		y = 1
	}
	old, fresh := &c.Trail.Sides[x], &n.Trail.Sides[y]
	if n.Endpoint(y.Other()) != c.Endpoint(x.Other()) || n.Endpoint(y) == c.Endpoint(x) || fresh.Numbers == 0 || old.Numbers == 0 {
		return nil
	}
	m := &Move{From: c.Conn, Side: x, To: n, ToSide: y, At: seq.SignAt(n.FirstFrame, n.FirstTime), Last: old.Last, Same: n.HasSessionID && c.HasSessionID}
	if step := fresh.Low - old.High; !m.Same && (step > moveReach || step < -moveReach) {
		return nil
	}
	m.Sure = m.Same || fresh.Low >= fewAnew
	return m
}

// appearsIn reports whether a side most likely goes on from another port of the same
// machine, in a pair that was not recognised.
func (c mover) appearsIn(x dissect.Dir, p *Story) *Move {
	last := c.Trail.Sides[x].Last
	at := p.Since - (c.LastStamp - c.LastTime)
	if guess, _ := p.Guess(); guess != c.Protocol.Name || p.Opens(c.Protocol.Name) || p.Sides[1] > 0 || p.Sides[0] < fewStrange || p.Src == c.Endpoint(x) {
		return nil
	}
	if at <= last.Time || at-last.Time > moveWithin {
		return nil
	}
	return &Move{From: c.Conn, Side: x, Pair: p, At: seq.SignAt(p.First, at), Last: last}
}
