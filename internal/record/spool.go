package record

import "encoding/binary"

// A spool holds what waits to be written, first in, first out, in large chunks that are used
// again.
type spool struct {
	chunks []*chunk // oldest first
	free   *chunk   // at most one, so that memory follows what is held
}

// spoolHead is what stands in front of each entry: its size, that of its first part, and a
// number of the caller's.
const spoolHead = 12

// push adds an entry of two parts.
func (s *spool) push(number uint32, first, second []byte) {
	size := spoolHead + len(first) + len(second)
	c := s.room(size)
	b := c.data[c.end : c.end+size]
	c.end += size
	le := binary.LittleEndian
	le.PutUint32(b, uint32(size))
	le.PutUint32(b[4:], uint32(len(first)))
	le.PutUint32(b[8:], number)
	copy(b[spoolHead+copy(b[spoolHead:], first):], second)
}

// room gives the newest chunk with room for so many bytes.
func (s *spool) room(size int) *chunk {
	if n := len(s.chunks); n > 0 && len(s.chunks[n-1].data)-s.chunks[n-1].end >= size {
		return s.chunks[n-1]
	}
	c := s.free
	if s.free = nil; c == nil || len(c.data) < size {
		c = &chunk{data: make([]byte, max(size, keepChunk))}
	}
	s.chunks = append(s.chunks, c)
	return c
}

// pop takes the oldest entry, whose parts are valid until the next call of push. There must
// be one.
func (s *spool) pop() (number uint32, first, second []byte) {
	c := s.chunks[0]
	b := c.data[c.start:]
	le := binary.LittleEndian
	size, n := int(le.Uint32(b)), spoolHead+int(le.Uint32(b[4:]))
	number, first, second = le.Uint32(b[8:]), b[spoolHead:n:n], b[n:size:size]
	if c.start += size; c.start == c.end {
		c.start, c.end = 0, 0
		s.chunks = append(s.chunks[:0], s.chunks[1:]...)
		if s.free = c; len(c.data) > keepChunk {
			s.free = nil
		}
	}
	return number, first, second
}
