package sampler

import (
	"fmt"
	"math"
	"path/filepath"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/measure"
	"github.com/dpdissect/dpdissect/internal/pipeline"
	"github.com/dpdissect/dpdissect/internal/protocols"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
)

const (
	demoStart = int64(1795600800_000_000_000)
	second    = int64(time.Second)
)

// values are all numbers of a row that are no counters.
func values(r *Row) (out []Value) {
	out = append(out, r.Ping(), r.Jitter(), r.Loss(), r.RetryShare(), r.Quality(), r.InFlight(), r.Unneeded(), Known(float64(r.Idle)), Known(float64(r.Duration)))
	for i := range r.Dir {
		d := &r.Dir[i]
		out = append(out, d.Ping, d.Jitter, d.MinPing, d.InFlight, d.Idle, d.Loss, d.RetryShare, d.Quality, Known(d.BytesPerSec), Known(d.FramesPerSec))
	}
	return out
}

// sane reports a number that can't be.
func sane(s *Snapshot) error {
	keys := map[uint64]bool{}
	for i := range s.Rows {
		r := &s.Rows[i]
		if r.Key == 0 || keys[r.Key] {
			return fmt.Errorf("key %d twice", r.Key)
		}
		keys[r.Key] = true
		for n, v := range values(r) {
			if !(v.V >= 0) || math.IsInf(v.V, 0) || !v.Known && v.V != 0 {
				return fmt.Errorf("%s: value %d is %+v", r.Name[0], n, v)
			}
		}
		for i := range r.Dir {
			if d := &r.Dir[i]; d.Loss.V > 100 || d.Quality.V > 100 {
				return fmt.Errorf("%s: loss %v, quality %v", r.Name[0], d.Loss, d.Quality)
			}
		}
	}
	return nil
}

// TestSamplerAnything takes samples of counters that do what they want, on a clock
// that does, too.
func TestSamplerAnything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := Sampler{Window: time.Duration(rapid.Int64Range(0, 20).Draw(t, "window")) * time.Second}
		var conns []*session.Conn
		st := Status{Now: demoStart, Started: demoStart}
		any := func(label string) uint64 {
			if rapid.IntRange(0, 9).Draw(t, label+"?") == 0 {
				return rapid.Uint64Max(math.MaxInt64/2).Draw(t, label) // two sides are added up
			}
			return rapid.Uint64Range(0, 1000).Draw(t, label)
		}
		for range rapid.IntRange(1, 30).Draw(t, "snapshots") {
			st.Now += rapid.Int64Range(-int64(3*time.Second), int64(20*time.Second)).Draw(t, "step")
			st.Packets, st.Dropped = any("packets"), any("dropped")
			if rapid.Bool().Draw(t, "new") {
				conns = append(conns, &session.Conn{Dir: new([2]seq.Direction), Protocol: protocol("dp8"), FirstStamp: st.Now - rapid.Int64Range(-1e9, 1e10).Draw(t, "age"), HasTime: rapid.Bool().Draw(t, "timed")})
			}
			if len(conns) > 0 && rapid.IntRange(0, 4).Draw(t, "leaves") == 0 {
				conns = conns[1:]
			}
			for _, c := range conns {
				c.LastStamp = st.Now - rapid.Int64Range(-1e9, 2e10).Draw(t, "idle")
				c.State = session.State(rapid.IntRange(0, 7).Draw(t, "state"))
				for i := range c.Dir {
					d := &c.Dir[i]
					d.Frames, d.Bytes, d.DataFrames, d.Retries, d.UnneededRetries, d.OutOfOrder = any("f"), any("b"), any("d"), any("r"), any("u"), any("o")
					num := seq.Num(rapid.Int64Range(0, 300).Draw(t, "num"))
					d.Send(&seq.Sending{Num: num, Hash: uint64(num), Time: st.Now, HasTime: true, Frame: 1})
					d.Acknowledge(&seq.Acknowledgement{Next: seq.Num(rapid.Int64Range(0, 300).Draw(t, "ack")), Time: st.Now + rapid.Int64Range(-1e9, 1e9).Draw(t, "took"), HasTime: true, Frame: uint64(num)}, func(seq.Position) {})
				}
			}
			snap := s.Snapshot(st, conns)
			if err := sane(snap); err != nil {
				t.Fatal(err)
			}
			if !(snap.PacketsPerSec >= 0) || snap.Elapsed < 0 || len(s.conns) > len(conns) {
				t.Fatalf("%v packets a second, %d ns, %d connections kept of %d", snap.PacketsPerSec, snap.Elapsed, len(s.conns), len(conns))
			}
			for _, k := range s.conns {
				if len(k.history) > 2*samplesKept+2 {
					t.Fatalf("%d samples kept", len(k.history))
				}
			}
		}
	})
}

// watch runs a capture and takes snapshots every so often, on the clock of the capture.
func watch(t *testing.T, path string, every time.Duration, each func(s *Snapshot)) []*session.Conn {
	t.Helper()
	src, err := capture.Open([]string{path}, capture.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	var s Sampler
	var next, packets int64
	r := pipeline.Run{Source: src, Workers: 1, Config: session.Config{Idle: 1 << 60, Endings: true, Protocols: protocols.All(protocols.Options{})}}
	r.Sink = func(int) session.Sink { return noter{&s} }
	st := Status{Interfaces: []string{"file"}}
	r.Before = func(p *capture.Packet) {
		packets++
		if st.Started == 0 {
			st.Started = p.Time
		}
		st.Now = max(st.Now, p.Time)
	}
	r.After = func(uint64) error {
		if st.Now >= next {
			next = st.Now + int64(every)
			st.Packets = uint64(packets)
			snap := s.Snapshot(st, r.Conns())
			if err := sane(snap); err != nil {
				t.Errorf("%s: %v", path, err)
			}
			each(snap)
		}
		return nil
	}
	if err := r.Do(); err != nil {
		t.Fatal(err)
	}
	st.Now++
	each(s.Snapshot(st, r.Conns()))
	return r.Conns()
}

type noter struct{ s *Sampler }

func (noter) Frame(*dissect.Frame, *session.Conn) {}
func (noter) Acked(seq.Position, uint64)          {}
func (noter) Message(*session.Message)            {}
func (n noter) Finding(f *session.Finding)        { n.s.Note(f) }

// TestSamplerTraces watches every trace: the last snapshot has the counters of the
// analysis, and a ping like its round trips.
func TestSamplerTraces(t *testing.T) {
	paths, err := filepath.Glob("../../testdata/pcaps/*/*.pcap")
	if err != nil || len(paths) < 20 {
		t.Fatalf("%d traces: %v", len(paths), err)
	}
	pings, states := 0, map[session.State]int{}
	for _, path := range paths {
		var last *Snapshot
		conns := watch(t, path, 200*time.Millisecond, func(s *Snapshot) {
			last = s
			for i := range s.Rows {
				states[s.Rows[i].State]++
			}
		})
		if int(last.Live+last.Ended) != len(conns) {
			t.Errorf("%s: %d live and %d ended of %d", path, last.Live, last.Ended, len(conns))
		}
		rows := map[string]*Row{}
		for i := range last.Rows {
			rows[fmt.Sprint(last.Rows[i].ID)] = &last.Rows[i]
		}
		for _, c := range conns {
			r := rows[fmt.Sprint(c.ID)]
			if r == nil {
				continue // it ended long before
			}
			for i := range c.Dir {
				d, x := &c.Dir[i], &r.Dir[i]
				if x.Counts != measure.Of(d) || x.Knows != measure.Known(c, d) {
					t.Errorf("%s: connection %d, side %d: %+v", path, c.ID, i, x)
				}
				rtt := d.RTT()
				if p := d.Trips().PingRTT(); p.Samples > 0 {
					rtt = p
				}
				if x.Ping.Known {
					pings++
				}
				if rtt.Samples > 0 && !x.Ping.Known || x.Ping.Known && rtt.Samples >= 3 && (x.Ping.V*1e6 < float64(rtt.Min)-1 || x.Ping.V*1e6 > float64(rtt.Max)+1) {
					t.Errorf("%s: connection %d, side %d: ping %+v of %+v", path, c.ID, i, x.Ping, rtt)
				}
			}
			if got := len(r.Notes); uint64(got) != min(maxNotes, c.Findings[0]+c.Findings[1]+c.Findings[2]) {
				t.Errorf("%s: %d findings are kept of %v", path, got, c.Findings)
			}
		}
	}
	if states[session.Established] < 100 || states[session.Opening] == 0 || states[session.Closed] == 0 {
		t.Errorf("states while they went on: %v", states)
	}
	if pings < 20 {
		t.Errorf("only %d pings were compared", pings)
	}
}

// steady is a connection that sends so many frames a second from demoStart on.
func steady(c *session.Conn, at int64, perSecond int64, every int64) {
	d := &c.Dir[0]
	for n := int64(d.Frames); n < at*perSecond/second; n++ {
		when := demoStart + n*second/perSecond
		d.Frames++
		d.Bytes += 100
		d.DataFrames++
		c.LastStamp = when
		if every > 0 && n%every == 0 {
			d.OutOfOrder++
		}
		d.Send(&seq.Sending{Num: seq.Num(n), Mark: seq.MarkFirst, Hash: uint64(n), Frame: uint64(2*n + 1), Time: when, HasTime: true})
		d.Acknowledge(&seq.Acknowledgement{Next: seq.Num(n) + 1, Frame: uint64(2*n + 2), Time: when + 30e6, HasTime: true}, func(seq.Position) {})
	}
}

// TestRates are those of a steady connection, however often it is looked at.
func TestRates(t *testing.T) {
	for _, every := range []time.Duration{100 * time.Millisecond, time.Second, 3 * time.Second, time.Minute} {
		var s Sampler
		c := &session.Conn{Dir: new([2]seq.Direction), Protocol: protocol("dp8"), FirstStamp: demoStart, HasTime: true, State: session.Established}
		var last *Snapshot
		for at := int64(every); at <= int64(120*time.Second); at += int64(every) {
			steady(c, at, 50, 25)
			last = s.Snapshot(Status{Now: demoStart + at, Started: demoStart, Packets: uint64(at / second * 50)}, []*session.Conn{c})
		}
		d := &last.Rows[0].Dir[0]
		if math.Abs(d.FramesPerSec-50) > 2 || math.Abs(d.BytesPerSec-5000) > 200 || math.Abs(d.Quality.V-96) > 0.5 || d.Loss != Known(0) || d.Ping != Known(30) {
			t.Errorf("every %v: %+v", every, d)
		}
	}
}

// TestShares says what counts as lost, and what as good.
func TestShares(t *testing.T) {
	for _, c := range []struct {
		name                   string
		c                      counters
		loss, retries, quality Value
	}{
		{"nothing was sent", counters{frames: 9}, Value{}, Value{}, Value{}},
		{"all is well", counters{numbers: 50, data: 40}, Known(0), Known(0), Known(100)},
		{"sent again", counters{numbers: 50, data: 50, retries: 5}, Known(100 * 5. / 55), Known(10), Known(90)},
		{"sent again in vain", counters{numbers: 50, data: 50, retries: 5, unneeded: 5}, Known(0), Known(10), Known(100)},
		{"missing", counters{numbers: 45, data: 45, missing: 5}, Known(10), Known(0), Known(90)},
		{"overtaken", counters{numbers: 50, data: 50, late: 5}, Known(0), Known(0), Known(90)},
		{"worse than all", counters{numbers: 5, data: 5, retries: 20, late: 9}, Known(80), Known(400), Known(0)},
		{"nothing but retries", counters{data: 4, retries: 4}, Known(100), Known(100), Known(0)},
	} {
		var d Dir
		c.c.shares(&d)
		if near(d.Loss, c.loss) && near(d.RetryShare, c.retries) && near(d.Quality, c.quality) {
			continue
		}
		t.Errorf("%s: loss %v, retries %v, quality %v", c.name, d.Loss, d.RetryShare, d.Quality)
	}
}

func near(a, b Value) bool { return a.Known == b.Known && math.Abs(a.V-b.V) < 1e-9 }

// TestLinger shows what ended for a while, whether it stays in the list or not.
func TestLinger(t *testing.T) {
	for _, listed := range []bool{true, false} {
		var s Sampler
		c := &session.Conn{Dir: new([2]seq.Direction), Protocol: protocol("knet"), FirstStamp: demoStart, HasTime: true, State: session.Established}
		at := func(sec int64, conns ...*session.Conn) *Snapshot {
			return s.Snapshot(Status{Now: demoStart + sec*second, Started: demoStart}, conns)
		}
		steady(c, 2*second, 10, 0)
		first := at(2, c)
		if len(first.Rows) != 1 || first.Rows[0].Over || first.Live != 1 {
			t.Fatalf("%+v", first)
		}
		list := []*session.Conn{c}
		if c.State = session.Closed; !listed {
			list = nil
		}
		for sec, want := range map[int64]int{4: 1, 9: 1} {
			if got := at(sec, list...); len(got.Rows) != want || !got.Rows[0].Over || got.Live != 0 || got.Rows[0].Key != first.Rows[0].Key {
				t.Errorf("listed %v, after %d s: %+v", listed, sec, got.Rows)
			}
		}
		if got := at(13, list...); len(got.Rows) != 0 || len(s.conns) != 0 || len(s.gone) != 0 || listed && got.Ended != 1 {
			t.Errorf("listed %v, at last: %+v, keeps %d and %d", listed, got, len(s.conns), len(s.gone))
		}
	}
}

// TestLingerOfSilence: what ended by silence alone is shown from when that was known.
func TestLingerOfSilence(t *testing.T) {
	var s Sampler
	c := &session.Conn{Dir: new([2]seq.Direction), Protocol: protocol("knet"), FirstStamp: demoStart, LastStamp: demoStart, HasTime: true, State: session.Established}
	for _, at := range []struct {
		sec   int64
		state session.State
		rows  int
	}{{1, session.Established, 1}, {60, session.TimedOut, 1}, {69, session.TimedOut, 1}, {71, session.TimedOut, 0}, {72, session.Established, 1}} {
		c.State = at.state
		snap := s.Snapshot(Status{Now: demoStart + at.sec*second, Started: demoStart}, []*session.Conn{c})
		if len(snap.Rows) != at.rows {
			t.Errorf("after %d s, %v: %d rows", at.sec, at.state, len(snap.Rows))
		}
	}
}

// TestNotesBounded keeps the latest findings, and none of what is not shown.
func TestNotesBounded(t *testing.T) {
	var s Sampler
	c := &session.Conn{Dir: new([2]seq.Direction), Protocol: protocol("dp8"), FirstStamp: demoStart, LastStamp: demoStart, HasTime: true}
	rule := &conform.Rule{ID: "X-1"}
	for n := range 100 {
		s.Note(&session.Finding{Conn: c, Rule: rule, Message: fmt.Sprint(n), Frame: uint64(n)})
		s.Note(&session.Finding{Conn: c, Rule: rule, Guard: conform.GuardDup, Message: "inconclusive"})
		s.Note(&session.Finding{Rule: rule, Message: "of no connection"})
	}
	for range 2 {
		snap := s.Snapshot(Status{Now: demoStart}, []*session.Conn{c})
		notes := snap.Rows[0].Notes
		if len(notes) != maxNotes || notes[0].Message != "92" || notes[maxNotes-1].Message != "99" || len(s.notes) != 0 {
			t.Fatalf("%+v, keeps %d", notes, len(s.notes))
		}
	}
}

// BenchmarkSnapshot of many connections.
func BenchmarkSnapshot(b *testing.B) {
	for _, n := range []int{1000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var conns []*session.Conn
			for range n {
				c := &session.Conn{Dir: new([2]seq.Direction), Protocol: protocol("dp8"), FirstStamp: demoStart, HasTime: true, State: session.Established}
				steady(c, 2*second, 50, 0)
				conns = append(conns, c)
			}
			var s Sampler
			now := demoStart + 2*second
			b.ReportAllocs()
			for b.Loop() {
				now += second
				s.Snapshot(Status{Now: now, Started: demoStart}, conns)
			}
		})
	}
}

// TestWhy: a row says what ended a connection, where that is more than its state says.
func TestWhy(t *testing.T) {
	for name, want := range map[string]string{"killed-process": "port closed", "cable-cut": "fell silent?", "closed": ""} {
		said := map[string]bool{}
		watch(t, "../../testdata/pcaps/ends/"+name+".pcap", 200*time.Millisecond, func(s *Snapshot) {
			for i := range s.Rows {
				if r := &s.Rows[i]; r.Over {
					said[r.Why] = true
				} else if r.Why != "" {
					t.Errorf("%s: %q of one that goes on", name, r.Why)
				}
			}
		})
		if want != "" && !said[want] || want == "" && len(said) > 1 {
			t.Errorf("%s: %v, want %q", name, said, want)
		}
	}
}

func protocol(name string) *dissect.Protocol { return &dissect.Protocol{Name: name} }
