package session

// pathBlock is how many numbers in a row one share is taken of, and pathBlocks how
// many such blocks tell a second path from an overloaded capture.
const (
	pathBlock  = 250
	pathBlocks = 4
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
	p.n++
	if missed {
		p.missed++
	}
	if p.n < pathBlock {
		return
	}
	if p.blocks == 0 || p.missed < p.least {
		p.least = p.missed
	}
	p.most = max(p.most, p.missed)
	p.blocks++
	p.n, p.missed = 0, 0
}

func (p *paths) assess(c *Conn, dir int) {
	if p.blocks < pathBlocks {
		return
	}
	stable := float64(p.most-p.least) <= multiSpread*pathBlock && float64(p.least) >= multiLeast*pathBlock
	c.observe(rCapMultipath, dir, c.Dir[dir].signs.uncaptured,
		when(stable, "between %d%% and %d%% of all numbers never pass the capture point although they are acknowledged: a second path", 100*p.least/pathBlock, 100*p.most/pathBlock))
}
