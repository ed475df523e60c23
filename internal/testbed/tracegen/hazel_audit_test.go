package tracegen

import (
	"encoding/binary"
	"fmt"
	"time"

	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/hazelpeer"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/sim"
)

// A hazelAuditor holds what endpoints send against the tables of the library's
// history. It reads bytes by itself; of the notes it uses the connection alone.
type hazelAuditor struct {
	fault func(string)
	sides map[*sim.Host]*hazelAudited
}

// hazelAudited is one side's history.
type hazelAudited struct {
	cfg   hazelpeer.Config
	sent  map[uint16]string // by id
	times map[uint16][]time.Duration
	next  int
	gone  bool
	got   map[uint16]bool // ids that reached it
	frame int
}

func (a *hazelAuditor) errorf(s *hazelAudited, format string, args ...any) {
	a.fault(fmt.Sprintf("datagram %d of its side: %s", s.frame, fmt.Sprintf(format, args...)))
}

// wire is the first byte of Reliable, Hello, Disconnect and acknowledgement.
func (a *hazelAuditor) wire(c hazelpeer.Config) [4]byte {
	switch c.Dialect.String() {
	case "2016-05-14":
		return [4]byte{0x01, 0xfd, 0xfe, 0xff}
	case "2016-05-30":
		return [4]byte{0x10, 0x80, 0x81, 0x82}
	}
	return [4]byte{0x01, 0x08, 0x09, 0x0a}
}

func (a *hazelAuditor) sees(now time.Duration, d *sim.Datagram) {
	s := a.sides[d.From]
	if s == nil || d.Proto != 0 {
		return
	}
	s.frame++
	b, types := d.Payload, a.wire(s.cfg)
	if s.gone && b[0] != types[2] {
		a.errorf(s, "% x after a Disconnect", b[0])
	}
	switch at := 1; b[0] {
	case types[2]:
		s.gone = true
	case types[3]:
		a.ack(s, b)
	case 0x02, 0x0b:
		if s.cfg.Dialect.String() == "0.1" {
			at = 5
		}
		a.numbered(s, now, b, at)
	case types[0], types[1], 0x0c, 0x0d:
		a.numbered(s, now, b, at)
	case 0x00:
	default:
		a.errorf(s, "unknown type %02x", b[0])
	}
}

// ack checks lengths and that only what arrived is acknowledged.
func (a *hazelAuditor) ack(s *hazelAudited, b []byte) {
	want := 3
	if s.cfg.History != hazelpeer.NoHistory {
		want = 4
	}
	if len(b) != want {
		a.errorf(s, "acknowledgement of %d bytes, want %d", len(b), want)
		return
	}
	id := binary.BigEndian.Uint16(b[1:])
	if !s.got[id] {
		a.errorf(s, "acknowledges %d, which did not arrive", id)
	}
	for i := range uint16(8) {
		if s.cfg.History == hazelpeer.Missing && b[3]>>i&1 != 0 && !s.got[id-1-i] && s.got[id-2-i] {
			a.errorf(s, "history of %d claims %d, which did not arrive", id, id-1-i)
		}
	}
}

// numbered checks the series of ids, and what is sent again.
func (a *hazelAuditor) numbered(s *hazelAudited, now time.Duration, b []byte, at int) {
	id := binary.BigEndian.Uint16(b[at:])
	if first, again := s.sent[id]; again {
		if first != string(b) {
			a.errorf(s, "id %d again with other bytes", id)
		}
		a.schedule(s, id, now)
		if b[0] == 0x0c && s.cfg.Alive == hazelpeer.Ping {
			a.errorf(s, "Ping %d sent again", id)
		}
		return
	}
	if int(id) != s.next&0xffff {
		a.errorf(s, "id %d, want %d", id, s.next&0xffff)
	}
	s.next = int(id) + 1
	s.sent[id], s.times[id] = string(b), []time.Duration{now}
}

// schedule checks when something is sent again.
func (a *hazelAuditor) schedule(s *hazelAudited, id uint16, now time.Duration) {
	all := append(s.times[id], now)
	s.times[id] = all
	n := len(all)
	switch s.cfg.Resend {
	case hazelpeer.Fixed, hazelpeer.RoundTrip:
		if n > 1+max(3, s.cfg.Resends) {
			a.errorf(s, "id %d sent %d times", id, n)
		}
		if n > 2 && (all[n-1]-all[n-2]).Round(time.Millisecond) != (2*(all[n-2]-all[n-3])).Round(time.Millisecond) {
			a.errorf(s, "id %d: the interval does not double", id)
		}
	case hazelpeer.Additive:
		first, last := all[1]-all[0], now-all[0]
		if first < 50*time.Millisecond || first > 300*time.Millisecond || last > 5*time.Second {
			a.errorf(s, "id %d sent again after %v, and %v after the first time", id, first, last)
		}
		if due := all[n-2] - all[0]; n > 2 && (now-all[n-2]).Round(time.Millisecond) != min(2*due, time.Second).Round(time.Millisecond) {
			a.errorf(s, "id %d: sent again %v after %v", id, now-all[n-2], due)
		}
	}
}

// arrived notes the ids that reach a side.
func (a *hazelAuditor) arrived(d *sim.Datagram) {
	s, from := a.sides[d.To], a.sides[d.From]
	if s == nil || from == nil || d.Proto != 0 || len(d.Payload) < 3 {
		return
	}
	at, types := 1, a.wire(from.cfg)
	switch b := d.Payload[0]; {
	case (b == 0x02 || b == 0x0b) && from.cfg.Dialect.String() == "0.1":
		at = 5
	case b == types[3] || b == types[2] || b == 0:
		return
	}
	s.got[binary.BigEndian.Uint16(d.Payload[at:])] = true
}

// A hazelObserver tells the auditor what arrives, before its receiver is told.
type hazelObserver struct {
	*truthWatch
	audit *hazelAuditor
}

func (o hazelObserver) Delivered(d *sim.Datagram, frame int) {
	o.audit.arrived(d)
	o.truthWatch.Delivered(d, frame)
}

// auditHazel watches a trace.
func auditHazel(tr *HazelTrace, fault func(string)) *hazelAuditor {
	a := &hazelAuditor{fault: fault, sides: map[*sim.Host]*hazelAudited{}}
	for i, n := range []*hazelpeer.Node{tr.A, tr.B} {
		c := n.Config
		a.sides[tr.Hosts[i]] = &hazelAudited{cfg: c, sent: map[uint16]string{}, times: map[uint16][]time.Duration{}, next: int(c.FirstID), got: map[uint16]bool{}}
	}
	tr.Net.Observer = hazelObserver{tr.truthWatch, a}
	tr.Net.Sent = func(d *sim.Datagram) { a.sees(tr.Net.Clock.Now(), d) }
	return a
}
