package track

import (
	"crypto/sha256"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/seq"
)

// consume takes the frame whose turn it is.
func (a *assembler) consume(p *piece) {
	switch {
	case p.empty:
	case p.single():
		a.endOpen()
		a.deliverParts(p, everyPart)
	default:
		a.consumePart(p)
	}
	a.after = true
}

// lose passes over a number that was not captured.
func (a *assembler) lose() {
	a.broken = a.broken || a.open
	a.after = false
}

// endOpen ends a message because the next number starts another one: the frame
// before counts as its last (MC-DPL8R 3.1.5.2.6).
func (a *assembler) endOpen() {
	a.msg.Complete = true
	a.finishOpen()
}

// consumePart adds a part of a message of several frames.
func (a *assembler) consumePart(p *piece) {
	if p.first || !a.open {
		a.endOpen()
		// MC-DPL8R 3.1.5.2.6: behind a last frame, NEW_MSG is taken as set.
		a.open, a.broken = true, !p.first && !a.after
		a.begin(p)
	}
	a.extend(p)
	if p.last {
		a.finishOpen()
	}
}

func (a *assembler) begin(p *piece) {
	a.msg = session.Message{FirstFrame: p.frame, Number: p.num, Reliable: p.reliable, Ordered: p.sequential}
	a.buf = a.buf[:0]
	if a.sum == nil && a.conn.wants.Messages != session.CountMessages {
		a.sum = sha256.New()
	}
	if a.sum != nil {
		a.sum.Reset()
	}
}

func (a *assembler) extend(p *piece) {
	m := &a.msg
	m.Frames++
	m.Size += p.size
	m.FirstFrame = min(m.FirstFrame, p.frame)
	if p.frame >= m.LastFrame {
		m.LastFrame, m.Time, m.HasTime = p.frame, p.time, p.hasTime
	}
	m.Complete = p.last
	a.broken = a.broken || p.cut
	if a.sum != nil {
		a.sum.Write(p.data)
	}
	if a.conn.wants.Messages == session.CollectPayload {
		a.buf = append(a.buf, p.data...)
	}
}

// finishOpen delivers the message of several frames, whole or not.
func (a *assembler) finishOpen() {
	if !a.open {
		return
	}
	a.open = false
	m := &a.msg
	m.Complete = m.Complete && !a.broken
	if a.sum != nil {
		a.sum.Sum(m.SHA256[:0])
	}
	m.Payload = a.buf
	a.emit(m)
}

// tryRun delivers an unordered message of several frames when all its parts
// are waiting, without waiting for its turn.
func (a *assembler) tryRun(n seq.Num) {
	from, to := n, n
	for !a.slot(from).piece.first {
		if from--; from < a.next || a.slot(from).state != slotStored {
			return
		}
	}
	for !a.slot(to).piece.last {
		if to++; to >= a.top || a.slot(to).state != slotStored || a.slot(to).piece.first {
			return
		}
	}
	if a.open {
		return // the parts before belong to a message whose turn it is
	}
	for i := from; i <= to; i++ {
		s := a.slot(i)
		a.consumePart(s.piece)
		s.state = slotDone
		a.drop(s)
	}
}

// Which parts of a frame are delivered.
func everyPart(*dp8.Part) bool        { return true }
func unreliablePart(p *dp8.Part) bool { return !p.Reliable() }

// deliverParts delivers the messages of a frame that holds whole ones.
func (a *assembler) deliverParts(p *piece, want func(*dp8.Part) bool) {
	if p.parts == nil {
		a.deliverOne(p, p.data, p.size, p.reliable, p.sequential)
		return
	}
	for i := range p.parts {
		if q := &p.parts[i]; want(q) {
			a.deliverOne(p, q.Data, q.Size, q.Reliable(), q.Sequential())
		}
	}
}

// orphan takes a part of a message whose turn has passed. Neighbours belong to
// the same message.
func (a *assembler) orphan(p *piece) {
	near := a.orphaned && p.num-a.lastOrphan <= 1 && p.num-a.lastOrphan >= -1
	if a.orphaned, a.lastOrphan = true, p.num; near {
		return
	}
	q := *p
	q.cut = true
	a.deliverOne(&q, q.data, q.size, q.reliable, q.sequential)
}

func (a *assembler) deliverOne(p *piece, data []byte, size int, reliable, sequential bool) {
	if a.conn.wants.Messages == session.CountMessages {
		a.count(!p.cut, size)
		return
	}
	a.emit(&session.Message{
		FirstFrame: p.frame, LastFrame: p.frame, Time: p.time, HasTime: p.hasTime, Frames: 1,
		Number: p.num, Reliable: reliable, Ordered: sequential, Complete: !p.cut, Size: size,
		SHA256: sha256.Sum256(data), Payload: data,
	})
}

func (a *assembler) count(complete bool, size int) {
	a.conn.c.Dir[a.dir].CountMessage(complete, size)
}

func (a *assembler) emit(m *session.Message) {
	m.Dir, m.At = a.dir, a.conn.toldIn
	a.conn.c.Deliver(m)
}

// deliver hands the content of a data frame to the messages of its side.
func (c *conn) deliver(dir dissect.Dir, num seq.Num, d *dp8.DFrame, keepAlive, late bool) {
	s := &c.side[dir]
	if c.countOnly(s, num, d, keepAlive, late) {
		return
	}
	p := piece{
		num: num, frame: c.Frame.Frame, time: c.Frame.Time, hasTime: c.Frame.HasTime, cut: c.Frame.Cut(),
		first: d.Command&dp8.NewMsg != 0, last: d.Command&dp8.EndMsg != 0,
		reliable: d.Command&dp8.Reliable != 0, sequential: d.Command&dp8.Sequential != 0,
		size: len(d.Payload), data: d.Payload,
	}
	if d.Coalesced {
		p.parts = d.Coalesce.Parts[:d.Coalesce.N]
	}
	if keepAlive || p.size == 0 && !d.Coalesced && d.Control&dp8.CtlEndStream != 0 {
		p.empty, p.cut = true, false
	}
	if late {
		s.asm.addLate(&p)
		return
	}
	s.asm.add(&p)
}

// countOnly is the short way for the common case: a whole message whose turn it
// is, of which only the size matters.
func (c *conn) countOnly(s *Side, num seq.Num, d *dp8.DFrame, keepAlive, late bool) bool {
	const whole = dp8.NewMsg | dp8.EndMsg
	if c.wants.Messages != session.CountMessages || keepAlive || late ||
		d.Command&whole != whole || d.Coalesced || d.Control&dp8.CtlEndStream != 0 || c.Frame.Cut() {
		return false
	}
	return s.asm.addWhole(num, len(d.Payload))
}

// modifierPayload is what a modifier derives from: the payload, or the first
// reliable part of a coalesced one (MC-DPL8R 3.1.4.4).
func modifierPayload(d *dp8.DFrame) ([]byte, bool) {
	if !d.Coalesced {
		return d.Payload, true
	}
	for i := range d.Coalesce.Parts[:d.Coalesce.N] {
		if p := &d.Coalesce.Parts[i]; p.Reliable() {
			return p.Data, true
		}
	}
	return nil, false
}
