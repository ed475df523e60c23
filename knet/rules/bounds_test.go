package rules

import (
	"fmt"
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dissect/dissecttest"
	"github.com/dpdissect/dpdissect/internal/testbed/sessiontest"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
)

// TestDatagramsOfASideAreBounded: rules remember as many datagrams of a side as the engine. What is said of
// an older one is judged by none.
func TestDatagramsOfASideAreBounded(t *testing.T) {
	out := new(seq.Direction)
	out.SetLimits(seq.Limits{History: seq.HistoryLimit})
	r := datagrams{out: out}
	for n := range int64(2 * seq.HistoryLimit) {
		s := &seq.Sending{Num: seq.Num(n), Time: n * 1e6, HasTime: true}
		r.enter(s, false, false)
		out.Send(s)
		r.note(s, note{})
	}
	for back, known := range map[seq.Num]bool{seq.HistoryLimit - 1: true, seq.HistoryLimit: false} {
		if got := r.at(r.top - back).isKnown(); got != known {
			t.Errorf("%d before the latest: remembered %v, want %v", back, got, known)
		}
	}
}

// TestAcksAheadAreBounded: acknowledgements of what is not sent yet wait for their proof; further
// ones end without a verdict.
func TestAcksAheadAreBounded(t *testing.T) {
	p := New()
	s := sessiontest.New(t, sessiontest.Hosts("10.0.0.1:50000", "10.0.0.2:2345"), session.Config{Protocols: []*session.Protocol{p}, Force: sessiontest.Force(p, "spec")})
	see := func(from dissect.Dir, payload string) {
		s.Wait(45)
		s.Raw(from, dissecttest.Unhex(t, payload))
	}
	see(0, "00 00 00 08 00 FD FF FF FF 75 73 65 72") // ConnectSyn
	see(1, "00 00 00 04 00 FC FF FF FF")
	see(0, "01 00 40 04 00 FB FF FF FF")
	see(1, "01 00 00 08 00 03 01 00 00 00 00 00 00") // acknowledges that
	for n := range maxAhead + 3 {
		see(1, fmt.Sprintf("%02x 00 00 08 00 03 %02x 00 00 00 00 00 00", 2+n, 4+n))
		if got, want := s.Table.Tallies(p)[rRdAckKnown].Blocked[conform.GuardHold], max(n+1-maxAhead, 0); got != uint64(want) {
			t.Errorf("%d acknowledgements: %d ended without a verdict, want %d", n+1, got, want)
		}
	}
}
