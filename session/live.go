package session

import (
	"cmp"

	"github.com/dpdissect/dpdissect/dissect"
)

// DefaultIdle is for how long, in ns, an address pair may be silent in a run
// without end before it is taken for gone (Config.Idle): half as long again as the
// longest interval at which one of the protocols keeps an idle connection alive,
// the 60 s of DirectPlay 8. kNet gives up after 45 s, Hazel sooner. DirectPlay 4 keeps
// nothing alive: a game that pauses for longer goes on as another connection.
const DefaultIdle = 90e9

// RestTime is for how long after its last frame a connection that is over is
// followed, in ns: late retries and acknowledgements are over by then. A run
// without end has an eighth of Config.Idle at most.
const RestTime = 60e9

// Rest is for how long a connection that is over is followed, in ns.
func (f *Flow) Rest() int64 {
	if cfg := &f.table.cfg; cfg.Idle > 0 {
		return min(RestTime, cfg.Idle/8)
	}
	return RestTime
}

// Live reports a run without end: nothing may be kept for later but what Config.Idle
// allows.
func (f *Flow) Live() bool { return f.table.live() }

// Heard is until when all that was sent was captured, in ns: the time of the latest
// packet, or in a run without end of the latest Tick.
func (f *Flow) Heard() int64 { return f.table.heard() }

// Idle is for how long a connection may be silent in a run without end, in ns.
func (f *Flow) Idle() int64 { return f.table.cfg.Idle }

// patience is for how long, in ns, a pair may be silent until it is closed out; 0 is for ever.
func (t *Table) patience() int64 { return cmp.Or(t.cfg.Idle, t.cfg.Silence) }

// pace is how often a table looks for what fell silent, in ns.
func (t *Table) pace() int64 {
	if !t.live() {
		return HoldTime
	}
	return max(min(HoldTime, t.cfg.Idle/16), 1e9)
}

// pass lets time go on and looks for what fell silent when it is time.
func (t *Table) pass(at int64) {
	t.now = max(t.now, at)
	if t.now-t.swept > t.pace() {
		t.sweep()
	}
}

// Tick tells a run that every packet until a time was given, in ns since
// 1970: who is silent past its limit is timed out, and pairs that were silent for
// Config.Idle or Config.Silence are closed out. What rules conclude from the times of packets
// stays as it is. Without either it does nothing.
func (t *Table) Tick(now int64) {
	if t.forgets {
		t.pass(t.clock.shifted(now))
	}
}

// Latest tells the time of the latest packet of the capture, in ns, where the
// table sees only some of them: what fell silent had until then to be heard.
func (t *Table) Latest(at int64) { t.end = max(t.end, t.clock.shifted(at)) }

// silence is for how long nothing came of a pair, in ns.
func (t *Table) silence(f *Flow) int64 {
	if t.live() || t.cfg.Silence > 0 && f.session != nil {
		return t.now - f.seen
	}
	return t.end - f.last
}

// gone reports a pair that is to be closed out: it is silent for long, or all its
// connections have ended and are settled.
func (t *Table) gone(f *Flow) bool {
	if !t.forgets {
		return false
	}
	s := t.silence(f)
	return s > t.patience() || t.live() && f.open == 0 && s > f.Rest()
}

// visit notes that a datagram of a pair came. After a long silence it is the first
// one of another flow.
func (t *Table) visit(f *Flow, d *dissect.Datagram) *Flow {
	if f.session != nil && f.seen != 0 && d.Time-f.seen > t.patience() {
		t.closeOut(f)
		f, _ = t.find(placeOf(d), d)
	}
	f.seen, f.compact = max(f.seen, d.Time), false
	return f
}

// closeOut ends the connections of a pair as they stand and forgets it.
func (t *Table) closeOut(f *Flow) {
	t.guard(f, func() { f.session.Close(t.listened(f)) })
	t.forget(f)
}

// listened is until when the pair was heard when it is closed, in ns. With Config.Silence that is
// the same whenever it is looked at.
func (t *Table) listened(f *Flow) int64 {
	if t.cfg.Silence > 0 && f.seen != 0 {
		return min(t.heard(), f.seen+t.cfg.Silence)
	}
	return t.heard()
}

// forget removes a pair.
func (t *Table) forget(f *Flow) {
	f.packClosed()
	delete(t.flows, f.key)
	for i := range t.cache {
		if t.cache[i] == f {
			t.cache[i] = nil
		}
	}
}

// TakeClosed hands out the connections that were settled since the last call, in
// the order in which they were recognised, and forgets them; totals and tallies
// keep what they counted. A frame that comes late, while its pair is still
// followed, is still counted in the connection (Conn.Count).
func (t *Table) TakeClosed() []*Conn {
	var out []*Conn
	keep := t.conns[:0]
	for _, c := range t.conns {
		if c.closed {
			t.totals.decoded += c.decoded
			t.totals.malformed += c.malformed
			c.totals = &t.totals
			out = append(out, c)
		} else {
			keep = append(keep, c)
		}
	}
	clear(t.conns[len(keep):])
	t.conns = keep
	return out
}

// Live is how many connections are open, how many address pairs are followed, and
// how many of those are not recognised.
func (t *Table) Live() (open, pairs, undecided int) {
	for _, f := range t.flows {
		open += f.open
	}
	return open, len(t.flows), t.undecided()
}

// sweep forgets undecided flows that fell silent and lets the others free what
// they no longer need.
func (t *Table) sweep() {
	t.swept = t.now
	t.trim()
	var idle []*Flow
	for _, f := range t.inOrder() {
		if f.session != nil {
			t.guard(f, func() {
				f.session.Sweep(t.now)
				t.compact(f)
			})
		}
		if f.session != nil && t.gone(f) || f.session == nil && t.silence(f) > HoldTime {
			idle = append(idle, f)
		}
	}
	for _, f := range idle {
		if f.session != nil {
			t.closeOut(f)
		} else {
			t.guard(f, func() { t.giveUp(f) })
		}
	}
	t.relieveEnded()
	clear(t.cache[:])
}

// giveUp forgets a pair that was not recognised. One that is forced is followed
// from now on.
func (t *Table) giveUp(f *Flow) {
	t.release(f)
	if f.session != nil { // what was held was enough, or it was forced
		return
	}
	if f.summedUp {
		t.counting--
	}
	f.join(decided)
	f.packClosed()
	delete(t.flows, f.key)
}

// SaveMemory begins to remember less of connections (Config.LowMemory), of those that begin
// from now on and of what falls silent.
func (t *Table) SaveMemory() { t.cfg.LowMemory = true }

// compactTime is after how long a silence a pair makes itself small, in ns, where little
// is to be kept: longer than anything that is not resumed waits for an answer.
const compactTime = 15e9

// compact makes a pair small that is silent for long.
func (t *Table) compact(f *Flow) {
	if !t.cfg.LowMemory || !t.live() || f.compact || t.silence(f) < compactTime {
		return
	}
	f.compact = true
	if s, ok := f.session.(Compacter); ok {
		s.Compact()
	}
}
