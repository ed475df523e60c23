package track

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session"
)

// What the tests of the package, which follow connections with rules, ask for.
const (
	MaxParts = maxParts
	MaxKept  = maxKept
	MaxConns = maxConns
)

// A Probe is what recognises the protocol.
type Probe = probe

// Certain is a probe that needs no evidence.
type Certain struct{}

// Reset implements session.Probe.
func (Certain) Reset() {}

// Observe implements session.Probe.
func (Certain) Observe(*dissect.Datagram, dissect.Dir) float64 { return session.LockBits }
