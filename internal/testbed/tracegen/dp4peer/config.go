package dp4peer

import (
	"time"

	"github.com/dpdissect/dpdissect/dp4"
)

// Config is how an endpoint behaves.
type Config struct {
	First      int64 // first messageid and sequence: the text says 1, its example 0
	SP         bool  // a service provider's header stands in front of each frame
	MaxPayload int   // bytes of a message in one frame
	MaxFlight  int   // packets outstanding, well below half of the 8-bit sequence space

	SAK       SAK  // when acknowledgements are asked for
	OwnSerial bool // each packet counts its own transmissions (example 4.1.4), not its message
	RetryAll  bool // all packets that are overdue are sent again, not the oldest alone
	Retries   int  // of one packet, before the other side is given up

	NACK      bool          // missing packets are reported; Windows does not
	Order     dp4.Order     // of the bits in extended flags
	FullMask  bool          // masks always have three bytes
	Blind     bool          // packets that were not sent reliably are reported, too
	NACKDelay time.Duration // a gap may fill by itself for so long

	NACKEach bool // each packet after a gap is answered by a NACK, whatever was reported before
	Reack    bool // a packet that comes again is acknowledged by its own numbers, not by the latest
	NewBytes bool // bytes received leaves out packets that come again, as it SHOULD NOT (MC-DPL4R 3.1.3)
	Rash     bool // a packet is sent again for each NACK that names it, however soon
	ShortRTO bool // the time of retries is the average round trip plus 20% (MC-DPL4R 3.1.2)

	AckDelay      time.Duration // of acknowledgements nobody asked for
	AckUnreliable bool          // messages that were not sent reliably are acknowledged, too
}

// SAK is when a sender sets the flag of that name.
type SAK uint8

const (
	SAKTimed SAK = iota // as Windows does (MC-DPL4R appendix A <8>)
	SAKLast             // on the last packet of every message
)

// Windows is an endpoint as the appendix describes the product.
func Windows() Config {
	return Config{First: 1, MaxPayload: 1400, MaxFlight: 60, Retries: 10, AckDelay: 40 * time.Millisecond}
}

// Eager is an endpoint that uses all of the text: NACKs, and a SAK with each
// message.
func Eager() Config {
	c := Windows()
	c.SAK, c.NACK, c.AckUnreliable = SAKLast, true, true
	return c
}

const (
	firstRTO      = time.Second           // MC-DPL4R 3.1.2
	extraRTO      = 50 * time.Millisecond // "plus some extra amount of time"
	maxRTO        = 5 * time.Second
	sakEvery      = 50 * time.Millisecond  // appendix A <8>
	sakPackets    = 24                     // appendix A <8>
	messageWindow = 24                     // MC-DPL4R 2.2.2
	unreliableFor = time.Second            // what is not sent again is outstanding for so long
	timeout       = 400 * time.Millisecond // with a gap that will not be filled
	maskBits      = 24                     // of a NACK
)
