package seq

// pathBlock is how many numbers in a row one share is taken of, and pathBlocks how
// many such blocks tell a second path from an overloaded capture.
const (
	pathBlock  = 250
	pathBlocks = 4
	pathSpread = 0.1  // most between the shares of two blocks
	pathLeast  = 0.05 // least share
)

// paths follows the share of a side's numbers that were acknowledged but never
// captured: a stable one takes another path.
type paths struct {
	n, missed   uint32 // of the block at hand
	blocks      uint32
	least, most uint32 // missed numbers of a block
}

// settle enters a number that is about to be forgotten.
func (p *paths) settle(missed bool) {
	if missed {
		p.missed++
	}
	p.count(1)
}

// skip enters so many numbers that were not.
func (p *paths) skip(n Num) {
	for n > 0 {
		k := min(n, pathBlock-Num(p.n))
		p.count(uint32(k))
		n -= k
	}
}

// count enters numbers of the block at hand, which have room in it.
func (p *paths) count(n uint32) {
	if p.n += n; p.n < pathBlock {
		return
	}
	if p.blocks == 0 || p.missed < p.least {
		p.least = p.missed
	}
	p.most = max(p.most, p.missed)
	p.blocks++
	p.n, p.missed = 0, 0
}
