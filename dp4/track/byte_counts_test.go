package track_test

import (
	"slices"
	"testing"

	"github.com/dpdissect/dpdissect/dp4/rules"
	"github.com/dpdissect/dpdissect/internal/testbed/sessiontest"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
)

// Counts of bytes tell whether what was not captured arrived.
func TestMC_DPL4R_3_1_5_4_BytesReceived(t *testing.T) {
	for _, c := range []struct {
		name string
		more int // bytes that arrived and were not captured
		want seq.Lost
	}{
		{"it did not arrive", 0, seq.Lost{BeforeCapture: 1}},
		{"it arrived", 7, seq.Lost{NotCaptured: 1}},
		{"a frame was doubled behind the capture point", 5, seq.Lost{}},
	} {
		s := scenes(t)
		total, tick := 0, 1000
		send := func(n uint8, counted int) {
			s.send(0, data(n, n, 0, "x"))
			total += 5 + counted
			f := ack(n, n, 0)
			tick += 10
			f.BytesReceived, f.Tick = uint32(total), uint32(tick)
			s.send(1, f)
		}
		for n := range uint8(20) {
			send(1+n, 0)
		}
		send(22, c.more) // 21 is missing
		for n := range uint8(20) {
			send(23+n, 0)
		}
		if got := s.One().Dir[0].Lost(); got != c.want {
			t.Errorf("%s: lost %+v, want %+v", c.name, got, c.want)
		}
	}
}

// Without matching counts nothing is claimed of them.
func TestMC_DPL4R_3_1_5_4_OtherCounts(t *testing.T) {
	s := scenes(t)
	for n := range uint8(60) {
		if n == 30 {
			continue
		}
		s.send(0, data(1+n, 1+n, 0, "x"))
		f := ack(1+n, 1+n, 0)
		f.BytesReceived, f.Tick = uint32(n)*9, uint32(n)*10 // with the indexes, say
		s.send(1, f)
	}
	if l := s.One().Dir[0].Lost(); l != (seq.Lost{}) {
		t.Errorf("lost %+v", l)
	}
}

// Two acknowledgements that name packets of which all before were captured say how many bytes
// arrived between them: no more than were sent. Where something before is missing, they do not.
func TestMC_DPL4R_3_1_5_4_BytesReceivedAreJudged(t *testing.T) {
	for _, missing := range []bool{false, true} {
		p := rules.New()
		s := &scene{sessiontest.New(t, hosts, session.Config{Protocols: []*session.Protocol{p}, Force: sessiontest.Force(p, "")})}
		total := 0
		for n := range uint8(20) {
			if missing && n%2 == 1 {
				continue
			}
			s.send(0, data(1+n, 1+n, 0, "x"))
			total += 5
			f := ack(1+n, 1+n, 0)
			f.BytesReceived, f.Tick = uint32(total), uint32(1000+10*int(n))
			s.send(1, f)
		}
		s.End()
		k := slices.IndexFunc(p.Rules, func(r conform.Rule) bool { return r.ID == "DP4-3.1.5.4-BYTES-MAX" })
		if got := s.Table.Tallies(p)[k].Pass; (got > 0) != !missing {
			t.Errorf("missing %v: passed %d times", missing, got)
		}
	}
}
