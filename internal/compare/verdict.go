package compare

import (
	"github.com/dpdissect/dpdissect/internal/explain"
)

// certainties order verdicts.
var certainties = map[explain.Certainty]int{explain.Proved: 2, explain.Likely: 1}

// judge says how a connection ended, by both captures.
func (r *Comparison) judge(x *Connection, s *sum) {
	v := &x.Verdict
	*v = Verdict{Cause: explain.Undecided, Certainty: explain.Unsettled, Frames1: []uint64{}, Frames2: []uint64{}, Alone: make([]*Alone, 2)}
	best := -1
	for at := range r.p.c {
		c := r.explained(s.conn, at)
		if c == nil {
			continue
		}
		e := &c.Verdict
		v.Alone[at] = &Alone{e.Cause, r.sideOf(x, at, c, e.Side), e.Certainty}
		if n := certainties[e.Certainty]; n > best {
			best = n
			*v = Verdict{Cause: e.Cause, Side: v.Alone[at].Side, Certainty: e.Certainty, Time: e.Time, Sentence: e.Sentence, WouldRefute: e.WouldRefute,
				Candidates: e.Candidates, Reason: e.Reason, Frames1: []uint64{}, Frames2: []uint64{}, Alone: v.Alone}
			if at == Point1 {
				v.Frames1 = e.Frames
			} else {
				v.Frames2 = e.Frames
			}
			end := explain.Connection{ID: c.ID, Verdict: c.Verdict}
			x.told.headline, x.told.moment, x.told.grave = end.Brief(), e.Time, e.Grave()
		}
	}
}

// explained is what one capture says of a connection, nil where it has nothing of it.
func (r *Comparison) explained(k *conn, at int) *explain.Connection {
	c := r.p.main(k, at)
	if c == nil {
		return nil
	}
	e, ok := r.p.c[at].Story.Of(c)
	if !ok {
		return nil
	}
	return &e
}

// sideOf is a side of one analysis in the connection.
func (r *Comparison) sideOf(x *Connection, at int, c *explain.Connection, side string) string {
	if (side == "a" || side == "b") && x.At[at] != nil && x.At[at].A != c.A {
		return map[string]string{"a": "b", "b": "a"}[side]
	}
	return side
}
