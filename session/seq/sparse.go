package seq

import "math/bits"

// pageSize is how many numbers share a page.
const (
	pageBits = 4
	pageSize = 1 << pageBits
)

// A sparse is a ring of numbered things of which many may be blank: number n has
// place n modulo the size. Blank places take no room but that of the table, and
// are passed over by the page and by the word, so that a jump costs what was
// remembered and not what was skipped. All numbers in use lie within a range no
// longer than the size, which is its owner's to know.
type sparse[T any] struct {
	table []pageOf[T]  // power of two
	live  []uint64     // bit i: page i is in use
	spare *[pageSize]T `state:"-"`
}

type pageOf[T any] struct {
	places *[pageSize]T // nil while none is in use
	used   uint16       // bit i: place i is
	marked uint16       // … and its owner marked it
	beside uint16       // … and columns know it (Column)
}

// size is how many numbers may be remembered, 0 before resize.
func (s *sparse[T]) size() Num { return Num(len(s.table)) * pageSize }

// index is where the page of a number is.
func (s *sparse[T]) index(n Num) uint64 {
	return uint64(n) / pageSize & uint64(len(s.table)-1)
}

// find gives the place of a number, nil when it is blank.
func (s *sparse[T]) find(n Num) *T {
	l, i := &s.table[s.index(n)], uint64(n)%pageSize
	if l.used>>i&1 == 0 {
		return nil
	}
	return &l.places[i]
}

// use gives the place of a number; fresh says that it was blank, and has to be
// written again.
func (s *sparse[T]) use(n Num) (t *T, fresh bool) {
	l, i := &s.table[s.index(n)], uint64(n)%pageSize
	if l.used>>i&1 != 0 {
		return &l.places[i], false
	}
	if l.used == 0 {
		s.begin(n)
	}
	l.used |= 1 << i
	return &l.places[i], true
}

// begin makes room in the page of a number.
func (s *sparse[T]) begin(n Num) {
	k := s.index(n)
	s.live[k/64] |= 1 << (k % 64)
	if s.table[k].places, s.spare = s.spare, nil; s.table[k].places == nil {
		s.table[k].places = new([pageSize]T)
	}
}

// blank forgets a number.
func (s *sparse[T]) blank(n Num) {
	k := s.index(n)
	l, bit := &s.table[k], uint16(1)<<(uint64(n)%pageSize)
	l.marked &^= bit
	l.beside &^= bit
	if l.used &^= bit; l.used == 0 && l.places != nil {
		l.places, s.spare = nil, l.places
		s.live[k/64] &^= 1 << (k % 64)
	}
}

// clear forgets all.
func (s *sparse[T]) clear() {
	for i, live := range s.live {
		for ; live != 0; live &= live - 1 {
			s.table[i*64+bits.TrailingZeros64(live)] = pageOf[T]{}
		}
		s.live[i] = 0
	}
}

// next is the first number in use from one on and below end, or end.
func (s *sparse[T]) next(n, end Num) Num {
	for n < end {
		k, i := s.index(n), uint64(n)%pageSize
		if used := s.table[k].used >> i; used != 0 {
			return min(n+Num(bits.TrailingZeros16(used)), end)
		}
		n += pageSize - Num(i)
		if k++; k < uint64(len(s.table)) && k%64 != 0 {
			if live := s.live[k/64] >> (k % 64); live != 0 {
				n += pageSize * Num(bits.TrailingZeros64(live))
				continue
			}
			n += pageSize * Num(min(uint64(len(s.table))-k, 64-k%64))
		}
		n = s.passWords(n, end)
	}
	return end
}

// passWords passes over words of pages of which none is in use, from a number on
// whose page is the first of one.
func (s *sparse[T]) passWords(n, end Num) Num {
	for n < end {
		live := s.live[s.index(n)/64]
		if live != 0 {
			return n + pageSize*Num(bits.TrailingZeros64(live))
		}
		n += pageSize * Num(min(len(s.table), 64))
	}
	return n
}

// resize makes room for so many numbers, a power of two, and keeps those in use
// from base up to end, which fit.
func (s *sparse[T]) resize(size, base, end Num) {
	old := *s
	leaves := max(1, size/pageSize)
	s.table, s.live = make([]pageOf[T], leaves), make([]uint64, (leaves+63)/64)
	if len(old.table) == 0 {
		return
	}
	first, last, size := base>>pageBits, (end-1)>>pageBits, Num(len(old.table))
	for n := old.next(base, end); n < end; {
		p := n >> pageBits
		if p+size <= last || p-size >= first { // both ends of the range are in this page
			s.copy(&old, n)
			n = old.next(n+1, end)
			continue
		}
		k := s.index(n)
		s.table[k] = old.table[old.index(n)]
		s.live[k/64] |= 1 << (k % 64)
		n = old.next((p+1)<<pageBits, end)
	}
}

// copy takes a number in use from another one.
func (s *sparse[T]) copy(old *sparse[T], n Num) {
	t, _ := s.use(n)
	*t = *old.find(n)
	if old.marks(n, n+1) != 0 {
		s.mark(n)
	}
	if old.describes(n) {
		s.describe(n)
	}
}

// mark marks a number in use, and unmark any that was.
func (s *sparse[T]) mark(n Num)   { s.table[s.index(n)].marked |= 1 << (uint64(n) % pageSize) }
func (s *sparse[T]) unmark(n Num) { s.table[s.index(n)].marked &^= 1 << (uint64(n) % pageSize) }

// describe says that columns know a number in use, and reports whether they did not before.
func (s *sparse[T]) describe(n Num) (fresh bool) {
	l, bit := &s.table[s.index(n)], uint16(1)<<(uint64(n)%pageSize)
	fresh = l.beside&bit == 0
	l.beside |= bit
	return fresh
}

func (s *sparse[T]) undescribe(n Num) { s.table[s.index(n)].beside &^= 1 << (uint64(n) % pageSize) }

func (s *sparse[T]) undescribeAll() {
	for i := range s.table {
		s.table[i].beside = 0
	}
}

// describes reports whether columns know a number.
func (s *sparse[T]) describes(n Num) bool {
	return s.table[s.index(n)].beside>>(uint64(n)%pageSize)&1 != 0
}

// renew makes that nothing is known of a number in use but that it is: another one had its place.
func (s *sparse[T]) renew(n Num) {
	l, bit := &s.table[s.index(n)], uint16(1)<<(uint64(n)%pageSize)
	l.marked &^= bit
	l.beside &^= bit
}

// marks gives the marks of up to 64 numbers from one on and below end: bit i is
// that of n+i.
func (s *sparse[T]) marks(n, end Num) (set uint64) {
	end = min(end, n+64)
	for at := n; at < end; {
		i := uint64(at) % pageSize
		set |= uint64(s.table[s.index(at)].marked>>i) << uint(at-n)
		at += pageSize - Num(i)
	}
	if end-n < 64 {
		set &= 1<<uint(max(end-n, 0)) - 1
	}
	return set
}
