package tracegen

import (
	"time"

	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/note"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/sim"
)

// copyHorizon is how long equal bytes without identification count as copies.
const copyHorizon = 30 * time.Millisecond

// A watch is what the truthWatch holds on one direction.
type watch struct {
	Direction
	conn           *note.Conn
	have           bool
	first, lowest  int64
	highest        int64
	distinct       int
	units          map[int64]*unit
	pending        []*unit // captured, not acknowledged since
	carriers       map[int64][]carrier
	ackedBelow     int64 // by the other side's captured frames
	acked          map[int64]bool
	touched, whole int
	messages       []seen
	base           int64 // first number of the space messages are counted in
	based          bool
	proven         bool // the dialect
	shown, proof   uint8
	waiting        []awaiting
	settle         func(frame, by int)
}

// A unit is a number and what the capture has of it.
type unit struct {
	num      int64
	at       time.Duration // first captured
	last     time.Duration // latest
	frame    int           // first
	bytes    string        // latest, where bytes decide what is a copy
	id       uint16        // IPv4 identification of the first captured
	captures int           // those left out that it proves to be copies
	rtt      time.Duration
	acked    bool // after at
	givenUp  bool
}

// A carrier is a captured datagram that carried a unit of another space.
type carrier struct {
	num   int64
	frame int
}

// An awaiting is a captured frame that was not acknowledged since.
type awaiting struct {
	num   int64
	frame int
}

// A seen is a message of which the capture has something.
type seen struct {
	*note.Message
	frame int
	whole bool // of a message without number: this datagram is it
}

// A sight is one captured datagram of an endpoint.
type sight struct {
	d       *sim.Datagram
	note    *note.Note
	copies  int
	now     time.Duration
	compact bool

	words   []string
	retryOf int
}

func newWatch(c *note.Conn, side int) *watch {
	return &watch{conn: c, proof: c.Proof[side], units: map[int64]*unit{}, carriers: map[int64][]carrier{}, acked: map[int64]bool{}, ackedBelow: -1}
}

// captured counts a captured frame of the endpoint, copies included.
func (w *watch) captured(s *sight) {
	n := s.note
	w.count(n)
	dup := w.isCopy(s)
	if dup {
		w.Duplicates++
		if n.Number >= 0 {
			w.Numbered++
		}
		s.say("duplicate")
		w.refer(s)
	} else {
		w.retries(s)
	}
	if n.Number >= 0 {
		w.number(s, dup)
	}
	w.showBase(n)
	w.parts(s, dup)
	for _, up := range n.GivenUp {
		if u := w.units[up]; u != nil {
			u.givenUp = true
		}
	}
}

// count counts what copies count for too.
func (w *watch) count(n *note.Note) {
	if n.Ack {
		w.Acks++
	}
	if n.Data {
		w.DataFrames++
	}
	w.KeepAlives += n.KeepAlives
	w.shown |= n.Shows
	w.proven = w.proven || n.Proves || w.proof != 0 && w.shown&w.proof == w.proof
}

// forge counts a frame in the side's name that is not the side's.
func (w *watch) forge(n *note.Note) {
	if w.Forged == nil {
		w.Forged, w.ForgedTypes = map[string]int{}, map[string]int{}
	}
	w.Forged[n.Forged]++
	kind := n.Type
	if n.KeepAlives > 0 {
		kind = "KEEPALIVE"
	}
	w.ForgedTypes[kind]++
}

// isCopy decides, as far as a reader can, whether a frame is a copy made by the
// network: what the protocol says decides; else identification; else, for what
// has a number, equal bytes within the horizon.
func (w *watch) isCopy(s *sight) bool {
	switch n := s.note; {
	case n.Exact && !(n.Alike && s.d.FreshIDs):
		return s.copies > 0
	case s.d.ID != 0:
		return s.copies > 0 && !s.d.FreshIDs
	case n.Number < 0:
		return false
	}
	u := w.units[s.note.Number]
	return u != nil && u.bytes == string(s.d.Payload) && s.now-u.last <= copyHorizon
}

// number enters a frame's number.
func (w *watch) number(s *sight, dup bool) {
	n := s.note
	u := w.units[n.Number]
	if u == nil {
		u = &unit{num: n.Number, at: s.now, frame: s.d.LastFrame, id: s.d.ID}
		w.units[n.Number] = u
		w.pending = append(w.pending, u)
		w.distinct++
		w.place(s)
	}
	if !dup || s.d.ID == 0 || s.d.ID != u.id {
		u.captures++
	}
	u.last = s.now
	if !n.Exact && s.d.ID == 0 {
		u.bytes = string(s.d.Payload)
	}
	if !s.compact {
		w.waiting = append(w.waiting, awaiting{n.Number, s.d.LastFrame})
	}
}

// place counts a new number's place among the others.
func (w *watch) place(s *sight) {
	num := s.note.Number
	if !w.have {
		w.have, w.first, w.lowest, w.highest = true, num, num, num
		return
	}
	switch {
	case num > w.highest+1:
		w.Gaps++
		s.say("gap")
	case num < w.highest:
		s.say("gap-filled")
		if !s.note.Ack && !(s.note.Marked && s.note.Retry) {
			w.OutOfOrder++
			s.say("out-of-order")
		}
	}
	w.highest, w.lowest = max(w.highest, num), min(w.lowest, num)
}

// showBase notes the first number of the space messages are counted in.
func (w *watch) showBase(n *note.Note) {
	if w.based {
		return
	}
	base := int64(-1)
	switch w.conn.Base {
	case note.ByNumber:
		base = n.Number
	case note.ByUnit:
		if len(n.Units) > 0 {
			base = n.Units[0]
		}
	case note.ByMessage:
		if len(n.Parts) > 0 {
			base = n.Parts[0].Message.Number
		}
	}
	w.base, w.based = base, base >= 0
}

// parts enters the messages a frame carries. Where neither frame nor message has
// a number, every frame that is no copy is a message.
func (w *watch) parts(s *sight, dup bool) {
	for _, p := range s.note.Parts {
		m := p.Message
		if s.note.Number < 0 && m.Number < 0 {
			if !dup {
				w.touched++
				w.complete(m)
				w.keep(s, seen{m, s.d.LastFrame, true})
			}
			continue
		}
		if m.Seen == nil {
			m.Seen = make([]bool, m.Parts)
			w.touched++
			w.keep(s, seen{m, s.d.LastFrame, false})
		}
		if m.Seen[p.Index] {
			continue
		}
		m.Seen[p.Index] = true
		if m.NSeen++; m.NSeen == m.Parts {
			w.complete(m)
			m.Done = s.d.LastFrame
		}
	}
}

func (w *watch) complete(m *note.Message) {
	w.whole++
	w.MessageBytes += len(m.Data)
}

func (w *watch) keep(s *sight, m seen) {
	if !s.compact {
		w.messages = append(w.messages, m)
	}
}

// prune forgets what no frame can touch any more.
func (w *watch) prune() {
	const far = 2048
	if len(w.units) < 2*far {
		return
	}
	for num := range w.units {
		if num < w.highest-far {
			delete(w.units, num)
		}
	}
	for num := range w.acked {
		if num < w.ackedBelow || num < w.highest-far {
			delete(w.acked, num)
		}
	}
}
