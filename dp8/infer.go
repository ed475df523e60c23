package dp8

import "github.com/dpdissect/dpdissect/session"

// learnFromData draws conclusions from a frame of a connection whose handshake
// was not captured.
func (c *conn) learnFromData(d *DFrame) {
	if d.KeepAlive {
		c.knowSession(d.SessionID)
	}
	if c.params.Version != 0 {
		return
	}
	switch {
	case d.KeepAlive, d.Coalesced, c.mode > modeNone:
		// KeepAlives with an id and coalescence need 1.5, signing needs 1.6; every
		// known implementation that has the former reports 1.6.
		c.inferVersion(Version16)
	case d.IsEmptyKeepAlive() && d.Seq != 0:
		c.inferVersion(Version15 - 1)
	}
}

func (c *conn) inferVersion(v uint32) {
	c.params.Version, c.c.Version = v, v
	c.c.Infer("version")
}

// adopt takes over what a probe learned from the datagrams before recognition.
func (c *conn) adopt(p *probe) {
	switch p.signing() {
	case Signed:
		c.params.Signing = Signed
		c.c.Infer("signing")
	case Unsigned:
		c.knowMode(modeNone, true)
	}
	c.life.state = session.StateUnknown
}

// learnSigning takes the length of a SACK or KeepAlive for proof of whether
// frames are signed, when the handshake was not captured.
func (c *conn) learnSigning(has bool) {
	switch {
	case c.params.Signing != SigningUnknown:
	case has:
		c.params.Signing = Signed
		c.c.Infer("signing")
	default:
		c.knowMode(modeNone, true)
	}
}
