package rules

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp4"
	"github.com/dpdissect/dpdissect/session/seq"
)

// A past is what the latest acknowledgements of a side said, those the next one went
// on from.
type past struct {
	ring *[16]pastAck // nil before the first
	n    uint32
}

type pastAck struct {
	num    seq.Num
	frame  uint64
	time   int64
	tick   uint32
	bytes  uint32
	epoch  uint32
	hasNum bool
	serial uint8
	typ    dp4.Type
}

func (p *past) keep(x *heard) {
	if p.ring == nil {
		p.ring = new([16]pastAck)
	}
	u := &p.ring[p.n%uint32(len(p.ring))]
	u.num, u.frame, u.tick, u.bytes, u.epoch, u.hasNum, u.serial, u.typ, u.time = x.num, x.frame, x.tick, x.bytes, x.epoch, x.hasNum, x.serial, x.typ, x.time
	p.n++
}

// refutes finds an acknowledgement that by its tick was sent after y, but counts
// fewer bytes or covers less: however late y comes, its tick is wrong. A late frame
// has all its counters from the time it was sent. An ACK of what came again may name
// that, whatever it covers.
func (j *judge) refutes(dir dissect.Dir, y *heard) (z heard, ok bool) {
	p := &j.side[dir].hearing.past
	for i := range min(p.n, uint32(len(p.ring))) {
		u := &p.ring[(p.n-1-i)%uint32(len(p.ring))]
		z = heard{set: true, typ: u.typ, hasNum: u.hasNum, num: u.num, serial: u.serial, tick: u.tick, bytes: u.bytes, frame: u.frame, time: u.time, epoch: u.epoch}
		if int32(u.tick-y.tick) > 0 && int32(y.bytes-u.bytes) >= 0 && !y.before(&z) &&
			(y.bytes != u.bytes || u.serial == 0 && z.before(y) && !(z.typ == dp4.TypeACK && j.repeatsNumber(dir, y, &z))) {
			return z, true
		}
	}
	return heard{}, false
}
