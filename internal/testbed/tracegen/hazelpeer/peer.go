package hazelpeer

import (
	"time"

	"github.com/dpdissect/dpdissect/hazel"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/note"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/sim"
)

// A Peer is one end of one connection. Ids do not wrap here.
type Peer struct {
	node *Node
	conn *note.Conn
	side int // 0 client, 1 server
	cfg  Config

	up, over bool
	tunnel   *tunnel // DTLS; nil for a plain connection

	// Sending.
	nextID    int64
	flight    map[uint16]*packet
	said      int
	messageID uint16        // of the latest fragmented message
	rtt       time.Duration // smoothed, or the mean
	samples   int
	alive     *sim.Timer
	pings     int // without an acknowledgement of anything since

	// Receiving.
	newest  int64
	begun   bool
	missing map[int64]bool
	parts   map[uint16]*puzzle
}

// A packet is one outstanding reliable packet.
type packet struct {
	id      int64
	payload []byte
	note    note.Note // of its first transmission
	sentAt  time.Duration
	due     time.Duration // after sentAt
	step    time.Duration
	resends int
	timer   *sim.Timer
}

// A puzzle is a fragmented message on its way in.
type puzzle struct {
	parts [][]byte
	left  int
}

func newPeer(n *Node, c *note.Conn, side int) *Peer {
	p := &Peer{node: n, conn: c, side: side, cfg: n.Config, nextID: n.Config.FirstID, newest: -1,
		flight: map[uint16]*packet{}, missing: map[int64]bool{}, parts: map[uint16]*puzzle{}}
	p.begun = p.cfg.History == Missing && !p.cfg.Running // the first id expected is 0 (Hazel 885ce22)
	if p.cfg.Resend == Additive {
		p.rtt = pingStart
	}
	n.peers[c.Hosts[1-side]] = p
	return p
}

// Conn is the connection's truth.
func (p *Peer) Conn() *note.Conn { return p.conn }

// Side is 0 at the client and 1 at the server.
func (p *Peer) Side() int { return p.side }

// Open reports that the connection is established and not ended.
func (p *Peer) Open() bool { return p.up && !p.over }

// Ended reports that the connection is over at this end.
func (p *Peer) Ended() bool { return p.over }

// Drained reports that everything reliable is acknowledged.
func (p *Peer) Drained() bool { return len(p.flight) == 0 }

// Queued is 0: what is handed over is sent.
func (p *Peer) Queued() int { return 0 }

// Together is f: messages do not share datagrams.
func (p *Peer) Together(f func()) { f() }

// NextID is the id of the next reliable packet.
func (p *Peer) NextID() int64 { return p.nextID }

func (p *Peer) now() time.Duration { return p.node.World.Net.Clock.Now() }

func (p *Peer) after(d time.Duration, f func()) *sim.Timer { return p.node.World.Net.Clock.After(d, f) }

func (p *Peer) note(t hazel.Type) *note.Note {
	n := note.New(p.conn, p.side, t.String())
	n.Establishes = p.side == 1
	n.Proves = p.proves(t)
	switch t {
	case hazel.Ping:
		n.Shows = showsPing
	case hazel.Acknowledgement:
		n.Shows = showsAck
	}
	return n
}

// What Ack3 is told by: acknowledgements of three bytes together with Pings.
const (
	showsPing = 1 << iota
	showsAck
)

// proves reports whether a datagram of this type is one of the dialect alone.
func (p *Peer) proves(t hazel.Type) bool {
	switch p.cfg.Dialect {
	case hazel.May14:
		return t != hazel.None && t != hazel.Reliable
	case hazel.May30:
		return t != hazel.None
	case hazel.V01:
		return t == hazel.Fragment || t == hazel.FragmentStart
	case hazel.Current:
		return t == hazel.Acknowledgement
	case hazel.Fork36:
		return t == hazel.Fragment || t == hazel.MTUTest
	}
	return false
}

func (p *Peer) send(n *note.Note, payload []byte) {
	if p.cfg.Alive.onAny() {
		p.rearm()
	}
	if p.tunnel != nil {
		n, payload = p.tunnel.seal(n, payload)
	}
	p.transmit(n, payload)
}

func (p *Peer) transmit(n *note.Note, payload []byte) {
	p.node.World.Net.Send(&sim.Datagram{From: p.node.Host, To: p.conn.Hosts[1-p.side], Payload: payload, Note: n})
}

// sendHello asks for a connection.
func (p *Peer) sendHello() {
	n := p.note(hazel.Hello)
	n.Opens = true
	n.Proves = n.Proves || p.cfg.BareHello
	p.reliable(&hazel.Frame{Type: hazel.Hello, HasVersion: !p.cfg.BareHello, Data: p.cfg.HelloData}, n, true)
}

// established starts the data phase.
func (p *Peer) established() {
	p.up = true
	p.rearm()
	if p.node.Established != nil {
		p.node.Established(p)
	}
	for _, size := range p.cfg.Tests {
		p.reliable(&hazel.Frame{Type: hazel.MTUTest, Data: make([]byte, size-5), Size: uint16(size)}, p.note(hazel.MTUTest), true)
	}
}

// stop calls all timers off.
func (p *Peer) stop() {
	p.over = true
	p.alive.Stop()
	for _, k := range p.flight {
		k.timer.Stop()
	}
	if h := p.conn.Hosts[1-p.side]; p.node.peers[h] == p {
		delete(p.node.peers, h)
	}
}

// Close ends the connection; reason is what follows the type of the Disconnect.
func (p *Peer) Close(reason []byte) {
	if p.over {
		return
	}
	p.conn.Wants[p.side] = true
	p.disconnect(reason, note.Graceful)
	p.leave()
}

// leave is the end at this side: a client closes its socket.
func (p *Peer) leave() {
	p.stop()
	if !p.node.Listen {
		p.node.Host.Receive = p.node.Gone
	}
}

func (p *Peer) disconnect(reason []byte, how note.Close) {
	n := p.note(hazel.Disconnect)
	n.Close = how
	if how == note.Refusal {
		n.Establishes = false
	}
	f := hazel.Frame{Type: hazel.Disconnect, Dialect: p.cfg.Dialect, Data: reason}
	p.send(n, f.Append(nil))
	p.alive.Stop()
}

// giveUp ends a connection whose other side is silent.
func (p *Peer) giveUp() {
	p.conn.GaveUp[p.side] = p.now() + 1
	if p.cfg.Farewell {
		p.disconnect(nil, note.GivesUp)
	}
	p.leave()
}
