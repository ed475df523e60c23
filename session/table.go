package session

import (
	"bytes"
	"cmp"
	"maps"
	"slices"

	"github.com/dpdissect/dpdissect/dissect"
)

// MessageMode says how much is kept of application messages.
type MessageMode uint8

const (
	CountMessages  MessageMode = iota // sizes and numbers only
	HashMessages                      // with SHA-256, delivered to the sink
	CollectPayload                    // with their bytes, too
)

// A Force makes address pairs with a port speak a protocol (--decode-as).
type Force struct {
	Lo, Hi   uint16 // range of either port
	Protocol *Protocol
	Dialect  string
}

// Config says what a Table does.
type Config struct {
	Protocols  []*Protocol // those that compete for address pairs
	Force      []Force
	Links      bool // frames are linked to their retries and acknowledgements
	Trees      bool // frames carry their tree
	Summaries  bool // frames carry their one-line summary
	Messages   MessageMode
	Incomplete bool // messages that lack a part go to the sink, too
	Explain    bool // stories of how pairs were recognised are kept

	// Idle, when not 0, is for a run without end: an address pair of which nothing
	// came for longer, in ns, is closed out, and what comes then is of another
	// connection. Memory is bounded by what is alive (Table.TakeClosed, Table.Tick).
	Idle int64

	// Lean is for many connections at a time: of each, less is remembered of what is
	// some seconds old, so that what comes later than that is told apart less surely,
	// and percentiles of more than 256 round trips are rounded to 1/1024.
	Lean bool

	Inconclusive bool    // findings a guard stands against go to the sink, too
	Profile      Profile // of the implementations

	// Settled, when not nil, is told what was concluded about every number.
	Settled func(c *Conn, dir int, x Settled)

	Sink Sink // nil when only the counters matter
}

// A Table follows all address pairs of a capture, or of a part of it.
type Table struct {
	cfg       Config
	flows     map[flowKey]*Flow
	cache     [256]*Flow
	conns     []*Conn
	fr        dissect.Frame
	tree      dissect.Tree
	heldBytes int
	undecided int
	open      int // connections that are followed
	spare     Spare[active]
	rested    [][]Probe // of pairs that are recognised; nil for the one that did it
	counting  int       // flows that were summed up
	lead      [256]bool // first bytes that a neighbour may have
	stranger  Flow      // stands for pairs of which nothing is kept
	flowSeq   uint64
	stories   []*Story
	books     map[*Protocol]*books
	quality   *books
	clock     clock
	moved     dissect.Datagram // the one at hand, when its time is not the capture's
	shown     dissect.Datagram // it again, with the capture's time
	swept     int64            // time of the latest sweep
	end       int64            // time of the latest packet of the capture
	now       int64            // time of the latest packet or Tick

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
	t := &Table{cfg: cfg, flows: make(map[flowKey]*Flow), books: make(map[*Protocol]*books), quality: newBooks(Quality, nil)}
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

func (t *Table) forced(key flowKey) *Force {
	for i := range t.cfg.Force {
		r := &t.cfg.Force[i]
		if r.Lo <= key.lo.Port && key.lo.Port <= r.Hi || r.Lo <= key.hi.Port && key.hi.Port <= r.Hi {
			return r
		}
	}
	return nil
}

// addUndecided collects evidence. A datagram that makes the flow recognised is
// delivered behind those held before it.
func (t *Table) addUndecided(f *Flow, d *dissect.Datagram) {
	if f.last != 0 && d.HasTime && d.Time-f.last > HoldTime {
		t.release(f)
		if f.session != nil {
			t.deliver(f, d)
			return
		}
		f.released = false
		f.dropProbes(nil)
	}
	f.last = d.Time
	if f.force == nil && t.anyNeighbour(d, Undecided) || f.force != nil && t.neighbour(f.force.Protocol, d, Ours) {
		return
	}
	if f.probes == nil && f.force == nil && f.story == nil && len(f.held) == 0 && f.hold(d) {
		return // most pairs of strangers are of one datagram
	}
	if f.wake(); d.Kind == dissect.UDP && f.session == nil {
		f.observe(d)
	}
	switch {
	case f.session != nil:
		t.recognised(f)
		t.deliver(f, d)
	case f.force != nil:
		if !f.hold(d) {
			t.release(f)
			t.deliver(f, d)
		}
	case f.hopeless: // its datagrams must not take the room of others
		t.release(f)
		t.plain(f, d)
		if t.undecided > MaxHopeless && f.story == nil {
			f.dropProbes(nil)
			f.pending = false // until it was silent, or a while later
			t.undecided--
		}
	case !f.hold(d):
		t.release(f)
		f.released = true
		t.plain(f, d)
	}
}

// recognised takes over a flow whose protocol is known now.
func (t *Table) recognised(f *Flow) {
	if f.force == nil {
		t.undecided--
	}
	t.deliverHeld(f)
}

func (t *Table) deliverHeld(f *Flow) {
	for _, h := range f.takeHeld() {
		t.deliver(f, &h.d)
	}
}

// release shows what was held of a flow as plain UDP, or, when it is forced, as
// what it was said to be.
func (t *Table) release(f *Flow) {
	if !f.pending {
		return
	}
	if f.wake(); f.session != nil {
		t.recognised(f)
		return
	}
	f.explain()
	if f.force != nil {
		f.follow(f.force.Protocol, f.probes[0])
		t.deliverHeld(f)
	}
	for _, h := range f.takeHeld() {
		t.plain(f, &h.d)
	}
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
