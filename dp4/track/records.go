package track

import (
	"math"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp4"
	"github.com/dpdissect/dpdissect/session/seq"
)

// A Message is what the packets of one message have in common. Of a message of one packet its Record says it.
type Message struct {
	Num      seq.Num
	STA, EOM seq.Num // numbers of the packets with these
	HasSTA   bool
	HasEOM   bool
	High     uint8   // highest serial captured
	Low      seq.Num // lowest number captured
	Frame    uint64  // of the packet captured first

	rly   bool
	set   bool
	epoch uint32
}

// doubt begins again at a time: what was known of numbers counts no more.
func (h *history) doubt(at int64) {
	h.epoch++
	h.doubted = at
	h.isOpen = false
	h.begin()
}

// begin forgets which packet is the highest.
func (h *history) begin() { h.topSet, h.topEnds, h.gap = false, false, h.top }

// jumped reports whether a packet goes on from one whose messageid was out of order:
// the sender's messageids jumped there, once, and what was known of those before
// counts no more.
func (h *history) jumped(num, msg seq.Num) bool {
	d, dm := num-h.jumpNum, msg-h.jumpMsg
	if !h.jump || d <= 0 || d > NearPackets || dm < 0 || dm > d {
		return false
	}
	h.jump, h.isOpen, h.isPast = false, false, false
	h.epoch++
	h.begin()
	return true
}

// record gives what a packet is compared by.
func (h *history) record(n seq.Num) Record {
	if r := h.at(n); h.compares(r) {
		return r
	}
	return Record{}
}

// compares reports whether packets are compared with one that is remembered.
func (h *history) compares(r Record) bool { return r.IsKnown() && r.epoch == h.epoch }

func (h *history) message(msg seq.Num) *Message {
	if h.messages == nil {
		return nil
	}
	if m := &h.messages[msg&31]; m.set && m.Num == msg && m.epoch == h.epoch {
		return m
	}
	return nil
}

// whole is a message of one packet.
func (r Record) whole() *Message {
	return &Message{Num: r.Msg, STA: r.Num, EOM: r.Num, HasSTA: true, HasEOM: true, High: r.High(), Low: r.Num, Frame: r.Frame(), rly: r.Flags&dp4.RLY != 0}
}

// NearPackets is how far packets are compared. An old packet sent again looks new when it
// is more than half of the numbers back; this is well below.
const NearPackets = 64

// before gives the nearest packet below a number.
func (h *history) before(num seq.Num) Record {
	for n := num - 1; n >= num-NearPackets; n-- {
		if u := h.record(n); u.IsKnown() {
			return u
		}
	}
	return Record{}
}

// above gives the nearest packet above a number.
func (h *history) above(num seq.Num) Record {
	for n := num + 1; n <= min(h.top, num+NearPackets); n++ {
		if u := h.record(n); u.IsKnown() {
			return u
		}
	}
	return Record{}
}

// keep remembers a packet captured for the first time.
func (c *conn) keep(u Record) {
	h, f, fr := &c.own.history, c.Packet, c.Frame
	// Field by field: a copied literal would wait for its own narrow stores.
	u.epoch = h.epoch
	u.data, u.horizon, u.Size, u.IPID = dataPrint(f, fr), uint32(min(h.out.Horizon(), math.MaxUint32)), uint16(f.Size(fr.Length)), fr.IPID
	u.Flags, u.Low, u.Sum = f.Flags, f.Serial, c.own.total
	if x := u.sent; x != nil {
		x.frame, x.in, x.time, x.last, x.high = fr.Frame, fr.Frame, fr.Time, fr.Time, f.Serial
	}
	h.rank(u.Num, u.Msg, f.Flags&dp4.EOM != 0)
	if f.Flags&dp4.WholeMessage != dp4.WholeMessage {
		h.keepMessage(f, fr, u.Num, u.Msg)
	}
}

// rank places a packet that is kept among the others of its epoch.
func (h *history) rank(num, msg seq.Num, ends bool) {
	switch {
	case !h.topSet || num > h.top+1:
		h.gap = num - 1
	case num == h.gap:
		for h.gap--; h.top-h.gap <= NearPackets && h.record(h.gap).IsKnown(); {
			h.gap--
		}
	}
	if !h.topSet || num >= h.top {
		h.top, h.topSet, h.topMsg, h.topEnds = num, true, msg, ends
	}
}

// further notes another transmission of a packet.
func (h *history) further(u Record, f *dp4.Frame, fr *dissect.Frame, sum int64) {
	u.Low = min(u.Low, f.Serial)
	if x := u.sent; int8(f.Serial-x.high) >= 0 {
		x.high, x.last, x.in, u.Sum = f.Serial, fr.Time, fr.Frame, sum
	}
	if m := h.message(u.Msg); m != nil {
		m.High = max(m.High, f.Serial)
	}
}

func (h *history) keepMessage(f *dp4.Frame, fr *dissect.Frame, num, msg seq.Num) {
	if h.messages == nil {
		h.messages = new([32]Message)
	}
	m := h.message(msg)
	if m == nil {
		m = &h.messages[msg&31]
		if m.set && m.epoch == h.epoch && m.Num > msg {
			return
		}
		m.Num, m.epoch, m.set, m.rly, m.Low, m.Frame, m.High = msg, h.epoch, true, f.Flags&dp4.RLY != 0, num, fr.Frame, 0
		m.HasSTA, m.HasEOM = false, false
	}
	m.Low = min(m.Low, num)
	m.High = max(m.High, f.Serial)
	if f.Flags&dp4.STA != 0 && !m.HasSTA {
		m.HasSTA, m.STA = true, num
	}
	if f.Flags&dp4.EOM != 0 && !m.HasEOM {
		m.HasEOM, m.EOM = true, num
	}
}

// dataPrint is the fingerprint of a frame's data, 0 when it was cut: two of one packet are alike by
// chance once in 2^31.
func dataPrint(f *dp4.Frame, fr *dissect.Frame) uint32 {
	if fr.Cut() {
		return 0
	}
	return uint32(dissect.Digest(f.Data)) | 1
}
