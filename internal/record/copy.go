package record

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/dpdissect/dpdissect/internal/capture"
)

// CopyOptions say how a Copy writes.
type CopyOptions struct {
	Join        bool   // blocks come of several inputs: all go into one section
	Application string // name and version of this program, for sections that no input has
	Comment     []byte // for each section, after those that it has; nil for none
}

// A Copy writes packets as pcapng that come as blocks (capture.Options.Blocks): the blocks
// of one input as they are, section by section, and those of several in one section with
// the interfaces of all. To packets a comment may be added; nothing else of a block changes
// but the numbers of interfaces and, where sections of both byte orders are joined, the
// order of bytes. What it holds back lies in chunks; memory follows that. It is not safe
// for concurrent use.
type Copy struct {
	opts   CopyOptions
	held   spool
	aside  asides
	inputs map[uint32]*copied
	ifaces uint32 // written to the joined section
	begun  bool
}

// A copied is where an input stands: in which section.
type copied struct {
	order  byteOrder
	ifaces []uint32 // what the interfaces of the section are in the joined one
	most   uint32   // bytes kept of packets without a time, 0 for all
	buf    []byte   // of the last block that was joined
}

// A byteOrder reads, changes and appends numbers.
type byteOrder interface {
	binary.ByteOrder
	binary.AppendByteOrder
}

// NewCopy makes a Copy that has written nothing.
func NewCopy(o CopyOptions) *Copy { return &Copy{opts: o, inputs: map[uint32]*copied{}} }

// Hold takes a packet and the blocks in front of it, to be written when its turn comes. It
// fails for packets that pcapng does not hold.
func (c *Copy) Hold(rec *capture.Record, input int) error {
	if rec.Block == nil {
		return fmt.Errorf("%v does not fit in a pcapng file", rec.Link)
	}
	c.held.push(uint32(input), rec.Before, rec.Block)
	return nil
}

// Next appends the blocks in front of the packet that was held longest, and then, if it is
// wanted, what was kept aside under a number, and the packet, with a comment after those
// that it has; nil is none. Packets without a time have no place for a comment. Nothing
// is aside under the number any more then.
func (c *Copy) Next(dst []byte, number uint64, wanted bool, comment []byte) ([]byte, error) {
	dst, block, order, err := c.take(dst)
	aside := c.aside.take(number)
	if err != nil || !wanted {
		return dst, err
	}
	return appendCommented(append(dst, aside...), block, order, comment), nil
}

// Aside appends the blocks in front of the packet that was held longest, and keeps the packet
// aside under a number: what becomes of it is not known yet. Much is not kept: the oldest goes.
func (c *Copy) Aside(dst []byte, number uint64) ([]byte, error) {
	dst, block, _, err := c.take(dst)
	if err == nil {
		c.aside.add(number, block)
	}
	return dst, err
}

// Kept counts the packets that are aside under a number.
func (c *Copy) Kept(number uint64) uint64 { return c.aside.packets(number) }

// take takes the packet that was held longest, as it is to be written, and appends the blocks
// in front of it.
func (c *Copy) take(dst []byte) (_, block []byte, order byteOrder, err error) {
	input, before, block := c.held.pop()
	if dst, err = c.others(dst, input, before); err != nil {
		return dst, nil, nil, err
	}
	in := c.inputs[input]
	switch {
	case in == nil:
		return dst, nil, nil, errNoSection
	case c.opts.Join:
		block, err = in.join(block)
		return dst, block, binary.LittleEndian, err
	}
	return dst, block, in.order, nil
}

// Rest appends blocks of an input after its last packet.
func (c *Copy) Rest(dst []byte, input int, blocks []byte) ([]byte, error) {
	return c.others(dst, uint32(input), blocks)
}

// End appends what makes the output a capture, if nothing was written: a section without
// packets.
func (c *Copy) End(dst []byte) []byte {
	if c.begun {
		return dst
	}
	return c.section(dst)
}

var errNoSection = errors.New("a block of a pcapng file stands in front of its first section")

// others appends blocks that are no packets.
func (c *Copy) others(dst []byte, input uint32, blocks []byte) ([]byte, error) {
	in := c.inputs[input]
	for len(blocks) > 0 {
		if isSection(blocks) {
			in = &copied{order: orderOf(blocks)}
			if !c.opts.Join {
				c.aside = asides{} // of the section before
			}
			c.inputs[input] = in
		}
		if in == nil {
			return dst, errNoSection
		}
		size := in.size(blocks)
		if size < minBlock || size > len(blocks) {
			return dst, errors.New("a block of a pcapng file has a wrong length")
		}
		var err error
		if dst, err = c.other(dst, in, blocks[:size]); err != nil {
			return dst, err
		}
		blocks = blocks[size:]
	}
	return dst, nil
}

// other appends one block that is no packet.
func (c *Copy) other(dst []byte, in *copied, block []byte) ([]byte, error) {
	switch {
	case !c.opts.Join:
		c.begun = true
		at := len(dst)
		if !isSection(block) {
			return append(dst, block...), nil
		}
		dst = appendCommented(dst, block, in.order, c.opts.Comment)
		in.order.PutUint64(dst[at+16:], math.MaxUint64) // its length changes with the comments: unknown
		return dst, nil
	case isSection(block):
		return dst, nil
	case !c.begun:
		dst = c.section(dst)
	}
	if in.order.Uint32(block) == blockInterface {
		in.addInterface(block, c.ifaces)
		c.ifaces++
	}
	block, err := in.join(block)
	return append(dst, block...), err
}

// section appends the header of a section of this program.
func (c *Copy) section(dst []byte) []byte {
	c.begun = true
	var b bytes.Buffer
	w, err := capture.NewWriter(&b, capture.WriterOptions{Format: "pcapng", Application: c.opts.Application})
	if err == nil {
		err = w.Flush()
	}
	if err != nil {
		panic(err) // neither the options nor a buffer fail
	}
	return appendCommented(dst, b.Bytes(), binary.LittleEndian, c.opts.Comment)
}

func isSection(b []byte) bool { return binary.LittleEndian.Uint32(b) == blockSection }

// orderOf is the byte order of a section header, which the reader has looked at.
func orderOf(b []byte) byteOrder {
	if binary.LittleEndian.Uint32(b[8:]) == sectionMagic {
		return binary.LittleEndian
	}
	return binary.BigEndian
}

// size is that of the block that b begins with, its padding included.
func (in *copied) size(b []byte) int {
	if len(b) < minBlock {
		return 0
	}
	return (int(in.order.Uint32(b[4:])) + 3) &^ 3
}

// join gives a block for the joined section.
func (in *copied) join(block []byte) ([]byte, error) {
	in.buf = append(in.buf[:0], block...)
	b := in.buf
	if in.order == binary.BigEndian {
		swapBlock(b)
	}
	le := binary.LittleEndian
	le.PutUint32(b[4:], uint32(len(b)))
	le.PutUint32(b[len(b)-4:], uint32(len(b)))
	switch typ := le.Uint32(b); typ {
	case blockEnhanced, blockStatistics:
		id, err := in.iface(le.Uint32(b[8:]))
		le.PutUint32(b[8:], id)
		return b, err
	case blockPacket:
		id, err := in.iface(uint32(le.Uint16(b[8:])))
		if err == nil && id > math.MaxUint16 {
			err = errors.New("a packet block of an old kind has no place for its interface")
		}
		le.PutUint16(b[8:], uint16(id))
		return b, err
	case blockSimple:
		return in.joinSimple(b)
	}
	return b, nil
}

// joinSimple gives a packet that belongs to the first interface of its section, and has no
// time. Where that is another one in the joined section, the packet needs a block that names
// it, and gets the time 0.
func (in *copied) joinSimple(b []byte) ([]byte, error) {
	id, err := in.iface(0)
	if err != nil || id == 0 {
		return b, err
	}
	le := binary.LittleEndian
	wire := le.Uint32(b[8:])
	caplen := min(wire, uint32(len(b)-16))
	if in.most != 0 {
		caplen = min(caplen, in.most)
	}
	size := packetHead + (caplen+3)&^3 + 4
	e := le.AppendUint32(le.AppendUint32(nil, blockEnhanced), size)
	e = append(le.AppendUint32(e, id), make([]byte, 8)...)
	e = le.AppendUint32(le.AppendUint32(e, caplen), wire)
	e = append(e, b[12:12+caplen]...) // after it there may be more: options, where it is copied
	e = append(e, make([]byte, -caplen&3)...)
	return le.AppendUint32(e, size), nil
}

// addInterface notes which interface of the joined section one of its own is.
func (in *copied) addInterface(block []byte, id uint32) {
	if len(in.ifaces) == 0 && len(block) >= 16 {
		in.most = in.order.Uint32(block[12:])
	}
	in.ifaces = append(in.ifaces, id)
}

func (in *copied) iface(id uint32) (uint32, error) {
	if uint64(id) >= uint64(len(in.ifaces)) {
		return 0, fmt.Errorf("a block names interface %d of %d", id, len(in.ifaces))
	}
	return in.ifaces[id], nil
}
