package dp8peer

import (
	"fmt"
	"math/bits"

	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/note"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/sim"
)

// A Note says what a datagram is, in numbers that do not wrap.
type Note struct {
	Conn *Conn
	Side int // 0 connector, 1 listener
	Type dp8.Type

	Seq       int64  // data frame: its number; SACK: the next to be sent; else -1
	NRcv      int64  // all before it are acknowledged; -1 when it acknowledges nothing
	SACKMask  uint64 // relative to NRcv
	SendMask  uint64 // relative to Seq
	Retry     bool
	Reliable  bool
	KeepAlive bool
	EndStream bool
	Parts     []Part // application data it carries
	KeyEpoch  int64  // number of the secret it is signed with; -1 unsigned
	Secrets   bool   // CONNECTED_SIGNED with both secrets
	Forged    string // not from the endpoint: what kind of forgery

	told *note.Note
}

// Neutral tells the truthWatch what the datagram is.
func (n *Note) Neutral() *note.Note {
	if n.told == nil {
		n.told = n.tell()
	}
	return n.told
}

func (n *Note) tell() *note.Note {
	out := note.New(&n.Conn.Told, n.Side, n.Type.String())
	out.Ack, out.Forged, out.Shown = n.Type == dp8.TypeSACK, n.Forged, n.Seq
	out.Exact, out.Marked, out.Retry, out.Alike = !out.Ack, true, n.Retry, n.Retry
	out.Opens = n.Type == dp8.TypeConnect
	if n.IsData() {
		out.Number, out.Establishes = n.Seq, true
	}
	out.Data = n.IsData() && len(n.Parts) > 0 && !n.KeepAlive
	if n.KeepAlive && !out.Ack {
		out.KeepAlives = 1
	}
	for i := range n.Parts {
		out.Parts = append(out.Parts, note.Part{Message: &n.Parts[i].Message.Message, Index: n.Parts[i].Index})
	}
	if n.NRcv >= 0 {
		out.AckBelow = n.NRcv
		for m := n.SACKMask; m != 0; m &= m - 1 {
			out.Acks = append(out.Acks, n.NRcv+1+int64(bits.TrailingZeros64(m)))
		}
	}
	for m := n.SendMask; m != 0; m &= m - 1 {
		out.GivenUp = append(out.GivenUp, n.Seq-1-int64(bits.TrailingZeros64(m)))
	}
	switch {
	case n.EndStream:
		out.Close = note.Graceful
	case n.Type == dp8.TypeHardDisconnect:
		out.Close = note.Abrupt
	}
	return out
}

// IsData reports whether it is a data frame, of whatever content.
func (n *Note) IsData() bool { return n.Type == dp8.TypeDFrame }

// A Part is one message, or one piece of it, in a data frame.
type Part struct {
	Message *Message
	Index   int
}

// A Message is what an application handed to its endpoint.
type Message struct {
	note.Message
	User      dp8.Command // User1, User2
	Coalesced bool
}

// A Conn is what is true of one connection.
type Conn struct {
	Told      note.Conn // the same, for the truthWatch
	SessionID uint32
	Hosts     [2]*sim.Host // connector, listener
	Peers     [2]*Peer
	Configs   [2]Config
	Secrets   [2]dp8.Secret // of epoch 0: connector, listener
	Keep      bool          // keep every message in Messages
	Messages  [2][]*Message
	// Sources is per epoch the number of the payload its modifier came from, when Keep.
	Sources [2]map[int64]int64
	// History is the secrets by epoch, when Keep.
	History [2][]dp8.Secret
}

// Version is the lower of the two versions.
func (c *Conn) Version() uint32 { return min(c.Configs[0].Version, c.Configs[1].Version) }

// Signing is the mode of the connection.
func (c *Conn) Signing() uint32 { return c.Configs[0].Signing }

// Params is what a decoder must know.
func (c *Conn) Params() dp8.Params {
	p := dp8.Params{Version: c.Version(), Signing: dp8.Unsigned}
	if c.Signing() != Unsigned {
		p.Signing = dp8.Signed
	}
	return p
}

// tell begins what the truthWatch is told of the connection.
func (c *Conn) tell() *note.Conn {
	c.Told = note.Conn{Protocol: "dp8", Hosts: c.Hosts, Roles: [2]string{"connector", "listener"}, Mutual: true, Counted: note.Always, Modulus: 256, Own: c,
		SessionID: fmt.Sprintf("0x%08x", c.SessionID), Version: spell(c.Version()), Signing: [...]string{"none", "fast", "full"}[c.Signing()]}
	for i, cfg := range c.Configs {
		c.Told.Versions[i] = spell(cfg.Version)
	}
	return &c.Told
}

func spell(v uint32) string { return fmt.Sprintf("%d.%d", v>>16, v&0xffff) }
