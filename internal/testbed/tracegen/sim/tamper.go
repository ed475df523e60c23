package sim

import "time"

// Tampered is one datagram that is sent in place of what an endpoint sent.
type Tampered struct {
	Payload []byte
	After   time.Duration // since it was handed over
	Fault   bool          // it breaks a rule: its captured packets are kept in Network.Faults
}

// Untouched sends a datagram as it is.
func Untouched(d *Datagram) []Tampered { return []Tampered{{Payload: d.Payload}} }
