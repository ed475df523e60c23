package seq

// firstPlaces is how many numbers a History has room for at first.
const firstPlaces = 16

// A History remembers one T for each of the latest numbers of a side: what a protocol
// knows of a frame beside what the engine does. Number n has its place at n modulo the
// length of a ring, which doubles, up to Most, while what is in the way is still wanted.
type History[T any] struct {
	Most int // numbers remembered at most, a power of two
	ring []entry[T]
}

type entry[T any] struct {
	key Num // keyOf of its number, 0 for an entry that is not used
	of  T
}

// keyOf is a number and the mark that it is used, in one word: no number has more than 62 bits.
func keyOf(n Num) Num { return n<<1 | 1 }

func (e *entry[T]) used() bool { return e.key != 0 }
func (e *entry[T]) num() Num   { return e.key >> 1 }

// At gives what is remembered of a number, nil for nothing.
func (h *History[T]) At(n Num) *T {
	if len(h.ring) == 0 {
		return nil
	}
	if e := h.place(n); e.key == keyOf(n) {
		return &e.of
	}
	return nil
}

// Put gives the place of a number; fresh says that nothing was remembered of it: what is
// there has to be written again then. The number that was there goes, unless it is wanted
// and there is more room to be had. Where there is none, a later number stays as long as it
// is wanted, and Put gives nil.
func (h *History[T]) Put(n Num, wanted func(num Num, old *T, size int) bool) (t *T, fresh bool) {
	if h.ring == nil {
		h.ring = make([]entry[T], firstPlaces)
	}
	e := h.place(n)
	for e.used() && e.key != keyOf(n) {
		if len(h.ring) >= h.Most {
			if e.num() > n && wanted(e.num(), &e.of, len(h.ring)) {
				return nil, false
			}
			break
		}
		if !wanted(e.num(), &e.of, len(h.ring)) {
			break
		}
		h.grow()
		e = h.place(n)
	}
	fresh = e.key != keyOf(n)
	e.key = keyOf(n)
	return &e.of, fresh
}

// Drop forgets a number.
func (h *History[T]) Drop(n Num) {
	if h.At(n) != nil {
		h.place(n).key = 0
	}
}

// Clear forgets all, and frees it.
func (h *History[T]) Clear() { h.ring = nil }

func (h *History[T]) place(n Num) *entry[T] { return &h.ring[n&Num(len(h.ring)-1)] }

func (h *History[T]) grow() {
	old := h.ring
	h.ring = make([]entry[T], 2*len(old))
	for i := range old {
		if e := &old[i]; e.used() {
			*h.place(e.num()) = *e
		}
	}
}
