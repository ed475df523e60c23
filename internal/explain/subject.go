package explain

import (
	"slices"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/seq"
)

// A subject is a connection that is asked about, with what is known of the others.
type subject struct {
	*session.Conn
	end     *session.Ending
	prev    *subject            // that stood on its address pair before, nil when none did
	from    *session.Conn       // that goes on here from another address, nil when none does
	moved   *session.Move       // where one side goes on, nil when none does
	servers map[server]*clients // see byServer; nil in a run that goes on
	names   *namer              // of addresses, nil for none
	heard   int64               // up to when the capture listened, ns
}

// A ruling is what a predicate says: what it holds for, and how sure it is. The zero value
// says that it does not hold, or that nothing shows it.
type ruling struct {
	certainty Certainty
	side      string
	at        seq.Sign // when it happened
	since     int64    // when what may have led to it began, ns, 0 for nothing
	proof     []uint64
	sentence  string
	refute    string // what would refute it
	left      []Cause
	final     bool // it is the verdict though it is likely alone: no later cause can hold
}

// seenUntil is until when others tell of how the connection ended, ns (session.SeenFor).
func (s *subject) seenUntil() int64 { return s.LastTime + session.SeenFor }

// sides name the index of a direction.
var sides = [2]string{"a", "b"}

const path = "path"

// endpoint is the address of a side.
func (s *subject) endpoint(dir dissect.Dir) dissect.Endpoint {
	if dir == 0 {
		return s.A
	}
	return s.B
}

// side gives the ending of one.
func (s *subject) side(dir dissect.Dir) *session.SideEnding { return &s.end.Sides[dir] }

// quiet is how long nothing came of a side when the other one was last seen, ns.
func (s *subject) quiet(dir dissect.Dir) int64 {
	return s.side(dir.Other()).Last.Time - s.side(dir).Last.Time
}

// silent is the side that was last seen first.
func (s *subject) silent() dissect.Dir {
	if s.side(1).Last.Frame < s.side(0).Last.Frame {
		return 1
	}
	return 0
}

// trip bounds a round trip, ns: twice the least that is known, and some time for answers
// that wait for others.
func (s *subject) trip() int64 {
	least := max(s.side(0).Trips.Least, s.side(1).Trips.Least)
	if least == 0 {
		return 1e9
	}
	return max(2*least, 200e6)
}

// firstClose is the side whose closing frame came first, -1 when none was captured.
func (s *subject) firstClose() dissect.Dir { return s.FirstClose() }

// ended reports whether the tracker saw the end of the connection.
func (s *subject) ended() bool { return s.State >= session.Closed }

// speaks reports whether a side was captured at all.
func (s *subject) speaks(dir dissect.Dir) bool { return s.side(dir).Last.N > 0 }

// frames are those that prove something, in order, each once; 0 stands for none.
func frames(all ...uint64) []uint64 {
	out := make([]uint64, 0, len(all))
	for _, f := range all {
		if f != 0 {
			out = append(out, f)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
