package tracegen

import (
	"bytes"
	"slices"
	"testing"

	"github.com/dpdissect/dpdissect/internal/capture"
)

// TestEndTruth: what is true of a session whose end is known does not depend on what is
// captured, sessions are the same each time, and those that are meant to go on do.
func TestEndTruth(t *testing.T) {
	names := map[string]bool{}
	for i, c := range EndCases() {
		if names[c.Name()] {
			t.Errorf("%s stands there twice", c.Name())
		}
		names[c.Name()] = true
		if i%5 != 0 {
			continue
		}
		for _, place := range EndPlaces {
			s, err := c.Play(place, 7)
			if err != nil {
				t.Fatal(err)
			}
			again, _ := c.Play(place, 7)
			if !bytes.Equal(written(t, s), written(t, again)) {
				t.Errorf("%s is another session when it is played again", s.Truth.Name)
			}
			lossy := s.Missing(0.2, 1)
			if lossy.Truth.Cause != s.Truth.Cause || len(lossy.Packets) >= len(s.Packets) && len(s.Packets) > 10 {
				t.Errorf("%s: %d of %d packets with capture loss, %q", s.Truth.Name, len(lossy.Packets), len(s.Packets), lossy.Truth.Cause)
			}
			if len(s.Truth.Accept) == 0 || len(s.Truth.Accept[0].Sides) == 0 {
				t.Errorf("%s: nothing may be said", s.Truth.Name)
			}
			if !slices.IsSortedFunc(s.Packets, func(a, b capture.Record) int { return int(a.Time - b.Time) }) {
				t.Errorf("%s: packets are not in the order of their times", s.Truth.Name)
			}
		}
	}
}

// TestEndKeys: without capture loss every end that needs a frame to be told has it.
func TestEndKeys(t *testing.T) {
	for _, c := range EndCases() {
		if c.Event == "gap" {
			continue // the capture stands still meanwhile
		}
		s, err := c.Play("middle", 3)
		if err != nil {
			t.Fatal(err)
		}
		if !s.Missing(0, 0).Truth.Decidable {
			t.Errorf("%s: no frame tells the end", c.Name())
		}
	}
}

// TestEndTraces: those that are kept can be made.
func TestEndTraces(t *testing.T) {
	for _, e := range EndTraces() {
		if pcap, _, err := e.Generate(); err != nil || len(pcap) > 150_000 {
			t.Errorf("%s: %d bytes, %v", e.Name, len(pcap), err)
		}
	}
}

func written(t *testing.T, s *EndSession) []byte {
	t.Helper()
	var file bytes.Buffer
	if err := s.Write(&file); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}
