package compare

// chunks are a list that grows without being copied.
type chunks struct {
	full [][]datagram
	last []datagram
}

const chunkSize = 1 << 12

// next makes room for one more.
func (c *chunks) next() *datagram {
	switch n := len(c.last); {
	case n == cap(c.last) && n < chunkSize: // most captures are short
		c.last = append(c.last, datagram{})
		return &c.last[n]
	case n == chunkSize:
		c.full, c.last = append(c.full, c.last), make([]datagram, 0, chunkSize)
	}
	c.last = c.last[:len(c.last)+1]
	return &c.last[len(c.last)-1]
}

// len is how many there are.
func (c *chunks) len() int { return len(c.full)*chunkSize + len(c.last) }

// all gives the elements in order.
func (c *chunks) all(yield func(*datagram) bool) {
	for _, list := range append(c.full[:len(c.full):len(c.full)], c.last) {
		for i := range list {
			if !yield(&list[i]) {
				return
			}
		}
	}
}
