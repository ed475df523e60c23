package dp8peer

import (
	"time"

	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/note"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/sim"
)

// A piece is a message, or a part of a large one, waiting to be sent.
type piece struct {
	msg       *Message // nil: KeepAlive or END_STREAM
	index     int
	data      []byte
	keepAlive bool
	endStream bool
}

// A frame is one outstanding data frame.
type frame struct {
	seq       int64
	pieces    []piece // several when coalesced
	coalesced bool
	retries   int
	sentAt    time.Duration
	polled    bool
	sacked    bool
	timer     *sim.Timer
}

func (f *frame) reliable() bool {
	for i := range f.pieces {
		if m := f.pieces[i].msg; m == nil || m.Reliable {
			return true
		}
	}
	return false
}

// Send queues a message. USER flags go through unchanged.
func (p *Peer) Send(data []byte, reliable, sequential bool, user dp8.Command) *Message {
	size := p.cfg.MaxPayload
	m := &Message{User: user, Message: note.Message{ID: p.messages, Data: data, Reliable: reliable, Ordered: sequential,
		Number: -1, Parts: max(1, (len(data)+size-1)/size)}}
	p.messages++
	if p.conn.Keep {
		p.conn.Messages[p.side] = append(p.conn.Messages[p.side], m)
		p.node.World.Book.Message(&p.conn.Told, p.side, &m.Message)
	}
	// MC-DPL8R 3.1.4.4: a large message is split, each packet filled, sent in order.
	for i := range m.Parts {
		p.queue = append(p.queue, piece{msg: m, index: i, data: data[i*size : min((i+1)*size, len(data))]})
	}
	p.pump()
	return m
}

// Together hands over at once what f sends, so that it can share a frame.
func (p *Peer) Together(f func()) {
	p.corked = true
	f()
	p.corked = false
	p.pump()
}

// pump sends what the windows allow.
func (p *Peer) pump() {
	for !p.corked && p.state == established && len(p.queue) > 0 {
		if out := p.Outstanding(); out >= min(p.cfg.Window, window) || out >= p.room {
			return
		}
		f := p.nextFrame()
		f.seq = p.nextSend
		p.nextSend++
		p.flight[f.seq%window] = f
		p.MaxFlight = max(p.MaxFlight, p.Outstanding())
		p.conn.Told.Flight[p.side] = p.MaxFlight
		p.showKeyring(f)
		for slot, pc := range f.pieces {
			if pc.msg != nil && pc.index == 0 {
				pc.msg.Number, pc.msg.Slot, pc.msg.Coalesced, pc.msg.Sent = f.seq, slot, f.coalesced, true
			}
			if pc.endStream {
				p.endSeq = f.seq
			}
		}
		p.transmit(f)
		if p.local != nil && p.nextSend&0xff == 0 {
			p.rotate()
		}
		f.timer = p.after(p.retryPeriod(0), func() { p.onRetry(f) })
	}
}

// rotate makes the next epoch's secret, after 255 was sent (MC-DPL8R 3.1.4.4).
func (p *Peer) rotate() {
	p.local.Advance()
	if key, ok := p.local.Key(p.nextSend >> 8); ok && p.conn.Keep {
		p.conn.History[p.side] = append(p.conn.History[p.side], key)
	}
}

// showKeyring gives the keyring the frame's first reliable payload.
func (p *Peer) showKeyring(f *frame) {
	if p.local == nil {
		return
	}
	for _, pc := range f.pieces {
		if pc.msg != nil && pc.msg.Reliable {
			if p.local.Payload(f.seq, pc.data) && p.conn.Keep {
				p.conn.Sources[p.side][f.seq>>8] = f.seq
			}
			return
		}
	}
}

// nextFrame takes the next frame's content off the queue.
func (p *Peer) nextFrame() *frame {
	n := 1
	if p.cfg.Coalesce && p.conn.Version() >= dp8.Version15 {
		n = p.fit()
	}
	f := &frame{pieces: append([]piece(nil), p.queue[:n]...), coalesced: n > 1}
	p.queue = p.queue[n:]
	if len(p.queue) == 0 {
		p.queue = nil
	}
	return f
}

// fit counts the messages at the head of the queue that go into one frame
// (MC-DPL8R 2.2.3).
func (p *Peer) fit() int {
	n, size := 0, 0
	for _, pc := range p.queue[:min(len(p.queue), dp8.MaxParts)] {
		if pc.msg == nil || pc.msg.Parts > 1 || pc.endStream || len(pc.data) > 0x7ff {
			break
		}
		size += (len(pc.data) + 3) &^ 3
		if size+(2*(n+1)+3)&^3 > p.cfg.MaxPayload {
			break
		}
		n++
	}
	return max(n, 1)
}

// transmit sends a frame, for the first time or again, with the latest header
// (MC-DPL8R 3.1.6.5).
func (p *Peer) transmit(f *frame) {
	d := dp8.DFrame{Command: p.commandOf(f), Seq: uint8(f.seq), NRcv: uint8(p.nextRcv)}
	note := p.note(dp8.TypeDFrame)
	note.Seq, note.NRcv, note.Retry, note.Reliable = f.seq, p.nextRcv, f.retries > 0, f.reliable()
	if note.Retry {
		d.Control |= dp8.CtlRetry
	}
	p.poll(f, &d)
	p.addMasks(&d, note)
	p.fill(f, &d, note)
	if p.local != nil {
		d.HasSignature = true
		note.KeyEpoch = f.seq >> 8
		d.SignatureOff = 4 + 4*masks(d.Control)
		d.Signature, _ = p.local.Signature(d.Append(nil), d.SignatureOff, f.seq)
	}
	f.sentAt = p.now()
	p.ackAt.Stop() // the acknowledgement rides along
	p.send(note, d.Append(nil))
}

func (p *Peer) commandOf(f *frame) dp8.Command {
	c, first := dp8.Data, &f.pieces[0]
	if m := first.msg; m == nil {
		c |= dp8.Reliable | dp8.Sequential | dp8.NewMsg | dp8.EndMsg
	} else if !f.coalesced {
		c |= m.User
		if first.index == 0 {
			c |= dp8.NewMsg
		}
		if first.index == m.Parts-1 {
			c |= dp8.EndMsg
		}
	} else {
		c |= dp8.NewMsg | dp8.EndMsg
	}
	for i := range f.pieces {
		if m := f.pieces[i].msg; m != nil && m.Reliable {
			c |= dp8.Reliable
		}
		if m := f.pieces[i].msg; m != nil && m.Ordered {
			c |= dp8.Sequential
		}
	}
	return c
}

// poll decides whether an acknowledgement is wanted at once: for retries,
// KeepAlives and the end always, at a full window, else now and then.
func (p *Peer) poll(f *frame, d *dp8.DFrame) {
	full := p.Outstanding() >= min(p.room, p.cfg.Window) || p.ending && len(p.queue) == 0
	f.polled = f.retries > 0 || f.pieces[0].msg == nil || full || p.chance(p.cfg.Poll)
	if f.polled {
		d.Command |= dp8.Poll
	}
	if p.conn.Version() < dp8.Version15 && p.cfg.Version < dp8.Version15 && p.chance(p.cfg.Correlate) {
		d.Control |= dp8.CtlKeepAlive // MC-DPL8R 2.2.2: below 1.5, a dedicated acknowledgement
	}
}

// fill puts the content in.
func (p *Peer) fill(f *frame, d *dp8.DFrame, note *Note) {
	first := &f.pieces[0]
	if first.endStream {
		d.Control |= dp8.CtlEndStream
		note.EndStream = true
	}
	switch {
	case first.keepAlive:
		note.KeepAlive = true
		if p.conn.Version() >= dp8.Version15 { // MC-DPL8R 3.1.6.6
			d.Control |= dp8.CtlKeepAlive
			d.KeepAlive, d.SessionID = true, p.conn.SessionID
		}
	case f.coalesced:
		p.Coalesce++
		d.Control |= dp8.CtlCoalesce
		d.Coalesced = true
		coalesce(f, &d.Coalesce, note)
	case first.msg != nil:
		d.Payload = first.data
		note.Parts = []Part{{first.msg, first.index}}
	}
}

// coalesce builds the content; a retry leaves the unreliable parts out
// (MC-DPL8R 3.1.6.5).
func coalesce(f *frame, c *dp8.Coalesce, note *Note) {
	for _, pc := range f.pieces {
		if f.retries > 0 && !pc.msg.Reliable {
			continue
		}
		part := &c.Parts[c.N]
		c.N++
		part.Data = pc.data
		part.Command = uint8(pc.msg.User)
		if pc.msg.Reliable {
			part.Command |= dp8.PartReliable
		}
		if pc.msg.Ordered {
			part.Command |= dp8.PartSequential
		}
		part.SetSize(len(pc.data))
		note.Parts = append(note.Parts, Part{pc.msg, 0})
	}
	c.Parts[c.N-1].Command |= dp8.PartEnd
}

// masks counts the mask words a data frame announces.
func masks(c dp8.Control) int {
	n := 0
	for c &= dp8.CtlSACK1 | dp8.CtlSACK2 | dp8.CtlSend1 | dp8.CtlSend2; c != 0; c &= c - 1 {
		n++
	}
	return n
}
