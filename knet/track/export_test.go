package track

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session"
)

// What the tests of the package, which follow connections with rules, ask for.
const (
	MaxOpeners = maxOpeners
	MaxFaults  = maxFaults
	EnoughAcks = enoughAcks
)

// Openers is how many connect datagrams of an address pair are remembered.
func Openers(s session.Session) int { return len(s.(*pair).openers) }

// Fill leaves no room for fragments of a side.
func Fill(s session.Session, dir dissect.Dir) {
	s.(*pair).conns[0].side[dir].transfers.held = MaxTransferBytes
}
