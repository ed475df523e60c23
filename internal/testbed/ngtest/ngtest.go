// Package ngtest reads pcapng files for tests, strictly and without the reader of the program.
package ngtest

import (
	"encoding/binary"
	"fmt"
)

// Block types that are read beyond their bytes.
const (
	Section    = 0x0a0d0d0a
	Interface  = 1
	Obsolete   = 2
	Simple     = 3
	Names      = 4
	Statistics = 5
	Enhanced   = 6
)

// Comment is the code of a comment among options.
const Comment = 1

// A Block is one block of a file.
type Block struct {
	Type    uint32
	Body    []byte // between the two lengths
	Fixed   []byte // Body without options and without the bytes of a packet
	Options []Option
	Order   binary.ByteOrder

	// Of packets:
	Interface int
	Stamp     uint64 // in units of the interface
	Data      []byte
	Wire      int
}

// An Option is one option of a block.
type Option struct {
	Code  uint16
	Value []byte
}

// IsPacket reports whether the block holds a packet.
func (b *Block) IsPacket() bool { return b.Type == Enhanced || b.Type == Simple || b.Type == Obsolete }

// Comments are those of the block, in their order.
func (b *Block) Comments() (all []string) {
	for _, o := range b.Options {
		if o.Code == Comment {
			all = append(all, string(o.Value))
		}
	}
	return all
}

// Packets are the blocks that hold one.
func Packets(blocks []Block) (all []Block) {
	for _, b := range blocks {
		if b.IsPacket() {
			all = append(all, b)
		}
	}
	return all
}

// Read takes a file apart. The error tells what a strict reader would not accept.
func Read(file []byte) (blocks []Block, err error) {
	var order binary.ByteOrder = binary.LittleEndian
	interfaces := 0
	for at := 0; at < len(file); {
		b := file[at:]
		if len(b) < 12 {
			return blocks, fmt.Errorf("%d bytes are left at %d", len(b), at)
		}
		if binary.LittleEndian.Uint32(b) == Section {
			order, interfaces = binary.LittleEndian, 0
			if binary.BigEndian.Uint32(b[8:]) == 0x1a2b3c4d {
				order = binary.BigEndian
			}
		} else if at == 0 {
			return nil, fmt.Errorf("no section header")
		}
		n := int(order.Uint32(b[4:]))
		if n < 12 || n%4 != 0 || n > len(b) || order.Uint32(b[n-4:]) != uint32(n) {
			return blocks, fmt.Errorf("a block of %d bytes at %d", n, at)
		}
		block := Block{Type: order.Uint32(b), Body: b[8 : n-4], Order: order}
		if err := block.parse(interfaces); err != nil {
			return blocks, fmt.Errorf("block of type %d at %d: %w", block.Type, at, err)
		}
		if block.Type == Interface {
			interfaces++
		}
		blocks = append(blocks, block)
		at += n
	}
	return blocks, nil
}

func (b *Block) parse(interfaces int) (err error) {
	fixed, known := map[uint32]int{Section: 16, Interface: 8, Obsolete: 20, Simple: 4, Statistics: 12, Enhanced: 20}[b.Type]
	if !known {
		return nil
	}
	if len(b.Body) < fixed {
		return fmt.Errorf("%d bytes", len(b.Body))
	}
	b.Fixed = b.Body[:fixed]
	rest := b.Body[fixed:]
	switch b.Type {
	case Enhanced, Obsolete:
		u := func(at int) uint32 { return b.Order.Uint32(b.Body[at:]) }
		b.Interface, b.Stamp, b.Wire = int(u(0)), uint64(u(4))<<32|uint64(u(8)), int(u(16))
		if b.Type == Obsolete {
			b.Interface = int(b.Order.Uint16(b.Body))
		}
		n := int(u(12))
		if n > len(rest) {
			return fmt.Errorf("%d bytes captured of %d", n, len(rest))
		}
		b.Data, rest = rest[:n], rest[min((n+3)&^3, len(rest)):]
	case Simple:
		b.Wire = int(b.Order.Uint32(b.Body))
		b.Data, rest = rest[:min(b.Wire, len(rest))], nil
	}
	if b.IsPacket() && b.Interface >= interfaces {
		return fmt.Errorf("interface %d of %d", b.Interface, interfaces)
	}
	b.Options, err = options(rest, b.Order)
	return err
}

// options takes options apart.
func options(b []byte, order binary.ByteOrder) (all []Option, err error) {
	for len(b) > 0 {
		if len(b) < 4 {
			return all, fmt.Errorf("an option of %d bytes", len(b))
		}
		code, n := order.Uint16(b), int(order.Uint16(b[2:]))
		if code == 0 {
			if n != 0 || len(b) > 4 {
				return all, fmt.Errorf("%d bytes behind the end of the options", len(b)-4)
			}
			return all, nil
		}
		if size := 4 + (n+3)&^3; size > len(b) {
			return all, fmt.Errorf("option %d of %d bytes", code, n)
		}
		all = append(all, Option{code, b[4 : 4+n]})
		b = b[4+(n+3)&^3:]
	}
	return all, nil
}
