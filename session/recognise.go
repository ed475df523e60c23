package session

import (
	"math"

	"github.com/dpdissect/dpdissect/dissect"
)

// LockBits is the evidence at which an address pair is recognised: a wrong
// recognition has a chance of 2^-64.
const LockBits = 64

// observe collects evidence and recognises the flow when there is enough.
func (f *Flow) observe(d *dissect.Datagram, side dissect.Dir) {
	best, most := -1, float64(PossibleBits)
	f.hopeless, f.possible = true, ""
	whole := true
	for i, p := range f.probes {
		bits, size := f.observeAll(f.candidate(i), p, d, side)
		whole = whole && size == 0
		if f.story != nil {
			f.scores[i] = bits
		}
		f.hopeless = f.hopeless && math.IsInf(bits, -1)
		if bits >= most && f.force == nil {
			most, f.possible = bits, f.table.cfg.Protocols[i].Name
		}
		if bits >= LockBits && (best < 0 || bits > f.bits) {
			best, f.bits = i, bits
		}
	}
	f.progress(d, best)
	if best >= 0 {
		f.follow(f.candidate(best), f.probes[best])
	} else if whole {
		f.offload.note(d, side, 0)
	}
}

// candidate is the protocol of a probe.
func (f *Flow) candidate(i int) *Protocol {
	if f.force != nil {
		return f.force.Protocol
	}
	return f.table.cfg.Protocols[i]
}

// follow starts a session of a protocol with what its probe learned.
func (f *Flow) follow(p *Protocol, learned Probe) {
	f.protocol, f.leads = p, (neighbours{f.table}).leadsOf(p)
	f.join(decided)
	f.dropProbes(learned)
	if f.force != nil {
		f.dialect, f.detectedBy = f.force.Dialect, ByDecodeAs
	}
	f.offload = offload{} // what was held comes again
	f.session = p.NewSession(f, learned)
}

// wake starts the probes of a pair that has none yet, and shows them what is held of it.
func (f *Flow) wake() {
	if f.probes != nil || !f.collects() {
		return
	}
	f.table.tell(f)
	f.startProbes()
	var d dissect.Datagram
	for i := range f.held {
		if f.restore(&d, &f.held[i]); d.Kind == dissect.UDP && f.session == nil {
			f.observe(&d, f.held[i].side())
		}
	}
}

// hold keeps a copy of a datagram until the flow is recognised. It reports
// false when a limit forbids that.
func (f *Flow) hold(d *dissect.Datagram) bool {
	t, n := f.table, len(d.Payload)+heldCost
	if !f.released && t.held[f.class]+n > heldIn[f.class] {
		t.relieveHeld(f.class)
	}
	if f.released || len(f.held) >= HoldDatagrams {
		return false
	}
	f.held = append(f.held, f.heldOf(d))
	t.held[f.class] += n
	return true
}

// takeHeld gives what was held and forgets it.
func (f *Flow) takeHeld() []held {
	all := f.held
	f.held = nil
	for i := range all {
		f.table.held[f.class] -= all[i].bytes()
	}
	return all
}

// observeAll shows a probe a datagram, or those it stands for in the probe's protocol.
func (f *Flow) observeAll(p *Protocol, probe Probe, d *dissect.Datagram, side dissect.Dir) (bits float64, size int) {
	if f.offload.suspect(d, side) {
		size = p.partSize(d, int(f.offload.size[side]))
	}
	if size == 0 {
		return probe.Observe(d, side), 0
	}
	parts(d, size, func(part *dissect.Datagram) { bits = probe.Observe(part, side) })
	return bits, size
}

// takeProbes gives a probe of each protocol.
func (t *Table) takeProbes() []Probe {
	if n := len(t.spareProbes); n > 0 {
		probes := t.spareProbes[n-1]
		t.spareProbes = t.spareProbes[:n-1]
		for i, p := range probes {
			if p == nil {
				probes[i] = t.cfg.Protocols[i].NewProbe()
			}
		}
		return probes
	}
	probes := make([]Probe, len(t.cfg.Protocols))
	for i, p := range t.cfg.Protocols {
		probes[i] = p.NewProbe()
	}
	return probes
}

// dropProbes ends the collection of evidence and frees the probes, but for one that the session
// goes on with.
func (f *Flow) dropProbes(kept Probe) {
	t := f.table
	if f.force == nil && f.probes != nil && len(t.spareProbes) < mostSpare {
		for i, p := range f.probes {
			if p == kept {
				f.probes[i] = nil
			} else {
				p.Reset()
			}
		}
		t.spareProbes = append(t.spareProbes, f.probes)
	}
	f.probes = nil
}

// startProbes begins to collect evidence. A forced flow needs none to be
// recognised, but its probe learns how to read the first datagrams.
func (f *Flow) startProbes() {
	if f.force != nil {
		f.probes = []Probe{f.force.Protocol.NewProbe()}
		return
	}
	f.probes = f.table.takeProbes()
	if f.story != nil {
		f.explainProbes()
	}
}
