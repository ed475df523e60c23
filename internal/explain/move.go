package explain

import (
	"sort"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/seq"
)

// rebindWithin is how long after its last frame a side may come back from another address,
// in ns, to be taken for the same without continuing numbers.
const rebindWithin = 60e9

// fewStrange is how many datagrams a pair that was not recognised must have to be taken
// for the rest of a connection.
const fewStrange = 3

// reach is how far a side's numbers may go on while its address changes: some frames may
// have been lost, some of the old ones come late.
const reach = 64

// mostArrivals is how many connections, and pairs, are looked at that begin after the last
// frame of a side: behind one address there may be thousands.
const mostArrivals = 64

// A heading is who speaks to whom: a machine, whatever its port, and an address.
type heading struct {
	from [16]byte
	to   dissect.Endpoint
}

// arrivals are the connections and the pairs that were not recognised whose start the
// capture does not hold, by who speaks to whom.
type arrivals struct {
	conns    map[heading][]*subject
	pairs    map[heading][]*session.Story
	sessions map[uint32][]*subject // by session id
}

// arriving sorts what may carry on a connection from another address.
func arriving(subjects []*subject, pairs []*session.Story) *arrivals {
	a := &arrivals{map[heading][]*subject{}, map[heading][]*session.Story{}, map[uint32][]*subject{}}
	for _, s := range subjects {
		if s.Complete {
			continue
		}
		for x := range sides {
			h := heading{s.endpoint(x).IP, s.endpoint(1 - x)}
			a.conns[h] = append(a.conns[h], s)
		}
		if s.HasSessionID {
			a.sessions[s.SessionID] = append(a.sessions[s.SessionID], s)
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

// move finds out whether a side of a connection without an end goes on from another
// address.
func (s *subject) move(a *arrivals) *move {
	if !s.speaks(1) || (s.State >= session.Closed || s.firstClose() >= 0) && s.gaveUp() < 0 {
		return nil
	}
	for x := range sides {
		h := heading{s.endpoint(x).IP, s.endpoint(1 - x)}
		if m := s.goesOnIn(x, a.conns[h]); m != nil {
			return m
		}
		if s.HasSessionID {
			if m := s.goesOnIn(x, a.sessions[s.SessionID]); m != nil {
				return m
			}
		}
		pairs := after(a.pairs[h], s.side(x).Last.Frame, func(p *session.Story) uint64 { return p.First })
		for _, p := range pairs {
			if m := s.appearsIn(x, p); m != nil {
				return m
			}
		}
	}
	return nil
}

// after are the first of those, in the order of their first frames, that begin behind a
// frame.
func after[T any](list []T, frame uint64, first func(T) uint64) []T {
	i := sort.Search(len(list), func(i int) bool { return first(list[i]) > frame })
	return list[i:min(len(list), i+mostArrivals)]
}

// goesOnIn is goesOn in one of some connections.
func (s *subject) goesOnIn(x int, among []*subject) *move {
	for _, n := range after(among, s.side(x).Last.Frame, func(n *subject) uint64 { return n.FirstFrame }) {
		if m := s.goesOn(x, n); m != nil {
			return m
		}
	}
	return nil
}

// goesOn reports whether a side goes on in another connection with the same peer.
func (s *subject) goesOn(x int, n *subject) *move {
	if n == s || n.Protocol != s.Protocol {
		return nil
	}
	y := 0
	if n.endpoint(0) == s.endpoint(1-x) {
		y = 1
	}
	old, fresh := s.side(x), n.side(y)
	if n.endpoint(1-y) != s.endpoint(1-x) || n.endpoint(y) == s.endpoint(x) || fresh.Numbers == 0 || old.Numbers == 0 {
		return nil
	}
	if step := fresh.Low - old.High; step > reach || step < -reach {
		return nil
	}
	return &move{side: x, to: n.address(y), at: seq.SignAt(n.FirstFrame, n.FirstTime), there: n, proved: true, answer: n.side(1-y).Last.N > 0}
}

// appearsIn reports whether a side most likely goes on from another port of the same
// machine, in a pair that was not recognised.
func (s *subject) appearsIn(x int, p *session.Story) *move {
	at, last := p.Since-s.end.Shift, s.side(x).Last.Time
	if guess, _ := p.Guess(); guess != s.Protocol.Name || p.Opens(s.Protocol.Name) || p.Sides[1] > 0 || p.Sides[0] < fewStrange || p.Src == s.endpoint(x) {
		return nil
	}
	if at <= last || at-last > rebindWithin {
		return nil
	}
	return &move{side: x, to: p.A, at: seq.SignAt(p.First, at)}
}
