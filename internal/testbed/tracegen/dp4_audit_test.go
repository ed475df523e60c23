package tracegen

import (
	"bytes"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/dpdissect/dpdissect/dp4"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/dp4peer"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/sim"
)

// A dp4Auditor reads what the endpoints send and receive, in that order, and
// holds it against the text. It unwraps and counts by itself; of the notes it
// uses none.
type dp4Auditor struct {
	fault                          func(string)
	configs                        map[*sim.Host]dp4peer.Config
	links                          map[dp4Link]*dp4Audited
	now                            func() time.Duration
	frames, retries, nacks, copies int
	masks                          [4]int // by size
}

// A dp4Link is one direction between two players.
type dp4Link struct {
	from     *sim.Host
	src, dst uint32
}

// dp4Audited is what one player sends another.
type dp4Audited struct {
	cfg      dp4peer.Config
	first    []dp4.Frame // by sequence - First: the first transmission
	msgs     []int64     // messageid of each
	counts   []int       // transmissions of each
	serials  []map[uint8]bool
	perMsg   map[int64]int // transmissions of all packets
	nextMsg  int64
	open     bool // the latest message has no EOM yet
	acked    int64
	sak      int            // packets since SAK
	got      map[int64]bool // delivered
	chosen   map[int64]bool // acknowledged by a NACK that names others after
	received uint32         // bytes delivered
	tick     uint32         // of the acknowledgements sent
	ticked   time.Duration
	hasTick  bool
	asked    bool // a SAK was delivered at this moment
}

func (a *dp4Auditor) errorf(format string, args ...any) {
	a.fault(fmt.Sprintf("datagram %d: %s", a.frames, fmt.Sprintf(format, args...)))
}

// watch lets the auditor see a trace.
func (a *dp4Auditor) watch(t *DP4Trace) {
	a.links, a.now = map[dp4Link]*dp4Audited{}, t.Net.Clock.Now
	a.configs = map[*sim.Host]dp4peer.Config{t.Hosts[0]: t.A.Config, t.Hosts[1]: t.B.Config}
	t.Net.Sent = a.datagram
	for _, h := range t.Hosts {
		receive := h.Receive
		h.Receive = func(d *sim.Datagram) {
			other := a.delivered(d)
			receive(d)
			if other != nil && other.asked {
				other.asked = false
				if h.Receive != nil && other.got[other.cfg.First] {
					a.errorf("a SAK was not answered at once")
				}
			}
		}
	}
}

// link gives both directions a frame belongs to, nil for what is no frame.
func (a *dp4Auditor) link(d *sim.Datagram, f *dp4.Frame) (own, other *dp4Audited) {
	if d.Proto == sim.ProtoICMP || f.Decode(d.Payload, dp4.Params{Length: len(d.Payload)}, nil) != nil || f.Ignored() {
		return nil, nil
	}
	get := func(l dp4Link) *dp4Audited {
		if a.links[l] == nil {
			cfg := a.configs[l.from]
			a.links[l] = &dp4Audited{cfg: cfg, perMsg: map[int64]int{}, nextMsg: cfg.First, acked: cfg.First, got: map[int64]bool{}, chosen: map[int64]bool{}}
		}
		return a.links[l]
	}
	return get(dp4Link{d.From, f.From.Value, f.To.Value}), get(dp4Link{d.To, f.To.Value, f.From.Value})
}

// delivered enters what reaches a host, with its size after the indexes.
func (a *dp4Auditor) delivered(d *sim.Datagram) *dp4Audited {
	var f dp4.Frame
	own, _ := a.link(d, &f)
	if own == nil || f.Type != dp4.TypeData {
		return nil
	}
	head := 0
	if own.cfg.SP {
		head = 20
	}
	for range 2 { // MC-DPL4R 2.2.1
		for d.Payload[head]&0x80 != 0 {
			head++
		}
		head++
	}
	own.received += uint32(len(d.Payload) - head)
	n := own.unwrap(f.Sequence)
	if own.got[n] {
		a.copies++
	}
	own.got[n] = true
	own.asked = f.Flags&dp4.SAK != 0
	return own
}

// unwrap gives the latest sequence sent with the low byte.
func (s *dp4Audited) unwrap(wire uint8) int64 {
	top := s.cfg.First + int64(len(s.first)) - 1
	return top - int64(uint8(top)-wire)
}

// datagram checks what is sent.
func (a *dp4Auditor) datagram(d *sim.Datagram) {
	a.frames++
	var f dp4.Frame
	own, other := a.link(d, &f)
	if own == nil {
		return
	}
	if again := f.Append(nil); !bytes.Equal(again, d.Payload) {
		a.errorf("encodes to other bytes")
	}
	if f.HasSP != own.cfg.SP {
		a.errorf("service provider's header: %v", f.HasSP)
	}
	if f.Type == dp4.TypeData {
		a.data(own, other, &f)
		return
	}
	other.asked = false
	a.acknowledgement(own, other, &f, d.From)
}

// data checks a data frame (MC-DPL4R 2.2.2).
func (a *dp4Auditor) data(s, other *dp4Audited, f *dp4.Frame) {
	if f.Flags&^(dp4.STA|dp4.EOM|dp4.SAK|dp4.RLY) != dp4.CMD {
		a.errorf("flags %02x", f.Flags)
	}
	next := s.cfg.First + int64(len(s.first))
	if f.Sequence == uint8(next) {
		a.fresh(s, f, next)
	} else {
		a.retry(s, f)
	}
	if s.sak++; f.Flags&dp4.SAK != 0 {
		s.sak = 0
	} else if s.sak >= 24 {
		a.errorf("24 packets without SAK")
	}
}

func (a *dp4Auditor) fresh(s *dp4Audited, f *dp4.Frame, seq int64) {
	if (f.Flags&dp4.STA != 0) == s.open {
		a.errorf("STA and EOM do not alternate")
	}
	if f.Flags&dp4.STA != 0 {
		if f.MessageID != uint8(s.nextMsg) {
			a.errorf("message %d, want %d", f.MessageID, uint8(s.nextMsg))
		}
		s.nextMsg++
	}
	msg := s.nextMsg - 1
	s.open = f.Flags&dp4.EOM == 0
	if f.MessageID != uint8(msg) {
		a.errorf("part of message %d, want %d", f.MessageID, uint8(msg))
	}
	if old := s.oldest(); old >= 0 && msg-old >= 24 {
		a.errorf("message %d while %d is outstanding", msg, old)
	}
	c := *f
	c.Data = bytes.Clone(f.Data)
	s.first, s.msgs = append(s.first, c), append(s.msgs, msg)
	s.counts, s.serials = append(s.counts, 0), append(s.serials, map[uint8]bool{})
	a.serial(s, f, seq)
}

// oldest is the oldest message with a reliable packet that is not acknowledged,
// as far as was ever said; -1 for none.
func (s *dp4Audited) oldest() int64 {
	for i := s.acked - s.cfg.First; i < int64(len(s.first)); i++ {
		if s.first[i].Flags&dp4.RLY != 0 && !s.chosen[i+s.cfg.First] {
			return s.msgs[i]
		}
	}
	return -1
}

// serial counts the transmissions before, in both ways of the examples.
func (a *dp4Auditor) serial(s *dp4Audited, f *dp4.Frame, seq int64) {
	i := seq - s.cfg.First
	msg := s.msgs[i]
	want := s.counts[i]
	if f.Flags&(dp4.STA|dp4.EOM) != dp4.STA|dp4.EOM && !s.cfg.OwnSerial {
		want = s.perMsg[msg]
	}
	if f.Serial != uint8(want) {
		a.errorf("serial %d of %d, want %d", f.Serial, seq, want)
	}
	s.counts[i]++
	s.perMsg[msg]++
	s.serials[i][f.Serial] = true
}

// retry compares with the first transmission.
func (a *dp4Auditor) retry(s *dp4Audited, f *dp4.Frame) {
	a.retries++
	seq := s.unwrap(f.Sequence)
	i := seq - s.cfg.First
	if i < 0 {
		a.errorf("retry of %d, which was not sent", seq)
		return
	}
	first := &s.first[i]
	if f.Flags&dp4.SAK == 0 || f.Flags&dp4.RLY == 0 || f.Flags|dp4.SAK != first.Flags|dp4.SAK || f.MessageID != first.MessageID || !bytes.Equal(f.Data, first.Data) {
		a.errorf("retry of %d without SAK, unreliable, or with other content", seq)
	}
	a.serial(s, f, seq)
}

// acknowledgement checks an ACK or NACK (MC-DPL4R 2.2.3, 2.2.4).
func (a *dp4Auditor) acknowledgement(s, other *dp4Audited, f *dp4.Frame, h *sim.Host) {
	seq := other.unwrap(f.Sequence)
	i := seq - other.cfg.First
	if i < 0 || i >= int64(len(other.first)) || other.first[i].MessageID != f.MessageID {
		a.errorf("%v of message %d, sequence %d, which was not sent", f.Type, f.MessageID, seq)
		return
	}
	next := seq
	if f.Type == dp4.TypeACK {
		next++
		if f.Flags != dp4.ACK || !other.got[seq] || !other.serials[i][f.Serial] || len(f.Trailing) > 0 {
			a.errorf("ACK of %d, serial %d, which did not arrive", seq, f.Serial)
		}
	} else {
		a.nack(s, other, f, seq)
	}
	for n := other.acked; n < next; n++ {
		if other.first[n-other.cfg.First].Flags&dp4.RLY != 0 && !other.got[n] {
			a.errorf("acknowledges %d, which is reliable and did not arrive", n)
		}
	}
	if next < other.acked {
		a.errorf("goes back from %d to %d", other.acked, next)
	}
	other.acked = next
	if f.BytesReceived != other.received {
		a.errorf("%d bytes received, want %d", f.BytesReceived, other.received)
	}
	a.tick(s, f.Tick)
}

func (a *dp4Auditor) nack(s, other *dp4Audited, f *dp4.Frame, seq int64) {
	a.nacks++
	a.masks[f.MaskSize]++
	if !s.cfg.NACK || f.Flags != dp4.ACK|dp4.EXT || !s.cfg.Order.Clean(f.ExtFlags) || s.cfg.Order.MaskSize(f.ExtFlags) != int(f.MaskSize) || len(f.Trailing) > 0 {
		a.errorf("NACK of an endpoint that sends none, or with other flags")
	}
	for i := range int64(25) {
		n := seq + i
		if i > 0 && f.Mask>>(i-1)&1 == 0 {
			if f.Mask>>(i-1) != 0 {
				other.chosen[n] = true
			}
			continue
		}
		switch k := n - other.cfg.First; {
		case k >= int64(len(other.first)) || other.got[n]:
			a.errorf("reports %d, which was not sent or did arrive", n)
		case !s.cfg.Blind && other.first[k].Flags&dp4.RLY == 0:
			a.errorf("reports %d, which is not reliable", n)
		}
	}
}

// tick holds a count of milliseconds to the clock.
func (a *dp4Auditor) tick(s *dp4Audited, tick uint32) {
	if since := a.now()/time.Millisecond - s.ticked/time.Millisecond; s.hasTick && tick-s.tick != uint32(since) {
		a.errorf("the tick count advanced by %d in %d ms", tick-s.tick, since)
	}
	s.tick, s.ticked, s.hasTick = tick, a.now(), true
}

// TestDP4AuditorNoticesFaults tampers with what the auditor sees.
func TestDP4AuditorNoticesFaults(t *testing.T) {
	nack := func(f *dp4.Frame) bool { return f.Type == dp4.TypeNACK }
	ack := func(f *dp4.Frame) bool { return f.Type == dp4.TypeACK }
	retry := func(f *dp4.Frame) bool { return f.Type == dp4.TypeData && f.Serial > 0 }
	data := func(f *dp4.Frame) bool { return f.Type == dp4.TypeData }
	for name, tamper := range map[string]func(f *dp4.Frame) bool{
		"serial not counted":      func(f *dp4.Frame) bool { x := retry(f); f.Serial = 0; return x },
		"retry of other content":  func(f *dp4.Frame) bool { x := retry(f); f.Data = append([]byte{1}, f.Data...); return x },
		"retry without SAK":       func(f *dp4.Frame) bool { x := retry(f); f.Flags &^= dp4.SAK; return x },
		"next message skipped":    func(f *dp4.Frame) bool { f.MessageID++; return data(f) },
		"message never ends":      func(f *dp4.Frame) bool { x := data(f); f.Flags &^= dp4.EOM; return x },
		"ACK of the future":       func(f *dp4.Frame) bool { x := ack(f); f.Sequence += 9; return x },
		"ACK of another message":  func(f *dp4.Frame) bool { x := ack(f); f.MessageID--; return x },
		"ACK of an unsent serial": func(f *dp4.Frame) bool { x := ack(f); f.Serial += 7; return x },
		"bytes miscounted":        func(f *dp4.Frame) bool { f.BytesReceived++; return ack(f) },
		"tick stands still":       func(f *dp4.Frame) bool { f.Tick = 5; return ack(f) },
		"mask of the received":    func(f *dp4.Frame) bool { x := nack(f) && f.MaskSize > 0; f.Mask ^= 0xff; return x },
		"mask of the other order": func(f *dp4.Frame) bool { x := nack(f); f.ExtFlags ^= 0x22; return x },
	} {
		found, applied := 0, 0
		tr := newTrace(Setup{Paths: lossy(0.05)}, 11)
		if _, err := tr.record(io.Discard); err != nil {
			t.Fatal(err)
		}
		d := dp4Stage(tr, dp4peer.Eager(), dp4peer.Eager())
		a := &dp4Auditor{fault: func(string) { found++ }}
		a.watch(d)
		tr.Net.Sent = func(d *sim.Datagram) {
			c := *d
			var f dp4.Frame
			if f.Decode(d.Payload, dp4.Params{}, nil) == nil && tamper(&f) {
				applied++
				c.Payload = f.Append(nil)
			}
			a.datagram(&c)
		}
		d.join(1, 2, promised(120), parted(120, 4000))
		tr.Net.Clock.Run(limit, nil)
		if applied == 0 || found == 0 {
			t.Errorf("%s: %d applied, %d noticed", name, applied, found)
		}
	}
}
