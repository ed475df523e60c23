package tracegen

import (
	"encoding/binary"
	"fmt"
	"time"
)

// readLibrary checks the header against the messages, and reliable numbers.
func (a *knetAuditor) readLibrary(s *knetAudited, now time.Duration, b []byte, flags byte, id uint32) []knetBlock {
	at, base := 3, uint32(0)
	if flags&0x40 != 0 {
		base, at = uint32(binary.LittleEndian.Uint16(b[3:])), 5
		if base >= 0x8000 {
			base, at = base&0x7fff|uint32(binary.LittleEndian.Uint16(b[5:]))<<15, 7
		}
	}
	blocks := a.blocks(s, b[at:])
	inOrder, reliable, zero, fragments := false, false, false, 0
	for i := range blocks {
		x := &blocks[i]
		inOrder = inOrder || x.head&0x2000 != 0
		if x.head&0xc000 != 0 {
			fragments++
		}
		if x.head&0x1000 == 0 {
			if x.head&0xc000 != 0 {
				a.errorf(s, "an unreliable fragment")
			}
			continue
		}
		reliable, zero = true, zero || x.delta == 0
		a.numbered(s, now, (base+uint32(x.delta))&(1<<31-1), x, id)
	}
	if inOrder != (flags&0x80 != 0) || reliable != (flags&0x40 != 0) || reliable && !zero || fragments > 4 {
		a.errorf(s, "flags %02x, %d fragments, base %d", flags&0xc0, fragments, base)
	}
	return blocks
}

// numbered checks a reliable message: the same content each time, 5 s apart.
func (a *knetAuditor) numbered(s *knetAudited, now time.Duration, number uint32, x *knetBlock, id uint32) {
	content := fmt.Sprint(x.id, x.head&0xc000, x.number, x.transfer, string(x.body))
	if last, again := s.numbers[number]; again {
		a.seen["again"]++
		if now-last < 5*time.Second || s.contents[number] != content {
			a.errorf(s, "message %d again after %v, or with another content", number, now-last)
		}
	} else if x.head&0xc000 != 0 {
		if len(x.body) > 318 || x.transfer == 0 {
			a.errorf(s, "fragment of %d bytes, transfer %d", len(x.body), x.transfer)
		}
		a.fragment(s, x, id, (number-uint32(x.number))&(1<<31-1))
	}
	s.numbers[number], s.contents[number] = now, content
}

// fragment follows a transfer; start names it where the dialect can.
func (a *knetAuditor) fragment(s *knetAudited, x *knetBlock, id, start uint32) {
	t := s.transfers[x.transfer]
	isStart := x.head&0x8000 != 0
	if t == nil || t.count > 0 && len(t.parts) == t.count {
		if t != nil {
			a.seen["transfer id again"]++
			for _, c := range t.carriers {
				if !s.acked[c] && !a.newIDs && !a.library {
					a.errorf(s, "transfer %d again, PacketID %d is not acknowledged", x.transfer, c)
				}
			}
		}
		t = &knetTransfer{parts: map[int]string{}}
		s.transfers[x.transfer] = t
		if !isStart {
			a.seen["fragment before start"]++
		}
	}
	switch _, again := t.parts[x.number]; {
	case again, t.count > 0 && isStart, t.count > 0 && x.number >= t.count, isStart && (x.count < 2 || x.head&0x4000 == 0):
		a.errorf(s, "fragment %d of transfer %d of %d fragments", x.number, x.transfer, t.count)
	case a.library && t.hasStart && t.start != start:
		a.errorf(s, "fragment %d of transfer %d begins at %d, not %d", x.number, x.transfer, start, t.start)
	}
	if isStart {
		t.count = x.count
	}
	t.start, t.hasStart = start, true
	t.parts[x.number] = string(x.body)
	t.carriers = append(t.carriers, id)
}

// readPage checks dependencies.
func (a *knetAuditor) readPage(s *knetAudited, b []byte, flags byte, id uint32) []knetBlock {
	at := 3
	var needs [][2]int
	if flags&0x80 != 0 {
		needs = make([][2]int, b[3])
		at = 4
		for k := range 2 {
			for i := range needs {
				v, n := vle15(b[at:])
				needs[i][k], at = v, at+n
			}
		}
	}
	blocks := a.blocks(s, b[at:])
	coded, used := false, map[byte]bool{}
	for i := range blocks {
		x := &blocks[i]
		code := x.head >> 11 & 7
		coded = coded || code > 0
		a.seen[fmt.Sprint("code ", code)]++
		if code == 6 && x.indexes[0] < 5 || code == 7 && len(x.indexes) < 2 {
			a.errorf(s, "code %d with indexes %d", code, x.indexes)
		}
		for _, k := range x.indexes {
			if int(k) >= len(needs) {
				a.errorf(s, "index %d of %d", k, len(needs))
			}
			used[k] = true
		}
		if x.head&0xc000 != 0 {
			if x.content > 470 || flags&0x40 == 0 {
				a.errorf(s, "fragment of %d bytes, flags %02x", x.content, flags)
			}
			a.fragment(s, x, id, 0)
		}
	}
	if last := blocks[len(blocks)-1].id; flags&0x80 != 0 && !coded && last < 0x3ffffffe || flags&0x80 == 0 && coded || len(used) != len(needs) {
		a.errorf(s, "flags %02x, %d of %d dependencies used", flags, len(used), len(needs))
	}
	for _, x := range needs {
		on := s.sent[(id-uint32(x[0])-1)&(1<<22-1)]
		if on == nil || !on.reliable || x[1] >= on.blocks {
			a.errorf(s, "depends on message %d of PacketID %d, which is no reliable one", x[1], int(id)-x[0]-1)
		}
	}
	return blocks
}

// control checks the protocol's own messages.
func (a *knetAuditor) control(s *knetAudited, x *knetBlock, reliable bool) {
	if !x.hasID || x.head&0xc000 != 0 {
		return
	}
	own := x.id-a.one < 4 || !a.library && x.id >= 0x3ffffffb || x.id >= 0x3ffffffe
	if !a.library && own && x.id < 0x3ffffffe && x.head>>11&7 != 0 {
		a.errorf(s, "message %x has a dependency", x.id)
	}
	alone := reliable && !a.library || a.library && x.head&0x1000 != 0
	switch x.id - a.one {
	case 0:
		if s.ping++; len(x.body) != 1 || x.body[0] != s.ping || alone {
			a.errorf(s, "PingRequest % x, want %x", x.body, s.ping)
		}
		a.seen["ping"]++
	case 1:
		if len(x.body) != 1 || x.body[0] > s.other.ping || alone {
			a.errorf(s, "PingReply % x, %x was asked", x.body, s.other.ping)
		}
		a.seen["pong"]++
	case 2:
		if len(x.body) != 2 || !alone {
			a.errorf(s, "FlowControlRequest % x", x.body)
		} else if rate := int(binary.LittleEndian.Uint16(x.body)); rate > s.other.rate {
			s.other.rate = rate // what asks for less takes a while to arrive
		}
		a.seen["flow"]++
	case 3:
		if len(x.body) != 7 || alone {
			a.errorf(s, "PacketAck of %d bytes", len(x.body))
			return
		}
		a.acks(s, x.body)
	}
	switch x.id {
	case 0x3fffffff, 0x3ffffffe, 0x3ffffffb:
		if (own || a.library) && len(x.body) > 0 {
			a.errorf(s, "message %x of %d bytes", x.id, len(x.body))
		}
	}
	if x.id == 0x3ffffffb && !a.library && !reliable || x.id > 0x3ffffffb && !a.library && reliable {
		a.errorf(s, "message %x: reliable is %v", x.id, reliable)
	}
}

// acks checks that only reliable datagrams that were sent are acknowledged.
func (a *knetAuditor) acks(s *knetAudited, b []byte) {
	var u uint64
	for i, x := range b {
		u |= uint64(x) << (8 * i)
	}
	base, set := uint32(u&(1<<22-1)), u>>22
	if a.library {
		base, set = uint32(u&(1<<24-1)), u>>24
	} else if a.wordFirst {
		set = u>>24 | u>>22&3<<32
	}
	for i := -1; i < 34; i++ {
		if i >= 0 && set>>i&1 == 0 {
			continue
		}
		id := (base + 1 + uint32(i)) & (1<<22 - 1)
		if d := s.other.sent[id]; d == nil || !d.reliable {
			a.errorf(s, "acknowledges %d, which is not reliable or was not sent", id)
		}
		s.other.acked[id] = true
		a.seen["acked"]++
	}
}
