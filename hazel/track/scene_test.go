package track

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/hazel"
	"github.com/dpdissect/dpdissect/session"
)

// A scene is a capture played to the tracker, frame by frame, between host 0,
// the client, and host 1, the server.
type scene struct {
	t        *testing.T
	tab      *session.Table
	now      int64
	frame    uint64
	ipid     uint16
	noIPID   bool
	frames   []dissect.Frame // what the tracker said of each
	conns    []*session.Conn // that the frames belong to
	messages []session.Message
	sent     []*dissect.Datagram
	pairs    []*pair
	closed   bool
	fails    []string // rule, severity and frame of findings that accuse an endpoint
}

// newScene takes every address pair for the protocol from the start, as dialect,
// which may be empty; with recognise it must be recognised.
func newScene(t *testing.T, dialect string, recognise bool) *scene {
	s := &scene{t: t, now: 1e15}
	p := New()
	follow := p.NewSession
	p.NewSession = func(f *session.Flow, learned session.Probe) session.Session {
		x := follow(f, learned)
		s.pairs = append(s.pairs, x.(*pair))
		return x
	}
	cfg := session.Config{Protocols: []*session.Protocol{p}, Links: true, Trees: true, Summaries: true, Messages: session.CollectPayload, Incomplete: true, Sink: s}
	if !recognise {
		cfg.Force = []session.Force{{Lo: 0, Hi: 65535, Protocol: p, Dialect: dialect}}
	}
	s.tab = session.NewTable(cfg)
	return s
}

func (s *scene) Frame(fr *dissect.Frame, c *session.Conn) {
	f := *fr
	f.Acks, f.Notes, f.Summary = slices.Clone(fr.Acks), slices.Clone(fr.Notes), slices.Clone(fr.Summary)
	s.frames, s.conns = append(s.frames, f), append(s.conns, c)
}
func (s *scene) Acked(session.Position, uint64) {}
func (s *scene) Finding(f *session.Finding) {
	if f.Failed() && f.Rule.Accuses() {
		s.fails = append(s.fails, fmt.Sprintf("%s %s %d", f.Rule.ID, f.Severity, f.Frame))
	}
}
func (s *scene) Message(m *session.Message) {
	c := *m
	c.Payload = slices.Clone(m.Payload)
	s.messages = append(s.messages, c)
}

var hosts = [2]dissect.Endpoint{
	dissect.MakeEndpoint(netip.MustParseAddrPort("10.0.0.1:50000")), dissect.MakeEndpoint(netip.MustParseAddrPort("10.0.0.2:22023")),
}

func (s *scene) datagram(from int, payload []byte) *dissect.Datagram {
	s.frame++
	s.ipid++
	s.now += 5e6
	d := &dissect.Datagram{Frame: s.frame, Time: s.now, HasTime: true, Src: hosts[from], Dst: hosts[1-from], Payload: payload, Length: len(payload), IPID: s.ipid}
	if s.noIPID {
		d.IPID = 0
	}
	s.sent = append(s.sent, d)
	return d
}

// raw captures a datagram 5 ms after the one before.
func (s *scene) raw(from int, payload ...byte) { s.tab.Add(s.datagram(from, payload)) }

func (s *scene) send(from int, f hazel.Frame) { s.raw(from, f.Append(nil)...) }

// copy captures the datagram once more, as the network makes copies.
func (s *scene) copy(from int, f hazel.Frame) {
	s.send(from, f)
	s.ipid--
	s.send(from, f)
}

// cut captures a datagram of which the capture kept the first bytes.
func (s *scene) cut(from int, f hazel.Frame, keep int) {
	d := s.datagram(from, f.Append(nil))
	d.Payload = d.Payload[:keep]
	s.tab.Add(d)
}

func (s *scene) icmp(to int) {
	d := s.datagram(to, nil)
	d.Kind = dissect.Unreachable
	s.tab.Add(d)
}

// pass lets time go by.
func (s *scene) pass(ms int64) { s.now += ms * 1e6 }

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

// words are the analysis words of a frame, from the end when n is negative.
func (s *scene) words(n int) string {
	s.end()
	if n < 0 {
		n += len(s.frames)
	}
	var out []string
	for i, name := range dissect.WordNames {
		if s.frames[n].Words>>i&1 != 0 {
			out = append(out, name)
		}
	}
	return strings.Join(out, " ")
}

// types are the types of all frames, those of which decoding failed with a !.
func (s *scene) types() string {
	s.end()
	var out []string
	for _, f := range s.frames {
		typ := f.Type
		if f.Err != nil {
			typ += "!"
		}
		out = append(out, typ)
	}
	return strings.Join(out, " ")
}

// texts are the payloads delivered of a side, those of incomplete messages in
// brackets.
func (s *scene) texts(dir int) string {
	s.end()
	var out []string
	for _, m := range s.messages {
		text := string(m.Payload)
		if !m.Complete {
			text = "[" + text + "]"
		}
		if m.Dir == dir {
			out = append(out, text)
		}
	}
	return strings.Join(out, " ")
}

// A release makes the datagrams of a dialect.
type release struct {
	d      hazel.Dialect
	first  uint16
	recent bool // acknowledgements have a history
	short  bool // Hello has no version
}

var (
	may14   = release{hazel.May14, 1, false, true}
	may30   = release{hazel.May30, 1, false, true}
	spec    = release{hazel.Spec, 1, false, true}
	v01     = release{hazel.V01, 1, false, false}
	ack3    = release{hazel.Ack3, 1, false, false}
	current = release{hazel.Current, 0, true, false}
	of2020  = release{hazel.Current, 1, true, false}
)

func (r release) hello(id uint16, text string) hazel.Frame {
	return hazel.Frame{Type: hazel.Hello, Dialect: r.d, ID: id, HasVersion: !r.short, Data: []byte(text)}
}

func (r release) acks(id uint16) hazel.Frame {
	return hazel.Frame{Type: hazel.Acknowledgement, Dialect: r.d, ID: id, HasRecent: r.recent, Recent: 0xff}
}

func (r release) reliable(id uint16, text string) hazel.Frame {
	return hazel.Frame{Type: hazel.Reliable, Dialect: r.d, ID: id, Data: []byte(text)}
}

func (r release) bye(data string) hazel.Frame {
	return hazel.Frame{Type: hazel.Disconnect, Dialect: r.d, Data: []byte(data)}
}

func ping(id uint16) hazel.Frame { return hazel.Frame{Type: hazel.Ping, ID: id} }

func none(text string) hazel.Frame { return hazel.Frame{Type: hazel.None, Data: []byte(text)} }

func history(id uint16, recent uint8) hazel.Frame {
	return hazel.Frame{Type: hazel.Acknowledgement, ID: id, HasRecent: true, Recent: recent}
}

// meet plays a Hello and its answer, of two releases.
func (s *scene) meet(client, server release) {
	s.send(0, client.hello(client.first, ""))
	s.send(1, server.acks(client.first))
}

func start(id, count, message uint16, text string) hazel.Frame {
	return hazel.Frame{Type: hazel.FragmentStart, Dialect: hazel.V01, ID: id, MessageID: message, Count: count, Data: []byte(text)}
}

func next(id, index, message uint16, text string) hazel.Frame {
	return hazel.Frame{Type: hazel.Fragment, Dialect: hazel.V01, ID: id, MessageID: message, Index: index, Data: []byte(text)}
}

func forked(id, message uint16, index, count uint16, text string) hazel.Frame {
	return hazel.Frame{Type: hazel.Fragment, Dialect: hazel.Fork36, ID: id, MessageID: message, Index: index, Count: count, HasOption: index == 0, Option: 1, Data: []byte(text)}
}
