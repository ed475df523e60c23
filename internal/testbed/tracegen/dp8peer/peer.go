package dp8peer

import (
	"time"

	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/note"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/sim"
)

type state uint8

const (
	opening state = iota
	established
	closed // gracefully; late retries are still acknowledged
	reset  // by HARD_DISCONNECT
	lost   // given up
)

const window = dp8.WindowSize

// A Peer is one end of one connection: what it is, whether the connection lives, and
// the three parts that do the work. Sequence numbers do not wrap here.
type Peer struct {
	node *Node
	conn *Conn
	side int // 0 connector, 1 listener
	cfg  Config

	state  state
	ending bool          // it ends gracefully: END_STREAM is queued or sent
	heard  time.Duration // the last valid packet

	handshaking handshake
	out         sender
	in          receiver

	// Stats for tests.
	MaxFlight                     int
	Rejected, Delivered, Dropped  int
	Retries, TimerMasks, Coalesce int
}

func newPeer(n *Node, c *Conn, side int) *Peer {
	p := &Peer{node: n, conn: c, side: side, cfg: n.Config}
	p.handshaking.peer = p
	p.out = sender{peer: p, endSeq: -1, room: 2}
	p.in = receiver{peer: p, remoteEnd: -1}
	c.Peers[side] = p
	return p
}

// Conn is the connection's truth.
func (p *Peer) Conn() *Conn { return p.conn }

// Side is 0 at the connector and 1 at the listener.
func (p *Peer) Side() int { return p.side }

// Queued is the number of frames' worth of messages not yet sent.
func (p *Peer) Queued() int { return len(p.out.queue) }

// Outstanding is the number of data frames sent and not acknowledged.
func (p *Peer) Outstanding() int { return p.out.outstanding() }

// Drained reports that nothing is queued or outstanding.
func (p *Peer) Drained() bool { return len(p.out.queue) == 0 && p.out.outstanding() == 0 }

// Lost reports that the peer gave the connection up.
func (p *Peer) Lost() bool { return p.state == lost && !p.node.Dead }

// Ended reports that the connection is over at this end.
func (p *Peer) Ended() bool { return p.over() }

// Open reports that the connection is established and not ended.
func (p *Peer) Open() bool { return p.state == established && !p.ending }

// NextSend is the number of the next data frame.
func (p *Peer) NextSend() int64 { return p.out.nextSend }

// LocalKey is the secret for what this side signs with a number.
func (p *Peer) LocalKey(seq int64) (dp8.Secret, bool) { return p.out.keys.Key(seq >> 8) }

func (p *Peer) over() bool { return p.state >= closed }

func (p *Peer) now() time.Duration { return p.node.World.Net.Clock.Now() }

func (p *Peer) after(d time.Duration, f func()) *sim.Timer { return p.node.World.Net.Clock.After(d, f) }

func (p *Peer) chance(x float64) bool { return x > 0 && p.node.World.Rand.Float64() < x }

func (p *Peer) note(t dp8.Type) *Note {
	return &Note{Conn: p.conn, Side: p.side, Type: t, Seq: -1, NRcv: -1, KeyEpoch: -1}
}

func (p *Peer) send(n *Note, payload []byte) {
	p.node.World.Net.Send(&sim.Datagram{From: p.node.Host, To: p.conn.Hosts[1-p.side], Payload: payload, Note: n})
}

func (p *Peer) setKeys(sender, receiver dp8.Secret) {
	p.out.keys = NewKeyring(sender, p.cfg.Signing, Derivations[p.cfg.Derive])
	p.in.keys = NewKeyring(receiver, p.cfg.Signing, Derivations[p.cfg.Derive])
	if p.side == 1 {
		p.out.keys, p.in.keys = p.in.keys, p.out.keys
	}
	if p.cfg.OtherSecret {
		other := [2]dp8.Secret{sender, receiver}[p.side]
		other[0] ^= 0x5a
		p.out.keys = NewKeyring(other, p.cfg.Signing, Derivations[p.cfg.Derive])
	}
}

// establish starts the data phase: a KeepAlive goes out at once
// (MC-DPL8R 3.1.5.1.3, example 4.1).
func (p *Peer) establish() {
	p.handshaking.timer.Stop()
	p.state = established
	p.out.rtt = max(p.out.rtt, time.Millisecond)
	p.heard = p.now()
	p.out.queue = append([]piece{{keepAlive: true}}, p.out.queue...)
	p.out.pump()
	p.after(keepAliveResolution, p.keepAliveTick)
	if p.node.Established != nil {
		p.node.Established(p)
	}
}

// keepAliveTick sends a KeepAlive after 25 s without a valid packet, looked at
// every 4 s (MC-DPL8R 3.1.2.6).
func (p *Peer) keepAliveTick() {
	if p.state != established || p.ending {
		return
	}
	if p.now()-p.heard >= keepAliveAfter {
		p.heard = p.now()
		p.out.queue = append(p.out.queue, piece{keepAlive: true})
		p.out.pump()
	}
	p.after(keepAliveResolution, p.keepAliveTick)
}

// abandon loses the connection.
func (p *Peer) abandon() {
	p.stop()
	p.conn.Told.GaveUp[p.side] = p.now() + 1
}

// stop calls all timers off.
func (p *Peer) stop() {
	for _, t := range []*sim.Timer{p.handshaking.timer, p.handshaking.hardTimer, p.in.ackAt, p.out.maskAt} {
		t.Stop()
	}
	for _, f := range p.out.flight {
		if f != nil {
			f.timer.Stop()
		}
	}
	p.out.queue, p.out.masked = nil, nil
	if p.state < closed {
		p.state = lost
	}
}

// Say queues a message of an application that knows no USER flags but four
// channels.
func (p *Peer) Say(data []byte, reliable, ordered bool, channel int) *note.Message {
	user := []dp8.Command{0, dp8.User1, dp8.User2, dp8.User1 | dp8.User2}[channel]
	return &p.Send(data, reliable, ordered, user).Message
}

// Acknowledged is the number below which the peer's partner was acknowledged to
// have been received, as the peer knows it.
func (p *Peer) Acknowledged() int64 { return p.out.base }
