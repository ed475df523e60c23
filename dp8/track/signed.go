package track

import "github.com/dpdissect/dpdissect/dp8"

// An offer is a CONNECTED_SIGNED of the listener.
type offer struct {
	frame  uint64
	time   int64
	msgID  uint8
	rspID  uint8
	tick   uint32
	cookie [8]byte
	opts   uint32
}

// maxOffers is how many offers of an attempt are remembered: as many as there are
// CONNECTs (MC-DPL8R 3.1.2.1).
const maxOffers = 16

// signedWatch is what was captured of a signed handshake.
type signedWatch struct {
	offers  []offer
	more    bool   // there were more
	badKeys bool   // the frame at hand must not give secrets
	mode    uint32 // the connector's, 0 when it is not known
	torn    bool   // the sides name different modes
}

// readSigned notes what a CONNECTED_SIGNED says of the mode, and whether its cookie is one
// that was offered: else the listener ignores it (MC-DPL8R 3.1.5.1.3).
func (c *conn) readSigned(h *dp8.Handshake, fromListener bool) {
	w := &c.signed
	if w.badKeys = false; fromListener {
		return
	}
	if mode, ok := oneMode(h.SigningOpts); ok {
		offered, single := mode, false
		if n := len(w.offers); n > 0 {
			offered, single = oneMode(w.offers[n-1].opts)
		}
		if single && offered != mode {
			w.torn = true
		} else {
			w.mode = mode
		}
	}
	if !w.more && !c.blind {
		byTick, byCookie := w.echoes(h)
		w.badKeys = byTick && !byCookie
	}
}

// oneMode gives the mode that dwSigningOpts names, where it names exactly one.
func oneMode(opts uint32) (mode uint32, ok bool) {
	mode = opts & (dp8.SigningFast | dp8.SigningFull)
	return mode, mode == dp8.SigningFast || mode == dp8.SigningFull
}

// echoes reports whether the connector's CONNECTED_SIGNED has the tick, and the cookie, of an
// offer.
func (w *signedWatch) echoes(h *dp8.Handshake) (byTick, byCookie bool) {
	for i := range w.offers {
		byTick = byTick || w.offers[i].tick == h.EchoTimestamp
		byCookie = byCookie || w.offers[i].cookie == h.ConnectSig
	}
	return byTick, byCookie
}

// addOffer remembers the listener's CONNECTED_SIGNED.
func (c *conn) addOffer(h *dp8.Handshake) {
	w := &c.signed
	if len(w.offers) == maxOffers {
		w.more = true
		return
	}
	w.offers = append(w.offers, offer{c.fr.Frame, c.fr.Time, h.MsgID, h.RspID, h.Timestamp, h.ConnectSig, h.SigningOpts})
}
