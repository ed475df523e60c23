package track

import "github.com/dpdissect/dpdissect/dp8"

// A mixState is which kinds of answers a handshake had.
type mixState struct {
	offered [2]bool // the listener's CONNECTED, its CONNECTED_SIGNED
	mixed   bool    // it is both signed and not
}

// kindOf gives the place of an answer in mixState.offered.
func kindOf(h *dp8.Handshake) int {
	if h.Opcode == dp8.OpConnectedSigned {
		return 1
	}
	return 0
}

// keepsKind notes whether an answer keeps to what the handshake was so far, signed or not
// (MC-DPL8R 3.1.5.1.2, 3.1.5.1.3).
func (c *conn) keepsKind(h *dp8.Handshake) {
	x, kind := &c.Greeting, kindOf(h)
	signed := kind == 1
	x.Known, x.Offered = c.hs.plain || c.hs.Signed, c.hs.mix.offered
	c.hs.mix.offered[kind] = x.Offered[kind] || x.FromListener
	if x.Keeps = !x.Known || c.hs.plain && !signed || c.hs.Signed && signed; x.Keeps {
		c.hs.plain = c.hs.plain || !signed
		c.hs.ModeAt = c.Frame.Time
		return
	}
	c.hs.mix.mixed = true
	c.doubtMode()
}

// doubtMode forgets how frames are signed when the handshake says both: they will
// tell.
func (c *conn) doubtMode() {
	if !c.started() {
		c.mode, c.params.Signing, c.c.Signing = ModeUnknown, dp8.SigningUnknown, ""
	}
}
