package track

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/session"
)

// learnFromData draws conclusions from a frame of a connection whose handshake
// was not captured.
func (c *conn) learnFromData(d *dp8.DFrame) {
	if d.KeepAlive {
		c.knowSession(d.SessionID)
	}
	if c.params.Version != 0 {
		return
	}
	switch {
	case c.alive.sure, d.Coalesced, c.params.Signing == dp8.Signed:
		// KeepAlives with an id and coalescence need 1.5, signing needs 1.6; every
		// known implementation that has the former reports 1.6.
		c.inferVersion(dp8.Version16)
	case d.IsEmptyKeepAlive() && d.Seq != 0, d.Control&dp8.CtlKeepAlive != 0 && !d.KeepAlive:
		// From 1.5 the bit stands in nothing but KeepAlives.
		c.inferVersion(dp8.Version15 - 1)
	}
}

// An aliveState is what is known of KeepAlives while the version is not.
type aliveState struct {
	seen bool
	sure bool // two with the same id
	id   uint32

	other uint32 // the latest id of a KeepAlive that is not the connection's, 0 for none
	again bool   // the one before had it, too
}

// doubtKeepAlive looks again at what was taken for a KeepAlive without knowing
// the version: it is one while all have the same id (AMB-DP8-05). With another
// id, below 1.5, the four bytes are payload.
func (c *conn) doubtKeepAlive(d *dp8.DFrame) {
	a := &c.alive
	switch {
	case c.params.Version != 0 || c.params.Signing == dp8.Signed:
	case !a.seen:
		a.seen, a.id = true, d.SessionID
	case a.id == d.SessionID:
		a.sure = true
	default:
		c.inferVersion(dp8.Version15 - 1)
		if !c.hs.any && c.c.SessionID == a.id {
			c.c.SessionID, c.c.HasSessionID = 0, false
		}
		d.KeepAlive, d.SessionID = false, 0
		d.Payload = c.Frame.Payload[len(c.Frame.Payload)-4:]
	}
}

func (c *conn) inferVersion(v uint32) {
	c.params.Version, c.c.Version = v, v
	c.c.Infer("version")
}

// adopt takes over what a probe learned from the datagrams before recognition.
func (c *conn) adopt(p *probe) {
	switch p.signing() {
	case dp8.Signed:
		c.lengths = max(p.signed, 1)
		c.concludeSigning(true)
	case dp8.Unsigned:
		c.lengths = min(p.signed, -1)
		c.concludeSigning(false)
	}
	if p.old {
		c.inferVersion(dp8.Version15 - 1)
	}
	c.life.state = session.StateUnknown
}

// learnSigning takes the lengths of SACKs and KeepAlives for proof of whether frames are
// signed, when the handshake was not captured. One endpoint may be wrong about it: where
// lengths contradict each other, most of them decide, and as many of both kinds nothing.
func (c *conn) learnSigning(dir dissect.Dir, has bool) {
	n := 1
	if !has {
		n = -1
	}
	c.side[dir].lengths += int32(n)
	c.lengths += n
	switch {
	case c.params.Signing == dp8.SigningUnknown:
		c.concludeSigning(has)
	case c.hs.Signed != c.hs.plain, has == (c.params.Signing == dp8.Signed):
	case c.lengths == 0:
		c.mode, c.params.Signing, c.c.Signing = ModeUnknown, dp8.SigningUnknown, ""
	case has == (c.lengths > 0):
		c.mode, c.c.Signing = ModeUnknown, ""
		c.concludeSigning(has)
	}
}

func (c *conn) concludeSigning(signed bool) {
	if !signed {
		c.knowMode(ModeNone, true)
		return
	}
	c.params.Signing = dp8.Signed
	c.c.Infer("signing")
}

// showsSigning reports whether a side's own lengths tell of the signing that was
// concluded.
func (c *conn) showsSigning(dir dissect.Dir) bool {
	n := c.side[dir].lengths
	return n > 0 && c.params.Signing == dp8.Signed || n < 0 && c.params.Signing == dp8.Unsigned
}
