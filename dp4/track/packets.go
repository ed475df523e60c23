package track

import "github.com/dpdissect/dpdissect/session/seq"

// A packet is what is remembered of one packet of a side: what tells its transmissions apart,
// and what is compared.
type packet struct {
	sent   sentUnit
	record Record
}

// packets are the latest packets of a side.
type packets struct {
	seq.History[packet]
	lowMemory bool
}

// Remembered is the number of packets kept of a side: half of the cycle of a number of eight
// bits, within which two packets cannot be mistaken for each other.
const Remembered = 128

// room makes room for a packet at a time; it gives nil when the packet is too old.
func (p *packets) room(num seq.Num, now int64) *packet {
	p.Most = Remembered
	x, fresh := p.Put(num, func(_ seq.Num, old *packet, size int) bool {
		return !p.lowMemory || size < seq.LowMemoryLeast || now-max(old.sent.seen, old.record.Last) < seq.LowMemoryTime
	})
	if fresh {
		*x = packet{}
	}
	return x
}
