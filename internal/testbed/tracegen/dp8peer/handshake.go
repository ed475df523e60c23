package dp8peer

import (
	"crypto/sha1"
	"time"

	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/sim"
)

// onConnect answers a CONNECT.
func (n *Node) onConnect(from *sim.Host, p *Peer, h *dp8.Handshake) {
	if p != nil && !p.over() {
		// MC-DPL8R 3.1.5.1.1: a repeated CONNECT of a pending handshake is
		// answered at once; all others are ignored.
		if p.side == 1 && p.state == opening && p.conn.SessionID == h.SessionID {
			p.respond = h.MsgID
			p.sendConnected()
		}
		return
	}
	c := n.World.bySession[h.SessionID]
	if !n.Listen || c == nil || h.Version>>16 != 1 {
		return
	}
	if n.Config.Signing != Unsigned {
		// MC-DPL8R 2.2.1.1, 3.1.5.1.1: signing needs 1.6 and a session id; no state is kept.
		if h.Version >= dp8.Version16 && h.SessionID != 0 {
			n.sendCookie(from, c, h.MsgID)
		}
		return
	}
	p = newPeer(n, c, 1)
	n.peers[from] = p
	p.respond = h.MsgID
	p.openedAt = n.World.Net.Clock.Now()
	p.sendConnected()
}

// onStranger prompts a connector whose confirmation was lost: its KeepAlive
// names the session, which is all a listener without state needs (MC-DPL8R
// 3.1.5.1.3).
func (n *Node) onStranger(from *sim.Host, d *dp8.DFrame) {
	if c := n.World.bySession[d.SessionID]; n.Listen && n.Config.Signing != Unsigned && d.KeepAlive && c != nil {
		n.sendCookie(from, c, 0)
	}
}

// onConnectedSigned is the listener's offer at the connector, or the
// connector's confirmation at the listener.
func (n *Node) onConnectedSigned(from *sim.Host, p *Peer, h *dp8.Handshake) {
	if n.Config.Signing == Unsigned || h.Version < dp8.Version16 || h.SigningOpts != n.Config.Signing {
		return
	}
	if p != nil && !p.over() {
		if p.side == 0 && h.Command&dp8.Poll != 0 && h.SessionID == p.conn.SessionID {
			p.onOffer(h)
		}
		return
	}
	c := n.World.bySession[h.SessionID]
	if !n.Listen || c == nil || h.Command&dp8.Poll != 0 || h.ConnectSig != n.cookieFor(from, h.SessionID) {
		return
	}
	p = newPeer(n, c, 1)
	n.peers[from] = p
	// The echoed tick count is the round trip's start.
	p.rtt = time.Duration(n.tick()-h.EchoTimestamp) * time.Millisecond
	p.setKeys(h.SenderSecret, h.ReceiverSecret)
	p.establish()
}

func (p *Peer) onOffer(h *dp8.Handshake) {
	p.respond = h.MsgID
	p.sendSecrets(h)
	if p.state == opening {
		p.rtt = p.now() - p.openedAt
		p.setKeys(p.conn.Secrets[0], p.conn.Secrets[1])
		p.establish()
	}
}

func (p *Peer) onConnected(h *dp8.Handshake) {
	poll := h.Command&dp8.Poll != 0
	if h.SessionID != p.conn.SessionID || p.conn.Signing() != Unsigned || poll != (p.side == 0) {
		return
	}
	if p.side == 0 { // also when established: the confirmation was lost (MC-DPL8R 3.1.5.1.2)
		p.respond = h.MsgID
		p.sendHandshake(dp8.Handshake{Command: dp8.CFrame, Opcode: dp8.OpConnected, RspID: p.respond})
	}
	if p.state == opening {
		p.rtt = p.now() - p.openedAt
		p.establish()
	}
}

func (p *Peer) sendConnect() {
	if p.connects == 0 {
		p.openedAt = p.now()
	}
	p.sendHandshake(dp8.Handshake{Command: dp8.CFrame | dp8.Poll, Opcode: dp8.OpConnect})
	p.retryHandshake(p.sendConnect)
}

func (p *Peer) sendConnected() {
	p.sendHandshake(dp8.Handshake{Command: dp8.CFrame | dp8.Poll, Opcode: dp8.OpConnected, RspID: p.respond})
	p.retryHandshake(p.sendConnected)
}

// retryHandshake schedules the next attempt: after 200 ms, doubling up to 5 s
// (MC-DPL8R 3.1.2.1).
func (p *Peer) retryHandshake(again func()) {
	p.connectTimer.Stop()
	period := min(connectPeriod<<min(p.connects, 10), connectPeriodMax)
	p.connects++
	p.connectTimer = p.after(period, func() {
		if p.connects > p.cfg.ConnectRetries {
			p.abandon()
			return
		}
		again()
	})
}

func (p *Peer) sendSecrets(offer *dp8.Handshake) {
	p.sendHandshake(dp8.Handshake{Command: dp8.CFrame, Opcode: dp8.OpConnectedSigned, RspID: offer.MsgID,
		ConnectSig: offer.ConnectSig, SenderSecret: p.conn.Secrets[0], ReceiverSecret: p.conn.Secrets[1],
		SigningOpts: p.cfg.Signing, EchoTimestamp: offer.Timestamp})
}

// sendCookie is the stateless answer of a signing listener.
func (n *Node) sendCookie(to *sim.Host, c *Conn, rsp uint8) {
	h := dp8.Handshake{Command: dp8.CFrame | dp8.Poll, Opcode: dp8.OpConnectedSigned, RspID: rsp,
		Version: n.Config.Version, SessionID: c.SessionID, Timestamp: n.tick(),
		ConnectSig: n.cookieFor(to, c.SessionID), SigningOpts: n.Config.Signing}
	note := &Note{Conn: c, Side: 1, Type: dp8.TypeConnectedSigned, Seq: -1, NRcv: -1, KeyEpoch: -1}
	n.World.Net.Send(&sim.Datagram{From: n.Host, To: to, Payload: h.Append(nil), Note: note})
}

// cookieFor proves later that the connector saw the offer.
func (n *Node) cookieFor(h *sim.Host, session uint32) [8]byte {
	b := append(n.cookie[:len(n.cookie):len(n.cookie)], h.Addr.String()...)
	sum := sha1.Sum(append(b, byte(session), byte(session>>8), byte(session>>16), byte(session>>24)))
	return [8]byte(sum[:8])
}

func (n *Node) tick() uint32 { return n.Host.TickAt(n.World.Net.Clock.Now()) }

// sendHandshake sends a command frame other than SACK; one counter numbers them all.
func (p *Peer) sendHandshake(h dp8.Handshake) {
	h.MsgID = p.msgID
	p.msgID++
	h.Version, h.SessionID, h.Timestamp = p.cfg.Version, p.conn.SessionID, p.node.tick()
	note := p.note(dp8.Type(h.Opcode))
	note.Secrets = h.Opcode == dp8.OpConnectedSigned
	if h.Opcode == dp8.OpHardDisconnect && p.local != nil {
		h.HasSignature = true
		if p.local.full {
			h.RspID = uint8(p.nextSend) // MC-DPL8R 2.2.1.4
		}
		p.signCommand(note, &h.Signature, p.nextSend, h.Append)
	}
	p.send(note, h.Append(nil))
}
