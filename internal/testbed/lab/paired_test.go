package lab

import (
	"bytes"
	"slices"
	"testing"
	"time"

	"github.com/dpdissect/dpdissect/internal/testbed/tracegen"
	"github.com/dpdissect/dpdissect/session"
)

// TestPairedRoundTrips: where the k-th acknowledgement of a packet is taken for that of its
// k-th transmission, it is: all times reported are true ones.
func TestPairedRoundTrips(t *testing.T) {
	var list []tracegen.Scenario
	for _, s := range tracegen.Scenarios() {
		if s.Proto == "hazel" {
			list = append(list, s)
		}
	}
	for seed := range uint64(400) {
		if s, ok := tracegen.Wild("hazel", 910000+seed); ok {
			list = append(list, s)
		}
	}
	told, all := 0, 0
	for i := range list {
		a, b := pairedTrips(t, &list[i])
		told, all = told+a, all+b
	}
	t.Logf("%d of %d true round trips of packets sent several times are reported", told, all)
	if told < 20 {
		t.Error("too few to prove anything")
	}
}

// pairedTrips compares what is reported of a trace with what happened.
func pairedTrips(t *testing.T, s *tracegen.Scenario) (told, all int) {
	t.Helper()
	var file bytes.Buffer
	fates, err := s.Fates(&file)
	must(t, err)
	datagrams, err := readAll(&file)
	must(t, err)
	cfg, err := new(Mutant).config()
	must(t, err)
	var sink findings
	cfg.Sink = &sink
	table := session.NewTable(cfg)
	end := int64(0)
	for i := range datagrams {
		table.Add(&datagrams[i])
		end = max(end, datagrams[i].Time)
	}
	table.Close(end)
	var truth []int64
	for _, of := range fates.Trips {
		for _, trips := range of {
			for _, x := range trips {
				truth = append(truth, int64(x))
			}
		}
	}
	for _, c := range table.Conns() {
		for i := range c.Dir {
			r := c.Dir[i].Trips().PairedRTT()
			if told += int(r.Samples); r.Samples == 0 {
				continue
			}
			for _, ns := range []int64{r.Min, r.P50, r.P95, r.Max} {
				if !slices.ContainsFunc(truth, func(x int64) bool { return max(x-ns, ns-x) <= int64(2*time.Microsecond) }) {
					t.Errorf("%s/%s: side %d of %v reports %v, which none took (%d samples)", s.Proto, s.Name, i, c.A, time.Duration(ns), r.Samples)
				}
			}
		}
	}
	if told > len(truth) {
		t.Errorf("%s/%s: %d reported, %d happened", s.Proto, s.Name, told, len(truth))
	}
	return told, len(truth)
}
