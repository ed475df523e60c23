package session

// A Spare is a free list: values that are used no more wait for whoever wants one next, so that
// connections that come and go by the thousand leave little garbage. The zero value is empty.
type Spare[T any] struct {
	list []*T `state:"-"`
}

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
