package knetpeer

import (
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/note"
	"github.com/dpdissect/dpdissect/knet"
)

// Close says Disconnect and waits for the answer, as long as the dialect says.
func (p *Peer) Close() {
	if p.stage != up {
		return
	}
	p.conn.Wants[p.side] = true
	p.disconnect(knet.Disconnect)
}

// CloseHastily says Disconnect and waits for nothing (kNet page, Closing a
// Session, 3).
func (p *Peer) CloseHastily() {
	p.Close()
	if p.cfg.library() {
		p.out.flush()
	}
	p.leave()
}

// disconnect sends a Disconnect or its answer. The library's Disconnect has a
// reliable number, though it is never sent again, and goes before all that is
// queued; the page's stands after everything.
func (p *Peer) disconnect(k knet.Kind) {
	x := &item{msg: knet.Control(k, nil), kind: k, priority: closePriority, reliable: p.cfg.library() && k == knet.Disconnect, ordered: true}
	if !p.cfg.library() {
		p.part(x)
		return
	}
	if k == knet.DisconnectAck {
		p.out.queue = nil
	}
	p.out.enqueue(x)
	if k == knet.DisconnectAck {
		p.out.flush()
	}
}

// written is called when a Disconnect or its answer has left.
func (p *Peer) written(c note.Close) {
	p.stage = closing
	timeout := libraryTimeout
	if !p.cfg.library() {
		timeout = pageDisconnect
	}
	switch {
	case c == note.Answer && p.conn.Wants[p.side]:
		timeout = pageRetry // the other side answers too
	case c == note.Answer:
		p.leave()
		return
	}
	p.linger(timeout)
}

// onDisconnect answers a Disconnect. Who has said it too answers only where the
// page is spoken: the library's socket does not write any more.
func (p *Peer) onDisconnect() {
	switch {
	case p.stage == closing && p.cfg.library():
		p.leave()
	case p.stage == closing || p.stage == up:
		p.disconnect(knet.DisconnectAck)
	}
}

func (p *Peer) onDisconnectAck() {
	if p.stage == closing || p.stage == pending {
		p.leave()
	}
}
