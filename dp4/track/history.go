package track

import (
	"math"

	"github.com/dpdissect/dpdissect/dp4"
	"github.com/dpdissect/dpdissect/session/seq"
)

// Remembered is the number of packets that are remembered of a side at least: half of the cycle of a
// number of eight bits, within which two packets cannot be mistaken for each other.
const Remembered = seq.HistoryLimit

// A Record is what is remembered of one packet of a side: what the engine does, and a content beside
// it. It is valid until the engine is given another packet or acknowledgement.
type Record struct {
	*content // nil for nothing
	known    seq.Known
	sent     *transmissions // nil where the engine knows all: it was captured once
	Num      seq.Num
}

// A content is what a packet held and what tells its transmissions apart.
type content struct {
	Msg     seq.Num
	counted int64 // bytes captured of its side that the engine took, up to its latest copy captured
	least   uint8 // lowest serial captured
	latest  uint8 // … and the latest
	again   bool  // the copy with the lowest serial was counted as a retry
	several bool  // there are transmissions of it

	// What it is compared by.
	epoch   uint32 // in which it was captured first, noEpoch for none: it is compared with nothing
	Flags   dp4.Flags
	Low     uint8  // lowest serial captured
	data    uint32 // fingerprint of its data, 0 when it was cut
	horizon uint32 // of reordering, when it was captured, ns
	Size    uint16 // above the player indexes
	IPID    uint16 // of the first
	Sum     int64  // bytes of data frames captured of its side, that of the highest serial included
}

const noEpoch = math.MaxUint32

// The transmissions of a packet are told apart where several were captured, or the first that counts
// is not the first that the engine knows.
type transmissions struct {
	frame uint64 // first that counts
	time  int64  // of that, ns
	last  int64  // of the one with the highest serial, ns
	in    uint64 // … its frame
	seen  int64  // of the latest captured copy, ns
	high  uint8  // highest serial
}

// IsKnown reports whether anything is remembered.
func (r Record) IsKnown() bool { return r.content != nil }

// transmissions are those of the packet, also where the engine knows all.
func (r Record) transmissions() transmissions {
	if r.sent != nil {
		return *r.sent
	}
	frame, time := r.known.Frame(), r.known.Time()
	return transmissions{frame, time, time, frame, time, r.Low}
}

// Frame is the first captured copy, and Time the time of that, ns.
func (r Record) Frame() uint64 { return r.transmissions().frame }
func (r Record) Time() int64   { return r.transmissions().time }

// Latest is the latest transmission captured, and Last the time of that, ns.
func (r Record) Latest() uint64 { return r.transmissions().in }
func (r Record) Last() int64    { return r.transmissions().last }

// High is the highest serial captured.
func (r Record) High() uint8 { return r.transmissions().high }

// A history is what is remembered of the packets one side sent. Packets are compared only while
// their numbers of eight bits are beyond doubt (guard UNWRAP): when a side was not heard for so long
// that half of the numbers may have gone by, what was known before counts no more.
type history struct {
	out      *seq.Direction // nil once the connection is settled
	packets  seq.Column[content]
	several  seq.Few[transmissions]
	messages *[32]Message

	epoch   uint32  // grows with each doubt
	doubted int64   // when the side was last silent for so long
	top     seq.Num // highest number of the epoch
	topSet  bool
	topEnds bool // it is known to end its message, topMsg
	topMsg  seq.Num
	gap     seq.Num // all packets above, up to the highest, were captured
	open    seq.Num // packet that follows one without EOM and is of another message
	isOpen  bool
	past    seq.Num // packet after the end of its message, pastMsg
	pastMsg seq.Num
	isPast  bool
	jumpNum seq.Num // latest packet whose messageid was out of order
	jumpMsg seq.Num
	jump    bool
	pace    pace

	sent      *[32]sentMessage // nil while all were of one packet
	perPacket bool             // this side counts each packet by itself
	denied    []seq.Num        // the latest numbers that were reported missing before they were captured
	n         int              // how many were
}

// at gives what is remembered of a packet.
func (h *history) at(num seq.Num) Record {
	if h.out == nil {
		return Record{}
	}
	x, known := h.packets.At(h.out, num)
	if x == nil || !x.several {
		return Record{x, known, nil, num}
	}
	return Record{x, known, h.several.At(num), num}
}

// place makes room for a packet that the engine has taken; it gives nothing where the engine knows it
// no longer.
func (h *history) place(num seq.Num) (r Record, fresh bool) {
	r.Num = num
	switch r.content, r.known, fresh = h.packets.Add(h.out, num); {
	case r.content == nil:
	case fresh:
		r.several = false
	case r.several:
		r.sent = h.several.At(num)
	}
	return r, fresh
}

// tellApart gives the transmissions of a packet, where there were none of what the engine knows.
func (h *history) tellApart(r Record) *transmissions {
	if r.sent != nil {
		return r.sent
	}
	x := h.several.At(r.Num)
	if x == nil {
		x = h.several.Put(r.Num, h.isSeveral)
	}
	*x, r.several = r.transmissions(), true
	return x
}

// isSeveral reports whether the transmissions of a packet are told apart.
func (h *history) isSeveral(num seq.Num) bool {
	x, _ := h.packets.At(h.out, num)
	return x != nil && x.several
}

// clear forgets all packets, and frees them.
func (h *history) clear() {
	if h.out != nil {
		h.out.UndescribeAll()
	}
	h.packets.Free()
	h.several, h.messages, h.sent = seq.Few[transmissions]{}, nil, nil
}
