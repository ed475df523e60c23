package capture

import (
	"bytes"
	"cmp"
)

// maxOther is how many bytes of blocks that are no packets are kept between two packets.
const maxOther = maxKept

// otherBlocks are blocks of pcapng that are no packets, one after the other, as they were
// read since the last packet. A nil one keeps none.
type otherBlocks struct {
	bytes []byte
	given bool   // with a packet: the next one begins again
	lost  uint64 // blocks for which there was no room
}

// renew forgets what was given with the packet before.
func (o *otherBlocks) renew() {
	if o != nil && o.given {
		o.bytes, o.given = o.bytes[:0], false
	}
}

// add keeps whole blocks, if there is room for them.
func (o *otherBlocks) add(blocks []byte) {
	switch {
	case o == nil || len(blocks) == 0:
	case len(o.bytes)+len(blocks) > maxOther:
		o.lost++
	default:
		o.bytes = append(o.bytes, blocks...)
	}
}

// give gives all of them for the packet that was read.
func (o *otherBlocks) give() []byte {
	if o == nil {
		return nil
	}
	o.given = true
	return o.bytes
}

// left are those that were given with no packet.
func (o *otherBlocks) left() ([]byte, uint64) {
	switch {
	case o == nil:
		return nil, 0
	case o.given:
		return nil, o.lost
	}
	return o.bytes, o.lost
}

// A blockMaker makes blocks of packets of an input that is not pcapng.
type blockMaker struct {
	out  bytes.Buffer
	w    *Writer
	head []byte // section header and interface, nil once they were given
	err  error  // pcapng does not hold such packets
}

// newBlockMaker is for the packets of one interface.
func newBlockMaker(i Interface, nanoseconds bool) *blockMaker {
	m := &blockMaker{}
	m.w, m.err = NewWriter(&m.out, WriterOptions{Format: "pcapng", Nanoseconds: nanoseconds, Interfaces: []Interface{i}, Buffer: 1})
	if m.err == nil {
		m.err = m.w.Flush()
		m.head = bytes.Clone(m.out.Bytes())
	}
	return m
}

// put gives a packet its blocks.
func (m *blockMaker) put(rec *Record) {
	rec.Block, rec.Before = nil, nil
	if m.err != nil {
		return
	}
	m.out.Reset()
	plain := *rec
	plain.Interface = 0
	if m.err = cmp.Or(m.w.Write(&plain), m.w.Flush()); m.err != nil {
		return
	}
	rec.Block, rec.Before, m.head = m.out.Bytes(), m.head, nil
}

// begin gives the section header and the interface, unless a packet has them already.
func (m *blockMaker) begin() []byte {
	head := m.head
	m.head = nil
	return head
}

// end gives what stands after all packets: the head, if none came, and statistics of a live
// interface.
func (m *blockMaker) end(s *Statistics) []byte {
	if m.err != nil {
		return nil
	}
	m.out.Reset()
	if s != nil && m.w.Statistics(0, *s) == nil {
		m.err = m.w.Flush()
	}
	return append(m.head, m.out.Bytes()...)
}
