package dp8peer

import (
	"time"

	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/note"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/sim"
)

// A sender is the half of a peer that sends data frames: the queue, the window of what
// is outstanding, retries, and masks of what is given up.
type sender struct {
	peer *Peer

	queue    []piece
	messages int // handed over so far
	corked   bool
	nextSend int64
	base     int64 // lowest number not acknowledged
	flight   [window]*frame
	masked   []int64 // unreliable numbers given up, not yet passed by the partner
	maskAt   *sim.Timer
	maskSent int // masks sent alone for the same loss
	room     int // congestion window
	shrunk   time.Duration
	rtt      time.Duration
	endSeq   int64    // number of our END_STREAM, -1 before
	keys     *Keyring // what we sign with; nil on unsigned connections
}

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
	return p.out.enqueue(data, reliable, sequential, user)
}

// Together hands over at once what f sends, so that it can share a frame.
func (p *Peer) Together(f func()) { p.out.together(f) }

// outstanding is the number of data frames sent and not acknowledged.
func (s *sender) outstanding() int { return int(s.nextSend - s.base) }

// enqueue takes a message of the application.
func (s *sender) enqueue(data []byte, reliable, sequential bool, user dp8.Command) *Message {
	size := s.peer.cfg.MaxPayload
	m := &Message{User: user, Message: note.Message{ID: s.messages, Data: data, Reliable: reliable, Ordered: sequential,
		Number: -1, Parts: max(1, (len(data)+size-1)/size)}}
	s.messages++
	if s.peer.conn.Keep {
		s.peer.conn.Messages[s.peer.side] = append(s.peer.conn.Messages[s.peer.side], m)
		s.peer.node.World.Book.Message(&s.peer.conn.Told, s.peer.side, &m.Message)
	}
	// MC-DPL8R 3.1.4.4: a large message is split, each packet filled, sent in order.
	for i := range m.Parts {
		s.queue = append(s.queue, piece{msg: m, index: i, data: data[i*size : min((i+1)*size, len(data))]})
	}
	s.pump()
	return m
}

func (s *sender) together(f func()) {
	s.corked = true
	f()
	s.corked = false
	s.pump()
}

// pump sends what the windows allow.
func (s *sender) pump() {
	for !s.corked && s.peer.state == established && len(s.queue) > 0 {
		if out := s.outstanding(); out >= min(s.peer.cfg.Window, window) || out >= s.room {
			return
		}
		f := s.nextFrame()
		f.seq = s.nextSend
		s.nextSend++
		s.flight[f.seq%window] = f
		s.peer.MaxFlight = max(s.peer.MaxFlight, s.outstanding())
		s.peer.conn.Told.Flight[s.peer.side] = s.peer.MaxFlight
		s.showKeyring(f)
		for slot, pc := range f.pieces {
			if pc.msg != nil && pc.index == 0 {
				pc.msg.Number, pc.msg.Slot, pc.msg.Coalesced, pc.msg.Sent = f.seq, slot, f.coalesced, true
			}
			if pc.endStream {
				s.endSeq = f.seq
			}
		}
		s.transmit(f)
		if s.keys != nil && s.nextSend&0xff == 0 {
			s.rotate()
		}
		f.timer = s.peer.after(s.retryPeriod(0), func() { s.onRetry(f) })
	}
}

// rotate makes the next epoch's secret, after 255 was sent (MC-DPL8R 3.1.4.4).
func (s *sender) rotate() {
	s.keys.Advance()
	if key, ok := s.keys.Key(s.nextSend >> 8); ok && s.peer.conn.Keep {
		s.peer.conn.History[s.peer.side] = append(s.peer.conn.History[s.peer.side], key)
	}
}

// showKeyring gives the keyring the frame's first reliable payload.
func (s *sender) showKeyring(f *frame) {
	if s.keys == nil {
		return
	}
	for _, pc := range f.pieces {
		if pc.msg != nil && pc.msg.Reliable {
			if s.keys.Payload(f.seq, pc.data) && s.peer.conn.Keep {
				s.peer.conn.Sources[s.peer.side][f.seq>>8] = f.seq
			}
			return
		}
	}
}

// nextFrame takes the next frame's content off the queue.
func (s *sender) nextFrame() *frame {
	n := 1
	if s.peer.cfg.Coalesce && s.peer.conn.Version() >= dp8.Version15 {
		n = s.fit()
	}
	f := &frame{pieces: append([]piece(nil), s.queue[:n]...), coalesced: n > 1}
	s.queue = s.queue[n:]
	if len(s.queue) == 0 {
		s.queue = nil
	}
	return f
}

// fit counts the messages at the head of the queue that go into one frame
// (MC-DPL8R 2.2.3).
func (s *sender) fit() int {
	n, size := 0, 0
	for _, pc := range s.queue[:min(len(s.queue), dp8.MaxParts)] {
		if pc.msg == nil || pc.msg.Parts > 1 || pc.endStream || len(pc.data) > 0x7ff {
			break
		}
		size += (len(pc.data) + 3) &^ 3
		if size+(2*(n+1)+3)&^3 > s.peer.cfg.MaxPayload {
			break
		}
		n++
	}
	return max(n, 1)
}

// transmit sends a frame, for the first time or again, with the latest header
// (MC-DPL8R 3.1.6.5).
func (s *sender) transmit(f *frame) {
	d := dp8.DFrame{Command: s.commandOf(f), Seq: uint8(f.seq), NRcv: uint8(s.peer.in.nextRcv)}
	note := s.peer.note(dp8.TypeDFrame)
	note.Seq, note.NRcv, note.Retry, note.Reliable = f.seq, s.peer.in.nextRcv, f.retries > 0, f.reliable()
	if note.Retry {
		d.Control |= dp8.CtlRetry
	}
	s.poll(f, &d)
	s.addMasks(&d, note)
	s.fill(f, &d, note)
	if s.keys != nil {
		d.HasSignature = true
		note.KeyEpoch = f.seq >> 8
		d.SignatureOff = 4 + 4*masks(d.Control)
		d.Signature, _ = s.keys.Signature(d.Append(nil), d.SignatureOff, f.seq)
	}
	f.sentAt = s.peer.now()
	s.peer.in.ackAt.Stop() // the acknowledgement rides along
	s.peer.send(note, d.Append(nil))
}

func (s *sender) commandOf(f *frame) dp8.Command {
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
func (s *sender) poll(f *frame, d *dp8.DFrame) {
	full := s.outstanding() >= min(s.room, s.peer.cfg.Window) || s.peer.ending && len(s.queue) == 0
	f.polled = f.retries > 0 || f.pieces[0].msg == nil || full || s.peer.chance(s.peer.cfg.Poll)
	if f.polled {
		d.Command |= dp8.Poll
	}
	if s.peer.conn.Version() < dp8.Version15 && s.peer.cfg.Version < dp8.Version15 && s.peer.chance(s.peer.cfg.Correlate) {
		d.Control |= dp8.CtlKeepAlive // MC-DPL8R 2.2.2: below 1.5, a dedicated acknowledgement
	}
}

// fill puts the content in.
func (s *sender) fill(f *frame, d *dp8.DFrame, note *Note) {
	first := &f.pieces[0]
	if first.endStream {
		d.Control |= dp8.CtlEndStream
		note.EndStream = true
	}
	switch {
	case first.keepAlive:
		note.KeepAlive = true
		if s.peer.conn.Version() >= dp8.Version15 { // MC-DPL8R 3.1.6.6
			d.Control |= dp8.CtlKeepAlive
			d.KeepAlive, d.SessionID = true, s.peer.conn.SessionID
		}
	case f.coalesced:
		s.peer.Coalesce++
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
