package dp4peer

import (
	"github.com/dpdissect/dpdissect/dp4"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/note"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/sim"
)

// A World is what the nodes of a trace share.
type World struct {
	Net  *sim.Network
	Book *note.Book
}

// A Node is a socket, on which several players may speak.
type Node struct {
	World  *World
	Host   *sim.Host
	Config Config
	// Gone answers for the host when the process has ended; nil: nothing does.
	Gone func(d *sim.Datagram)
	// OnMessage takes what is delivered.
	OnMessage func(p *Peer, data []byte)

	peers []*Peer
	frame dp4.Frame
}

// NewNode opens a socket on a host.
func NewNode(w *World, h *sim.Host, c Config) *Node {
	n := &Node{World: w, Host: h, Config: c}
	h.Receive = n.receive
	return n
}

// Join makes the player a of this node and the player b of another known to each
// other, as the core does when one joins a session.
func (n *Node) Join(to *Node, a, b uint32) (*Peer, *Peer) {
	c := n.World.Book.Enter(&note.Conn{Protocol: "dp4", Hosts: [2]*sim.Host{n.Host, to.Host}, Players: []uint32{a, b},
		Modulus: 256, Base: note.ByMessage})
	p, q := newPeer(n, c, 0), newPeer(to, c, 1)
	p.partner, q.partner = q, p
	p.next, q.next = q.cfg.First, p.cfg.First
	p.topMsg, q.topMsg = q.cfg.First, p.cfg.First
	return p, q
}

// Peers are the node's ends of all pairs of players.
func (n *Node) Peers() []*Peer { return n.peers }

// Kill ends the process: its host answers with what Gone does.
func (n *Node) Kill() {
	n.Host.Receive = n.Gone
	for _, p := range n.peers {
		p.stop()
	}
}

// receive gives a frame to the players it names (MC-DPL4R 3.1.5.1).
func (n *Node) receive(d *sim.Datagram) {
	f := &n.frame
	if d.Proto == sim.ProtoICMP || f.Decode(d.Payload, dp4.Params{Length: len(d.Payload)}, nil) != nil {
		return
	}
	for _, p := range n.peers {
		if p.conn.Hosts[1-p.side] == d.From && p.player(1-p.side) == f.From.Value && p.player(p.side) == f.To.Value && !p.over {
			p.receive(f, f.Size(len(d.Payload)))
			return
		}
	}
}
