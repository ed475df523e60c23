package tracegen

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/dpdissect/dpdissect/internal/tracegen/hazelpeer"
	"github.com/dpdissect/dpdissect/internal/tracegen/note"
	"github.com/dpdissect/dpdissect/internal/tracegen/sim"
)

func hazelDirections(c *Connection) (a, b Direction) { return c.Directions["a"], c.Directions["b"] }

// spoken reports a closed connection between two dialects.
func spoken(c *Connection, a, b string) bool {
	return c.State == "closed" && c.Directions["a"].Dialect == a && c.Directions["b"].Dialect == b
}

func smooth(c *Connection) bool {
	a, b := hazelDirections(c)
	return a.Retries+b.Retries+a.Gaps+b.Gaps+a.Missing+b.Missing == 0
}

func hazelState(state, by string) func(c *Connection) bool {
	return func(c *Connection) bool { return c.State == state && c.ClosedBy == by }
}

func wraps(c *Connection) bool {
	a, b := hazelDirections(c)
	return !c.Complete && *a.FirstNumber < 1<<16 && *b.FirstNumber < 1<<16 && *a.HighestNumber > 1<<16 && *b.HighestNumber > 1<<16 && a.Retries+b.Retries > 0
}

var hazelOutcomes = map[string]func(c *Connection) bool{
	"clean-2016-05-14": func(c *Connection) bool {
		return spoken(c, "2016-05-14", "2016-05-14") && smooth(c) && c.ClosedBy == "a"
	},
	"lossy-2016-05-30": func(c *Connection) bool {
		return spoken(c, "2016-05-30", "2016-05-30") && c.Directions["a"].Retries > 0
	},
	"clean-spec": func(c *Connection) bool { return spoken(c, "spec", "spec") && smooth(c) && c.Directions["a"].Proven },
	"lossy-spec": func(c *Connection) bool {
		a, b := hazelDirections(c)
		return spoken(c, "spec", "spec") && a.Retries+b.Retries > 0 && a.Duplicates+b.Duplicates > 0 && a.OutOfOrder+b.OutOfOrder > 0
	},
	"clean-0.1": func(c *Connection) bool { return spoken(c, "0.1", "0.1") && smooth(c) && c.ClosedBy == "b" },
	"lossy-0.1": func(c *Connection) bool { return spoken(c, "0.1", "0.1") && c.Directions["a"].Retries > 0 },
	"fragments-0.1": func(c *Connection) bool {
		return spoken(c, "0.1", "0.1") && largest(c) == 3 && c.Directions["a"].MessageBytes > 2*65500
	},
	"pings-ack3": func(c *Connection) bool {
		a, b := hazelDirections(c)
		return spoken(c, "ack3", "ack3") && a.Proven && b.Proven && a.KeepAlives > 20 && a.Retries+b.Retries > 4
	},
	"lossy-ack3": func(c *Connection) bool { return spoken(c, "ack3", "ack3") && c.Directions["a"].Proven },
	"clean-current": func(c *Connection) bool {
		return spoken(c, "current", "current") && smooth(c) && *c.Directions["a"].FirstNumber == 0
	},
	"lossy-current": func(c *Connection) bool {
		a, b := hazelDirections(c)
		return spoken(c, "current", "current") && a.Retries+b.Retries > 0 && a.Duplicates+b.Duplicates > 0
	},
	"first-id-1":       func(c *Connection) bool { return *c.Directions["a"].FirstNumber == 1 && c.Directions["a"].Missing == 0 },
	"history-fe":       func(c *Connection) bool { return c.Directions["a"].Undelivered+c.Directions["b"].Undelivered > 0 },
	"history-late":     func(c *Connection) bool { return c.Directions["a"].Undelivered+c.Directions["b"].Undelivered > 0 },
	"skeldjs":          hazelState("closed", "a"),
	"fragments-fork36": func(c *Connection) bool { return spoken(c, "fork36", "fork36") && largest(c) > 7 },
	"mixed-ids": func(c *Connection) bool {
		return *c.Directions["a"].FirstNumber == 1 && *c.Directions["b"].FirstNumber == 0
	},
	"mixed-ack3-current": func(c *Connection) bool { return spoken(c, "ack3", "current") },
	"wrap-current":       wraps, "wrap-0.1": wraps,
	"midstream-current": func(c *Connection) bool { return !c.Complete && c.State == "closed" },
	"midstream-spec":    hazelState("unknown", ""),
	"one-direction":     func(c *Connection) bool { return c.Directions["b"].Frames == 0 && c.State == "" },
	"capture-loss":      func(c *Connection) bool { return c.Directions["a"].Lost.NotCaptured > 0 },
	"early-stop":        hazelState("established", ""),
	"copies": func(c *Connection) bool {
		a, b := hazelDirections(c)
		return a.Duplicates+b.Duplicates > 4 && a.Duplicates+b.Duplicates > a.Numbered+b.Numbered
	},
	"copies-zero-id": func(c *Connection) bool {
		a, b := hazelDirections(c)
		return a.Duplicates+b.Duplicates > 0 && a.Duplicates+b.Duplicates == a.Numbered+b.Numbered && a.NMessages > 40
	},
	"dtls": func(c *Connection) bool {
		a, b := hazelDirections(c)
		return spoken(c, "dtls", "dtls") && a.NMessages+b.NMessages == 0 && a.Acks > 10 && b.KeepAlives > 0
	},
	"keepalives-current": func(c *Connection) bool {
		a, b := hazelDirections(c)
		return a.KeepAlives+b.KeepAlives > 80 && a.Missing+b.Missing > 0
	},
	"keepalives-0.1":  func(c *Connection) bool { return c.State == "closed" && c.Directions["a"].KeepAlives > 10 },
	"keepalives-spec": func(c *Connection) bool { return c.State == "closed" && c.Directions["a"].KeepAlives > 5 },
	"keepalives-2016-05-14": func(c *Connection) bool {
		a, b := hazelDirections(c)
		return c.State == "closed" && a.KeepAlives > 5 && b.KeepAlives > 5 && a.NMessages+b.NMessages == 20
	},
	"refused":          hazelState("refused", ""),
	"refused-icmp":     hazelState("refused", ""),
	"unanswered":       hazelState("timed-out", ""),
	"unanswered-0.1":   func(c *Connection) bool { return c.State == "timed-out" && c.Directions["a"].Frames == 4 },
	"killed-peer":      hazelState("timed-out", ""),
	"killed-process":   hazelState("reset", ""),
	"killed-peer-spec": hazelState("timed-out", ""),
	"ping-death":       hazelState("timed-out", ""),
	"kicked":           hazelState("closed", "b"),
	"crossing-close":   hazelState("closed", "both"),
	"restart":          hazelState("closed", "a"),
	"strays":           hazelState("closed", "a"),
}

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
		if n > 4 {
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
	*ledger
	audit *hazelAuditor
}

func (o hazelObserver) Delivered(d *sim.Datagram, frame int) {
	o.audit.arrived(d)
	o.ledger.Delivered(d, frame)
}

// auditHazel watches a trace.
func auditHazel(tr *HazelTrace, fault func(string)) *hazelAuditor {
	a := &hazelAuditor{fault: fault, sides: map[*sim.Host]*hazelAudited{}}
	for i, n := range []*hazelpeer.Node{tr.A, tr.B} {
		c := n.Config
		a.sides[tr.Hosts[i]] = &hazelAudited{cfg: c, sent: map[uint16]string{}, times: map[uint16][]time.Duration{}, next: int(c.FirstID), got: map[uint16]bool{}}
	}
	tr.Net.Observer = hazelObserver{tr.ledger, a}
	tr.Net.Sent = func(d *sim.Datagram) { a.sees(tr.Net.Clock.Now(), d) }
	return a
}

// Endpoints of every release keep to the ids, lengths and timers of hazel's
// history, and lose nothing reliable where their histories are right.
func TestHazel_EndpointsConform(t *testing.T) {
	retried := 0
	for name, release := range map[string]func() hazelpeer.Config{"may14": hazelpeer.May14, "may30": hazelpeer.May30, "page": hazelpeer.Page,
		"page-late": hazelpeer.PageLate, "v0.1.2": hazelpeer.V012, "ack3-early": hazelpeer.Ack3Early, "ack3": hazelpeer.Ack3, "fe": hazelpeer.FE,
		"sep20": hazelpeer.Sep20, "one": hazelpeer.One, "now": hazelpeer.Now, "fork": hazelpeer.Fork} {
		for seed := range uint64(12) {
			loss := []float64{0, 0.02, 0.05}[seed%3]
			tr := hazelStage(newTrace(Setup{Paths: rough(loss, loss/2, loss), Port: hazelPort}, seed), release(), release())
			if _, err := tr.record(io.Discard); err != nil {
				t.Fatal(err)
			}
			auditHazel(tr, func(what string) { t.Errorf("%s, seed %d: %s", name, seed, what) })
			a, b := bustle(60), bustle(60)
			a.Large = []int{2500}
			tr.calls(a, b, tr.later(5*time.Second))
			tr.Net.Clock.Run(limit, nil)
			c := tr.Book.Conns[0]
			for side := range c.Messages {
				retried += tr.ledger.conns[c].sides[side].Retries
				for _, m := range c.Messages[side] {
					if right := tr.A.Config.History == hazelpeer.Missing; right && c.GaveUp == [2]time.Duration{} && m.Reliable && !m.Delivered {
						t.Errorf("%s, seed %d: reliable message %d of side %d was not delivered", name, seed, m.ID, side)
					}
				}
			}
		}
	}
	if retried < 300 {
		t.Errorf("%d retries are too few to prove anything", retried)
	}
}

// TestHazel_AuditorNoticesFaults tampers with what the auditor sees.
func TestHazel_AuditorNoticesFaults(t *testing.T) {
	sent := map[string]bool{}
	faults := map[string]func(b []byte) bool{
		"another id":             func(b []byte) bool { b[2]++; return b[0] == 1 },
		"acknowledges the wrong": func(b []byte) bool { b[2] += 100; return b[0] == 0x0a },
		"history of all":         func(b []byte) bool { x := b[0] == 0x0a && b[3] != 0xff; b[len(b)-1] = 0xff; return x },
		"type of another":        func(b []byte) bool { b[0] = 0x81; return true },
		"retry is not the same":  func(b []byte) bool { x := sent[string(b)] && b[0] == 1; sent[string(b)] = true; b[3]++; return x },
	}
	for name, tamper := range faults {
		clear(sent)
		found, applied := 0, 0
		tr := hazelStage(newTrace(Setup{Paths: lossy(0.05), Port: hazelPort}, 3), hazelpeer.Now(), hazelpeer.Now())
		if _, err := tr.record(io.Discard); err != nil {
			t.Fatal(err)
		}
		a := auditHazel(tr, func(string) { found++ })
		tr.Net.Sent = func(d *sim.Datagram) {
			c := *d
			if b := bytes.Clone(d.Payload); len(b) > 3 && tamper(b) {
				applied++
				c.Payload = b
			}
			a.sees(tr.Net.Clock.Now(), &c)
		}
		tr.calls(bustle(80), bustle(80), bye)
		tr.Net.Clock.Run(limit, nil)
		if applied == 0 || found == 0 {
			t.Errorf("%s: %d applied, %d noticed", name, applied, found)
		}
	}
}

// A message that arrives is delivered once, retries and copies or not.
func TestHazel_DeliversOnce(t *testing.T) {
	for seed := range uint64(30) {
		tr := hazelStage(newTrace(Setup{Paths: rough(0.05, 0.05, 0.05), Port: hazelPort}, seed), hazelpeer.Fork(), hazelpeer.Fork())
		if _, err := tr.record(io.Discard); err != nil {
			t.Fatal(err)
		}
		a := bustle(50)
		a.Reliable, a.Large = 1, []int{4000, 9000}
		got := map[string]int{}
		tr.B.OnMessage = func(_ *hazelpeer.Peer, data []byte) { got[string(data)]++ }
		tr.calls(a, bustle(5), bye)
		tr.Net.Clock.Run(limit, nil)
		for _, m := range tr.Book.Conns[0].Messages[0] {
			if n := got[string(m.Data)]; n != 1 {
				t.Errorf("seed %d: message %d of %d bytes was delivered %d times", seed, m.ID, len(m.Data), n)
			}
		}
	}
}

// Hello to nowhere goes out when the library was seen to send it.
func TestHazel_UnansweredHello(t *testing.T) {
	for _, c := range []struct {
		release hazelpeer.Config
		want    []int // ms
	}{
		{hazelpeer.Now(), []int{0, 300, 900, 1900, 2900, 3900, 4900, 5000}},
		{hazelpeer.V012(), []int{0, 200, 600, 1400}},
		{hazelpeer.Ack3Early(), []int{0, 300, 900, 2100, 3600, 5000}},
	} {
		tr := hazelStage(newTrace(Setup{Paths: calm(), Port: hazelPort}, 1), c.release, c.release)
		if _, err := tr.record(io.Discard); err != nil {
			t.Fatal(err)
		}
		var at []int
		tr.Net.Sent = func(d *sim.Datagram) { at = append(at, int(tr.Net.Clock.Now()/time.Millisecond)) }
		tr.Hosts[1].Receive = nil
		tr.A.Connect(tr.B)
		tr.Net.Clock.Run(limit, nil)
		if fmt.Sprint(at) != fmt.Sprint(c.want) {
			t.Errorf("%v: sent at %v ms, want %v", c.release.Dialect, at, c.want)
		}
	}
}

// The history bytes the releases were seen to send.
func TestHazel_Histories(t *testing.T) {
	// Ids 0 and 1 arrive, then 4: fc. A sender that starts at 1: fe, fd, fb …
	for _, c := range []struct {
		release hazelpeer.Config
		ids     []byte
		want    []byte
	}{
		{hazelpeer.Now(), []byte{0, 1, 4}, []byte{0xff, 0xff, 0xfc}},
		{hazelpeer.Now(), []byte{1, 2, 3, 4, 5, 6, 7, 8, 9}, []byte{0xfe, 0xfd, 0xfb, 0xf7, 0xef, 0xdf, 0xbf, 0x7f, 0xff}},
		{hazelpeer.Sep20(), []byte{1, 2, 4, 5}, []byte{0xff, 0xff, 0xff, 0xfd}},
		{hazelpeer.FE(), []byte{1, 2, 4}, []byte{0xfe, 0xfe, 0xfe}},
	} {
		tr := hazelStage(newTrace(Setup{Paths: calm(), Port: hazelPort}, 1), c.release, c.release)
		if _, err := tr.record(io.Discard); err != nil {
			t.Fatal(err)
		}
		var got []byte
		tr.Net.Sent = func(d *sim.Datagram) {
			if d.From == tr.Hosts[1] && d.Payload[0] == 0x0a {
				got = append(got, d.Payload[3])
			}
		}
		conn := &note.Conn{Hosts: tr.Hosts, Protocol: "hazel"}
		tr.B.Expect(conn)
		for i, id := range c.ids {
			n := note.New(conn, 0, "RELIABLE")
			n.Opens = i == 0
			payload := []byte{1, 0, id}
			if i == 0 {
				payload = []byte{8, 0, id, 0}
			}
			tr.At(time.Duration(i)*100*time.Millisecond, func() {
				tr.Net.Send(&sim.Datagram{From: tr.Hosts[0], To: tr.Hosts[1], Payload: payload, Note: n})
			})
		}
		tr.Net.Clock.Run(900*time.Millisecond, nil)
		if !bytes.Equal(got, c.want) {
			t.Errorf("ids %v: histories % x, want % x", c.ids, got, c.want)
		}
	}
}
