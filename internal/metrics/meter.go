package metrics

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/explain"
	"github.com/dpdissect/dpdissect/internal/measure"
	"github.com/dpdissect/dpdissect/internal/pipeline"
	"github.com/dpdissect/dpdissect/session"
)

const (
	every   = time.Second // how often a page is published
	maxLate = 1024        // closed connections of which later ones may still tell how they ended
)

// A Meter makes pages of a run while it goes on. It is used in the goroutine of the run.
type Meter struct {
	run    *pipeline.Run
	server *Server
	build  []string // labels of build_info

	taps  [pipeline.Shards]*tap
	sums  map[string]*sum // by protocol, of connections that were closed
	fresh []*session.Conn // closed ones that the sums do not have yet
	late  []ended         // those in the sums whose cause of the end may still change, the oldest first
	past  explain.Past
	floor floor
	told  time.Time
}

// A sum adds up the connections of a protocol.
type sum struct {
	counts measure.Values
	ended  map[explain.Cause]uint64
	open   uint64
}

func newSum() *sum { return &sum{ended: map[explain.Cause]uint64{}} }

// sumOf gives the sum of the connection's protocol. It makes one for a protocol that is not in the
// configuration because a flag forced it.
func sumOf(sums map[string]*sum, c *session.Conn) *sum {
	s := sums[c.Protocol.Name]
	if s == nil {
		s = newSum()
		sums[c.Protocol.Name] = s
	}
	return s
}

// ended is a connection with the cause that it counts under.
type ended struct {
	conn  *session.Conn
	cause explain.Cause
}

// Start answers requests for metrics about a run at an address (Address) and must be called before
// the run begins and after its sinks are set. It gives nil for the address "". version is that of
// the program, point the name of the capture point, "" for none.
func Start(r *pipeline.Run, addr, version, point string) (*Meter, error) {
	if addr == "" {
		return nil, nil
	}
	if !r.Source.Waits() {
		return nil, errors.New("--metrics works only with inputs that arrive over time: -i, a pipe, or --follow")
	}
	s, err := listen(addr)
	if err != nil {
		return nil, err
	}
	return attach(r, s, version, point), nil
}

// listen starts a server at the value of --metrics.
func listen(addr string) (*Server, error) {
	at, err := Address(addr)
	var s *Server
	if err == nil {
		s, err = Listen(at)
	}
	if err != nil {
		return nil, fmt.Errorf("--metrics: %w", err)
	}
	return s, nil
}

// Close ends the server. A nil Meter has none.
func (m *Meter) Close() {
	if m != nil {
		m.server.Close()
	}
}

func attach(r *pipeline.Run, s *Server, version, point string) *Meter {
	m := &Meter{run: r, server: s, sums: map[string]*sum{}, floor: floor{}, build: []string{"version", version}}
	if point != "" {
		m.build = append(m.build, "point", point)
	}
	for _, p := range r.Config.Protocols {
		m.sums[p.Name] = newSum()
	}
	sinks := r.Sink
	r.Sink = func(shard int) session.Sink {
		m.taps[shard] = newTap(sinks(shard))
		return m.taps[shard].sink()
	}
	r.OnClosed(func(c *session.Conn) { m.fresh = append(m.fresh, c) })
	first := r.Idle
	r.Idle = func() error {
		if first != nil {
			if err := first(); err != nil {
				return err
			}
		}
		if now := time.Now(); now.Sub(m.told) >= every {
			m.told = now
			m.count(false)
			s.Publish(m.page(m.floor))
		}
		r.Source.WakeAt(m.told.Add(every))
		return nil
	}
	return m
}

// Finish publishes the sums of a run that is over. They equal those of its document. A nil Meter
// publishes nothing.
func (m *Meter) Finish() {
	if m == nil {
		return
	}
	m.fresh = append(m.fresh, m.run.Open()...)
	m.count(true)
	m.server.Publish(m.page(nil))
}

// count adds the connections that were closed to the sums, and settles the cause of those that
// ended more than ten minutes ago: connections that come later no longer change it. At the end of
// the run it settles all.
func (m *Meter) count(end bool) {
	heard := Latest(m.run.Source.Infos())
	due := len(m.late) + len(m.fresh)
	if !end {
		due = max(0, due-maxLate)
		for due < len(m.late) && m.late[due].conn.LastTime <= heard-session.SeenFor {
			due++
		}
	}
	if len(m.fresh) == 0 && due == 0 {
		return
	}
	story := m.past.Tell(m.known(), m.run.Stories(), heard)
	for c := range session.Unpacked(m.fresh) {
		s := sumOf(m.sums, c)
		s.add(c)
		e := ended{c, causeOf(story, c)}
		s.ended[e.cause]++
		m.late = append(m.late, e)
	}
	m.fresh = nil
	for _, e := range m.late[:due] {
		s := sumOf(m.sums, e.conn)
		s.ended[e.cause]--
		s.ended[causeOf(story, e.conn)]++
		m.past.Forget(e.conn)
	}
	m.late = slices.Delete(m.late, 0, due)
}

// known gives the connections of which one may explain the end of another, by their first frames.
func (m *Meter) known() []*session.Conn {
	all := append(m.run.Open(), m.fresh...)
	for _, e := range m.late {
		all = append(all, e.conn)
	}
	slices.SortFunc(all, func(a, b *session.Conn) int { return cmp.Compare(a.FirstFrame, b.FirstFrame) })
	return slices.Compact(all)
}

// causeOf gives the cause of a connection's end.
func causeOf(story *explain.Story, c *session.Conn) explain.Cause {
	v, _ := story.Verdict(c)
	return cmp.Or(v.Cause, explain.Undecided)
}

// add adds the counters of a connection.
func (s *sum) add(c *session.Conn) {
	for i := range c.Dir {
		d := &c.Dir[i]
		known := measure.Known(c, d)
		for of, n := range measure.Of(d) {
			if known.Has(measure.Counter(of)) {
				s.counts[of] += n
			}
		}
	}
}

// Latest is the time of the latest packet, in ns since 1970, 0 where there is none.
func Latest(infos []capture.Info) (last int64) {
	for i := range infos {
		last = max(last, infos[i].LastTime)
	}
	return last
}
