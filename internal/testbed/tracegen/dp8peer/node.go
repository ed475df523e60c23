package dp8peer

import (
	"encoding/binary"
	"math/rand/v2"

	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/note"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/sim"
)

// A World is what the nodes of a trace share.
type World struct {
	Net   *sim.Network
	Rand  *rand.Rand
	Conns []*Conn
	Keep  bool // keep messages, for a full truth
	Book  *note.Book

	bySession map[uint32]*Conn
}

// A Node is a socket: it listens, or connects, and holds one peer a partner.
type Node struct {
	World  *World
	Host   *sim.Host
	Config Config
	Listen bool
	Dead   bool // answers nothing any more

	// Established is told of every connection that becomes established here.
	Established func(p *Peer)
	// OnMessage takes what is delivered.
	OnMessage func(p *Peer, m []byte, reliable bool)

	peers  map[*sim.Host]*Peer
	cookie [8]byte // key of the listener's cookies
	frame  dp8.Frame
}

// NewNode opens a socket on a host.
func NewNode(w *World, h *sim.Host, c Config) *Node {
	n := &Node{World: w, Host: h, Config: c, peers: map[*sim.Host]*Peer{}}
	binary.LittleEndian.PutUint64(n.cookie[:], w.Rand.Uint64())
	h.Receive = n.receive
	return n
}

// Connect starts a connection to a listening node.
func (n *Node) Connect(to *Node) *Peer {
	c := &Conn{SessionID: n.World.Rand.Uint32() | 1, Keep: n.World.Keep,
		Hosts: [2]*sim.Host{n.Host, to.Host}, Configs: [2]Config{n.Config, to.Config}}
	n.World.Book.Enter(c.tell())
	for i := range c.Secrets {
		c.Sources[i] = map[int64]int64{}
		binary.LittleEndian.PutUint64(c.Secrets[i][:], n.World.Rand.Uint64()|1)
		c.History[i] = []dp8.Secret{c.Secrets[i]}
	}
	if n.World.bySession == nil {
		n.World.bySession = map[uint32]*Conn{}
	}
	n.World.Conns = append(n.World.Conns, c)
	n.World.bySession[c.SessionID] = c
	p := newPeer(n, c, 0)
	n.peers[to.Host] = p
	p.handshaking.sendConnect()
	return p
}

// Peer gives the node's end of its connection with a host, or nil.
func (n *Node) Peer(with *sim.Host) *Peer { return n.peers[with] }

// Kill makes the node silent: it neither receives nor sends.
func (n *Node) Kill() {
	n.Dead = true
	n.Host.Receive = nil
	for _, p := range n.peers {
		p.stop()
	}
}

func (n *Node) receive(d *sim.Datagram) {
	if n.Dead || d.Proto == sim.ProtoICMP {
		return // a connector goes on trying: MC-DPL8R knows no ICMP
	}
	p := n.peers[d.From]
	params := dp8.Params{Version: n.Config.Version, Signing: dp8.SigningUnknown}
	if p != nil {
		params = p.conn.Params()
	}
	if err := n.frame.Decode(d.Payload, params, nil); err != nil {
		return
	}
	f := &n.frame
	switch f.Type {
	case dp8.TypeConnect:
		n.onConnect(d.From, p, &f.Handshake)
	case dp8.TypeConnectedSigned:
		n.onConnectedSigned(d.From, p, &f.Handshake)
	default:
		if p != nil {
			p.receive(f, d.Payload)
		} else if f.Type == dp8.TypeDFrame {
			n.onUnknown(d.From, &f.DFrame)
		}
	}
}
