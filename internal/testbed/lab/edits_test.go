package lab

import (
	"flag"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen"
	"pgregory.net/rapid"
)

// rounds is how often each session is edited: DPDISSECT_SOAK, or the default.
func rounds(t *testing.T, standard int) int {
	if s := os.Getenv("DPDISSECT_SOAK"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	return standard
}

// TestEditsCauseNoFinding is the master property of all rules: no edit of the capture
// of a conforming session creates a fail. As it is, it may give rise to notes, on
// habits of its endpoints, but to nothing else. DPDISSECT_SOAK edits each session
// that often, DPDISSECT_PROTO looks at one protocol; `make soak` does much more.
func TestEditsCauseNoFinding(t *testing.T) {
	n := rounds(t, 3)
	for _, s := range conforming(n) {
		if only := os.Getenv("DPDISSECT_PROTO"); only != "" && only != s.Proto {
			continue
		}
		t.Run(s.Proto+"/"+s.Name, func(t *testing.T) {
			t.Parallel()
			sub, err := Conforming(&s)
			if err != nil {
				t.Fatal(err)
			}
			edit(t, sub, s.Seed, n)
		})
	}
}

// conforming are sessions of endpoints that keep all rules.
func conforming(n int) []tracegen.Scenario {
	all := kept()
	for seed := range uint64(20 * n) {
		for _, p := range speakers {
			if s, ok := tracegen.Wild(p.Name, seed+1); ok {
				all = append(all, s)
			}
		}
	}
	return all
}

// edit edits a subject n times and tells of each rule once what should not have
// been found.
func edit(t *testing.T, s *Subject, seed uint64, n int) {
	if len(s.all) < 2 {
		return
	}
	r := rand.New(rand.NewPCG(seed, 5))
	told := map[string]bool{}
	for round := range n {
		ops, _ := RandomOps(r, s, round)
		wrong, _ := s.judge(ops)
		for _, f := range wrong {
			if !told[f.Rule.ID] {
				told[f.Rule.ID] = true
				small := s.shrink(ops, f.Rule.ID)
				t.Errorf("go run ./internal/testbed/lab/cmd/lab replay %q %q: %s %s", s, small, f.Rule.ID, s.explain(small, f.Rule.ID))
			}
		}
	}
}

// TestEditsOfAnyKind is the same for edits that are built from nothing, accident
// by accident.
func TestEditsOfAnyKind(t *testing.T) {
	if f := flag.Lookup("rapid.seed"); f != nil && f.Value.String() == "0" && os.Getenv("DPDISSECT_SOAK") == "" {
		must(t, f.Value.Set("1")) // the same edits every time, but for soaks
	}
	var subjects []*Subject
	for _, s := range conforming(1) {
		sub, err := Conforming(&s)
		if err != nil {
			t.Fatal(err)
		}
		if sub.judge(nil); len(sub.all) > 1 && len(sub.all) < 400 {
			subjects = append(subjects, sub)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.SampledFrom(subjects).Draw(t, "session")
		ops := Ops(rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Op { return drawOp(t, s) }), 0, 12).Draw(t, "ops"))
		if wrong, _ := s.judge(ops); len(wrong) > 0 {
			t.Fatalf("%s: %s: %s", s, ops, s.explain(ops, wrong[0].Rule.ID))
		}
	})
}

func drawOp(t *rapid.T, s *Subject) Op {
	n := len(s.all)
	at := rapid.IntRange(0, n-1).Draw(t, "at")
	o := Op{Kind: rapid.SampledFrom([]Kind{Drop, Copy, Swap, Cut}).Draw(t, "kind"), At: at}
	switch o.Kind {
	case Drop:
		o.To = rapid.IntRange(at+1, n).Draw(t, "to")
		o.Side = rapid.IntRange(0, 2).Draw(t, "side")
	case Copy:
		o.By = time.Duration(rapid.Int64Range(0, 25e6).Draw(t, "late"))
	case Cut:
		o.Len = rapid.IntRange(0, 100).Draw(t, "bytes")
	}
	return o
}

// TestShrink: of an edit that makes a rule fail, what does not matter goes.
func TestShrink(t *testing.T) {
	s, err := Find("dp8/unsigned-clean")
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 1))
	for range 20 {
		ops := append(drop(r, s), duplicate(r, s)...)
		want := Ops{ops[len(ops)/3], ops[len(ops)/2]}
		got := minimal(s.single(ops), func(try Ops) bool { return slices.Contains(try, want[0]) && slices.Contains(try, want[1]) })
		if !slices.Equal(got, want) {
			t.Errorf("%s is left, want %s", got, want)
		}
		short := s.joined(s.single(ops))
		if a, b := s.edited(ops), s.edited(short); !reflect.DeepEqual(a, b) || len(short) > len(ops) {
			t.Errorf("%s is not %s", short, ops)
		}
	}
	silent := Ops{{Kind: Drop, At: 3, To: 90, Side: 2}}
	if got := s.joined(s.single(silent)); len(got) != 1 || !reflect.DeepEqual(s.edited(got), s.edited(silent)) {
		t.Errorf("%s is told as %s", silent, got)
	}
}

// TestOps: what is printed reads back.
func TestOps(t *testing.T) {
	want := Ops{{Kind: Drop, At: 3, To: 9}, {Kind: Drop, To: 5, Side: 2}, {Kind: Copy, At: 7, By: 25e5}, {Kind: Swap, At: 1}, {Kind: Shift, By: -5e9}, {Kind: Coarse, By: 1e7}, {Kind: Cut, At: 2, Len: 40}}
	if got, err := ParseOps(want.String()); err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
	for _, bad := range []string{"drop", "lose 3", "copy 3 x", "cut 1 y"} {
		if got, err := ParseOps(bad); err == nil {
			t.Errorf("%q is read as %v", bad, got)
		}
	}
}

// TestEdited: an edit does what it says, and nothing to the whole capture.
func TestEdited(t *testing.T) {
	at := func(i int, ms int64) dissect.Datagram {
		return dissect.Datagram{Frame: uint64(i + 1), Time: ms * 1e6, HasTime: true, IPID: uint16(i), Payload: []byte{byte(i), 1, 2}}
	}
	s := &Subject{all: []dissect.Datagram{at(0, 0), at(1, 10), at(2, 50), at(3, 51)}, side: []uint8{1, 2, 1, 2}}
	type seen = [3]int64 // datagram, time in ms, bytes
	for text, want := range map[string][]seen{
		"":                       {{0, 0, 3}, {1, 10, 3}, {2, 50, 3}, {3, 51, 3}},
		"drop 1-3":               {{0, 0, 3}, {3, 51, 3}},
		"drop 0-4 b":             {{0, 0, 3}, {2, 50, 3}},
		"swap 0":                 {{1, 0, 3}, {0, 10, 3}, {2, 50, 3}, {3, 51, 3}},
		"swap 1":                 {{0, 0, 3}, {1, 10, 3}, {2, 50, 3}, {3, 51, 3}}, // too far apart
		"swap 2; swap 3":         {{0, 0, 3}, {1, 10, 3}, {3, 50, 3}, {2, 51, 3}},
		"copy 0 +20ms; cut 0 2":  {{0, 0, 2}, {1, 10, 3}, {0, 20, 2}, {2, 50, 3}, {3, 51, 3}},
		"copy 2 +20ms; drop 2-3": {{0, 0, 3}, {1, 10, 3}, {3, 51, 3}, {2, 70, 3}},
		"copy 2 +1s; drop 2-3":   {{0, 0, 3}, {1, 10, 3}, {3, 51, 3}}, // a copy so late is told by the first
		"shift 5ms; coarse 10ms": {{0, 0, 3}, {1, 10, 3}, {2, 50, 3}, {3, 50, 3}},
		"drop 7-9; swap 9":       {{0, 0, 3}, {1, 10, 3}, {2, 50, 3}, {3, 51, 3}},
	} {
		ops, err := ParseOps(text)
		if err != nil {
			t.Fatal(err)
		}
		var got []seen
		for i, d := range s.edited(ops) {
			got = append(got, seen{int64(d.IPID), d.Time / 1e6, int64(len(d.Payload))})
			if d.Frame != uint64(i+1) {
				t.Errorf("%q: frame %d is numbered %d", text, i+1, d.Frame)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
	if s.all[0].Time != 0 || len(s.all[0].Payload) != 3 {
		t.Error("the whole capture was changed")
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
