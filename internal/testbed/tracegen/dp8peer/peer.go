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

// A Peer is one end of one connection. Sequence numbers do not wrap here.
type Peer struct {
	node *Node
	conn *Conn
	side int // 0 connector, 1 listener
	cfg  Config

	state        state
	msgID        uint8 // of the next command frame other than SACK
	respond      uint8 // bMsgID of the handshake frame answered last
	connects     int
	openedAt     time.Duration
	connectTimer *sim.Timer
	hards        int
	hardTimer    *sim.Timer

	// Sending.
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
	ending   bool
	endSeq   int64 // number of our END_STREAM, -1 before

	// Receiving.
	nextRcv   int64
	slots     [window]slot
	partial   []byte // of a large message
	spoiled   bool   // a part of it was given up
	lastRetry bool   // the last data frame was a retry
	ackAt     *sim.Timer
	remoteEnd int64 // number of the partner's END_STREAM, -1 before
	heard     time.Duration

	local, remote *Keyring // nil on unsigned connections

	// Stats for tests.
	MaxFlight                     int
	Rejected, Delivered, Dropped  int
	Retries, TimerMasks, Coalesce int
}

func newPeer(n *Node, c *Conn, side int) *Peer {
	p := &Peer{node: n, conn: c, side: side, cfg: n.Config, endSeq: -1, remoteEnd: -1, room: 2}
	c.Peers[side] = p
	return p
}

// Conn is the connection's truth.
func (p *Peer) Conn() *Conn { return p.conn }

// Side is 0 at the connector and 1 at the listener.
func (p *Peer) Side() int { return p.side }

// Queued is the number of frames' worth of messages not yet sent.
func (p *Peer) Queued() int { return len(p.queue) }

// Outstanding is the number of data frames sent and not acknowledged.
func (p *Peer) Outstanding() int { return int(p.nextSend - p.base) }

// Drained reports that nothing is queued or outstanding.
func (p *Peer) Drained() bool { return len(p.queue) == 0 && p.nextSend == p.base }

// Lost reports that the peer gave the connection up.
func (p *Peer) Lost() bool { return p.state == lost && !p.node.Dead }

// Ended reports that the connection is over at this end.
func (p *Peer) Ended() bool { return p.over() }

// Open reports that the connection is established and not ended.
func (p *Peer) Open() bool { return p.state == established && !p.ending }

// NextSend is the number of the next data frame.
func (p *Peer) NextSend() int64 { return p.nextSend }

// LocalKey is the secret for what this side signs with a number.
func (p *Peer) LocalKey(seq int64) (dp8.Secret, bool) { return p.local.Key(seq >> 8) }

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
	p.local = NewKeyring(sender, p.cfg.Signing, Derivations[p.cfg.Derive])
	p.remote = NewKeyring(receiver, p.cfg.Signing, Derivations[p.cfg.Derive])
	if p.side == 1 {
		p.local, p.remote = p.remote, p.local
	}
}

// establish starts the data phase: a KeepAlive goes out at once
// (MC-DPL8R 3.1.5.1.3, example 4.1).
func (p *Peer) establish() {
	p.connectTimer.Stop()
	p.state = established
	p.rtt = max(p.rtt, time.Millisecond)
	p.heard = p.now()
	p.queue = append([]piece{{keepAlive: true}}, p.queue...)
	p.pump()
	p.after(keepAliveGrain, p.keepAliveTick)
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
		p.queue = append(p.queue, piece{keepAlive: true})
		p.pump()
	}
	p.after(keepAliveGrain, p.keepAliveTick)
}

// abandon loses the connection.
func (p *Peer) abandon() {
	p.stop()
	p.conn.Told.GaveUp[p.side] = p.now() + 1
}

// stop calls all timers off.
func (p *Peer) stop() {
	for _, t := range []*sim.Timer{p.connectTimer, p.hardTimer, p.ackAt, p.maskAt} {
		t.Stop()
	}
	for _, f := range p.flight {
		if f != nil {
			f.timer.Stop()
		}
	}
	p.queue, p.masked = nil, nil
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
func (p *Peer) Acknowledged() int64 { return p.base }
