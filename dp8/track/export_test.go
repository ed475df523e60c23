package track

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/seq"
)

// What the tests of the package, which follow connections with rules, ask for.
const (
	MaxClaims        = maxClaims
	MaxDoubts        = maxDoubts
	MaxHeldPayload   = maxHeldPayload
	MaxOffers        = maxOffers
	Patience         = patience
	ModifierReversed = modifierReversed
	SecretReversed   = secretReversed
	NumVariants      = numVariants
)

// A Variant reverses bytes.
type Variant = variant

// A Probe is what recognises the protocol.
type Probe = probe

// Learned is what a probe concluded of signing, and whether the version is below 1.5.
func (p *probe) Learned() (signing dp8.Signing, old bool) { return p.signing(), p.old }

// SawNumber makes a probe one that saw a number of a side.
func (p *probe) SawNumber(dir dissect.Dir) { p.side[dir].hasSeq = true }

// Strangers counts what is no frame of the protocol.
func (p *probe) Strangers() int { return p.strangers }

// SessionOf gives the session id of a command frame that names one.
func SessionOf(b []byte) (id uint32, op uint8, ok bool) { return sessionOf(b) }

// First is the first connection of an address pair.
func First(s session.Session) *session.Conn { return s.(spoiled).conns[0].c }

// Remembers reports whether the first connection of an address pair remembers a data frame of a
// side.
func Remembers(s session.Session, dir dissect.Dir, num seq.Num) bool {
	return s.(spoiled).conns[0].side[dir].History.At(num).IsKnown()
}

// Long switches the short way off.
func (o Options) Long() Options {
	o.long = true
	return o
}
