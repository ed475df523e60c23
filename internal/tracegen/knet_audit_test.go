package tracegen

import (
	"encoding/binary"
	"fmt"
	"testing"
	"time"

	"github.com/dpdissect/dpdissect/internal/tracegen/knetpeer"
	"github.com/dpdissect/dpdissect/internal/tracegen/note"
	"github.com/dpdissect/dpdissect/internal/tracegen/sim"
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
	sides   map[knetEnd]*knetAudited
	seen    map[string]int // what was there to be judged
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
	a := &knetAuditor{fault: fault, library: c.Dialect == knet.Reference, newIDs: c.NewIDs, sides: map[knetEnd]*knetAudited{}, seen: map[string]int{}}
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

// Every scenario's endpoints keep to the texts.
func TestKnet_ScenariosConform(t *testing.T) {
	seen := map[string]int{}
	for _, s := range knetList() {
		a := playKnet(t, s, seedOf(s.Name, 0), func(fault string) { t.Errorf("%s: %s", s.Name, fault) }, nil)
		for what, n := range a.seen {
			seen[what] += n
		}
	}
	for _, what := range []string{"connect", "again", "transfer id again", "fragment before start", "ping", "pong", "flow", "acked",
		"code 0", "code 1", "code 2", "code 3", "code 4", "code 5", "code 6", "code 7"} {
		if seen[what] == 0 {
			t.Errorf("no scenario has %q", what)
		}
	}
}

// playKnet plays a scenario under the eyes of an auditor.
func playKnet(t *testing.T, s KnetScenario, seed uint64, fault func(string), prepare func(tr *KnetTrace, a *knetAuditor)) (a *knetAuditor) {
	t.Helper()
	play := s.Play
	s.Play = func(tr *KnetTrace) {
		a = auditKnet(tr, fault)
		if prepare != nil {
			prepare(tr, a)
		}
		play(tr)
	}
	all := s.Scenario()
	all.Seed = seed
	if _, _, err := all.Generate(); err != nil {
		t.Fatal(err)
	}
	return a
}

// TestKnet_AuditorNoticesFaults changes what the auditor sees.
func TestKnet_AuditorNoticesFaults(t *testing.T) {
	edit := func(at int, x byte) func(b []byte) { return func(b []byte) { b[at%len(b)] ^= x } }
	library, page := knetLossy(), knetPageOrder()
	for name, x := range map[string]struct {
		s    KnetScenario
		edit func(b []byte)
	}{
		"PacketID": {library, edit(0, 4)}, "reliable": {library, edit(0, 0x40)}, "in order": {library, edit(0, 0x80)}, "base": {library, edit(3, 1)},
		"last byte": {library, edit(-1+1<<16, 0x55)}, "length": {library, edit(5, 1)},
		"page: PacketID": {page, edit(0, 2)}, "page: reliable": {page, edit(2, 0x40)}, "page: in order": {page, edit(2, 0x80)},
		"page: dependency": {page, edit(4, 0x14)}, "page: index": {page, edit(5, 0x13)}, "page: length": {page, edit(3, 1)},
	} {
		found, n := 0, 0
		playKnet(t, x.s, 7, func(string) { found++ }, func(tr *KnetTrace, a *knetAuditor) {
			tr.Net.Sent = func(d *sim.Datagram) {
				b := append([]byte(nil), d.Payload...)
				if n++; n > 12 && len(b) > 6 {
					x.edit(b)
				}
				told := d.Note.(note.Remark).Neutral()
				func() {
					defer func() {
						if recover() != nil {
							found++ // not even readable
						}
					}()
					a.sees(tr.Net.Clock.Now(), b, told.Conn, told.Side)
				}()
			}
		})
		if found == 0 || n < 20 {
			t.Errorf("%s: %d datagrams, %d faults noticed", name, n, found)
		}
	}
}

// knetWeather is endpoints and a network, all kinds of them over the seeds.
func knetWeather(seed uint64) KnetScenario {
	loss, late := []float64{0, 0.02, 0.06, 0.12}[seed%4], []float64{0, 0.1}[seed/4%2]
	paths := rough(loss, late/2, late)
	library := seed%2 == 0
	s := KnetScenario{Name: "weather", Clause: "-", Proves: "-", Expect: "-", Setup: Setup{Paths: paths}, A: knetpeer.Page(), B: knetpeer.Page()}
	a, b := council(40), council(40)
	if library {
		s.Setup.Paths = calm()
		s.A, s.B = knetpeer.Library(), knetpeer.Library()
		s.A.Skips, s.B.Skips = seed%3 == 0, seed%5 == 0
		a, b = arena(80), arena(80)
		paths = rough([]float64{0.01, 0.05, 0.1}[seed%3], late/2, late)
	} else {
		s.A.Scatter, s.B.Scatter = seed%3 == 0, seed%3 == 0
	}
	a.Large, b.Large = []int{1500, 4000}, []int{9000}
	s.Play = func(t *KnetTrace) {
		if library {
			t.worsen(paths)
		}
		t.calls(a, b, t.farewell())
	}
	return s
}

// Everything reliable arrives once; the page's ordered messages in their order.
func TestKnet_Delivery(t *testing.T) {
	again, open := 0, 0
	for seed := range uint64(80) {
		var got [2][]string
		var conn *note.Conn
		s := knetWeather(seed)
		name := fmt.Sprintf("seed %d", seed)
		a := playKnet(t, s, seed, func(fault string) { t.Errorf("%s: %s", name, fault) }, func(tr *KnetTrace, _ *knetAuditor) {
			for side, n := range []*knetpeer.Node{tr.A, tr.B} {
				keep := n.OnMessage
				n.OnMessage = func(p *knetpeer.Peer, data []byte) {
					conn = p.Conn()
					keep(p, data)
					got[1-side] = append(got[1-side], string(data))
				}
			}
		})
		again += a.seen["again"]
		if conn == nil {
			open++
			continue
		}
		for side := range got {
			knetArrived(t, fmt.Sprintf("%s, side %d", name, side), conn.Messages[side], got[side])
		}
	}
	if again < 100 || open > 3 {
		t.Errorf("%d sent again, %d never opened: too little to prove anything", again, open)
	}
}

// knetArrived checks what one side was given.
func knetArrived(t *testing.T, name string, said []*note.Message, got []string) {
	t.Helper()
	times := map[string]int{}
	for _, m := range got {
		times[m]++
	}
	for _, m := range said {
		n := times[string(m.Data)]
		if n > 1 && len(m.Data) > 8 || m.Reliable && n == 0 {
			t.Errorf("%s: message %d of %d bytes arrived %d times", name, m.ID, len(m.Data), n)
		}
	}
}

// kNet page, InOrder Datagrams and Messages: what depends on others is applied
// after them.
func TestKnetPage_InOrder_DeliveryFollowsDependencies(t *testing.T) {
	for seed := range uint64(30) {
		s := knetPageOrder()
		var sent, got []string
		playKnet(t, s, seed, func(string) {}, func(tr *KnetTrace, _ *knetAuditor) {
			tr.B.OnMessage = func(p *knetpeer.Peer, data []byte) {
				got = append(got, string(data))
				sent = sent[:0]
				for _, m := range p.Conn().Messages[0] {
					if m.Reliable {
						sent = append(sent, string(m.Data))
					}
				}
			}
		})
		k := 0
		for _, m := range got {
			if k < len(sent) && m == sent[k] {
				k++
			}
		}
		if k != len(sent) || k == 0 {
			t.Errorf("seed %d: %d of %d reliable messages were delivered in order", seed, k, len(sent))
		}
	}
}
