package track

import "github.com/dpdissect/dpdissect/dp8"

// An Offer is a CONNECTED_SIGNED of the listener.
type Offer struct {
	Frame  uint64
	Time   int64
	msgID  uint8
	RspID  uint8
	Tick   uint32
	Cookie [8]byte
	Opts   uint32
}

// maxOffers is how many offers of an attempt are remembered: as many as there are
// CONNECTs (MC-DPL8R 3.1.2.1).
const maxOffers = 16

// Signed is what was captured of a signed handshake.
type Signed struct {
	Offers  []Offer
	More    bool   // there were more
	badKeys bool   // the frame at hand must not give secrets
	Mode    uint32 // the connector's, 0 when it is not known
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
		if n := len(w.Offers); n > 0 {
			offered, single = oneMode(w.Offers[n-1].Opts)
		}
		if single && offered != mode {
			w.torn = true
		} else {
			w.Mode = mode
		}
	}
	if !w.More && !c.blind {
		byTick, byCookie := w.Echoes(h)
		w.badKeys = byTick && !byCookie
	}
}

// oneMode gives the mode that dwSigningOpts names, where it names exactly one.
func oneMode(opts uint32) (mode uint32, ok bool) {
	mode = opts & (dp8.SigningFast | dp8.SigningFull)
	return mode, mode == dp8.SigningFast || mode == dp8.SigningFull
}

// Echoes reports whether the connector's CONNECTED_SIGNED has the tick, and the cookie, of an
// offer.
func (w *Signed) Echoes(h *dp8.Handshake) (byTick, byCookie bool) {
	for i := range w.Offers {
		byTick = byTick || w.Offers[i].Tick == h.EchoTimestamp
		byCookie = byCookie || w.Offers[i].Cookie == h.ConnectSig
	}
	return byTick, byCookie
}

// addOffer remembers the listener's CONNECTED_SIGNED.
func (c *conn) addOffer(h *dp8.Handshake) {
	w := &c.signed
	if len(w.Offers) == maxOffers {
		w.More = true
		return
	}
	w.Offers = append(w.Offers, Offer{c.Frame.Frame, c.Frame.Time, h.MsgID, h.RspID, h.Timestamp, h.ConnectSig, h.SigningOpts})
}
