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
	num   seq.Num
	frame uint64 // first that counts
	time  int64  // of that, ns
	last  int64  // of the one with the highest serial, ns
	in    uint64 // … its frame
	seen  int64  // of the latest captured copy, ns
	high  uint8  // highest serial
}

// IsKnown reports whether anything is remembered.
func (r Record) IsKnown() bool { return r.content != nil }

// Frame is the first captured copy.
func (r Record) Frame() uint64 {
	if r.sent != nil {
		return r.sent.frame
	}
	return r.known.Frame()
}

// Time is the time of that, ns.
func (r Record) Time() int64 {
	if r.sent != nil {
		return r.sent.time
	}
	return r.known.Time()
}

// Latest is the latest transmission captured.
func (r Record) Latest() uint64 {
	if r.sent != nil {
		return r.sent.in
	}
	return r.known.Frame()
}

// Last is the time of that, ns.
func (r Record) Last() int64 {
	if r.sent != nil {
		return r.sent.last
	}
	return r.known.Time()
}

// seen is when the latest copy was captured, ns.
func (r Record) seen() int64 {
	if r.sent != nil {
		return r.sent.seen
	}
	return r.known.Time()
}

// High is the highest serial captured.
func (r Record) High() uint8 {
	if r.sent != nil {
		return r.sent.high
	}
	return r.Low
}

// packets are the latest packets of a side.
type packets struct {
	out     *seq.Direction // nil once the connection is settled
	content seq.Column[content]
	several []transmissions
}

// at gives what is remembered of a packet.
func (p *packets) at(num seq.Num) Record {
	if p.out == nil {
		return Record{}
	}
	x, known := p.content.At(p.out, num)
	if x == nil || !x.several {
		return Record{x, known, nil, num}
	}
	return Record{x, known, p.transmissions(num), num}
}

// place makes room for a packet that the engine has taken; it gives nothing where the engine knows it
// no longer.
func (p *packets) place(num seq.Num) (r Record, fresh bool) {
	r.Num = num
	switch r.content, r.known, fresh = p.content.Add(p.out, num); {
	case r.content == nil:
	case fresh:
		r.epoch, r.several = noEpoch, false
	case r.several:
		r.sent = p.transmissions(num)
	}
	return r, fresh
}

func (p *packets) transmissions(num seq.Num) *transmissions {
	for i := len(p.several) - 1; i >= 0; i-- {
		if x := &p.several[i]; x.num == num {
			return x
		}
	}
	return nil
}

// tellApart gives the transmissions of a packet, where there were none of what the engine knows.
func (p *packets) tellApart(r Record) *transmissions {
	if r.sent != nil {
		return r.sent
	}
	x := p.transmissions(r.Num)
	if x == nil {
		if len(p.several) == cap(p.several) {
			p.forget()
		}
		p.several = append(p.several, transmissions{})
		x = &p.several[len(p.several)-1]
	}
	*x, r.several = transmissions{r.Num, r.Frame(), r.Time(), r.Last(), r.Latest(), r.seen(), r.Low}, true
	return x
}

// forget drops the transmissions of packets that are forgotten.
func (p *packets) forget() {
	keep := p.several[:0]
	for _, x := range p.several {
		if r := p.at(x.num); r.IsKnown() && r.several {
			keep = append(keep, x)
		}
	}
	p.several = keep
}

// clear forgets all, and frees it.
func (p *packets) clear() {
	if p.out != nil {
		p.out.UndescribeAll()
	}
	p.content.Free()
	p.several = nil
}
