package dp8peer

import (
	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/internal/tracegen/sim"
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
	ID         int // per side, from 0
	Data       []byte
	Reliable   bool
	Sequential bool
	User       dp8.Command // User1, User2
	Parts      int         // frames it takes
	First      int64       // number of its first frame; -1 before it is sent
	Slot       int         // place within a coalesced frame
	Coalesced  bool
	Delivered  bool

	Seen  []bool // by part: captured; kept by who watches
	NSeen int
}

// A Conn is what is true of one connection.
type Conn struct {
	ID        int // from 0, by the first CONNECT
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
	Ended   [2]bool // the side wanted to end the connection before it was told the other does
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
