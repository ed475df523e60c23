package dp8peer

import (
	"crypto/sha1"
	"time"

	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/sim"
)

// A handshake is what opens a connection, and what ends it at once: all command frames
// but SACK. One counter numbers them.
type handshake struct {
	peer *Peer

	msgID     uint8 // of the next command frame
	respond   uint8 // bMsgID of the frame answered last
	connects  int   // attempts so far
	openedAt  time.Duration
	timer     *sim.Timer // of the next attempt
	hards     int        // HARD_DISCONNECTs sent
	hardTimer *sim.Timer
}

// onConnect answers a CONNECT.
func (n *Node) onConnect(from *sim.Host, p *Peer, h *dp8.Handshake) {
	if p != nil && !p.over() {
		// MC-DPL8R 3.1.5.1.1: a repeated CONNECT of a pending handshake is
		// answered at once; all others are ignored.
		if p.side == 1 && p.state == opening && p.conn.SessionID == h.SessionID {
			p.handshaking.respond = h.MsgID
			p.handshaking.sendConnected()
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
	p.handshaking.respond = h.MsgID
	p.handshaking.openedAt = n.World.Net.Clock.Now()
	p.handshaking.sendConnected()
}

// onUnknown prompts a connector whose confirmation was lost: its KeepAlive
// names the session, which is all a listener without state needs (MC-DPL8R
// 3.1.5.1.3).
func (n *Node) onUnknown(from *sim.Host, d *dp8.DFrame) {
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
			p.handshaking.onOffer(h)
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
	p.out.rtt = time.Duration(n.tick()-h.EchoTimestamp) * time.Millisecond
	p.setKeys(h.SenderSecret, h.ReceiverSecret)
	p.establish()
}

func (hs *handshake) onOffer(h *dp8.Handshake) {
	hs.respond = h.MsgID
	hs.sendSecrets(h)
	if hs.peer.state == opening {
		hs.peer.out.rtt = hs.peer.now() - hs.openedAt
		hs.peer.setKeys(hs.peer.conn.Secrets[0], hs.peer.conn.Secrets[1])
		hs.peer.establish()
	}
}

func (hs *handshake) onConnected(h *dp8.Handshake) {
	poll := h.Command&dp8.Poll != 0
	if h.SessionID != hs.peer.conn.SessionID || hs.peer.conn.Signing() != Unsigned || poll != (hs.peer.side == 0) {
		return
	}
	if hs.peer.side == 0 { // also when established: the confirmation was lost (MC-DPL8R 3.1.5.1.2)
		hs.respond = h.MsgID
		hs.send(dp8.Handshake{Command: dp8.CFrame, Opcode: dp8.OpConnected, RspID: hs.respond})
	}
	if hs.peer.state == opening {
		hs.peer.out.rtt = hs.peer.now() - hs.openedAt
		hs.peer.establish()
	}
}

func (hs *handshake) sendConnect() {
	if hs.connects == 0 {
		hs.openedAt = hs.peer.now()
	}
	hs.send(dp8.Handshake{Command: dp8.CFrame | dp8.Poll, Opcode: dp8.OpConnect})
	hs.retry(hs.sendConnect)
}

func (hs *handshake) sendConnected() {
	hs.send(dp8.Handshake{Command: dp8.CFrame | dp8.Poll, Opcode: dp8.OpConnected, RspID: hs.respond})
	hs.retry(hs.sendConnected)
}

// retry schedules the next attempt: after 200 ms, doubling up to 5 s
// (MC-DPL8R 3.1.2.1).
func (hs *handshake) retry(again func()) {
	hs.timer.Stop()
	period := min(connectPeriod<<min(hs.connects, 10), connectPeriodMax)
	hs.connects++
	hs.timer = hs.peer.after(period, func() {
		if hs.connects > hs.peer.cfg.ConnectRetries {
			hs.peer.abandon()
			return
		}
		again()
	})
}

func (hs *handshake) sendSecrets(offer *dp8.Handshake) {
	hs.send(dp8.Handshake{Command: dp8.CFrame, Opcode: dp8.OpConnectedSigned, RspID: offer.MsgID,
		ConnectSig: offer.ConnectSig, SenderSecret: hs.peer.conn.Secrets[0], ReceiverSecret: hs.peer.conn.Secrets[1],
		SigningOpts: hs.peer.cfg.Signing, EchoTimestamp: offer.Timestamp})
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

// send sends a command frame other than SACK.
func (hs *handshake) send(h dp8.Handshake) {
	h.MsgID = hs.msgID
	hs.msgID++
	h.Version, h.SessionID, h.Timestamp = hs.peer.cfg.Version, hs.peer.conn.SessionID, hs.peer.node.tick()
	note := hs.peer.note(dp8.Type(h.Opcode))
	note.Secrets = h.Opcode == dp8.OpConnectedSigned
	if h.Opcode == dp8.OpHardDisconnect && hs.peer.out.keys != nil {
		h.HasSignature = true
		if hs.peer.out.keys.full {
			h.RspID = uint8(hs.peer.out.nextSend) // MC-DPL8R 2.2.1.4
		}
		hs.peer.out.signCommand(note, &h.Signature, hs.peer.out.nextSend, h.Append)
	}
	hs.peer.send(note, h.Append(nil))
}
