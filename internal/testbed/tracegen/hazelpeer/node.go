package hazelpeer

import (
	"math/rand/v2"

	"github.com/dpdissect/dpdissect/hazel"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/note"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/sim"
)

// A World is what the nodes of a trace share.
type World struct {
	Net  *sim.Network
	Book *note.Book
	Rand *rand.Rand
}

// A Node is a socket: a client's, or a listener's with a peer for each client.
type Node struct {
	World  *World
	Host   *sim.Host
	Config Config
	Listen bool
	// Refuse, when not nil, is what a listener answers to every Hello instead of
	// taking the connection.
	Refuse []byte
	// Gone answers for the host when a client's socket is closed; nil: nothing
	// does.
	Gone func(d *sim.Datagram)

	// Established is told of every connection that becomes established here.
	Established func(p *Peer)
	// OnMessage takes what is delivered.
	OnMessage func(p *Peer, data []byte)

	peers map[*sim.Host]*Peer
	frame hazel.Frame
	at    *sim.Datagram // at hand
}

// NewNode opens a socket on a host.
func NewNode(w *World, h *sim.Host, c Config) *Node {
	n := &Node{World: w, Host: h, Config: c, peers: map[*sim.Host]*Peer{}}
	h.Receive = n.receive
	return n
}

// Connect starts a connection to a listening node.
func (n *Node) Connect(to *Node) *Peer {
	dialect := [2]string{n.Config.speaks().String(), to.Config.speaks().String()}
	own := &shared{first: [2]int64{n.Config.FirstID, to.Config.FirstID}}
	c := n.World.Book.Enter(&note.Conn{Protocol: "hazel", Hosts: [2]*sim.Host{n.Host, to.Host}, Roles: [2]string{"client", "server"},
		Dialects: dialect, Modulus: 1 << 16, Own: own})
	if n.Config.Silent() && to.Config.Silent() {
		c.Counted = 1 + fixedResends
	}
	for i, cfg := range [2]Config{n.Config, to.Config} {
		if cfg.Dialect == hazel.Ack3 {
			c.Proof[i] = showsPing | showsAck
		}
	}
	n.Host.Receive = n.receive
	p := newPeer(n, c, 0)
	if n.Config.Secure {
		own.random, own.cookie = n.World.bytes(32), n.World.bytes(20)
		p.tunnel = &tunnel{p: p, up: p.sendHello}
		p.tunnel.advance()
		return p
	}
	p.sendHello()
	return p
}

// Expect makes a connection that another sender than a Node opens one that this
// listener takes.
func (n *Node) Expect(c *note.Conn) { c.Own = new(shared) }

// shared is what the ends of a connection know of each other: first ids, and of
// a tunnel what its handshake echoes.
type shared struct {
	first          [2]int64
	accepted       bool
	random, cookie []byte
}

// bytes are random ones.
func (w *World) bytes(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(w.Rand.Uint32())
	}
	return b
}

// Peer gives the node's end of its connection with a host, or nil.
func (n *Node) Peer(with *sim.Host) *Peer { return n.peers[with] }

// Kill ends the process: its host answers with what Gone does.
func (n *Node) Kill() {
	n.Host.Receive = n.Gone
	for _, p := range n.peers {
		p.stop()
	}
}

func (n *Node) receive(d *sim.Datagram) {
	if d.Proto == sim.ProtoICMP {
		return
	}
	n.at = d
	p, payload := n.peers[d.From], d.Payload
	if n.Config.Secure {
		if p == nil {
			p = n.secure(d)
		}
		if p == nil {
			return
		}
		if payload = p.tunnel.open(d); payload == nil {
			return
		}
	}
	if err := n.frame.Decode(payload, n.Config.Dialect, nil); err != nil {
		return
	}
	if p != nil && !p.up && p.side == 1 {
		p.established()
	}
	if p != nil {
		p.receive(&n.frame)
		return
	}
	if n.Listen && n.frame.Type == hazel.Hello {
		n.accept(d)
	}
}

// accept takes a Hello from an unknown address, or refuses it.
func (n *Node) accept(d *sim.Datagram) {
	told := d.Note.(note.Remark).Neutral()
	c := told.Conn
	// A keep-alive of a client that was given up would open a connection that
	// its client knows nothing of. Such are not made here.
	if own := c.Own.(*shared); !told.Opens || own.accepted {
		return
	} else if n.Refuse == nil {
		own.accepted = true
	}
	p := newPeer(n, c, 1)
	if n.Refuse != nil {
		p.stop()
		p.disconnect(n.Refuse, note.Refusal)
		return
	}
	p.receive(&n.frame)
	p.established()
}

// secure starts the listener's end of a tunnel.
func (n *Node) secure(d *sim.Datagram) *Peer {
	if !n.Listen || len(d.Payload) == 0 || d.Payload[0] != handshakeRecord {
		return nil
	}
	p := newPeer(n, d.Note.(note.Remark).Neutral().Conn, 1)
	p.tunnel = &tunnel{p: p}
	return p
}
