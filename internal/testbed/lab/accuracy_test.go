package lab

import (
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen"
)

// TestMeasure: what is measured adds up, all of it is measured, and what must never
// be said wrongly is not.
func TestMeasure(t *testing.T) {
	a := Measure(3)
	if a.Err != nil {
		t.Fatal(a.Err)
	}
	if want := len(speakers) * (len(Losses)*nPlaces + len(Lates)); len(a.Cells) != want {
		t.Errorf("%d conditions, want %d", len(a.Cells), want)
	}
	var all Cell
	for at, c := range a.Cells {
		said := 0
		for class := range c.Said {
			for _, n := range c.Said[class] {
				said += n
			}
		}
		if said != c.Frames || c.Frames == 0 {
			t.Errorf("%+v: %d datagrams, %d judged", at, c.Frames, said)
		}
		if at.Loss == 0 && c.Lost[tracegen.LostByTap] != [nLost]int{} {
			t.Errorf("%+v: lost by the capture: %+v", at, c.Lost[tracegen.LostByTap])
		}
		for _, rule := range c.False {
			t.Errorf("%+v: false findings: %v", at, rule)
		}
		all.add(c)
	}
	for class := range all.Said {
		if all.Said[class] == [nSays]int{} {
			t.Errorf("no %s was played", classNames[class])
		}
	}
	// One DirectPlay 8 SACK has the bytes of another, sent within the same tick, and comes
	// after a later one: nothing tells it from a copy.
	if n := all.Said[tracegen.First][saysCopy] + all.Said[tracegen.First][saysUnneeded]; n > 1 {
		t.Errorf("%d first transmissions are called sent again", n)
	}
	var out strings.Builder
	WriteAccuracy(&out, true, a, nil, 1, nil, 1)
	for _, line := range strings.Split(out.String(), "\n") {
		if strings.Contains(line, "NaN") || strings.Contains(line, "%!") {
			t.Error(line)
		}
	}
}

// TestDetect: mutants are found without capture loss.
func TestDetect(t *testing.T) {
	some := Mutants()
	some = some[:min(len(some), 25)]
	all, err := Detect(some, 1)
	if err != nil {
		t.Fatal(err)
	}
	if len(all) == 0 {
		t.Fatal("nothing was played")
	}
	for _, d := range all {
		if d.Found[0] != d.Played[0] {
			t.Errorf("%s: %d of %d found", d.Rule.ID, d.Found[0], d.Played[0])
		}
	}
}

// TestFates: a trace whose fates are plain.
func TestFates(t *testing.T) {
	for _, c := range []struct {
		under tracegen.Conditions
		place dissect.Dir
	}{
		{tracegen.Conditions{Loss: 0.1, Place: 1}, tracegen.LostBefore},
		{tracegen.Conditions{Loss: 0.1}, tracegen.LostAfter},
		{tracegen.Conditions{CaptureLoss: 0.1, Place: 0.5}, tracegen.LostByTap},
	} {
		s, _ := tracegen.WildUnder("dp8", 6, c.under)
		f, err := s.Fates(&strings.Builder{})
		if err != nil {
			t.Fatal(err)
		}
		for from, numbers := range f.Lost {
			var lost [3]int
			for _, of := range numbers {
				for place, n := range of {
					lost[place] += n
				}
			}
			for place, n := range lost {
				want := c.place
				if from.Side == 1 && want != tracegen.LostByTap {
					want = want.Other() // the capture point is at the other end
				}
				if (n > 0) != (dissect.Dir(place) == want) {
					t.Errorf("%+v, side %d: lost %v", c.under, from.Side, lost)
				}
			}
		}
	}
}
