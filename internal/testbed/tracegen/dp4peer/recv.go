package dp4peer

import "github.com/dpdissect/dpdissect/dp4"

// An arrival is a packet that was received.
type arrival struct {
	seq, msg int64
	serial   uint8
	flags    dp4.Flags
}

// A puzzle is a message on its way in.
type puzzle struct {
	parts    map[int64][]byte // by sequence
	sta, eom int64            // -1 unknown
}

// whole reports whether all parts are there.
func (z *puzzle) whole() bool {
	return z.sta >= 0 && z.eom >= 0 && int64(len(z.parts)) == z.eom-z.sta+1
}

func (z *puzzle) join() (all []byte) {
	for seq := z.sta; seq <= z.eom; seq++ {
		all = append(all, z.parts[seq]...)
	}
	return all
}

// receive takes a frame of the partner.
func (p *Peer) receive(f *dp4.Frame, size int) {
	switch {
	case f.Ignored():
	case f.Type == dp4.TypeACK:
		p.onAck(f)
	case f.Type == dp4.TypeNACK:
		p.onNACK(f)
	case f.Flags&dp4.CMD != 0:
		if seq := near(p.next, f.Sequence); !p.cfg.NewBytes || seq >= p.next && p.ahead[seq] == nil {
			p.bytes += uint32(size) // copies included (MC-DPL4R 3.1.3)
		}
		p.onData(f)
	}
}

// onData takes a data frame (MC-DPL4R 3.1.5.2).
func (p *Peer) onData(f *dp4.Frame) {
	a := &arrival{seq: near(p.next, f.Sequence), msg: near(p.topMsg, f.MessageID), serial: f.Serial, flags: f.Flags}
	if a.seq < p.next || p.ahead[a.seq] != nil {
		p.repeated(a)
		return
	}
	p.topMsg = max(p.topMsg, a.msg)
	p.ahead[a.seq] = a
	completes := p.lay(a, f.Data)
	afterGap := a.seq > p.next
	p.advance()
	if p.last != nil && p.topMsg-p.last.msg >= messageWindow {
		p.passOver() // it is out of the window of what may be sent again
	}
	p.watchGap()
	p.reply(a, afterGap, completes)
}

// repeated answers what was received before: the acknowledgement may be lost.
func (p *Peer) repeated(a *arrival) {
	if p.last != nil && a.seq == p.last.seq {
		p.last.serial = a.serial
	}
	switch {
	case a.flags&(dp4.RLY|dp4.SAK) == 0 || p.over:
	case p.cfg.Reack && a.seq < p.next:
		p.acknowledge(a)
	default:
		p.answer(true)
	}
}

// lay puts a packet to its message and reports whether that is complete now. What
// is not reliable is delivered at once.
func (p *Peer) lay(a *arrival, data []byte) bool {
	z := p.puzzles[a.msg]
	if z == nil {
		z = &puzzle{parts: map[int64][]byte{}, sta: -1, eom: -1}
		p.puzzles[a.msg] = z
	}
	z.parts[a.seq] = append([]byte(nil), data...)
	if a.flags&dp4.STA != 0 {
		z.sta = a.seq
	}
	if a.flags&dp4.EOM != 0 {
		z.eom = a.seq
	}
	if !z.whole() {
		return false
	}
	if a.flags&dp4.RLY == 0 {
		p.deliver(a.msg)
	}
	return true
}

// advance goes over what was received in one piece and delivers what is reliable
// in it.
func (p *Peer) advance() {
	for a := p.ahead[p.next]; a != nil; a = p.ahead[p.next] {
		delete(p.ahead, p.next)
		p.last = a
		p.next++
		for msg := range p.puzzles {
			if msg < a.msg {
				delete(p.puzzles, msg) // a part of it was passed over
			}
		}
		if z := p.puzzles[a.msg]; z != nil && a.seq == z.eom && z.whole() {
			p.deliver(a.msg)
		}
	}
}

func (p *Peer) deliver(msg int64) {
	z := p.puzzles[msg]
	delete(p.puzzles, msg)
	if p.node.OnMessage != nil {
		p.node.OnMessage(p, z.join())
	}
}

// promised tells how the partner sent a packet that did not arrive. The text
// does not say how a receiver knows; this one asks.
func (p *Peer) promised(seq int64) (as promise) {
	if i := seq - p.partner.cfg.First; i >= 0 && i < int64(len(p.partner.sent)) {
		as = p.partner.sent[i] // what a partner that breaks rules never sent was nothing
	}
	return as
}

// watchGap waits a while for what is missing before a packet received.
func (p *Peer) watchGap() {
	if len(p.ahead) > 0 && !p.gapAt.Active() {
		p.gapAt = p.after(timeout, func() {
			if p.passOver() {
				p.answer(true)
			}
			p.watchGap()
		})
	}
}

// passOver goes on without what will not be sent again, and reports whether there
// was something.
func (p *Peer) passOver() bool {
	from := p.next
	for len(p.ahead) > 0 && !p.promised(p.next).reliable {
		p.next++
		p.advance()
	}
	return p.next > from
}
