package track

import (
	"hash"
	"slices"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/seq"
)

// A piece is what one data frame contributes to the application's messages.
type piece struct {
	num        seq.Num
	frame      uint64
	time       int64
	hasTime    bool
	empty      bool // nothing to deliver: KeepAlive, empty END_STREAM, number given up
	first      bool // NEW_MSG
	last       bool // END_MSG
	reliable   bool
	sequential bool
	cut        bool // the capture holds less than the frame had
	size       int
	data       []byte
	parts      []dp8.Part // of a coalesced frame; nil otherwise
}

func (p *piece) single() bool { return p.first && p.last || p.parts != nil }

// ordered reports whether the frame waits for those before it: the payloads of one frame keep
// their order, so that all wait for one (MC-DPL8R 3.1.5.2.5).
func (p *piece) ordered() bool {
	if p.parts != nil {
		return anySequential(p.parts)
	}
	return p.sequential
}

// An assembler puts the messages of one side together and delivers them: what
// is sequential in the order of its numbers, everything else when complete
// (MC-DPL8R 3.1.5.2.5, 3.1.5.2.6). It holds back at most a window of frames.
type assembler struct {
	conn     *conn
	dir      dissect.Dir
	started  bool
	after    bool    // the number before next was captured
	open     bool    // a message of several frames is being put together
	broken   bool    // … and lacks a part
	orphaned bool    // a part came when its turn had passed
	first    seq.Num // first number captured, or where numbers begin
	next     seq.Num // first number not consumed
	top      seq.Num // one above the highest stored
	ring     []slot  // power of two, number n at n&(len-1); nil while nothing waits

	lastOrphan seq.Num // valid with orphaned
	msg        session.Message
	sum        hash.Hash
	buf        []byte
}

type slot struct {
	state slotState
	piece *piece // what is stored, else nil
}

type slotState uint8

const (
	slotEmpty slotState = iota
	slotStored
	slotDone    // consumed out of order
	slotGivenUp // empty, and hardly ever filled
)

func (s *slot) filled() bool { return s.state == slotStored || s.state == slotDone }

// start tells where numbers begin when that is known.
func (a *assembler) start(next seq.Num) {
	if !a.started {
		a.started, a.first, a.next, a.top = true, next, next, next
	}
}

// add takes the first captured copy of a data frame. What the sender still has
// outstanding when a capture starts in the middle may come behind the first one.
func (a *assembler) add(p *piece) {
	if !a.started {
		a.start(p.num - dp8.WindowSize + 1)
		a.first = p.num
	}
	if p.num-a.next >= dp8.WindowSize {
		a.skipTo(p.num - dp8.WindowSize + 1) // the sender went on: all before was delivered or given up
	}
	switch {
	case p.num < a.next && p.empty:
	case p.num < a.next && p.single():
		a.deliverParts(p, everyPart)
	case p.num < a.next:
		a.orphan(p)
	case p.num == a.next:
		a.consume(p)
		a.advance()
		a.drain()
	default:
		a.wait(p)
	}
}

// addWhole counts a whole message without keeping anything of it. It reports
// false when the message is not the next one, or one before it is open.
func (a *assembler) addWhole(num seq.Num, size int) bool {
	if !a.started || num != a.next || a.top > a.next || a.open {
		return false
	}
	a.count(true, size)
	a.after = true
	a.next++
	a.top = a.next
	return true
}

// addLate takes the first sending of a coalesced frame whose reduced retry was
// captured before it: its unreliable parts are new (MC-DPL8R 3.1.6.5).
func (a *assembler) addLate(p *piece) {
	if p.parts != nil {
		a.deliverParts(p, unreliablePart)
	}
}

// wait keeps a frame that came before an earlier one. What need not wait for
// its turn is delivered at once.
func (a *assembler) wait(p *piece) {
	s := a.slot(p.num)
	if s.state == slotStored {
		return
	}
	if !p.empty && p.single() && !p.ordered() {
		a.deliverParts(p, everyPart)
		s.state = slotDone
		return
	}
	s.state, s.piece = slotStored, a.conn.pair.room.pieces.Take()
	*s.piece = *p
	s.piece.data, s.piece.parts = nil, nil
	switch {
	case p.empty:
	case p.parts != nil:
		s.piece.parts = a.keepParts(p.parts)
	default:
		s.piece.data = a.keep(p.data)
		if !p.sequential {
			a.tryRun(p.num)
		}
	}
}

func (a *assembler) keep(b []byte) []byte {
	if a.conn.wants.Messages == session.CountMessages {
		return nil
	}
	return append([]byte(nil), b...)
}

// keepParts copies the parts of a frame that waits.
func (a *assembler) keepParts(parts []dp8.Part) []dp8.Part {
	kept := slices.Clone(parts)
	for i := range kept {
		kept[i].Data = a.keep(kept[i].Data)
	}
	return kept
}

func anySequential(parts []dp8.Part) bool {
	return slices.ContainsFunc(parts, func(p dp8.Part) bool { return p.Sequential() })
}

// slot gives the place of a number at or above next.
func (a *assembler) slot(n seq.Num) *slot {
	for seq.Num(len(a.ring)) <= n-a.next {
		a.grow()
	}
	mask := seq.Num(len(a.ring) - 1)
	for a.top <= n {
		a.ring[a.top&mask] = slot{}
		a.top++
	}
	return &a.ring[n&mask]
}

// grow doubles the ring; it ends at a window, beyond which nothing waits.
func (a *assembler) grow() {
	ring := a.conn.pair.room.rings.take(max(16, 2*len(a.ring)))
	for n := a.next; n < a.top && len(a.ring) > 0; n++ {
		ring[n&seq.Num(len(ring)-1)] = a.ring[n&seq.Num(len(a.ring)-1)]
	}
	clear(a.ring) // it refers to what waits
	a.free()
	a.ring = ring
}

// free gives the ring back.
func (a *assembler) free() {
	if a.ring != nil {
		a.conn.pair.room.rings.put(a.ring)
		a.ring = nil
	}
}

func (a *assembler) advance() {
	a.next++
	a.top = max(a.top, a.next)
}

// drain consumes what is there in order, and gives the ring back where that is all.
func (a *assembler) drain() {
	for a.next < a.top {
		s := a.slot(a.next)
		switch s.state {
		case slotEmpty:
			return
		case slotGivenUp:
			if a.within() {
				return
			}
			a.lose()
		case slotStored:
			a.consume(s.piece)
			a.drop(s)
		}
		a.advance()
	}
	a.free()
}

// drop forgets what was stored.
func (a *assembler) drop(s *slot) {
	a.conn.pair.room.pieces.Put(s.piece)
	s.piece = nil
}

// giveUp notes that a number will not be sent again. It may still be on its way:
// within a message it is waited for.
func (a *assembler) giveUp(n seq.Num) {
	if !a.started || n < a.next || n >= a.next+dp8.WindowSize {
		return
	}
	if s := a.slot(n); s.state == slotEmpty {
		s.state = slotGivenUp
	}
	a.drain()
}

// passed notes that the peer acknowledged everything below n. What it names and
// was sent before the capture began will not come. What should have been
// captured is waited for: when only the capture missed it, a retry may bring it.
func (a *assembler) passed(n seq.Num) {
	if n = min(n, a.first); n > a.next {
		a.skipTo(n)
	}
}

// skipTo gives up everything below n that was not captured.
func (a *assembler) skipTo(n seq.Num) {
	if !a.started || n <= a.next {
		return
	}
	if n-a.next > 2*dp8.WindowSize {
		a.flushStored()
		a.lose()
		a.next, a.top = n, n
		return
	}
	for a.next < n {
		if a.next < a.top && a.slot(a.next).filled() {
			a.drain()
			continue
		}
		a.lose()
		a.advance()
	}
	a.drain()
}

// within reports whether the number at next may lie within a message of several
// frames of which a part was captured.
func (a *assembler) within() bool {
	for n := a.next + 1; !a.open && n < a.top; n++ {
		switch s := a.slot(n); s.state {
		case slotStored:
			return !s.piece.empty && !s.piece.first && !s.piece.single()
		case slotDone:
			return false
		}
	}
	return a.open
}

func (a *assembler) flushStored() {
	for a.next < a.top {
		if !a.slot(a.next).filled() {
			a.lose()
			a.advance()
		}
		a.drain()
	}
}

// close delivers what is still there and counts what stays incomplete.
func (a *assembler) close() {
	if a.started {
		a.flushStored()
	}
	a.finishOpen()
	a.free()
}
