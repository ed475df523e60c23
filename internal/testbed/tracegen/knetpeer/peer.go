package knetpeer

import (
	"time"

	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/note"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/sim"
	"github.com/dpdissect/dpdissect/knet"
)

// stage is how far a connection has come at one end.
type stage uint8

const (
	pending stage = iota // asked, or asking, for it
	up
	closing // Disconnect is sent: nothing more may be
	over
)

// A Peer is one end of one connection: what it is, how it opens and closes, and the two
// parts that send and receive. PacketIDs and reliable numbers do not wrap here.
type Peer struct {
	node  *Node
	conn  *note.Conn
	side  int // 0 client, 1 server
	cfg   Config
	stage stage

	since     time.Duration // when the connection was asked for
	heard     time.Duration // the last datagram of the partner
	pingTimer *sim.Timer    // of the next ping; of the next attempt before
	pingID    uint8

	out sender
	in  receiver
}

// A place is a message by its datagram.
type place struct {
	packet int64
	index  int
}

// An owed acknowledgement is of a datagram received.
type owed struct {
	id int64
	at time.Duration
}

func newPeer(n *Node, c *note.Conn, side int) *Peer {
	p := &Peer{node: n, conn: c, side: side, cfg: n.Config}
	p.out = sender{peer: p, nextID: n.Config.FirstID, nextNumber: n.Config.FirstNumber, last: map[int]place{}, rate: pageRate}
	p.in = newReceiver(p, c.Own.(*own), 1-side)
	p.heard, p.since = p.now(), p.now()
	n.peers[c.Hosts[1-side]] = p
	return p
}

// Conn is the connection's truth.
func (p *Peer) Conn() *note.Conn { return p.conn }

// Side is 0 at the client and 1 at the server.
func (p *Peer) Side() int { return p.side }

// Open reports that the connection is established and not ended.
func (p *Peer) Open() bool { return p.stage == up }

// Ended reports that the connection is over at this end.
func (p *Peer) Ended() bool { return p.stage == over }

// Drained reports that everything was sent and everything reliable acknowledged.
func (p *Peer) Drained() bool { return len(p.out.queue) == 0 && len(p.out.flights) == 0 }

// Queued is how many messages and fragments wait to be sent.
func (p *Peer) Queued() int { return len(p.out.queue) }

// Together hands over at once what f says.
func (p *Peer) Together(f func()) {
	p.out.gathering = true
	f()
	p.out.gathering = false
	p.out.stir()
}

// NextID is the PacketID of the next datagram.
func (p *Peer) NextID() int64 { return p.out.nextID }

func (p *Peer) now() time.Duration { return p.node.World.Net.Clock.Now() }

func (p *Peer) after(d time.Duration, f func()) *sim.Timer { return p.node.World.Net.Clock.After(d, f) }

// established starts the data phase.
func (p *Peer) established() {
	p.stage = up
	p.ping()
	if p.node.Established != nil {
		p.node.Established(p)
	}
}

// ping asks whether the partner is there, and goes when nothing was heard for too
// long: the library looks when it pings, the page's endpoint every second.
func (p *Peer) ping() {
	if p.stage != up {
		return
	}
	every, limit := libraryPing, libraryLost
	if !p.cfg.library() {
		every, limit = time.Second, pageLost
	}
	if p.now()-p.heard > limit {
		p.giveUp()
		return
	}
	p.pingTimer = p.after(every, p.ping)
	if p.cfg.library() || (p.now()-p.since)/time.Second%(pagePing/time.Second) == pagePing/time.Second-1 {
		p.askPing()
	}
}

func (p *Peer) askPing() {
	p.pingID++
	p.out.push(&item{msg: knet.Ping(knet.PingRequest, p.cfg.IDs, p.pingID), kind: knet.PingRequest, priority: controlPriority})
}

// giveUp ends a connection whose other side is silent.
func (p *Peer) giveUp() {
	p.conn.GaveUp[p.side] = p.now() + 1
	p.leave()
}

// stop calls all timers off.
func (p *Peer) stop() {
	p.stage = over
	p.silence()
	if h := p.conn.Hosts[1-p.side]; p.node.peers[h] == p {
		delete(p.node.peers, h)
		p.node.ended[p.conn] = true
	}
}

// silence sends nothing more, be it new or again.
func (p *Peer) silence() {
	for _, t := range []*sim.Timer{p.out.wake, p.out.expiry, p.pingTimer, p.in.ackTimer} {
		t.Stop()
	}
	for _, f := range p.out.flights {
		f.timer.Stop()
	}
	p.out.queue, p.out.flights, p.in.acks = nil, nil, nil
}

// leave is the end at this side: a client closes its socket.
func (p *Peer) leave() {
	p.stop()
	if !p.node.Listen {
		p.node.Host.Receive = p.node.Gone
	}
}

// linger waits for what may still come before the socket is closed.
func (p *Peer) linger(d time.Duration) {
	p.silence()
	p.after(d, func() {
		if p.stage != over {
			p.leave()
		}
	})
}
