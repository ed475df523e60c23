package session

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session/seq"
)

// GivenUp says what a protocol knows of a connection that was given up, where no packet
// that was sent again tells it (FLD-GIVEUP).
func (c *Conn) GivenUp(dir dissect.Dir, at seq.Sign, message string) {
	c.observe(rFldGiveup, dir, at, message+": the connection was given up")
}

// PortClosed says that ICMP ended an established connection: nobody listens any more at the
// side that dir sends to (FLD-NOREPLY).
func (c *Conn) PortClosed(dir dissect.Dir, at seq.Sign, message string) {
	c.observe(rFldNoreply, dir, at, message)
}
