package track

import (
	"net/netip"
	"slices"
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/knet"
	"github.com/dpdissect/dpdissect/session"
)

// A scene is a capture played to the tracker, datagram by datagram, between host
// 0, the client, and host 1.
type scene struct {
	t        *testing.T
	tab      *session.Table
	now      int64
	frame    uint64
	ipid     uint16
	frames   []dissect.Frame // what the tracker said of each
	conns    []*session.Conn // that the frames belong to
	messages []session.Message
	acked    map[uint64]uint64
	closed   bool
	next     [2]uint32 // PacketIDs
	number   [2]uint32 // reliable numbers
	dialect  knet.Dialect
}

// newScene makes a scene of one dialect; with "" the address pair is recognised,
// or not, as in real life.
func newScene(t *testing.T, dialect string) *scene {
	s := &scene{t: t, now: 1e15, next: [2]uint32{1, 1}, dialect: knet.ParseDialect(dialect), acked: map[uint64]uint64{}}
	p := New()
	cfg := session.Config{Protocols: []*session.Protocol{p}, Links: true, Messages: session.CollectPayload, Incomplete: true, Summaries: true, Sink: s}
	if dialect != "" {
		cfg.Force = []session.Force{{Lo: 0, Hi: 65535, Protocol: p, Dialect: dialect}}
	} else {
		s.dialect = knet.Reference
	}
	s.tab = session.NewTable(cfg)
	return s
}

func (s *scene) Frame(fr *dissect.Frame, c *session.Conn) {
	f := *fr
	f.Acks, f.Summary = slices.Clone(fr.Acks), slices.Clone(fr.Summary)
	s.frames, s.conns = append(s.frames, f), append(s.conns, c)
}

func (s *scene) Acked(at session.Position, by uint64) { s.acked[at.Frame] = by }

func (s *scene) Message(m *session.Message) {
	c := *m
	c.Payload = slices.Clone(m.Payload)
	s.messages = append(s.messages, c)
}

func (s *scene) Finding(*session.Finding) {}

var hosts = [2]dissect.Endpoint{
	dissect.MakeEndpoint(netip.MustParseAddrPort("10.0.0.1:50000")), dissect.MakeEndpoint(netip.MustParseAddrPort("10.0.0.2:2345")),
}

// raw captures a datagram 5 ms after the one before.
func (s *scene) raw(from int, payload []byte) { s.cut(from, payload, 0) }

// cut captures a datagram whose last n bytes the capture left out.
func (s *scene) cut(from int, payload []byte, n int) {
	s.ipid++
	s.capture(from, payload, n, s.ipid)
}

func (s *scene) capture(from int, payload []byte, n int, ipid uint16) {
	s.frame++
	s.now += 5e6
	s.tab.Add(&dissect.Datagram{Frame: s.frame, Time: s.now, HasTime: true, Src: hosts[from], Dst: hosts[1-from],
		Payload: payload[:len(payload)-n], Length: len(payload), IPID: ipid})
}

// again captures a network copy of the latest datagram.
func (s *scene) again(from int, payload []byte) { s.capture(from, payload, 0, s.ipid) }

func (s *scene) icmp(to int) {
	s.frame++
	s.now += 5e6
	s.tab.Add(&dissect.Datagram{Frame: s.frame, Time: s.now, HasTime: true, Kind: dissect.Unreachable, Src: hosts[to], Dst: hosts[1-to]})
}

// wait lets time pass, in seconds.
func (s *scene) wait(seconds float64) { s.now += int64(seconds * 1e9) }

// datagram makes the next datagram of a side. With Reference, messages that are
// reliable have their Number set.
func (s *scene) datagram(from int, messages ...knet.Message) []byte {
	d := knet.Datagram{Dialect: s.dialect, PacketID: s.next[from], Messages: messages}
	s.next[from] = (s.next[from] + 1) & knet.PacketIDMask
	if s.dialect == knet.Reference {
		base, any := uint32(0), false
		for _, m := range messages {
			if m.IsReliable() && (!any || m.Number < base) {
				base, any = m.Number, true
			}
			d.InOrder = d.InOrder || m.Bits&knet.MessageInOrder != 0
		}
		d.Reliable, d.Base = any, knet.Num(base)
		for i := range messages {
			messages[i].Delta = knet.Num(messages[i].Number - base)
		}
	}
	return d.Append(nil)
}

// send captures the next datagram of a side and gives its payload.
func (s *scene) send(from int, messages ...knet.Message) []byte {
	b := s.datagram(from, messages...)
	s.raw(from, b)
	return b
}

// lose makes the next datagram of a side, which is not captured.
func (s *scene) lose(from int, messages ...knet.Message) []byte { return s.datagram(from, messages...) }

// spec makes a reliable datagram of Spec.
func (s *scene) reliably(from int, messages ...knet.Message) []byte {
	d := knet.Datagram{Dialect: knet.Spec, PacketID: s.next[from], Reliable: true, Messages: messages}
	s.next[from]++
	return d.Append(nil)
}

func said(text string) knet.Message { return knet.Message{ID: knet.Num(100), Body: []byte(text)} }

// told makes the next reliable message of a side of Reference.
func (s *scene) told(from int, text string) knet.Message {
	m := said(text)
	m.Bits, m.Number = knet.MessageReliable, s.number[from]
	s.number[from]++
	return m
}

func (s *scene) acks(ids ...uint32) knet.Message {
	a := knet.Ack{PacketID: ids[0]}
	for _, id := range ids[1:] {
		a.Bits |= 1 << ((id - ids[0] - 1) & knet.PacketIDMask)
	}
	if s.dialect == knet.Spec {
		return knet.Acknowledge(knet.Spec, knet.IDsFromZero, a)
	}
	return knet.Acknowledge(knet.Reference, knet.IDsFromOne, a)
}

// meet plays the opening of the library: the connect datagram and the pings.
func (s *scene) meet() {
	s.raw(0, make([]byte, 8))
	s.send(1, knet.Ping(knet.PingRequest, knet.IDsFromOne, 1), knet.Ping(knet.PingRequest, knet.IDsFromOne, 2))
	s.send(0, knet.Ping(knet.PingReply, knet.IDsFromOne, 1), knet.Ping(knet.PingReply, knet.IDsFromOne, 2))
	s.send(0, knet.Ping(knet.PingRequest, knet.IDsFromOne, 1))
	s.send(1, knet.Ping(knet.PingReply, knet.IDsFromOne, 1))
}

// handshake plays the opening of the page.
func (s *scene) handshake() {
	s.send(0, knet.Control(knet.ConnectSyn, []byte("me")))
	s.send(1, knet.Control(knet.ConnectSynAck, nil))
	s.raw(0, s.reliably(0, knet.Control(knet.ConnectAck, nil)))
}

// end closes the capture and gives its connections.
func (s *scene) end() []*session.Conn {
	if !s.closed {
		s.closed = true
		s.tab.Close(s.now)
		session.Number(s.tab.Conns())
	}
	return s.tab.Conns()
}

// one is the only connection.
func (s *scene) one() *session.Conn {
	s.t.Helper()
	conns := s.end()
	if len(conns) != 1 {
		s.t.Fatalf("%d connections, want 1", len(conns))
	}
	return conns[0]
}

// texts are the messages of a side as delivered, incomplete ones in brackets.
func (s *scene) texts(dir int) (out []string) {
	s.end()
	for _, m := range s.messages {
		if m.Dir == dir {
			text := string(m.Payload)
			if !m.Complete {
				text = "[" + text + "]"
			}
			out = append(out, text)
		}
	}
	return out
}

// words are those of the latest frame.
func (s *scene) words() dissect.Words {
	if len(s.frames) == 0 {
		return 0
	}
	return s.frames[len(s.frames)-1].Words
}

// groups names the connection of each frame by its place.
func (s *scene) groups() string {
	conns := s.end()
	out := ""
	for _, c := range s.conns {
		out += string(rune('0' + slices.Index(conns, c)))
	}
	return out
}
