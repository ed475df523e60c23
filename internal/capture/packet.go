package capture

import "github.com/dpdissect/dpdissect/dissect"

// Class says what a packet is to this program.
type Class uint8

const (
	NotUDP      Class = iota // anything else, also what is too short or too broken to tell
	UDP                      // a UDP datagram, perhaps put together by this packet
	Unreachable              // an ICMP or ICMPv6 notice that quotes a UDP datagram
	Fragment                 // a part of a UDP datagram that is not complete yet, or never will be
)

// A Packet is one packet of the capture and the datagram in it. For UDP and
// Unreachable the whole Datagram is set; for the others Frame, File, Time,
// HasTime, CapLen and WireLen are.
type Packet struct {
	dissect.Datagram
	Class      Class
	IsFragment bool    // the packet is an IP fragment, whatever became of it
	Assembly   uint64  // number of the datagram that it is a fragment of, 0 where that is not known
	Record     *Record // the packet as the file holds it

	plain bool // it was filled by the short way (plainFile)
}
