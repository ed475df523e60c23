package excerpt

import (
	"encoding/binary"
	"slices"

	"github.com/dpdissect/dpdissect/internal/capture"
)

// EditBytes is the number of bytes of the input that an edit takes: what it does, at which
// packet, and three more that say how.
const EditBytes = 5

// mostPackets bounds what edits make of an excerpt.
const mostPackets = 2 * Packets

// Edited does to an excerpt what the bytes say: as networks, captures, clocks and
// anybody else would. others are packets that may be put in.
func Edited(whole, others []Packet, edits []byte) []Packet {
	e := &editor{slices.Clone(whole), others}
	for ; len(edits) >= EditBytes && len(e.packets) > 0; edits = edits[EditBytes:] {
		what, at := edits[0], int(edits[1])%len(e.packets)
		edit := editKinds[int(what)%len(editKinds)]
		edit(e, at, edits[2], edits[3], edits[4])
	}
	return e.packets
}

type editor struct{ packets, others []Packet }

// editKinds are what an edit can do at a packet; x, y and z say how.
var editKinds = []func(e *editor, at int, x, y, z byte){
	(*editor).setByte, (*editor).setByte, (*editor).flipBit, (*editor).header, (*editor).moveTime, (*editor).stepClock,
	(*editor).repeat, (*editor).drop, (*editor).swap, (*editor).cut, (*editor).shorten, (*editor).relink, (*editor).mislink,
	(*editor).timeless, (*editor).insert, (*editor).reverse, (*editor).readdress,
}

// own makes the bytes of a packet the editor's own.
func (e *editor) own(at int) *Packet {
	p := &e.packets[at]
	p.Data = slices.Clone(p.Data)
	return p
}

func (p *Packet) body() []byte { return p.Data[min(p.Payload, len(p.Data)):] }

// setByte sets a byte of the payload.
func (e *editor) setByte(at int, x, y, z byte) {
	if b := e.own(at).body(); len(b) > 0 {
		b[(int(y)<<8|int(x))%len(b)] = z
	}
}

// flipBit flips a bit near the beginning of the payload, where fields are.
func (e *editor) flipBit(at int, x, y, _ byte) {
	if b := e.own(at).body(); len(b) > 0 {
		b[int(x)%min(len(b), 16)] ^= 1 << (y % 8)
	}
}

// header sets a byte of what is in front of the payload.
func (e *editor) header(at int, x, _, z byte) {
	p := e.own(at)
	if n := min(p.Payload, len(p.Data)); n > 0 {
		p.Data[int(x)%n] = z
	}
}

// spans are from nanoseconds to more than a century.
var spans = []uint64{1, 1000, 1e6, 1e7, 1e8, 999_999_999, 1e9, 5e9, 11e9, 31e9, 91e9, 3600e9, 86400e9, 31_557_600e9, 1 << 62, 1 << 63}

func span(x, y byte) uint64 {
	s := spans[int(x>>1)%len(spans)] * uint64(1+y%4)
	if x&1 == 1 {
		return -s
	}
	return s
}

// moveTime moves the time of one packet.
func (e *editor) moveTime(at int, x, y, _ byte) { e.packets[at].Time += span(x, y) }

// stepClock moves the time of a packet and of all after it, or lets the clock run at another
// rate from there on: each is moved by as much more than the one before it.
func (e *editor) stepClock(at int, x, y, z byte) {
	by := span(x, y)
	for i := at; i < len(e.packets); i++ {
		e.packets[i].Time += by
		if z%4 == 3 {
			by += span(x, y)
		}
	}
}

// repeat puts copies of a packet somewhere else.
func (e *editor) repeat(at int, x, y, z byte) {
	for range 1 + z%3 {
		if len(e.packets) < mostPackets {
			c := e.packets[at]
			to := int(x) % (len(e.packets) + 1)
			if y&1 == 1 {
				c.Time = e.packets[max(to-1, 0)].Time
			}
			e.packets = slices.Insert(e.packets, to, c)
		}
	}
}

// drop leaves packets out.
func (e *editor) drop(at int, x, _, _ byte) {
	e.packets = slices.Delete(e.packets, at, min(len(e.packets), at+1+int(x%8)))
}

// swap exchanges two packets, with their times or without.
func (e *editor) swap(at int, x, y, _ byte) {
	p, q := &e.packets[at], &e.packets[int(x)%len(e.packets)]
	*p, *q = *q, *p
	if y&1 == 1 {
		p.Time, q.Time = q.Time, p.Time
	}
}

// cut lets the capture keep fewer bytes than the packet had.
func (e *editor) cut(at int, x, y, _ byte) {
	p := &e.packets[at]
	p.Data = p.Data[:(int(y)<<8|int(x))%(len(p.Data)+1)]
}

// shorten takes bytes off the end of the payload, and tells the headers.
func (e *editor) shorten(at int, x, _, _ byte) {
	p := &e.packets[at]
	n := len(p.body())
	if n == 0 || p.Payload < 8 {
		return
	}
	p.SetPayload(p.body()[:int(x)%n])
}

// SetPayload gives a UDP datagram another payload, and tells the headers.
func (p *Packet) SetPayload(b []byte) {
	p.Data = slices.Concat(p.Data[:p.Payload], b)
	binary.BigEndian.PutUint16(p.Data[p.Payload-4:], uint16(8+len(b)))
	binary.BigEndian.PutUint16(p.Data[p.Payload-2:], 0)
	p.Wire = len(p.Data)
	if ip := p.network(); ip != nil && ip[0]>>4 == 4 {
		binary.BigEndian.PutUint16(ip[2:], uint16(len(ip)))
	} else if ip != nil && ip[0]>>4 == 6 {
		binary.BigEndian.PutUint16(ip[4:], uint16(len(ip)-40))
	}
}

// network is what is inside the link layer of plain Ethernet.
func (p *Packet) network() []byte {
	if p.Link != capture.LinkEthernet || len(p.Data) < 14+40 || p.Data[12] != 8 && p.Data[12] != 0x86 {
		return nil
	}
	return p.Data[14:]
}

// relink puts a packet, or all, on another link layer.
func (e *editor) relink(at int, x, y, _ byte) {
	from, to := at, at+1
	if y&1 == 1 {
		from, to = 0, len(e.packets)
	}
	for i := from; i < to; i++ {
		p := &e.packets[i]
		ip := p.network()
		if ip == nil {
			continue
		}
		kind := p.Data[12:14:14]
		var head []byte
		switch x % 7 {
		case 0:
			p.Link = capture.LinkRaw
		case 1:
			p.Link, head = capture.LinkNull, []byte{2, 0, 0, 0}
		case 2:
			p.Link, head = capture.LinkLoop, []byte{0, 0, 0, 2}
		case 3:
			p.Link, head = capture.LinkPPP, []byte{0xff, 3, 0, 0x21}
		case 4:
			p.Link, head = capture.LinkSLL, append(make([]byte, 14), kind...)
		case 5:
			p.Link, head = capture.LinkSLL2, append(kind, make([]byte, 18)...)
		case 6:
			p.Link, head = capture.LinkEthernet, append(append(slices.Clone(p.Data[:12]), 0x81, 0, 0, 7), kind...)
		}
		was := len(p.Data)
		p.Data = slices.Concat(head, ip)
		p.Payload += len(p.Data) - was
		p.Wire = max(p.Wire+len(p.Data)-was, len(p.Data))
	}
}

// mislink says a packet is of another link type than it is.
func (e *editor) mislink(at int, x, _, _ byte) {
	e.packets[at].Link = fileLinks[int(x)%len(fileLinks)]
}

// timeless takes the time of a packet away.
func (e *editor) timeless(at int, _, _, _ byte) { e.packets[at].Timed = false }

// insert puts in a packet of another trace, of any protocol, in its own name or in
// that of the packet before it.
func (e *editor) insert(at int, x, y, z byte) {
	if len(e.packets) >= mostPackets || len(e.others) == 0 {
		return
	}
	c := e.others[(int(y)<<8|int(x))%len(e.others)]
	p := e.packets[at]
	c.Time = p.Time + uint64(z>>1)
	if z&1 == 1 && p.Payload <= len(p.Data) {
		body := c.Data[min(c.Payload, len(c.Data)):]
		c = p
		c.Data = slices.Concat(p.Data[:p.Payload], body)
		c.Wire = len(c.Data)
	}
	e.packets = slices.Insert(e.packets, at, c)
}

// reverse lets the other side have sent a packet.
func (e *editor) reverse(at int, _, _, _ byte) {
	p := e.own(at)
	ip := p.network()
	if ip == nil || ip[0] != 0x45 {
		return
	}
	var a [6]byte
	copy(a[:4], ip[12:16])
	copy(ip[12:16], ip[16:20])
	copy(ip[16:20], a[:4])
	copy(a[:2], ip[20:22])
	copy(ip[20:22], ip[22:24])
	copy(ip[22:24], a[:2])
}

// readdress sends a packet, and all after it, between other ports.
func (e *editor) readdress(at int, x, y, _ byte) {
	to := at + 1
	if y&1 == 1 {
		to = len(e.packets)
	}
	for i := at; i < to; i++ {
		p := e.own(i)
		if ip := p.network(); ip != nil && ip[0] == 0x45 {
			ip[20] ^= x
			ip[22] ^= x
		}
	}
}
