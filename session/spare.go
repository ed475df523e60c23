package session

// A Spare keeps values that are used no more for whoever wants one next: connections
// and address pairs that come and go by the thousand leave little garbage. The zero
// value has none.
type Spare[T any] struct{ list []*T }

// mostSpare is how many values wait at most.
const mostSpare = MaxOpen

// Take gives a zero value.
func (s *Spare[T]) Take() *T {
	n := len(s.list)
	if n == 0 {
		return new(T)
	}
	v := s.list[n-1]
	s.list = s.list[:n-1]
	return v
}

// Put takes a value that nothing refers to any more.
func (s *Spare[T]) Put(v *T) {
	if len(s.list) < mostSpare {
		*v = *new(T)
		s.list = append(s.list, v)
	}
}

// Trim frees the values that wait.
func (s *Spare[T]) Trim() { s.list = nil }

// A Trimmer is what the sessions of a protocol share (Flow.Room) when some of it only
// waits to be used again.
type Trimmer interface{ Trim() }

// trim frees what only waits to be used again.
func (t *Table) trim() {
	t.spare.Trim()
	t.spareProbes = nil
	for _, b := range t.tallySets {
		if room, ok := b.room.(Trimmer); ok {
			room.Trim()
		}
	}
}

// takeProbes gives a probe of each protocol.
func (t *Table) takeProbes() []Probe {
	if n := len(t.spareProbes); n > 0 {
		probes := t.spareProbes[n-1]
		t.spareProbes = t.spareProbes[:n-1]
		for i, p := range probes {
			if p == nil {
				probes[i] = t.cfg.Protocols[i].NewProbe()
			}
		}
		return probes
	}
	probes := make([]Probe, len(t.cfg.Protocols))
	for i, p := range t.cfg.Protocols {
		probes[i] = p.NewProbe()
	}
	return probes
}

// dropProbes ends the collection of evidence. The probe that is kept goes on being
// used.
func (f *Flow) dropProbes(kept Probe) {
	t := f.table
	if f.force == nil && f.probes != nil && len(t.spareProbes) < mostSpare {
		for i, p := range f.probes {
			if p == kept {
				f.probes[i] = nil
			} else {
				p.Reset()
			}
		}
		t.spareProbes = append(t.spareProbes, f.probes)
	}
	f.probes = nil
}
