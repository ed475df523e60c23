package track

import (
	"bytes"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/knet"
)

// decide looks for what only one dialect explains: bytes that the other can't
// read, or PacketIDs that count up by one where the other sees a jump.
func (p *pair) decide(fr *dissect.Frame) {
	if fr.Cut() {
		return
	}
	ref, spec := knet.ShapeOf(fr.Payload, knet.Reference), knet.ShapeOf(fr.Payload, knet.Spec)
	made(&p.made, &ref, &spec)
	switch {
	case spec.Handshake:
		p.speaks(knet.Spec)
	case ref.Strict && !spec.OK:
		p.speaks(knet.Reference)
	case p.mayConnect(fr):
	case spec.Strict && !ref.OK:
		p.speaks(knet.Spec)
	case spec.OK && !ref.OK:
		p.countLoose(1, knet.Spec)
	case ref.OK && !spec.OK:
		p.countLoose(0, knet.Reference)
	case ref.OK && areMade(&p.made, 0):
		p.speaks(knet.Reference)
	case ref.OK && areMade(&p.made, 1):
		p.speaks(knet.Spec)
	case ref.OK:
		side := dissect.Dir(0)
		if bytes.Compare(fr.Src.IP[:], fr.Dst.IP[:]) > 0 || fr.Src.IP == fr.Dst.IP && fr.Src.Port > fr.Dst.Port {
			side = 1
		}
		p.runs[side].see(ref.PacketID, spec.PacketID)
		switch n := p.runs[0].jumps + p.runs[1].jumps; {
		case n >= enoughJumps:
			p.speaks(knet.Reference)
		case n <= -enoughJumps:
			p.speaks(knet.Spec)
		}
	}
}

// mayConnect reports a datagram that may be whatever the application chose to connect
// with, which only Reference has: it is no sign of the page.
func (p *pair) mayConnect(fr *dissect.Frame) bool {
	if len(p.conns) == 0 {
		return p.learned != nil && fr.Frame == p.learned.first.frame
	}
	return p.params.Dialect == knet.Reference && p.opensAgain(fr)
}

// enoughLoose is how many datagrams that only one dialect reads, though no endpoint of it
// sends such, decide.
const enoughLoose = 3

// countLoose counts one.
func (p *pair) countLoose(i dissect.Dir, d knet.Dialect) {
	if p.loose[i]++; p.loose[i] >= enoughLoose && p.loose[i] > moreTold*p.loose[i.Other()] {
		p.speaks(d)
	}
}

// enoughMade is how many datagrams that both dialects read, and only senders of one make so,
// decide: a few may have a fault.
const enoughMade = 6

// made counts a datagram that is as senders of one dialect make it, and not as those of the
// other do.
func made(n *[2]int, ref, spec *knet.Shape) {
	switch {
	case ref.Strict && !spec.Strict:
		n[0]++
	case spec.Strict && !ref.Strict:
		n[1]++
	}
}

func areMade(n *[2]int, i dissect.Dir) bool {
	return n[i] >= enoughMade && n[i] > moreTold*n[i.Other()]
}

// speaks settles the dialect.
func (p *pair) speaks(d knet.Dialect) {
	if d != p.params.Dialect {
		for _, c := range p.conns { // all PacketIDs were others
			c.forget(0)
			c.forget(1)
		}
	}
	p.params.Dialect, p.decided = d, true
	for _, c := range p.conns {
		c.c.Dialect = d.String()
	}
}

// enoughJumps is how many jumps in the PacketIDs of one reading, which are none in
// the other, decide the dialect.
const enoughJumps = 2

func (r *idRun) see(ref, spec uint32) {
	if r.has {
		x, y := (ref-r.ref)&knet.PacketIDMask, (spec-r.spec)&knet.PacketIDMask
		far := func(step uint32) bool { return step > NearIDs && step < knet.PacketIDMask-NearIDs }
		switch {
		case x == 1 && far(y):
			r.jumps++
		case y == 1 && far(x):
			r.jumps--
		}
	}
	r.has, r.ref, r.spec = true, ref, spec
}

// How many datagrams that only one dialect reads are looked at, and how many more of
// them than of the other it takes to judge by its rules.
const (
	enoughTold    = 64
	leastTold     = 2
	moreTold      = 2
	handshakeTold = 8 // what one of the page's handshake counts
)

// weigh counts a datagram that only one dialect reads. Others than kNet's, or
// damaged ones, may be read by chance.
func (p *pair) weigh(fr *dissect.Frame) {
	if fr.Cut() || p.newestBy(fr) {
		return
	}
	ref, spec := knet.ShapeOf(fr.Payload, knet.Reference), knet.ShapeOf(fr.Payload, knet.Spec)
	switch {
	case spec.Handshake:
		p.told[1] += handshakeTold
	case ref.Strict && !spec.OK:
		p.told[0]++
	case p.mayConnect(fr):
	case spec.Strict && !ref.OK:
		p.told[1]++
	}
}

// newestBy reports a datagram that the probe has counted. After those, the probe
// is of no more use.
func (p *pair) newestBy(fr *dissect.Frame) bool {
	if p.learned == nil || fr.Frame <= p.learned.latest {
		return p.learned != nil
	}
	if len(p.conns) > 0 {
		p.learned = nil
	}
	return false
}

// sure reports whether the dialect is beyond doubt: only then endpoints are judged
// by it (guard DIAL).
func (p *pair) sure() bool {
	if p.forced {
		return true
	}
	own, other := p.told[0], p.told[1]
	if p.params.Dialect == knet.Spec {
		own, other = other, own
	}
	return p.decided && own >= leastTold && own > moreTold*other
}
