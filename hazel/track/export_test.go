package track

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session"
)

// What the tests of the package, which follow connections with rules, ask for.
const (
	MaxPartial   = maxPartial
	MaxHeldBytes = maxHeldBytes
	MostPaired   = mostPaired
	AwaitedKept  = awaitedKept
)

// Held counts the bytes that are held of messages of a side that lack a part.
func Held(s session.Session, dir dissect.Dir) int { return s.(*pair).active.side[dir].asm.held }
