package session

import "testing"

func TestSpare(t *testing.T) {
	type thing struct{ a, b int }
	var s Spare[thing]
	first := s.Take()
	first.a, first.b = 1, 2
	s.Put(first)
	if second := s.Take(); second != first || *second != (thing{}) {
		t.Errorf("%p %+v, want %p and a zero value", second, *second, first)
	}
	for range 2 * mostSpare {
		s.Put(new(thing))
	}
	if len(s.list) != mostSpare {
		t.Errorf("%d wait, want %d", len(s.list), mostSpare)
	}
	if s.Trim(); s.list != nil {
		t.Errorf("%d wait after Trim", len(s.list))
	}
}

// Probes that are used again know nothing of the pair before, also where one of them
// went on to its session.
func TestProbesAgain(t *testing.T) {
	s := newStory(Config{Protocols: []*Protocol{yes(), yes()}})
	s.lock(1, 2)
	if len(s.tab.spareProbes) != 1 {
		t.Fatalf("%d sets of probes rest, want 1", len(s.tab.spareProbes))
	}
	probes := s.tab.takeProbes()
	for i, p := range probes {
		if p, ok := p.(*yesProbe); !ok || p.bits != 0 {
			t.Errorf("probe %d: %+v", i, p)
		}
	}
}
