package redact

// A set holds numbers that are no zeros, in open addressing: 16 bytes for each at most.
type set struct {
	slots []uint64
	n     int
}

func (s *set) slot(v uint64) int {
	mask := len(s.slots) - 1
	i := int(v*0x9e3779b97f4a7c15>>20) & mask
	for s.slots[i] != 0 && s.slots[i] != v {
		i = (i + 1) & mask
	}
	return i
}

// add adds a number, and reports whether it was not there.
func (s *set) add(v uint64) bool {
	if s.n*4 >= len(s.slots)*3 {
		s.grow()
	}
	i := s.slot(v)
	if s.slots[i] == v {
		return false
	}
	s.slots[i] = v
	s.n++
	return true
}

func (s *set) has(v uint64) bool { return s.n > 0 && s.slots[s.slot(v)] == v }

func (s *set) grow() {
	old := s.slots
	s.slots = make([]uint64, max(1024, 2*len(old)))
	for _, v := range old {
		if v != 0 {
			s.slots[s.slot(v)] = v
		}
	}
}
