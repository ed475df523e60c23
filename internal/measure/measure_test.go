package measure

import (
	"slices"
	"testing"

	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/seq"
)

// TestReads: whatever has a row is read, and what is put comes back.
func TestReads(t *testing.T) {
	var v Values
	for c := range v {
		v[c] = int64(c) + 1
	}
	var d seq.Direction
	v[LostBefore], v[LostAfter], v[NotCaptured] = 0, 0, 0 // a part lost no more than the whole
	seq.Restrict(&d, v.Put(&d))
	if got := Of(&d); got != v {
		t.Errorf("put %v, read %v", v, got)
	}
}

// TestReadsIntervals: Read reads the counters of intervals and no others.
func TestReadsIntervals(t *testing.T) {
	var all Values
	for c := range all {
		all[c] = 1
	}
	var d seq.Direction
	all.Put(&d)
	var v Values
	v.Read(&d)
	for c := range Counters {
		if got, want := v[c] == 1, slices.Contains(InInterval[:], c); got != want {
			t.Errorf("%s: read %v, in intervals %v", Table[c].Key, got, want)
		}
	}
}

// TestRows: every number has a name of its own and says what it is.
func TestRows(t *testing.T) {
	seen := map[string]bool{}
	for c := range Counters {
		row := &Table[c]
		if row.Key == "" || row.Doc == "" || row.Counts == "" || seen[row.Key] {
			t.Errorf("counter %d: %+v", c, *row)
		}
		seen[row.Key] = true
	}
	for m := range seq.NMeasures {
		if x := &Times[m]; x.Doc == "" || x.Interval == "" || x.Counts == "" || x.One == "" || x.Many == "" {
			t.Errorf("%s: %+v", seq.Measures[m].Key, *x)
		}
	}
}

// TestKnown: what cannot be read, proved or was not signed is not known.
func TestKnown(t *testing.T) {
	var d seq.Direction
	d.Send(&seq.Sending{Num: 1, Frame: 1})
	s := Known(&session.Conn{Dialect: "dtls"}, &d)
	for c := range Counters {
		if row := &Table[c]; s.Has(c) != (row.Absent == Never) {
			t.Errorf("%s: known %v", row.Key, s.Has(c))
		}
	}
	d.Acknowledge(&seq.Acknowledgement{Next: 2, Frame: 2}, func(seq.Position) {})
	d.Close()
	d.HasSignatures = true
	if s := Known(&session.Conn{}, &d); s != 1<<Counters-1 {
		t.Errorf("known %b", s)
	}
}
