package dp4peer

import (
	"time"

	"github.com/dpdissect/dpdissect/dp4"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/note"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/sim"
)

// A Peer is one end of one pair of players. Messageids and sequences do not wrap
// here.
type Peer struct {
	node    *Node
	conn    *note.Conn
	side    int
	cfg     Config
	partner *Peer // only for what the text does not say how to know; see sent
	over    bool

	// Sending.
	said     int
	nextMsg  int64
	nextSeq  int64
	queue    []piece
	flight   []*packet // outstanding, by sequence
	sent     []promise // by sequence
	sakAt    time.Duration
	sinceSAK int // packets
	samples  int
	mean     float64 // of round trips, ns
	spread   float64 // sum of squared deviations
	progress time.Duration
	retry    *sim.Timer
	wake     *sim.Timer

	// Receiving.
	next    int64              // first sequence not received and not passed over
	ahead   map[int64]*arrival // received after a gap
	last    *arrival           // the latest before next
	topMsg  int64              // highest messageid received
	bytes   uint32             // received
	puzzles map[int64]*puzzle  // messages that lack a part or wait, by messageid
	ackAt   *sim.Timer
	nackAt  *sim.Timer
	gapAt   *sim.Timer
	nacked  report
}

// A promise is what a packet was sent as.
type promise struct {
	msg      int64
	reliable bool
}

func newPeer(n *Node, c *note.Conn, side int) *Peer {
	p := &Peer{node: n, conn: c, side: side, cfg: n.Config, nextMsg: n.Config.First, nextSeq: n.Config.First,
		ahead: map[int64]*arrival{}, puzzles: map[int64]*puzzle{}}
	n.peers = append(n.peers, p)
	return p
}

// Conn is the connection's truth.
func (p *Peer) Conn() *note.Conn { return p.conn }

// Side is 0 for the player that joined.
func (p *Peer) Side() int { return p.side }

// Open reports that the players speak.
func (p *Peer) Open() bool { return !p.over }

// Ended reports that this end fell silent for good.
func (p *Peer) Ended() bool { return p.over }

// Drained reports that everything was sent and, where that is promised,
// acknowledged.
func (p *Peer) Drained() bool {
	for _, k := range p.flight {
		if k.of.Reliable {
			return false
		}
	}
	return len(p.queue) == 0
}

// Queued is the number of packets that wait for room.
func (p *Peer) Queued() int { return len(p.queue) }

// Together is f: messages do not share frames.
func (p *Peer) Together(f func()) { f() }

// NextSeq is the sequence of the next packet.
func (p *Peer) NextSeq() int64 { return p.nextSeq }

func (p *Peer) player(side int) uint32 { return p.conn.Players[side] }

func (p *Peer) now() time.Duration { return p.node.World.Net.Clock.Now() }

func (p *Peer) after(d time.Duration, f func()) *sim.Timer { return p.node.World.Net.Clock.After(d, f) }

// note begins the note of a frame.
func (p *Peer) note(t dp4.Type) *note.Note {
	n := note.New(p.conn, p.side, t.String())
	n.Establishes = true // there is nothing else to wait for
	return n
}

// encode puts the players and the service provider's header in front.
func (p *Peer) encode(f *dp4.Frame) []byte {
	f.From.Value, f.To.Value = p.player(p.side), p.player(1-p.side)
	if p.cfg.SP {
		f.HasSP = true
		f.SP = dp4.SPHeader{Token: dp4.TokenRemote, Family: 2, Port: p.node.Host.Addr.Port()}
		f.SP.Size = uint32(len(f.Append(nil)))
	}
	return f.Append(nil)
}

func (p *Peer) send(n *note.Note, payload []byte) {
	p.node.World.Net.Send(&sim.Datagram{From: p.node.Host, To: p.conn.Hosts[1-p.side], Payload: payload, Note: n})
}

// stop calls all timers off.
func (p *Peer) stop() {
	p.over = true
	for _, t := range []*sim.Timer{p.retry, p.wake, p.ackAt, p.nackAt, p.gapAt} {
		t.Stop()
	}
}

// near is the number with the given low byte that is nearest to ref.
func near(ref int64, wire uint8) int64 { return ref + int64(int8(wire-uint8(ref))) }
