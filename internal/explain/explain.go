package explain

import (
	"cmp"
	"slices"
	"time"

	"github.com/dpdissect/dpdissect/session"
)

// Of says what happened to connections, in their order, and to the address pairs of a
// capture that were not recognised. The connections must be closed under Config.Endings,
// or be open still. heard is until when the capture listened, in ns since 1970.
func Of(conns []*session.Conn, pairs []*session.Story, heard int64) *Document {
	d := &Document{Connections: []Connection{}, Unrecognised: []Unrecognised{}}
	subjects := make([]*subject, 0, len(conns))
	for _, c := range conns {
		if end := c.EndingNow(); end != nil {
			subjects = append(subjects, &subject{Conn: c, end: end, heard: max(heard-end.Shift, end.Heard)})
		}
	}
	linkNext(subjects)
	a := arriving(subjects, pairs)
	for _, s := range subjects {
		s.moved = s.move(a)
	}
	for _, s := range subjects {
		d.Connections = append(d.Connections, s.explain())
	}
	linkMoves(d, subjects)
	for _, p := range pairs {
		if u, ok := unrecognised(p); ok {
			d.Unrecognised = append(d.Unrecognised, u)
		}
	}
	return d
}

// explain is the record of one connection.
func (s *subject) explain() Connection {
	c := Connection{ID: s.ID, Protocol: s.Protocol.Name, A: s.A.String(), B: s.B.String(), State: s.State.String(), ClosedBy: s.ClosedBy.String(),
		Verdict: s.verdict(), Contributing: s.contributions(), CapturePoint: s.point()}
	if s.HasTime {
		c.FirstTime, c.LastTime = stamp(s.FirstStamp), stamp(s.LastStamp)
	}
	if c.Verdict.Cause == PeerRestarted {
		c.ContinuedBy = &s.Next.ID
	}
	return c
}

// linkNext tells connections which one stood on their address pair before.
func linkNext(subjects []*subject) {
	of := make(map[*session.Conn]*subject, len(subjects))
	for _, s := range subjects {
		of[s.Conn] = s
	}
	for _, s := range subjects {
		if n := of[s.Next]; n != nil && s.Next != nil {
			n.prev = s
		}
	}
}

// linkMoves tells connections that one carries the other on.
func linkMoves(d *Document, subjects []*subject) {
	byID := map[int]int{}
	for i, s := range subjects {
		byID[s.ID] = i
	}
	for i, s := range subjects {
		if s.moved != nil && s.moved.id >= 0 && d.Connections[i].Verdict.Cause == NATRebinding {
			d.Connections[i].ContinuedBy = &s.moved.id
		}
		if to := d.Connections[i].ContinuedBy; to != nil {
			if k, ok := byID[*to]; ok {
				d.Connections[k].Continues = &s.Conn.ID
			}
		}
	}
}

// contributions are what made the connection slow or endangered it, the heaviest first.
func (s *subject) contributions() []Contribution {
	out := []Contribution{}
	for _, look := range contributors {
		out = append(out, look(s)...)
	}
	slices.SortStableFunc(out, func(x, y Contribution) int { return cmp.Compare(y.weight, x.weight) })
	return out
}

func stamp(ns int64) string { return time.Unix(0, ns).UTC().Format(time.RFC3339Nano) }
