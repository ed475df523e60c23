package main

import (
	"testing"

	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/compare"
)

// TestCompareBounded: of captures with more datagrams than are compared, what is past them is uncertain, and no
// fate is another one than it would be (section 8, more datagrams than memory allows).
func TestCompareBounded(t *testing.T) {
	a, b, _ := pair(t)
	pa, pb := a.write("a.pcap"), b.write("b.pcap")
	fates := func(list []passage) (of [2]map[int]string) {
		of = [2]map[int]string{{}, {}}
		for _, x := range list {
			for at, f := range []int{x.Frame1, x.Frame2} {
				if f == 0 {
					continue
				}
				if of[at][f] != "" {
					t.Errorf("frame %d of point %d stands in two records", f, at+1)
				}
				of[at][f] = x.Fate
			}
		}
		return of
	}
	all, whole := compared(t, pa, pb)
	want := fates(all)
	defer func(n int) { compare.MostDatagrams = n }(compare.MostDatagrams)
	for _, bound := range []int{400, 60} {
		compare.MostDatagrams = bound
		some, d := compared(t, pa, pb)
		told := 0
		for at, of := range fates(some) {
			if len(of) != len(want[at]) {
				t.Errorf("%d frames of point %d with a bound of %d, want %d", len(of), at+1, bound, len(want[at]))
			}
			for f, fate := range of {
				if fate == "uncertain" {
					continue
				}
				if told++; fate != want[at][f] {
					t.Errorf("frame %d of point %d is %s with a bound of %d, want %s", f, at+1, fate, bound, want[at][f])
				}
			}
		}
		if told < bound*3/2 || told > 2*bound {
			t.Errorf("%d fates are told with a bound of %d", told, bound)
		}
		if v, w := d.Connections[0].Verdict, whole.Connections[0].Verdict; v.Certainty == "proved" && v.Cause != w.Cause {
			t.Errorf("with a bound of %d it ended by %s, want %s", bound, v.Cause, w.Cause)
		}
		one := output(t, "compare", "--workers", "1", pa, pb, "--format", "csv", "--datagrams")
		if output(t, "compare", "--workers", "4", pa, pb, "--format", "csv", "--datagrams") != one {
			t.Errorf("with a bound of %d, 4 workers print something else than one", bound)
		}
	}
}

// TestCompareOvertaken: captures of one session have it in common, too, where most datagrams were overtaken.
func TestCompareOvertaken(t *testing.T) {
	a, b, _ := pair(t)
	const block = 32
	late := b.each(noIDs).each(func(i int, r *capture.Record) {
		r.Time = b.records[min(i/block*block+block-1-i%block, len(b.records)-1)].Time
	})
	late.sort()
	_, d := compared(t, a.each(noIDs).write("a.pcap"), late.write("b.pcap"))
	if n := d.Connections[0].Directions["a"].Reordered; n < 100 {
		t.Errorf("%d are overtaken", n)
	}
}
