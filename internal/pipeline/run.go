package pipeline

import (
	"cmp"
	"slices"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dissect/stable"
	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/state"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/conform"
)

// A Run is one pass over a capture.
type Run struct {
	Source  *capture.Source
	Config  session.Config // its Sink is set by the run
	Workers int            // 1 reads and tracks in the calling goroutine

	// Before is called for every packet, in order, when it was read, and before the next one is:
	// some packets before it may not be tracked yet. After is called when a packet and all before it were tracked.
	// Both run in the calling goroutine.
	Before func(p *capture.Packet)
	After  func(frame uint64) error
	// Idle is called by runs of live sources when no packet waits, and between
	// packets now and then; in the calling goroutine, with all packets tracked.
	Idle func() error
	// Begin tells, before a datagram is tracked, which one it is; it is called by
	// the worker of the shard.
	Begin func(shard int, frame uint64)
	// Shard, when not nil, says which table follows a datagram's pair, below Shards, in runs of
	// one worker: for captures that differ in addresses alone to be followed alike.
	Shard func(d *dissect.Datagram) int
	// Sink gives the sink of a shard; nil when only counters matter. Sinks of
	// different shards are used by different goroutines.
	Sink func(shard int) session.Sink
	// State says what the run goes on from, and who takes where it stands; nil for neither.
	State *State

	reserve func(p *capture.Packet) // is called for every packet, after Before; the next ones may have been read; nil for nothing

	rounds *rounds
	coded  *state.Codec // of State, once there was one to be read or written
	tables *tables
	spread spread
	ended  func() []*session.Conn    // the connections that were taken out and kept (KeepEnded), nil for none
	closed func(c *session.Conn)     // is called with each connection that is taken out (OnClosed), nil for nothing
	ahead  [readAhead]capture.Packet // that were read and are tracked next
	end    int64
	latest int64 // time of the latest packet, by the clock of the capture, which may be set
	busy   int   // packets since Idle was called

	internal []session.InternalError // once the connections were released, see Release
	leftOut  uint64
	stories  uint64
}

// readAhead is the number of packets that are read before they are tracked. To change between
// the two for each packet is slower: neither's code and data stay in the cache.
const readAhead = 32

// idleEvery is how many packets of a busy live source pass between two calls of
// Idle.
const idleEvery = 512

// Do runs to the end of the input, or to the first error of After.
func (r *Run) Do() error {
	r.tables, r.spread = newTables(r.Config, r.Sink), spread{}
	err := r.resume()
	switch {
	case err != nil:
	case r.Workers > 1 && r.rounds == nil:
		err = r.parallel()
	default:
		err = r.serial()
	}
	if err == nil {
		err = r.leave()
	}
	if at := r.Source.Heard(); at != 0 {
		for _, t := range r.tables {
			t.Tick(at)
		}
	}
	r.tables.close(r.end)
	r.judgeMoves()
	return err
}

// serial reads and tracks in the calling goroutine.
func (r *Run) serial() (err error) {
	for more := true; more && err == nil; {
		more, err = r.step()
	}
	return err
}

// step reads some packets, and then tracks them. It reports whether there may be more.
func (r *Run) step() (more bool, err error) {
	n, more, waits := r.readOn()
	for next := 0; next < n; {
		if next, err = r.trackOn(next, n); err != nil {
			return false, err
		}
	}
	if waits {
		err = r.idle()
	}
	return more, err
}

// readOn reads packets into ahead, one at least, as long as reading the next one leaves those
// before it as they are (capture.Source.Near). It reports whether there may be more, and whether a source that waits has nothing
// to give now.
func (r *Run) readOn() (n int, more, waits bool) {
	for n < len(r.ahead) {
		room := r.ahead[n:]
		if r.Before != nil {
			room = room[:1]
		}
		k, came := r.Source.Read(room)
		switch came {
		case capture.End:
			return n, false, false
		case capture.Nothing:
			return n, true, true
		}
		r.before(room[:k])
		if n += k; !r.Source.Near() {
			break
		}
	}
	return n, true, false
}

// trackOn tracks ahead[from:n] and gives the index to go on with: n, or, where the tracking of
// a packet panicked, the one after it.
func (r *Run) trackOn(from, n int) (next int, err error) {
	i, shard := from, 0
	defer func() {
		if reason := recover(); reason != nil {
			r.rescue(shard, reason)
			next, err = i+1, r.passed(r.ahead[i].Frame)
		}
	}()
	rounds, told := r.rounds != nil, r.After != nil || r.Idle != nil
	for ; i < n; i++ {
		p := &r.ahead[i]
		if rounds && p.HasTime {
			if err := r.rounds.pass(p.Time); err != nil {
				return n, err
			}
		}
		if p.Class == capture.UDP || p.Class == capture.Unreachable {
			at, place := r.spread.of(&p.Datagram)
			if r.Shard != nil {
				at = r.Shard(&p.Datagram)
			}
			shard = at
			r.add(at, place, &p.Datagram)
		}
		if told {
			if err := r.passed(p.Frame); err != nil {
				return n, err
			}
		}
	}
	return n, nil
}

// passed tells that a packet was tracked.
func (r *Run) passed(frame uint64) error {
	if r.After != nil {
		if err := r.After(frame); err != nil {
			return err
		}
	}
	if r.Idle != nil {
		return r.tracked(1)
	}
	return nil
}

// rescue ends the connections of the address pair in which a panic happened. One that happened
// in no pair goes on.
func (r *Run) rescue(shard int, reason any) {
	if !r.tables[shard].Rescue(reason) {
		panic(reason)
	}
}

// tracked counts packets towards the next call of Idle.
func (r *Run) tracked(n int) error {
	if r.busy += n; r.busy < idleEvery {
		return nil
	}
	return r.idle()
}

func (r *Run) idle() error {
	r.busy = 0
	if r.Idle == nil {
		return nil
	}
	return r.Idle()
}

// before notes the times of packets that were read.
func (r *Run) before(ps []capture.Packet) {
	end, latest := r.end, r.latest
	for i := range ps {
		if p := &ps[i]; p.HasTime {
			end, latest = session.LaterOf(end, p.Time), p.Time
		}
	}
	r.end, r.latest = end, latest
	for i := range ps {
		if r.Before != nil {
			r.Before(&ps[i])
		}
		if r.reserve != nil {
			r.reserve(&ps[i])
		}
	}
}

// parallel reads a batch while the crew tracks those before it. Where After or Idle are called,
// the batch before is tracked to its end first: both find all packets tracked that they know of.
// Where all that was tracked of late was light, the reader goes on alone.
func (r *Run) parallel() (err error) {
	w := newCrew(r)
	defer w.end()
	calls := r.After != nil || r.Idle != nil
	for more, last, packets := true, uint64(0), 0; more && err == nil; {
		b := w.empty()
		var waits bool
		more, waits = w.fill(b)
		if calls && packets > 0 {
			w.drain()
			err = r.done(last, packets)
		}
		last, packets = b.last, b.packets
		w.give(b)
		light := more && w.light()
		if err == nil && (light || calls && (waits || !more)) {
			w.drain()
			err = r.done(last, packets)
			packets = 0
		}
		if err == nil && light {
			more, err = w.alone()
		}
	}
	return err
}

// done tells that so many packets were tracked; the frame is the last of them.
func (r *Run) done(frame uint64, packets int) error {
	if packets == 0 {
		return r.idle()
	}
	if r.After != nil {
		if err := r.After(frame); err != nil {
			return err
		}
	}
	if r.Idle != nil {
		return r.tracked(packets)
	}
	return nil
}

// track tracks what a batch holds of a shard, and gives the weight of that.
func (r *Run) track(b *batch, shard uint8) weight {
	before, n := r.tables[shard].Rested(), len(b.of[shard])
	for next := 0; next < n; {
		next = r.trackFrom(b, shard, next)
	}
	return weigh(uint64(n), r.tables[shard].Rested()-before)
}

// trackFrom tracks the datagrams of a shard from an index on, and gives the index to go on with:
// the end, or, where the tracking of a datagram panicked, the one after it.
func (r *Run) trackFrom(b *batch, shard uint8, from int) (next int) {
	i, list := from, b.of[shard]
	defer func() {
		if reason := recover(); reason != nil {
			r.rescue(int(shard), reason)
			next = i + 1
		}
	}()
	for ; i < len(list); i++ {
		x := list[i]
		r.add(int(shard), b.places[x], &b.datagrams[x])
	}
	return i
}

func (r *Run) add(shard int, place uint8, d *dissect.Datagram) {
	if r.Begin != nil {
		r.Begin(shard, d.Frame)
	}
	r.tables[shard%Shards].AddAt(place, d)
}

// Conns are all connections, ordered by their first frame, with their ids.
func (r *Run) Conns() []*session.Conn {
	all := r.open()
	session.Number(all)
	return all
}

// judgeMoves judges what only connections of several address pairs tell together.
func (r *Run) judgeMoves() {
	all := r.open()
	if r.ended != nil {
		all = append(all, r.ended()...)
	}
	session.JudgeMoves(all)
}

// open are the connections the tracker has, in no order.
func (r *Run) open() (all []*session.Conn) {
	for _, t := range r.tables {
		all = append(all, t.Conns()...)
	}
	return all
}

// Release forgets the connections of a run that is over. What went wrong in it is still told.
func (r *Run) Release() {
	r.internal, r.leftOut, r.stories = r.Internal(), r.UndecidedLeftOut(), r.StoriesLeftOut()
	r.tables, r.Sink, r.Before, r.After, r.reserve = nil, nil, nil, nil, nil
}

// Internal are the internal errors of the run, by frame.
func (r *Run) Internal() (all []session.InternalError) {
	if r.tables == nil {
		return r.internal
	}
	for _, t := range r.tables {
		all = append(all, t.Internal()...)
	}
	stable.Sort(all, func(a, b session.InternalError) int { return cmp.Compare(a.Frame, b.Frame) })
	return all
}

// UndecidedLeftOut is the number of address pairs that were given up for lack of room while
// they might have been recognised (session.Table.LeftOut).
func (r *Run) UndecidedLeftOut() (n uint64) {
	if r.tables == nil {
		return r.leftOut
	}
	for _, t := range r.tables {
		n += t.LeftOut()
	}
	return n
}

// StoriesLeftOut is the number of address pairs that Stories lacks for lack of room
// (session.Table.StoriesLeftOut).
func (r *Run) StoriesLeftOut() (n uint64) {
	if r.tables == nil {
		return r.stories
	}
	for _, t := range r.tables {
		n += t.StoriesLeftOut()
	}
	return n
}

// Decoded gives the totals that the tracker knows.
func (r *Run) Decoded() (decoded, malformed, other uint64) {
	for _, t := range r.tables {
		d, m, o := t.Totals()
		decoded, malformed, other = decoded+d, malformed+m, other+o
	}
	return decoded, malformed, other
}

// Neighbours counts the datagrams of neighbours, by their names.
func (r *Run) Neighbours() (all []session.NeighbourCount) {
	for _, t := range r.tables {
		for _, n := range t.Neighbours() {
			i := slices.IndexFunc(all, func(o session.NeighbourCount) bool { return o.Protocol == n.Protocol })
			if i < 0 {
				all = append(all, n)
			} else {
				all[i].N += n.N
			}
		}
	}
	stable.Sort(all, func(a, b session.NeighbourCount) int { return cmp.Compare(a.Protocol.Name, b.Protocol.Name) })
	return all
}

// Totals counts the packets of the source, and the datagrams that they stood for.
func (r *Run) Totals() capture.Totals {
	t := r.Source.Totals()
	for _, table := range r.tables {
		t.UDPDatagrams += table.Apart()
	}
	return t
}

// Rules are the tallies of all rules, evaluated or not, in the order of the
// protocols and their tables; those of the capture come last.
func (r *Run) Rules() (all []conform.RuleTally) {
	for _, p := range r.Config.Protocols {
		all = r.sum(all, p.Rules, func(t *session.Table) []conform.Tally { return t.Tallies(p) })
	}
	return r.sum(all, session.Quality, (*session.Table).QualityTallies)
}

func (r *Run) sum(all []conform.RuleTally, rules []conform.Rule, of func(*session.Table) []conform.Tally) []conform.RuleTally {
	first := len(all)
	all = slices.Grow(all, len(rules))
	for i := range rules {
		all = append(all, conform.RuleTally{Rule: &rules[i]})
	}
	for _, t := range r.tables {
		for i, tally := range of(t) {
			all[first+i].Add(&tally)
		}
	}
	return all
}

// Stories tell how address pairs were recognised, in the order of their first
// frames, when Config.Explain is set.
func (r *Run) Stories() []*session.Story {
	var all []*session.Story
	for _, t := range r.tables {
		all = append(all, t.Stories()...)
	}
	stable.Sort(all, func(a, b *session.Story) int { return cmp.Compare(a.First, b.First) })
	return all
}
