package sampler

import (
	"strconv"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/internal/explain"
	"github.com/dpdissect/dpdissect/internal/measure"
	"github.com/dpdissect/dpdissect/internal/terminal"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/seq"
)

// take makes the row of a connection.
func (t *track) take(c *session.Conn, out *Snapshot, notes []Note, names func(dissect.Endpoint) string) {
	t.describe(c, names)
	if len(notes) > 0 {
		all := append(append([]Note(nil), t.notes...), notes...)
		t.notes = all[max(0, len(all)-maxNotes):]
	}
	state, closer := c.StateNow()
	r := &t.row
	*r = Row{
		Key: t.key, ID: c.ID, Protocol: t.proto, Name: t.name, Role: c.Roles, Player: t.player,
		State: state, ClosedBy: closer, Complete: c.Complete, Over: c.Over(),
		Last: c.LastStamp, Findings: c.Findings, Notes: t.notes,
	}
	r.End[0], r.End[1] = c.A, c.B
	if c.HasTime {
		r.Idle = max(0, out.Time-c.LastStamp)
		until := out.Time
		if r.Over {
			until = c.LastStamp
		}
		r.Duration = max(0, until-c.FirstStamp)
	}
	if r.Over {
		r.Why = explain.WhyNow(c, out.Time)
	} else {
		t.endedAt = 0
	}
	t.measure(c, out)
}

// since is for how long a connection is known to be over: since its latest frame, or,
// when its silence is its end, since that was long enough.
func (t *track) since(c *session.Conn, now int64) int64 {
	if t == nil {
		return now - c.LastStamp
	}
	if t.endedAt == 0 {
		t.endedAt = now
		if state, _ := c.StateNow(); state != session.TimedOut {
			t.endedAt = c.LastStamp
		}
	}
	return now - t.endedAt
}

// describe makes the texts that hardly ever change.
func (t *track) describe(c *session.Conn, names func(dissect.Endpoint) string) {
	if t.proto == "" || t.dialect != c.Dialect || t.version != c.Version {
		t.proto, t.dialect, t.version = terminal.ProtocolName(c), c.Dialect, c.Version
	}
	if t.name[0] == "" {
		t.name = [2]string{nameOf(c.A, names), nameOf(c.B, names)}
	}
	if c.HasPlayers && t.player[0] == "" {
		for i, n := range c.Players {
			t.player[i] = "player " + strconv.FormatUint(uint64(n), 10)
		}
	}
}

// nameOf is the name of an endpoint, or else its address.
func nameOf(e dissect.Endpoint, names func(dissect.Endpoint) string) string {
	if names != nil {
		if name := names(e); name != "" {
			return terminal.Escaped(name)
		}
	}
	return e.String()
}

// measure fills in what the sides of a connection do now.
func (t *track) measure(c *session.Conn, out *Snapshot) {
	now := sample{at: out.Time}
	for i := range dissect.Dirs {
		p := c.Pulse(i)
		now.dir[i] = count(&c.Dir[i], &p)
		t.row.Dir[i] = side(c, i, &p, out)
		if t.trail != nil {
			t.row.Dir[i].Times = timesOf(&c.Dir[i])
		}
	}
	if len(t.history) == 0 && c.HasTime && c.FirstStamp <= out.Time {
		t.history = append(t.history, sample{at: c.FirstStamp})
	}
	t.history = t.history.add(now, out.Window)
	for i := range c.Dir {
		t.history.rates(i, &t.row.Dir[i])
	}
}

// timesOf is what was measured of a side.
func timesOf(d *seq.Direction) *[seq.NMeasures]seq.RTT {
	list := new([seq.NMeasures]seq.RTT)
	for m := range list {
		list[m] = d.Times(seq.Measure(m))
	}
	return list
}

// side is what one side did so far, and how it does now.
func side(c *session.Conn, i dissect.Dir, p *seq.Pulse, out *Snapshot) Dir {
	d := &c.Dir[i]
	x := Dir{
		Counts: measure.Of(d), Knows: measure.Known(c, d),
		Ping:     When(p.Samples > 0, float64(p.Ping)/1e6),
		Jitter:   When(p.Samples > 1, float64(p.Jitter)/1e6),
		Samples:  p.Samples,
		Stale:    p.Samples > 0 && out.Time-p.PingAt > out.Window,
		InFlight: When(p.HasInFlight && !c.Over(), float64(p.InFlight.Numbers)),
		Idle:     When(p.HasLast, float64(max(0, out.Time-p.Last))),
	}
	x.WaitAt = p.WaitAt
	x.Wait = When(p.WaitAt != 0, float64(p.Wait)/1e6)
	x.MinPing = When(d.MinRTT() > 0, float64(d.MinRTT())/1e6)
	return x
}
