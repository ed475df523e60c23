package seq

// past remembers one bit of numbers that are otherwise forgotten: whether they
// were acknowledged. Number n lives at bit n modulo the length.
type past struct {
	limit Num // bits at most, 0 when nothing is remembered

	bits []uint64 // power of two
	top  Num      // one above the highest number kept
	n    Num      // numbers kept below top
}

// keep enters the next number, or one behind a jump.
func (p *past) keep(n Num, acked bool) {
	if n == p.top && p.n > 0 && p.n == Num(len(p.bits))*64 && p.n >= p.limit {
		p.set(n, acked) // in the place of the oldest
		p.top++
		return
	}
	p.room(n, 1)
	p.set(n, acked)
	p.enter(n, 1)
}

// skip enters numbers in a row that were not acknowledged.
func (p *past) skip(n, count Num) {
	p.room(n, count)
	size := Num(len(p.bits)) * 64
	if count >= size {
		clear(p.bits)
	}
	for m := n; count < size && m < n+count; m++ {
		if m&63 == 0 && m+64 <= n+count {
			p.bits[m&(size-1)>>6] = 0
			m += 63
		} else {
			p.set(m, false)
		}
	}
	p.enter(n, count)
}

// room makes place for numbers in a row, while there is any.
func (p *past) room(n, count Num) {
	if n != p.top {
		p.n = 0
	}
	for size := Num(len(p.bits)) * 64; p.n+count > size && size < p.limit; size = Num(len(p.bits)) * 64 {
		p.grow()
	}
}

func (p *past) enter(n, count Num) {
	p.top = n + count
	p.n = min(p.n+count, Num(len(p.bits))*64)
}

func (p *past) place(n Num) (word *uint64, bit uint64) {
	i := n & (Num(len(p.bits))*64 - 1)
	return &p.bits[i>>6], 1 << uint(i&63)
}

func (p *past) set(n Num, acked bool) {
	word, bit := p.place(n)
	if *word &^= bit; acked {
		*word |= bit
	}
}

// knows reports a number of which the bit is kept.
func (p *past) knows(n Num) bool { return n < p.top && n >= p.top-p.n }

// acked reports a forgotten number that is known to have been acknowledged.
func (p *past) acked(n Num) bool {
	if !p.knows(n) {
		return false
	}
	word, bit := p.place(n)
	return *word&bit != 0
}

func (p *past) grow() {
	old := *p
	p.bits = make([]uint64, max(1, 2*len(old.bits)))
	for n := old.top - old.n; n < old.top; n++ {
		p.set(n, old.acked(n))
	}
}
