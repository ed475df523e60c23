package session

import (
	"math"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
)

// Limits of what is held back of address pairs that are not recognised yet.
const (
	HoldDatagrams = 256     // per address pair
	HoldBytes     = 2 << 20 // per table, payloads of all pairs together and heldCost for each
	HoldTime      = 30e9    // ns of silence after which evidence is forgotten
	MaxUndecided  = 1024    // address pairs per table that evidence is kept of
	MaxHopeless   = 256     // … while some of them look like none of the protocols

	heldCost = 192 // bytes a held datagram takes besides its payload
	sweepGap = 1e9 // ns between two looks for silent pairs when there are too many
)

// LockBits is the evidence at which an address pair is recognised: a wrong
// recognition has a chance of 2^-64.
const LockBits = 64

// flowKey is an address pair, lower endpoint first.
type flowKey struct{ lo, hi dissect.Endpoint }

func keyOf(a, b *dissect.Endpoint) flowKey {
	if less(b, a) {
		return flowKey{*b, *a}
	}
	return flowKey{*a, *b}
}

func less(a, b *dissect.Endpoint) bool {
	for i := range a.IP {
		if a.IP[i] != b.IP[i] {
			return a.IP[i] < b.IP[i]
		}
	}
	return a.Port < b.Port
}

// A Flow is one address pair.
type Flow struct {
	table      *Table
	key        flowKey
	seq        uint64    // order of creation
	protocol   *Protocol // nil until recognised
	session    Session
	bits       float64
	detectedBy Detection
	dialect    string
	pending    bool      // not recognised, and evidence is collected
	probes     []Probe   // nil before they are needed
	scores     []float64 // latest of each probe, when it is to be explained
	story      *Story
	force      *Force // nil for flows that are recognised
	held       []heldDatagram
	possible   string // protocol with the most evidence that counts, if any has enough to tell
	released   bool   // too much was held: shown as plain UDP since
	hopeless   bool   // all probes say that it is not their protocol
	summedUp   bool   // its connections were summed up: see Table.relieve
	latest     uint64 // its latest frame
	last       int64  // time of it
	seen       int64  // when the latest datagram came, by Table.now; of a run without end
	open       int    // connections that are not closed
	at         *Conn  // the latest that a frame was counted in, or that was finished
	compact    bool   // it was made small, and nothing came since
	offload    offload
}

type heldDatagram struct {
	d       dissect.Datagram
	payload []byte
}

// Dialect is the dialect a flow was forced to, or "".
func (f *Flow) Dialect() string { return f.dialect }

// side is 0 for datagrams of the lower endpoint, 1 for those of the upper.
func (f *Flow) side(d *dissect.Datagram) int {
	if d.Src == f.key.lo {
		return 0
	}
	return 1
}

// Open starts a connection with the frame that is its first.
func (f *Flow) Open(fr *dissect.Frame) *Conn {
	c := newConn(f, fr)
	f.open++
	f.table.open++
	f.table.conns = append(f.table.conns, c)
	return c
}

// Finish settles a connection to which nothing can be added any more.
func (f *Flow) Finish(c *Conn) {
	f.at = c
	c.close()
}

// Wants says what the outputs need.
func (f *Flow) Wants() *Config { return &f.table.cfg }

// Emit hands a message to the sink.
func (f *Flow) Emit(m *Message) {
	if f.table.cfg.Sink != nil {
		m.Time = f.table.clock.stamp(m.LastFrame, m.Time)
		f.table.cfg.Sink.Message(m)
	}
}

// report enters a finding into its connection and the frame at hand, if that is at
// fault, and hands it to the sink.
func (f *Flow) report(x *Finding, fr *dissect.Frame) {
	x.Time = f.table.clock.stamp(x.Frame, x.Time)
	if x.Failed() {
		x.Conn.Findings[x.Severity]++
		if fr != nil && fr.Frame == x.Frame {
			fr.Notes = append(fr.Notes, dissect.Note{Rule: x.Rule.ID, Severity: x.Severity.String(), Message: x.Message})
			if x.Severity == conform.Error {
				x.Conn.suspectInjection()
			}
		}
	}
	if f.table.cfg.Sink != nil {
		f.table.cfg.Sink.Finding(x)
	}
}

// Acked tells the sink that a later frame acknowledges a frame, or, with by 0,
// that none will.
func (f *Flow) Acked(at seq.Position, by uint64) {
	if f.table.cfg.Sink != nil {
		f.table.cfg.Sink.Acked(at, by)
	}
}

// observe collects evidence and recognises the flow when there is enough.
func (f *Flow) observe(d *dissect.Datagram) {
	side := f.side(d)
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
	f.protocol, f.pending = p, false
	f.dropProbes(learned)
	if f.force != nil {
		f.dialect, f.detectedBy = f.force.Dialect, ByDecodeAs
	}
	f.offload = offload{} // what was held comes again
	f.session = p.NewSession(f, learned)
}

// wake starts the probes, which look at what was held meanwhile.
func (f *Flow) wake() {
	if f.probes != nil || !f.pending {
		return
	}
	f.startProbes()
	for i := range f.held {
		h := &f.held[i]
		h.d.Payload = h.payload
		if h.d.Kind == dissect.UDP && f.session == nil {
			f.observe(&h.d)
		}
	}
}

// hold keeps a copy of a datagram until the flow is recognised. It reports
// false when a limit forbids that.
func (f *Flow) hold(d *dissect.Datagram) bool {
	t := f.table
	if f.released || len(f.held) >= HoldDatagrams || t.heldBytes+len(d.Payload)+heldCost > HoldBytes {
		return false
	}
	h := heldDatagram{*d, append([]byte(nil), d.Payload...)}
	f.held = append(f.held, h)
	t.heldBytes += len(h.payload) + heldCost
	return true
}

// takeHeld gives what was held and forgets it.
func (f *Flow) takeHeld() []heldDatagram {
	held := f.held
	f.held = nil
	for i := range held {
		held[i].d.Payload = held[i].payload
		f.table.heldBytes -= len(held[i].payload) + heldCost
	}
	return held
}
