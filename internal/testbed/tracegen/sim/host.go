package sim

import (
	"net/netip"
	"time"
)

// A Host is one address and port on one side of the capture point.
type Host struct {
	Addr   netip.AddrPort
	Side   int // 0 or 1
	MAC    [6]byte
	ZeroID bool   // send IPv4 identification 0 and don't-fragment, as some systems do
	Tick   uint32 // tick count in ms at time zero

	// Receive takes what arrives. A nil Receive is a dead host.
	Receive func(d *Datagram)

	id uint16 // last IPv4 identification
}

// TickAt is the host's millisecond tick count.
func (h *Host) TickAt(now time.Duration) uint32 {
	return h.Tick + uint32(now/time.Millisecond)
}

// nextID gives the identification of the next IPv4 packet.
func (h *Host) nextID() uint16 {
	if h.ZeroID {
		return 0
	}
	if h.id++; h.id == 0 {
		h.id = 1
	}
	return h.id
}

// SetID sets the identification that was used last.
func (h *Host) SetID(id uint16) { h.id = id }

// A Datagram is one datagram a host sent, and its fate so far. What the network
// doubles stays one Datagram; what an endpoint sends again is another.
type Datagram struct {
	From, To *Host
	Proto    uint8 // 0 means UDP
	Payload  []byte
	Note     any  // the sender's remark, not looked at here
	Injected bool // by a third party at the capture point, in From's name
	Fault    bool // see Tampered

	Changed []byte // the payload that arrives, where the way changed it
	Broken  bool   // its checksum tells so

	ID        uint16 // IPv4 identification
	FreshIDs  bool   // the network's copies of it have identifications of their own
	Parts     int    // IP packets it takes
	Passed    int    // packets that reached the capture point
	Captured  int    // packets in the capture
	Arrived   int    // packets that reached To
	Outside   int    // packets that passed while the capture was not running
	LastFrame int    // number of the packet captured last
	live      int
}

// read is the datagram as its receiver reads it.
func (d *Datagram) read() *Datagram {
	if d.Changed == nil {
		return d
	}
	c := *d
	c.Payload = d.Changed
	return &c
}

// IP protocol numbers. Over IPv6, what is told to be ICMP is sent as ICMPv6.
const (
	ProtoICMP   = 1
	ProtoUDP    = 17
	protoICMPv6 = 58
)
