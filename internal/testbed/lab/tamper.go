package lab

import (
	"slices"

	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/sim"
)

// eachDatagram lets change look at a copy of every payload, sent by side 0 or 1,
// and change it in place; it reports whether it broke the rule.
func eachDatagram(change func(p []byte, side int) bool) func() func(*sim.Datagram) []sim.Tampered {
	return func() func(*sim.Datagram) []sim.Tampered {
		return func(d *sim.Datagram) []sim.Tampered {
			p := slices.Clone(d.Payload)
			fault := change(p, d.From.Side)
			return []sim.Tampered{{Payload: p, Fault: fault}}
		}
	}
}

// flip inverts bits of a byte; it reports true, for the end of a condition.
func flip(p []byte, at int, bits byte) bool {
	p[at] ^= bits
	return true
}
