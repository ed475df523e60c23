package track_test

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/seq"
)

// A tally is what should be counted of a side.
type tally struct {
	frames, bytes, data, acks, retries, duplicates, messages, size, incomplete int
	gaps, missing, late                                                        int
	digest                                                                     string
}

func (w *world) tally(side dissect.Dir) (t tally) {
	seen := map[*transmission]bool{}
	units := map[int64]bool{}
	low, high := int64(0), int64(0)
	for i := range w.tap {
		x := &w.tap[i]
		if x.from != side {
			continue
		}
		t.frames++
		t.bytes += len(x.payload)
		again := seen[x.tx]
		seen[x.tx] = true
		if again {
			t.duplicates++
		}
		if x.tx.unit == nil {
			t.acks++
			continue
		}
		t.data++
		if again {
			continue
		}
		if x.tx.try > 0 {
			t.retries++
		}
		n := x.tx.num
		switch {
		case high == 0:
			low, high = n, n
		case units[n]:
		case n > high:
			if n > high+1 {
				t.gaps++
			}
			high = n
		default:
			low = min(low, n)
			if x.tx.try == 0 {
				t.late++
			}
		}
		units[n] = true
	}
	t.missing = int(high-low) + 1 - len(units)
	sum := sha256.New()
	for _, m := range w.peers[side].all {
		n := 0
		for _, u := range m.parts {
			if units[u.num] {
				n++
			}
		}
		switch {
		case n == len(m.parts):
			t.messages++
			t.size += len(m.data)
			sum.Write(m.data)
		case n > 0:
			t.incomplete++
		}
	}
	t.digest = hex.EncodeToString(sum.Sum(nil))
	return t
}

func tallyOf(s *scene, c *session.Conn, dir dissect.Dir) (t tally) {
	d := &c.Dir[dir]
	t = tally{frames: int(d.Frames), bytes: int(d.Bytes), data: int(d.DataFrames), acks: int(d.Acks), retries: int(d.Retries), duplicates: int(d.Duplicates),
		messages: int(d.Messages), size: int(d.MessageBytes), incomplete: int(d.IncompleteMessages), gaps: int(d.Gaps), missing: int(d.Missing()), late: int(d.OutOfOrder)}
	var list []session.Message
	for _, m := range s.Messages {
		if m.Dir == dir && m.Complete {
			list = append(list, m)
		}
	}
	slices.SortStableFunc(list, func(a, b session.Message) int { return int(a.Number - b.Number) })
	sum := sha256.New()
	for _, m := range list {
		sum.Write(m.Payload)
	}
	t.digest = hex.EncodeToString(sum.Sum(nil))
	return t
}

// Two endpoints, one path, one capture: what is counted is what happened.
func TestModel(t *testing.T) {
	lossy := worldConfig{messages: 600, before: 0.02, after: 0.02, double: 0.02, jitter: 8, nacks: true}
	for _, c := range []struct {
		name   string
		change func(c *worldConfig)
	}{
		{"clean", func(c *worldConfig) { c.before, c.after, c.double, c.jitter = 0, 0, 0, 0 }},
		{"lost before", func(c *worldConfig) { c.after, c.double = 0, 0 }},
		{"lost behind", func(c *worldConfig) { c.before, c.double = 0, 0 }},
		{"lossy", func(c *worldConfig) {}},
		{"without NACKs", func(c *worldConfig) { c.nacks = false }},
		{"mirrored", func(c *worldConfig) { c.mirrored = true }},
		{"serials by packet", func(c *worldConfig) { c.perPacket = true }},
		{"service provider's header", func(c *worldConfig) { c.header = true }},
		{"the capture misses some", func(c *worldConfig) { c.miss = 0.02 }},
		{"the capture misses some, all else is clean", func(c *worldConfig) { c.before, c.after, c.double, c.miss = 0, 0, 0, 0.01 }},
		{"from the middle", func(c *worldConfig) { c.cutStart = 500 }},
		{"reordered", func(c *worldConfig) { c.jitter = 40 }},
	} {
		t.Run(c.name, func(t *testing.T) {
			for seed := range uint64(4) {
				cfg := lossy
				c.change(&cfg)
				runModel(t, newWorld(seed, cfg))
			}
		})
	}
}

func runModel(t *testing.T, w *world) {
	s := newScene(t, false, session.CollectPayload)
	w.play(s)
	c := s.One()
	for dir := range dissect.Dirs {
		side := dir ^ w.tap[0].from
		got, want := tallyOf(s, c, dir), w.tally(side)
		if hidden := want.retries - got.retries; w.cfg.cutStart > 0 && hidden > 0 && hidden <= 6 {
			// Of a message of which but one packet was captured, right at the start, the serial says nothing.
			got.retries, got.late = want.retries, want.late
		}
		if got != want {
			t.Errorf("side %d:\ngot  %+v\nwant %+v", side, got, want)
			w.differences(t, s, side)
		}
		if rtt, want := c.Dir[dir].RTT(), w.rtt(side); rtt != want {
			t.Errorf("side %d: round trips %+v, want %+v", side, rtt, want)
		}
		l, drops := c.Dir[dir].Lost(), w.drops[side]
		if int(l.BeforeCapture) > drops.before || int(l.AfterCapture) > drops.after || int(l.NotCaptured) > drops.capture {
			t.Errorf("side %d: lost %+v, truth %+v", side, l, drops)
		}
		t.Logf("side %d: %d frames, %d retries, lost %+v of %+v, %d round trips", side, want.frames, want.retries, l, drops, c.Dir[dir].RTT().Samples)
	}
}

// rtt is the time from packets captured exactly once, proven copies left out, to the first frame after
// that acknowledges them.
func (w *world) rtt(side dissect.Dir) (r seq.RTT) {
	times := map[int64][]int{}
	for i := range w.tap {
		if x := &w.tap[i]; x.from == side && x.tx.unit != nil {
			at := times[x.tx.num]
			if len(at) > 0 && x.ipid != 0 && x.ipid == w.tap[at[0]].ipid {
				continue // proven a copy
			}
			times[x.tx.num] = append(at, i)
		}
	}
	var all []int64
	for n, at := range times {
		if len(at) != 1 {
			continue
		}
		for _, y := range w.tap[at[0]+1:] {
			if y.from != side && y.tx.unit == nil && y.tx.acknowledges(n) {
				all = append(all, y.at-w.tap[at[0]].at)
				break
			}
		}
	}
	if len(all) == 0 {
		return r
	}
	slices.Sort(all)
	rank := func(p int) int64 { return all[(len(all)*p+99)/100-1] }
	return seq.RTT{Samples: uint64(len(all)), Min: all[0], P50: rank(50), P95: rank(95), Max: all[len(all)-1]}
}

// acknowledges reports whether an ACK or NACK covers a number.
func (x *transmission) acknowledges(n int64) bool {
	i := n - x.num - 1
	return n < x.num || i >= 0 && i < 24 && x.f.Mask>>i > 1 && x.f.Mask>>i&1 == 0
}

// differences tells which frames were judged otherwise.
func (w *world) differences(t *testing.T, s *scene, side dissect.Dir) {
	seen := map[*transmission]bool{}
	for i := range w.tap {
		x := &w.tap[i]
		if x.from != side || x.tx.unit == nil {
			continue
		}
		again := seen[x.tx]
		seen[x.tx] = true
		want := !again && x.tx.try > 0
		if got := s.Frames[i].Words&(dissect.Retry|dissect.Duplicate) == dissect.Retry; got != want {
			u := x.tx.unit
			t.Logf("frame %d: retry %v, want %v: packet %d of message %d of %d, number %d, try %d, serial %d, flags %x", i+1, got, want,
				slices.Index(u.whole.parts, u), u.msg, len(u.whole.parts), u.num, x.tx.try, x.tx.f.Serial, x.tx.f.Flags)
			for j := range w.tap[:i+1] {
				if y := &w.tap[j]; y.from == side && y.tx.unit != nil && y.tx.unit.whole == u.whole {
					t.Logf("    frame %d at %d: packet %d try %d serial %d copy %v", j+1, (y.at-x.at)/1e6, slices.Index(u.whole.parts, y.tx.unit), y.tx.try, y.tx.f.Serial, y.copied)
				}
			}
		}
	}
}
