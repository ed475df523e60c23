package lab

import (
	"bytes"
	"slices"
	"testing"
	"time"

	"github.com/dpdissect/dpdissect/internal/testbed/tracegen"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/seq"
)

// TestAckWaits: how long units waited for their first acknowledgement is what it took on the
// network: each time reported is a true one, and hardly any is left out.
func TestAckWaits(t *testing.T) {
	for _, proto := range []string{"dp8", "dp4", "knet", "hazel"} {
		t.Run(proto, func(t *testing.T) {
			t.Parallel()
			told, all := 0, 0
			for seed := range uint64(12) {
				if s, ok := tracegen.Wild(proto, 930000+seed); ok {
					a, b := ackWaits(t, &s)
					told, all = told+a, all+b
				}
			}
			t.Logf("%d of %d waits are reported", told, all)
			if all < 300 || told < all*9/10 {
				t.Errorf("%d of %d waits are reported", told, all)
			}
		})
	}
}

// ackWaits compares what is reported of a trace with what happened.
func ackWaits(t *testing.T, s *tracegen.Scenario) (told, all int) {
	t.Helper()
	var file bytes.Buffer
	fates, err := s.Fates(&file)
	must(t, err)
	datagrams, err := readAll(&file)
	must(t, err)
	cfg, err := new(Mutant).config()
	must(t, err)
	cfg.Sink = &findings{}
	table := session.NewTable(cfg)
	end := int64(0)
	for i := range datagrams {
		table.Add(&datagrams[i])
		end = max(end, datagrams[i].Time)
	}
	table.Close(end)
	var truth []int64
	for _, waits := range fates.Waits {
		for _, x := range waits {
			truth = append(truth, int64(x))
		}
	}
	for _, c := range table.Conns() {
		for i := range c.Dir {
			r := c.Dir[i].Times(seq.AckWait)
			if told += int(r.Samples); r.Samples == 0 {
				continue
			}
			for _, ns := range []int64{r.Min, r.P50, r.P95, r.Max} {
				if !slices.ContainsFunc(truth, func(x int64) bool { return max(x-ns, ns-x) <= max(int64(2*time.Microsecond), ns/1024) }) {
					t.Errorf("%s/%s: side %d of %v reports %v, which nothing waited (%d samples)", s.Proto, s.Name, i, c.A, time.Duration(ns), r.Samples)
				}
			}
		}
	}
	if told > len(truth) {
		t.Errorf("%s/%s: %d reported, %d happened", s.Proto, s.Name, told, len(truth))
	}
	return told, len(truth)
}
