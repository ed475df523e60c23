package tracegen

import (
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/note"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/sim"
)

// A connWatch is what the truthWatch holds on one connection. Frames are those of
// the capture, 0 for none.
type connWatch struct {
	conn        *note.Conn
	first, last int
	a           int // the side that sent the first captured frame
	opened      bool
	answered    [2]bool // the side was heard
	established [2]bool
	unreachable int
	ends        [2]int  // first graceful close, or answer to one
	wished      [2]bool // a graceful close that is no answer was captured
	hards       [2]int  // first abrupt close
	gaveUp      [2]int
	refused     int
	sides       [2]*watch
	extra       extension
}

// enter counts a captured datagram of the connection.
func (w *connWatch) enter(d *sim.Datagram, n *note.Note) *watch {
	if w.first == 0 {
		w.first, w.a = d.LastFrame, n.Side
	}
	w.last = d.LastFrame
	s := w.sides[n.Side]
	s.Frames++
	s.Bytes += len(d.Payload)
	return s
}

func (w *connWatch) unreached(frame int) {
	if w.unreachable == 0 {
		w.unreachable = frame
	}
}

// follow follows the connection as a whole.
func (w *connWatch) follow(n *note.Note, frame int) {
	w.opened = w.opened || n.Opens && !w.answered[n.Side] // a later one is a retry of one not captured
	w.answered[n.Side] = w.answered[n.Side] || n.Close != note.Refusal
	w.established[n.Side] = w.established[n.Side] || n.Establishes
	first := func(at *int) {
		if *at == 0 {
			*at = frame
		}
	}
	switch n.Close {
	case note.Graceful, note.Answer:
		first(&w.ends[n.Side])
		w.wished[n.Side] = w.wished[n.Side] || n.Close == note.Graceful
	case note.Abrupt:
		first(&w.hards[n.Side])
	case note.GivesUp:
		first(&w.gaveUp[n.Side])
	case note.Refusal:
		first(&w.refused)
	}
}

// letter names a side of the connection.
func (w *connWatch) letter(side int) string {
	if side == w.a {
		return "a"
	}
	return "b"
}

// state says how the connection ended, as the capture shows it.
func (w *connWatch) state(l *truthWatch) (state, by string) {
	ended := w.ends[0] > 0 && w.ends[1] > 0
	one := w.ends[0]+w.ends[1] > 0
	if !w.conn.Mutual {
		// Nobody hears a Disconnect sent to a host that has said it is gone.
		ended = one && (w.unreachable == 0 || min(firstOf(w.ends), w.unreachable) != w.unreachable)
	}
	switch {
	case w.refused > 0 && !w.isEstablished():
		return "refused", ""
	case ended:
		return "closed", w.closer(w.ends)
	case !one && w.hards[0]+w.hards[1] > 0:
		return "reset", w.closer(w.hards)
	case w.unreachable > 0 && !w.answered[1]:
		return "refused", ""
	case w.unreachable > 0:
		return "reset", ""
	case one:
		return "closing", w.closer(w.ends)
	case w.gaveUp[0]+w.gaveUp[1] > 0, w.silent(l):
		return "timed-out", ""
	case !w.opened:
		return "unknown", ""
	case w.isEstablished():
		return "established", ""
	}
	return "opening", ""
}

// isEstablished reports whether the capture shows that it was.
func (w *connWatch) isEstablished() bool {
	if w.conn.Mutual {
		return w.established[0] && w.established[1]
	}
	return w.established[0] || w.established[1]
}

// silent reports whether the capture shows that a side gave the other up: it goes
// on after that time, or has all transmissions of what was not acknowledged.
func (w *connWatch) silent(l *truthWatch) bool {
	for side, at := range w.conn.GaveUp {
		if stop := l.net.Tap.Stop; at == 0 || stop > 0 && at > stop {
			continue
		}
		if w.conn.Counted == note.Always {
			return true
		}
		s, on := w.sides[side], w.conn.On[side]
		if on > 0 && s.acknowledged(on-1) {
			continue
		}
		u := s.units[on-1]
		if at <= l.latest || u != nil && w.conn.Counted > 0 && u.captures >= w.conn.Counted {
			return true
		}
	}
	return false
}

// firstOf is the first of two frames, 0 when there is none.
func firstOf(frames [2]int) int {
	if frames[0] == 0 || frames[1] > 0 && frames[1] < frames[0] {
		return frames[1]
	}
	return frames[0]
}

// closer names the side whose closing frame was captured first, or both when
// neither was an answer.
func (w *connWatch) closer(frames [2]int) string {
	wished := frames == w.hards || w.wished == [2]bool{true, true}
	if w.conn.Wants[0] && w.conn.Wants[1] && frames[0] > 0 && frames[1] > 0 && wished {
		return "both"
	}
	if frames[0] == firstOf(frames) {
		return w.letter(0)
	}
	return w.letter(1)
}
