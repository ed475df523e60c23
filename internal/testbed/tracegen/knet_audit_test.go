package tracegen

import (
	"encoding/binary"
	"fmt"
	"time"

	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/note"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/sim"
	"github.com/dpdissect/dpdissect/knet"
)

// A knetAuditor holds what endpoints of kNet send against the texts. It reads
// bytes by itself; of the notes it uses the connection, and whether a datagram is
// meant to be wrong.
type knetAuditor struct {
	fault   func(string)
	library bool
	one     uint32 // id of PingRequest
	newIDs  bool
	// wordFirst: the bits of PacketAcks begin in the u32.
	wordFirst bool
	sides     map[knetEnd]*knetAudited
	seen      map[string]int // what was there to be judged
}

type knetEnd struct {
	conn *note.Conn
	side int
}

// knetAudited is one side's history. PacketIDs are as on the wire.
type knetAudited struct {
	frame     int
	next      uint32
	begun     bool
	gone      bool
	sent      map[uint32]*knetSent
	acked     map[uint32]bool // by PacketAcks that the other side has sent
	numbers   map[uint32]time.Duration
	contents  map[uint32]string
	transfers map[uint8]*knetTransfer
	ping      uint8
	times     []time.Duration
	rate      int
	syn, up   bool
	other     *knetAudited
}

type knetSent struct {
	raw      string
	at       time.Duration
	reliable bool
	blocks   int
}

type knetTransfer struct {
	start    uint32
	hasStart bool
	count    int
	parts    map[int]string
	carriers []uint32
}

// A knetBlock is a message as the auditor reads it.
type knetBlock struct {
	head     uint16
	indexes  []byte
	delta    int
	count    int
	transfer uint8
	number   int
	id       uint32
	hasID    bool
	body     []byte
	content  int
}

func (a *knetAuditor) errorf(s *knetAudited, format string, args ...any) {
	a.fault(fmt.Sprintf("datagram %d of its side: %s", s.frame, fmt.Sprintf(format, args...)))
}

// auditKnet watches a trace.
func auditKnet(tr *KnetTrace, fault func(string)) *knetAuditor {
	c := tr.A.Config
	a := &knetAuditor{fault: fault, library: c.Dialect == knet.Reference, newIDs: c.NewIDs, wordFirst: c.WordFirst, sides: map[knetEnd]*knetAudited{}, seen: map[string]int{}}
	if c.IDs == knet.IDsFromOne {
		a.one = 1
	}
	tr.Net.Sent = func(d *sim.Datagram) {
		if n := d.Note.(note.Remark).Neutral(); d.Proto == 0 && n.Conn != nil && !n.Malformed && n.Forged == "" {
			a.sees(tr.Net.Clock.Now(), d.Payload, n.Conn, n.Side)
		}
	}
	return a
}

func (a *knetAuditor) of(c *note.Conn, side int) *knetAudited {
	if s := a.sides[knetEnd{c, side}]; s != nil {
		return s
	}
	var two [2]*knetAudited
	for i := range two {
		two[i] = &knetAudited{sent: map[uint32]*knetSent{}, acked: map[uint32]bool{}, numbers: map[uint32]time.Duration{},
			contents: map[uint32]string{}, transfers: map[uint8]*knetTransfer{}, rate: 15}
		a.sides[knetEnd{c, i}] = two[i]
	}
	two[0].other, two[1].other = two[1], two[0]
	return two[side]
}

// sees judges one datagram.
func (a *knetAuditor) sees(now time.Duration, b []byte, c *note.Conn, side int) {
	s := a.of(c, side)
	s.frame++
	if a.library && side == 0 && s.frame == 1 {
		a.seen["connect"]++
		return // the connect datagram is whatever the application likes
	}
	if len(b) < 3 || len(b) > 1400 {
		a.errorf(s, "%d bytes", len(b))
		return
	}
	id, flags := uint32(b[0])|uint32(b[1])<<8|uint32(b[2]&0x3f)<<16, b[2]
	if a.library {
		id, flags = uint32(b[0]&0x3f)|uint32(b[1])<<6|uint32(b[2])<<14, b[0]
	}
	reliable := flags&0x40 != 0
	if first := s.sent[id]; first != nil {
		a.again(s, now, id, first, string(b))
		return
	}
	if s.begun && id != s.next {
		a.errorf(s, "PacketID %d, want %d", id, s.next)
	}
	s.begun, s.next = true, (id+1)&(1<<22-1)
	sent := &knetSent{raw: string(b), at: now, reliable: reliable}
	s.sent[id] = sent
	s.times = append(s.times, now)
	a.pace(s, now)
	var blocks []knetBlock
	if a.library {
		blocks = a.readLibrary(s, now, b, flags, id)
	} else {
		blocks = a.readPage(s, b, flags, id)
	}
	sent.blocks = len(blocks)
	a.order(s, blocks, side)
	for i := range blocks {
		a.control(s, &blocks[i], reliable)
	}
}

// again is a PacketID that was sent before: the page's way, 2 s later, the same
// bytes.
func (a *knetAuditor) again(s *knetAudited, now time.Duration, id uint32, first *knetSent, raw string) {
	switch {
	case a.library, a.newIDs:
		a.errorf(s, "PacketID %d again", id)
	case !first.reliable || first.raw != raw:
		a.errorf(s, "PacketID %d again, unreliable or with other bytes", id)
	case now-first.at < 2*time.Second:
		a.errorf(s, "PacketID %d again after %v", id, now-first.at)
	}
	a.seen["again"]++
	first.at = now
	s.times = append(s.times, now)
	a.pace(s, now)
}

// pace checks the page's rate.
func (a *knetAuditor) pace(s *knetAudited, now time.Duration) {
	for len(s.times) > 0 && now-s.times[0] >= time.Second {
		s.times = s.times[1:]
	}
	if len(s.times) > s.rate && !a.library {
		a.errorf(s, "%d datagrams in a second, %d are allowed", len(s.times), s.rate)
	}
}

// order checks the opening and the end.
func (a *knetAuditor) order(s *knetAudited, blocks []knetBlock, side int) {
	var first uint32
	if len(blocks) > 0 {
		first = blocks[0].id
	} else {
		a.errorf(s, "no message")
	}
	if s.gone && first != 0x3ffffffe {
		a.errorf(s, "message %x after Disconnect", first)
	}
	s.gone = s.gone || first >= 0x3ffffffe
	if a.library {
		if side == 1 && len(s.sent) == 1 && (len(blocks) < 2 || blocks[0].id != a.one || blocks[0].body[0] != 1 || blocks[1].id != a.one || blocks[1].body[0] != 2) {
			a.errorf(s, "the server does not begin with two pings")
		}
		return
	}
	switch {
	case first == 0x3ffffffd && (side == 1 || s.up), first == 0x3ffffffc && side == 0:
		a.errorf(s, "message %x of side %d", first, side)
	case first == 0x3ffffffd:
		s.syn = true
	case side == 0 && !s.syn:
		a.errorf(s, "begins with message %x", first)
	case side == 0:
		if !s.up && first != 0x3ffffffb && first != 0x3ffffffe {
			a.errorf(s, "message %x before ConnectAck", first)
		}
		s.up = true
	case first != 0x3ffffffc && first != 0x3ffffffe && !s.other.up:
		a.errorf(s, "message %x before the client confirmed", first)
	}
}

// vle reads a number of 7, 7 and 16 bits.
func vle(b []byte) (v, n int) {
	switch {
	case len(b) < 1:
		return 0, 1
	case b[0] < 0x80:
		return int(b[0]), 1
	case len(b) < 2 || b[1] < 0x80:
		return int(b[0]&0x7f) | int(b[min(1, len(b)-1)])<<7, 2
	case len(b) < 4:
		return 0, 4
	}
	return int(b[0]&0x7f) | int(b[1]&0x7f)<<7 | int(b[2])<<14 | int(b[3])<<22, 4
}

// vle15 reads a number of 7 and 8 bits.
func vle15(b []byte) (v, n int) {
	if len(b) < 2 || b[0] < 0x80 {
		return int(b[0]), 1
	}
	return int(b[0]&0x7f) | int(b[1])<<7, 2
}

// blocks reads messages up to the end.
func (a *knetAuditor) blocks(s *knetAudited, b []byte) (all []knetBlock) {
	for len(b) > 0 {
		if len(b) < 3 {
			a.errorf(s, "%d bytes left", len(b))
			return all
		}
		x := knetBlock{head: binary.LittleEndian.Uint16(b)}
		at := 2
		switch code := x.head >> 11 & 7; {
		case a.library && x.head&0x1000 != 0:
			v, n := vle15(b[at:])
			x.delta, at = v, at+n
		case a.library:
		case code == 6:
			x.indexes, at = b[at:at+1], at+1
		case code == 7:
			x.indexes, at = b[at+1:at+1+int(b[at])], at+1+int(b[at])
		case code > 0:
			x.indexes = []byte{byte(code - 1)}
		}
		switch {
		case x.head&0x8000 != 0:
			v, n := vle(b[at:])
			x.count, x.transfer, at = v, b[at+n], at+n+1
		case x.head&0x4000 != 0:
			v, n := vle(b[at+1:])
			x.transfer, x.number, at = b[at], v, at+1+n
		}
		x.content = int(x.head & 0x7ff)
		if at+x.content > len(b) {
			a.errorf(s, "content of %d bytes, %d are left", x.content, len(b)-at)
			return all
		}
		x.body = b[at : at+x.content]
		if x.hasID = x.head&0xc000 != 0x4000; x.hasID {
			v, n := vle(x.body)
			x.id, x.body = uint32(v), x.body[n:]
		}
		b = b[at+x.content:]
		all = append(all, x)
	}
	return all
}
