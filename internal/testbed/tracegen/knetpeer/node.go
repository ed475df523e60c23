package knetpeer

import (
	"math/rand/v2"

	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/note"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/sim"
	"github.com/dpdissect/dpdissect/knet"
)

// A World is what the nodes of a trace share.
type World struct {
	Net  *sim.Network
	Book *note.Book
	Rand *rand.Rand
}

// Door is what a listener does with those who want in.
type Door uint8

const (
	Open       Door = iota
	Stealthy        // silence
	Responsive      // page: a DisconnectAck
)

// A Node is a socket: a client's, or a listener's with a peer for each client.
type Node struct {
	World  *World
	Host   *sim.Host
	Config Config
	Listen bool
	Door   Door
	// Reopens makes a library listener take what comes late on an ended
	// connection for someone new, as the library does.
	Reopens bool
	// Gone answers for the host when a client's socket is closed; nil: nothing
	// does.
	Gone func(d *sim.Datagram)

	// Established is told of every connection that becomes established here.
	Established func(p *Peer)
	// OnMessage takes what is delivered.
	OnMessage func(p *Peer, data []byte)

	peers map[*sim.Host]*Peer
	ended map[*note.Conn]bool
	d     knet.Datagram
}

// own is what both ends of a connection know of it.
type own struct {
	first  [2]int64 // PacketIDs
	number [2]int64 // reliable numbers
}

// NewNode opens a socket on a host.
func NewNode(w *World, h *sim.Host, c Config) *Node {
	n := &Node{World: w, Host: h, Config: c, peers: map[*sim.Host]*Peer{}, ended: map[*note.Conn]bool{}}
	h.Receive = n.receive
	return n
}

// Connect starts a connection to a listening node.
func (n *Node) Connect(to *Node) *Peer {
	n.Host.Receive = n.receive
	p := newPeer(n, n.World.enter(n, to), 0)
	if n.Config.library() {
		p.connect()
	} else {
		p.syn()
	}
	return p
}

// enter tells of a new connection from a client to a server.
func (w *World) enter(client, server *Node) *note.Conn {
	c := &note.Conn{Protocol: "knet", Hosts: [2]*sim.Host{client.Host, server.Host}, Roles: [2]string{"client", "server"}}
	o := &own{}
	for i, n := range []*Node{client, server} {
		c.Dialects[i] = n.Config.Dialect.String()
		o.first[i], o.number[i] = n.Config.FirstID, n.Config.FirstNumber
	}
	c.Own = o
	c.Modulus, c.Base = 1<<knet.PacketIDBits, note.ByNumber
	if client.Config.library() {
		c.Modulus, c.Base = 1<<knet.NumberBits, note.ByUnit
	}
	return w.Book.Enter(c)
}

// Peer gives the node's end of its connection with a host, or nil.
func (n *Node) Peer(with *sim.Host) *Peer { return n.peers[with] }

// Kill ends the process: its host answers with what Gone does.
func (n *Node) Kill() {
	n.Host.Receive = n.Gone
	for _, h := range n.partners() {
		n.peers[h].stop()
	}
}

// Forget drops the connection with a host without a word, as the library does when it
// receives what it cannot read: what comes next is of someone new.
func (n *Node) Forget(h *sim.Host) {
	if p := n.peers[h]; p != nil {
		p.stop()
		n.Reopens = true
	}
}

// partners are the hosts of all connections; there is no order among them that
// could be seen.
func (n *Node) partners() (all []*sim.Host) {
	for h := range n.peers {
		all = append(all, h)
	}
	return all
}

func (n *Node) receive(d *sim.Datagram) {
	p := n.peers[d.From]
	if d.Proto == sim.ProtoICMP {
		if p != nil && !n.Listen {
			p.leave() // a socket of one connection learns of it, a listener's does not
		}
		return
	}
	err := n.d.Decode(d.Payload, n.Config.params(), nil)
	switch {
	case p != nil && err == nil:
		p.in.receive(&n.d)
	case p == nil && n.Listen:
		n.knock(d, err == nil)
	}
}

// knock is a datagram of an endpoint that has no connection.
func (n *Node) knock(d *sim.Datagram, whole bool) {
	if n.Door == Stealthy {
		return
	}
	c := d.Note.(note.Remark).Neutral().Conn
	if n.Config.library() {
		n.admit(c, d.From)
		return
	}
	// kNet page, Session Management: from a new endpoint, only a ConnectSyn is
	// looked at.
	if !whole || len(n.d.Messages) != 1 || n.d.Messages[0].Kind != knet.ConnectSyn || n.ended[c] {
		return
	}
	p := newPeer(n, c, 1)
	if n.Door == Responsive {
		p.refuse()
		return
	}
	p.in.receive(&n.d)
}

// admit takes any datagram for the wish to connect, as the library does; what it
// says is not looked at (NetworkServer.cpp 223-354). A client whose address changed is a
// new one, too.
func (n *Node) admit(c *note.Conn, from *sim.Host) {
	late := n.ended[c]
	if late && !n.Reopens {
		return
	}
	if late || from != c.Hosts[0] {
		hosts := [2]*sim.Host{from, c.Hosts[1]}
		c = n.World.Book.Enter(&note.Conn{Protocol: c.Protocol, Hosts: hosts, Roles: c.Roles, Dialects: c.Dialects,
			Modulus: c.Modulus, Base: c.Base, Own: c.Own})
	}
	p := newPeer(n, c, 1)
	p.out.opens = late
	p.welcome()
}
