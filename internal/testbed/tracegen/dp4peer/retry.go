package dp4peer

import (
	"math"
	"slices"
	"time"

	"github.com/dpdissect/dpdissect/dp4"
)

// rto is the average round trip plus three standard deviations, and some extra
// for acknowledgements that wait (MC-DPL4R 3.1.2).
func (p *Peer) rto() time.Duration {
	if p.samples == 0 {
		return firstRTO
	}
	if p.cfg.ShortRTO {
		return min(time.Duration(p.mean*1.2), maxRTO)
	}
	return min(time.Duration(p.mean+3*math.Sqrt(p.spread/float64(p.samples)))+extraRTO+p.partner.cfg.AckDelay, maxRTO)
}

func (p *Peer) measure(rtt time.Duration) {
	p.samples++
	x := float64(rtt)
	d := x - p.mean
	p.mean += d / float64(p.samples)
	p.spread += d * (x - p.mean)
}

// due is when a packet is to be sent again: later each time, and not soon after
// something before it was acknowledged.
func (p *Peer) due(k *packet) time.Duration {
	at := k.sentAt + min(p.rto()<<(k.transmissions-1), maxRTO)
	return max(at, p.progress+p.rto()/2)
}

// waiting lists what may be sent again: everything reliable, or the oldest.
func (p *Peer) waiting() (out []*packet) {
	for _, k := range p.flight {
		if k.of.Reliable {
			if out = append(out, k); !p.cfg.RetryAll {
				return out
			}
		}
	}
	return out
}

// arm sets the timer of retries.
func (p *Peer) arm() {
	p.retry.Stop()
	if p.over {
		return
	}
	first := time.Duration(math.MaxInt64)
	for _, k := range p.waiting() {
		first = min(first, p.due(k))
	}
	if first < math.MaxInt64 {
		p.retry = p.after(first-p.now(), p.expire)
	}
}

// expire sends again what is overdue, or gives up.
func (p *Peer) expire() {
	for _, k := range p.waiting() {
		if p.due(k) > p.now() {
			continue
		}
		if k.transmissions > p.cfg.Retries {
			p.conn.GaveUp[p.side] = p.now() + 1
			p.stop()
			return
		}
		p.transmit(k)
	}
	p.arm()
}

// named is the latest sent sequence with the given low byte.
func (p *Peer) named(wire uint8) int64 {
	top := p.nextSeq - 1
	return top - int64(uint8(top)-wire)
}

// onAck takes an ACK: its sequence and all before it arrived (MC-DPL4R 2.2.4).
func (p *Peer) onAck(f *dp4.Frame) {
	num := p.named(f.Sequence)
	for _, k := range p.flight {
		if k.seq == num && k.serial == f.Serial {
			p.measure(p.now() - k.sentAt)
		}
	}
	p.release(func(seq int64) bool { return seq <= num })
	p.pump()
}

// onNACK takes a NACK: what it names did not arrive, what is before it and
// between did (MC-DPL4R 2.2.3, 3.1.5.3). What was sent again less than a round
// trip ago may still arrive.
func (p *Peer) onNACK(f *dp4.Frame) {
	r := report{p.named(f.Sequence), f.Mask}
	p.release(func(seq int64) bool { return seq < r.first || r.has(seq) })
	for _, k := range p.flight {
		if k.of.Reliable && r.misses(k.seq) && (p.cfg.Rash || p.now()-k.sentAt > time.Duration(p.mean)) && k.transmissions <= p.cfg.Retries {
			p.transmit(k)
		}
	}
	p.pump()
}

// release takes what arrived out of what is outstanding.
func (p *Peer) release(arrived func(seq int64) bool) {
	before := len(p.flight)
	p.flight = slices.DeleteFunc(p.flight, func(k *packet) bool { return arrived(k.seq) })
	if len(p.flight) < before {
		p.progress = p.now()
	}
}
