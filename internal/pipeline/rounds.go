package pipeline

import (
	"time"

	"github.com/dpdissect/dpdissect/session"
)

// rounds call something whenever the time of the capture comes to a whole multiple of a length.
type rounds struct {
	length int64                 `state:"-"`
	next   int64                 // time of the next one, 0 before the first packet
	end    int64                 // time of the capture, see session.LaterOf
	back   int64                 // by how much its clock was set back, all in all
	do     func(now int64) error `state:"-"`
}

// EveryCaptured makes f be called whenever the time of the capture comes to a whole multiple of a
// length, in ns: all packets before were tracked, and no later one, wherever the capture is cut
// and however fast it is read. Time that no packet shows passes where a live source has nothing to
// give. now never runs backwards. Such a run has one worker.
func (r *Run) EveryCaptured(length int64, f func(now int64) error) {
	r.rounds = &rounds{length: length, do: f}
	if !r.Source.Live() {
		return
	}
	idle := r.Idle
	r.Idle = func() error {
		if idle != nil {
			if err := idle(); err != nil {
				return err
			}
		}
		r.Source.WakeAt(time.Now().Add(tickEvery))
		if at := r.Source.Heard(); at != 0 && r.rounds.next != 0 {
			return r.rounds.pass(at)
		}
		return nil
	}
}

// pass tells the time of the packet that is tracked next.
func (t *rounds) pass(at int64) error {
	if later := session.LaterOf(t.end, at); later < t.end {
		t.back += t.end - later
		t.end = later
	} else {
		t.end = later
	}
	now := t.end + t.back
	if now < t.next {
		return nil
	}
	first := t.next == 0
	t.next = now - now%t.length + t.length
	if first {
		return nil
	}
	return t.do(now - now%t.length)
}

// Tick lets time pass in all tables, within EveryCaptured, up to a time that it gives: what is
// silent for longer than Config.Silence is closed out. It gives the time that the clock of the
// capture shows then.
func (r *Run) Tick(now int64) (stamp int64) {
	stamp = now - r.rounds.back
	for _, t := range r.tables {
		t.Latest(stamp)
		t.Tick(stamp)
	}
	return stamp
}

// ForgetStories leaves the address pairs out of Stories of which nothing came since a time, in ns.
func (r *Run) ForgetStories(before int64) {
	for _, t := range r.tables {
		t.ForgetStories(before)
	}
}

// TakeClosed takes the connections that were settled since the call before out of the tracker
// (session.Table.TakeClosed).
func (r *Run) TakeClosed() (all []*session.Conn) {
	for _, t := range r.tables {
		all = append(all, t.TakeClosed()...)
	}
	if r.closed != nil {
		for _, c := range all {
			r.closed(c)
		}
	}
	return all
}

// OnClosed makes f be told of the connections that are taken out.
func (r *Run) OnClosed(f func(c *session.Conn)) { r.closed = f }

// Open are the connections that are followed, or were not taken out, in no order.
func (r *Run) Open() []*session.Conn { return r.open() }

// KeepEnded makes the run know, at its end, of connections that were taken out.
func (r *Run) KeepEnded(kept func() []*session.Conn) { r.ended = kept }
