package track

import (
	"hash/maphash"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp4"
)

// Facts are what rules remember of the packets one side sent. Packets are compared
// only while their numbers of eight bits are beyond doubt (guard UNWRAP): when a
// side was not heard for so long that half of the numbers may have gone by, what
// was known before counts no more.
type facts struct {
	packets  *packets
	messages *[32]messageFact
	epoch    uint32 // grows with each doubt
	doubted  int64  // when the side was last silent for so long
	top      int64  // highest number of the epoch
	topSet   bool
	open     int64 // packet that follows one without EOM and is of another message
	isOpen   bool
	past     int64 // packet behind the end of its message, pastMsg
	pastMsg  int64
	isPast   bool
	jumpNum  int64 // latest packet whose messageid was out of order
	jumpMsg  int64
	jump     bool
	pace     pace

	captured uint64 // packets
	missed   uint64 // of these, sendings before were not captured

	perMessage bool // this side's serials count the sendings of whole messages
}

// A fact is one packet.
type fact struct {
	num, msg int64
	frame    uint64 // first captured copy
	latest   uint64 // latest sending captured
	time     int64  // of the first, ns
	last     int64  // time of the latest sending captured
	horizon  int64  // of reordering, when it was captured
	data     uint64 // fingerprint of its data, 0 when it was cut
	epoch    uint32
	size     uint16 // behind the player indexes
	ipid     uint16 // of the first
	set      bool
	flags    dp4.Flags
	low      uint8 // lowest and highest serial captured
	high     uint8
	nacks    uint8 // reports of its absence since it was last sent
	nackTick uint32
	nackAt   int64  // of the first of these
	nackSent uint64 // frames its sender had sent by then
	sum      int64  // bytes of data frames captured of this side, this one included
}

// A messageFact is what the packets of one message have in common.
type messageFact struct {
	msg      int64
	epoch    uint32
	set      bool
	hasSTA   bool
	hasEOM   bool
	rly      bool
	zeroTold bool
	sta, eom int64 // numbers
	low      int64 // lowest number captured
	frame    uint64
	high     uint8 // highest serial captured
}

// doubt begins again at a time: what was known of numbers counts no more.
func (h *facts) doubt(at int64) {
	h.epoch++
	h.doubted = at
	h.topSet, h.isOpen = false, false
}

// jumped reports whether a packet goes on from one whose messageid was out of order:
// the sender's messageids jumped there, once, and what was known of those before
// counts no more.
func (h *facts) jumped(num, msg int64) bool {
	d, dm := num-h.jumpNum, msg-h.jumpMsg
	if !h.jump || d <= 0 || d > nearPackets || dm < 0 || dm > d {
		return false
	}
	h.jump, h.topSet, h.isOpen, h.isPast = false, false, false, false
	h.epoch++
	return true
}

var dataSeed = maphash.MakeSeed()

// fact gives what is known of a packet, nil for nothing.
func (h *facts) fact(n int64) *fact {
	if p := h.packets.At(n); p != nil && p.fact.set && p.fact.epoch == h.epoch {
		return &p.fact
	}
	return nil
}

func (h *facts) message(msg int64) *messageFact {
	if h.messages == nil {
		return nil
	}
	if m := &h.messages[msg&31]; m.set && m.msg == msg && m.epoch == h.epoch {
		return m
	}
	return nil
}

// near is how far packets are compared. An old packet sent again looks new when it
// is more than half of the numbers back; this is well below.
const nearPackets = 64

// before gives the nearest packet below a number.
func (h *facts) before(num int64) *fact {
	for n := num - 1; n >= num-nearPackets; n-- {
		if u := h.fact(n); u != nil {
			return u
		}
	}
	return nil
}

// behind gives the nearest packet above a number.
func (h *facts) behind(num int64) *fact {
	for n := num + 1; n <= min(h.top, num+nearPackets); n++ {
		if u := h.fact(n); u != nil {
			return u
		}
	}
	return nil
}

// keep remembers a packet captured for the first time.
func (h *facts) keep(f *dp4.Frame, fr *dissect.Frame, num, msg, sum int64) *fact {
	if h.messages == nil {
		h.messages = new([32]messageFact)
	}
	p := h.packets.room(num, fr.Time)
	if p == nil {
		p = new(packet) // too old to be remembered
	}
	u := &p.fact
	// Field by field: a copied literal would wait for its own narrow stores.
	u.num, u.msg, u.set, u.epoch = num, msg, true, h.epoch
	u.frame, u.latest, u.time, u.last = fr.Frame, fr.Frame, fr.Time, fr.Time
	u.data, u.size = dataPrint(f, fr), uint16(f.Size(fr.Length))
	u.ipid = fr.IPID
	u.flags, u.low, u.high, u.nacks, u.sum = f.Flags, f.Serial, f.Serial, 0, sum
	h.captured++
	if f.Serial != 0 && f.Flags&dp4.STA != 0 {
		h.missed++
	}
	if !h.topSet || num > h.top {
		h.top, h.topSet = num, true
	}
	h.keepMessage(f, fr, num, msg)
	return u
}

func (h *facts) keepMessage(f *dp4.Frame, fr *dissect.Frame, num, msg int64) {
	m := h.message(msg)
	if m == nil {
		m = &h.messages[msg&31]
		if m.set && m.epoch == h.epoch && m.msg > msg {
			return
		}
		m.msg, m.epoch, m.set, m.rly, m.low, m.frame, m.high = msg, h.epoch, true, f.Flags&dp4.RLY != 0, num, fr.Frame, 0
		m.hasSTA, m.hasEOM, m.zeroTold = false, false, false
	}
	m.low = min(m.low, num)
	m.high = max(m.high, f.Serial)
	if f.Flags&dp4.STA != 0 && !m.hasSTA {
		m.hasSTA, m.sta = true, num
	}
	if f.Flags&dp4.EOM != 0 && !m.hasEOM {
		m.hasEOM, m.eom = true, num
	}
}

// dataPrint is the fingerprint of a frame's data, 0 when it was cut.
func dataPrint(f *dp4.Frame, fr *dissect.Frame) uint64 {
	if fr.Cut() {
		return 0
	}
	return maphash.Bytes(dataSeed, f.Data) | 1
}

// A pace is how fast a side sends packets.
type pace struct {
	last   int64 // time of the latest, ns
	begun  bool
	window int64 // begin of the quarter second that is counted
	count  int64 // packets in it
	peak   int64 // most in any
}

const (
	paceWindow = 250e6
	paceMargin = 4  // the side may be so many times faster than seen
	paceLeast  = 25 // packets a window it may always send
	paceRoom   = 100
)

// steady reports whether, since the side was last heard, half of its numbers can
// not have gone by.
func (p *pace) steady(now int64) bool {
	if !p.begun {
		return false
	}
	rate := max(paceMargin*max(p.peak, p.count), paceLeast)
	return (now-p.last)*rate < paceRoom*paceWindow
}

func (p *pace) see(now int64) {
	if now-p.window >= paceWindow {
		p.peak = max(p.peak, p.count)
		p.window, p.count = now, 0
	}
	p.count++
	p.last, p.begun = max(p.last, now), true
}
