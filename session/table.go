package session

import (
	"bytes"
	"cmp"
	"maps"
	"slices"

	"github.com/dpdissect/dpdissect/dissect"
)

// A Table follows all address pairs of a capture, or of a part of it.
type Table struct {
	cfg         Config
	flows       map[flowKey]*Flow
	cache       [256]*Flow
	conns       []*Conn
	fr          dissect.Frame
	tree        dissect.Tree
	heldBytes   int
	undecided   int
	open        int // connections that are followed
	spare       Spare[active]
	spareProbes [][]Probe // of pairs that are recognised; nil for the one that did it
	counting    int       // flows that were summed up
	lead        [256]bool // first bytes that a neighbour may have
	stranger    Flow      // stands for pairs of which nothing is kept
	flowSeq     uint64
	stories     []*Story
	tallySets   map[*Protocol]*tallySet
	quality     *tallySet
	clock       clock
	moved       dissect.Datagram // the one at hand, when its time is not the capture's
	shown       dissect.Datagram // it again, with the capture's time
	swept       int64            // time of the latest sweep
	end         int64            // time of the latest packet of the capture
	now         int64            // time of the latest packet or Tick

	frameNow uint64            // number of the packet at hand
	flowNow  *Flow             // that takes it; nil between packets
	given    *dissect.Datagram // with it
	internal []InternalError   // see rescue

	other  uint64 // datagrams of no connection
	apart  uint64 // datagrams beyond the packets that stood for them
	totals totals
}

// totals are the datagrams of connections that were handed out.
type totals struct{ decoded, malformed uint64 }

// NewTable makes an empty table.
func NewTable(cfg Config) *Table {
	t := &Table{cfg: cfg, flows: make(map[flowKey]*Flow), tallySets: make(map[*Protocol]*tallySet), quality: newTallySet(Quality, nil)}
	for _, p := range cfg.Protocols {
		for _, b := range p.NeighbourLead {
			t.lead[b] = true
		}
	}
	return t
}

// leads reports whether a datagram begins as a neighbour of the protocol may.
func (p *Protocol) leads(d *dissect.Datagram) bool {
	return len(d.Payload) > 0 && bytes.IndexByte(p.NeighbourLead, d.Payload[0]) >= 0
}

// Add takes the next datagram. Its payload may be reused after the call. It may panic
// by a fault of a protocol package: see Rescue.
func (t *Table) Add(d *dissect.Datagram) {
	d = t.timed(d)
	t.frameNow = d.Frame
	if t.clock.now > t.now {
		t.pass(t.clock.now)
	}
	f := t.find(d)
	if t.live() {
		f = t.visit(f, d)
	}
	t.flowNow, t.given = f, d
	f.latest = d.Frame
	switch {
	case f.pending:
		t.addUndecided(f, d)
	case f.summedUp:
		t.countOnly(f, d)
	default:
		t.deliver(f, d)
	}
	t.flowNow = nil
	if t.open > MaxOpen {
		t.relieve()
	}
}

// timed gives a datagram the time of the table's clock.
func (t *Table) timed(d *dissect.Datagram) *dissect.Datagram {
	if d.HasTime && !t.clock.wants(d) {
		t.clock.now = d.Time
	} else {
		t.moved = *d
		d = &t.moved
		t.clock.set(d)
	}
	t.end = max(t.end, t.clock.now)
	return d
}

// show hands a frame to the sink, with the time of the capture.
func (t *Table) show(fr *dissect.Frame, c *Conn) {
	if t.cfg.Sink == nil {
		return
	}
	if fr.Shift != 0 || !fr.HasTime {
		t.shown = *fr.Datagram
		t.shown.Time = t.shown.Stamp()
		t.shown.Shift = 0
		fr.Datagram = &t.shown
	}
	t.cfg.Sink.Frame(fr, c)
}

// find gives the flow of a datagram, new when there is none.
func (t *Table) find(d *dissect.Datagram) *Flow {
	slot := &t.cache[(d.Src.IP[15]^d.Dst.IP[15]^byte(d.Src.Port)^byte(d.Dst.Port))&255]
	if f := *slot; f != nil && (f.key.lo == d.Src && f.key.hi == d.Dst || f.key.hi == d.Src && f.key.lo == d.Dst) {
		return f
	}
	key := keyOf(&d.Src, &d.Dst)
	f := t.flows[key]
	if f == nil {
		f = t.newFlow(key, d)
	}
	*slot = f
	return f
}

// newFlow makes a flow. When too many are undecided already, nothing is kept of
// a further one: its datagrams are plain UDP until others fell silent.
func (t *Table) newFlow(key flowKey, d *dissect.Datagram) *Flow {
	force := t.forced(key)
	if force == nil && t.undecided >= MaxUndecided {
		if t.now-t.swept >= sweepGap {
			t.sweep()
		}
		if t.undecided >= MaxUndecided {
			return &t.stranger
		}
	}
	t.flowSeq++
	f := &Flow{table: t, key: key, seq: t.flowSeq, last: d.Time}
	t.flows[key] = f
	if f.force = force; force == nil {
		t.undecided++
	}
	t.tell(f, d)
	f.pending = true
	return f
}

// deliver hands a datagram of a recognised flow to its session.
func (t *Table) deliver(f *Flow, d *dissect.Datagram) {
	switch {
	case f.session == nil:
		t.plain(f, d)
	case d.Kind == dissect.Unreachable:
		f.session.Unreachable(d)
	case !f.protocol.leads(d) || !t.neighbour(f.protocol, d, Ours):
		t.input(f, d)
	}
}

// inputOne hands a datagram to the session of its flow.
func (t *Table) inputOne(f *Flow, d *dissect.Datagram) {
	fr := t.frame(d, f.protocol.Name)
	c := f.session.Input(fr)
	t.show(fr, c)
	fr.Datagram = nil // it is reused: what is judged later has no frame at hand
	if c != nil {
		c.handled()
	}
}

// frame starts the record of a datagram.
func (t *Table) frame(d *dissect.Datagram, protocol string) *dissect.Frame {
	fr := &t.fr
	// Field by field: assigning a whole Frame takes longer than decoding one.
	fr.Datagram, fr.Protocol, fr.Connection, fr.Direction, fr.Type = d, protocol, -1, 0, ""
	fr.Words, fr.RetryOf, fr.AckedIn, fr.Awaits, fr.Err, fr.Possible = 0, 0, 0, false, nil, ""
	fr.Summary, fr.Acks, fr.Notes = fr.Summary[:0], fr.Acks[:0], fr.Notes[:0]
	if t.cfg.Trees {
		t.tree.Reset(d.Payload)
		fr.Tree = &t.tree
	}
	return fr
}

// plain shows a datagram as UDP.
func (t *Table) plain(f *Flow, d *dissect.Datagram) {
	if d.Kind != dissect.UDP || t.anyNeighbour(d, Stranger) {
		return
	}
	t.other++
	if t.cfg.Sink != nil {
		fr := t.frame(d, "udp")
		fr.Possible = f.possible
		t.show(fr, nil)
	}
}

// anyNeighbour shows a datagram of a pair that no protocol owns and that belongs
// to a neighbour of any.
func (t *Table) anyNeighbour(d *dissect.Datagram, s Standing) bool {
	if d.Kind != dissect.UDP || len(d.Payload) == 0 || !t.lead[d.Payload[0]] {
		return false
	}
	for _, p := range t.cfg.Protocols {
		if t.neighbour(p, d, s) {
			return true
		}
	}
	return false
}

// neighbour shows a datagram that belongs to a neighbour of a protocol.
func (t *Table) neighbour(p *Protocol, d *dissect.Datagram, s Standing) bool {
	if p.Neighbour == nil || d.Kind != dissect.UDP || !p.leads(d) {
		return false
	}
	n := p.Neighbour(d, s)
	if n == nil {
		return false
	}
	t.other++
	if t.cfg.Sink == nil {
		return true
	}
	fr := t.frame(d, n.Name)
	tree := fr.Tree
	if tree == nil {
		tree = new(dissect.Tree)
		tree.Reset(d.Payload)
	}
	fr.Type, fr.Err = n.Decode(tree)
	if t.cfg.Summaries && p.NeighbourSummary != nil {
		fr.Summary = p.NeighbourSummary(fr.Summary, d.Payload)
	}
	t.show(fr, nil)
	return true
}

// inOrder gives the flows in the order in which they were made, so that what is said of
// several at a time never depends on the order of a map.
func (t *Table) inOrder() []*Flow {
	flows := slices.Collect(maps.Values(t.flows))
	slices.SortFunc(flows, func(a, b *Flow) int { return cmp.Compare(a.seq, b.seq) })
	return flows
}

// Close ends the capture: what is held is shown as plain UDP, connections are
// settled. end is the time of the last packet of the capture, in ns.
func (t *Table) Close(end int64) {
	t.Latest(end)
	for _, f := range t.inOrder() {
		t.guard(f, func() {
			t.release(f)
			if f.session != nil {
				f.session.Close(t.heard())
			}
		})
	}
	t.flows = nil
	clear(t.cache[:])
}

// Conns are the connections in the order in which they were recognised.
func (t *Table) Conns() []*Conn { return t.conns }

// Totals gives the datagrams shown as one of the protocols, the decode errors
// among them, and all other datagrams.
func (t *Table) Totals() (decoded, malformed, other uint64) {
	decoded, malformed = t.totals.decoded, t.totals.malformed
	for _, c := range t.conns {
		decoded += c.decoded
		malformed += c.malformed
	}
	return decoded, malformed, t.other
}
