package track

import (
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp4"
	"github.com/dpdissect/dpdissect/session"
)

// A scene is a capture played to the tracker, frame by frame, between two hosts.
type scene struct {
	t        testing.TB
	tab      *session.Table
	now      int64
	frame    uint64
	ipid     uint16
	frames   []dissect.Frame // what the tracker said of each
	conns    []*session.Conn // that the frames belong to
	messages []session.Message
	pairs    []*pair
	closed   bool
}

// newScene takes every address pair for DirectPlay 4 from the start when forced.
func newScene(t testing.TB, forced bool, mode session.MessageMode) *scene {
	s := &scene{t: t, now: 1e15}
	p := New()
	if forced {
		p.NewProbe = func() session.Probe { return certain{} }
	}
	follow := p.NewSession
	p.NewSession = func(f *session.Flow, learned session.Probe) session.Session {
		x := follow(f, learned)
		s.pairs = append(s.pairs, x.(*pair))
		return x
	}
	cfg := session.Config{Protocols: []*session.Protocol{p}, Links: true, Messages: mode, Incomplete: true, Sink: s}
	if forced {
		cfg.Force = []session.Force{{Lo: 0, Hi: 65535, Protocol: p}}
	}
	s.tab = session.NewTable(cfg)
	return s
}

// certain is a probe that needs no evidence.
type certain struct{}

func (certain) Reset() {}

func (certain) Observe(*dissect.Datagram, int) float64 { return session.LockBits }

func scenes(t testing.TB) *scene { return newScene(t, true, session.CollectPayload) }

func (s *scene) Frame(fr *dissect.Frame, c *session.Conn) {
	f := *fr
	f.Acks, f.Notes, f.Tree = slices.Clone(fr.Acks), nil, nil
	s.frames, s.conns = append(s.frames, f), append(s.conns, c)
}
func (s *scene) Acked(session.Position, uint64) {}
func (s *scene) Message(m *session.Message) {
	c := *m
	c.Payload = slices.Clone(m.Payload)
	s.messages = append(s.messages, c)
}
func (s *scene) Finding(*session.Finding) {}

var hosts = [2]dissect.Endpoint{
	dissect.MakeEndpoint(netip.MustParseAddrPort("10.4.0.1:2301")), dissect.MakeEndpoint(netip.MustParseAddrPort("10.4.0.2:2302")),
}

// raw captures a datagram 5 ms after the one before.
func (s *scene) raw(from int, payload []byte) { s.cut(from, payload, 0) }

// cut captures a datagram whose last n bytes the capture left out.
func (s *scene) cut(from int, payload []byte, n int) {
	s.ipid++
	s.add(from, payload, n, s.ipid)
}

func (s *scene) add(from int, payload []byte, n int, ipid uint16) {
	s.frame++
	s.now += 5e6
	s.tab.Add(&dissect.Datagram{Frame: s.frame, Time: s.now, HasTime: true, Src: hosts[from], Dst: hosts[1-from],
		Payload: payload[:len(payload)-n], Length: len(payload), IPID: ipid})
}

func (s *scene) icmp(to int) {
	s.frame++
	s.now += 5e6
	s.tab.Add(&dissect.Datagram{Frame: s.frame, Time: s.now, HasTime: true, Kind: dissect.Unreachable, Src: hosts[to], Dst: hosts[1-to]})
}

// wait lets time pass, in ms.
func (s *scene) wait(ms int64) { s.now += ms * 1e6 }

// send captures a frame of player 1 at host 0 or player 2 at host 1.
func (s *scene) send(from int, f dp4.Frame) {
	if f.From.Value == 0 && f.To.Value == 0 {
		f.From.Value, f.To.Value = uint32(1+from), uint32(2-from)
	}
	s.raw(from, f.Append(nil))
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

func (s *scene) last() *dissect.Frame { return &s.frames[len(s.frames)-1] }

// words are the analysis words of the last frame.
func (s *scene) words() string {
	var out []string
	for i, n := range dissect.WordNames {
		if s.last().Words>>i&1 != 0 {
			out = append(out, n)
		}
	}
	return strings.Join(out, " ")
}

// texts are the payloads delivered of a side, those of incomplete messages in
// brackets.
func (s *scene) texts(dir int) (out []string) {
	s.end()
	for _, m := range s.messages {
		if m.Dir != dir {
			continue
		}
		if m.Complete {
			out = append(out, string(m.Payload))
		} else {
			out = append(out, "["+string(m.Payload)+"]")
		}
	}
	return out
}

// data is a reliable message of one packet.
func data(msg, seq, serial uint8, text string) dp4.Frame {
	return dataAs(dp4.RLY|dp4.STA|dp4.EOM, msg, seq, serial, text)
}

func dataAs(flags dp4.Flags, msg, seq, serial uint8, text string) dp4.Frame {
	return dp4.Frame{Flags: flags | dp4.CMD, MessageID: msg, Sequence: seq, Serial: serial, Data: []byte(text)}
}

// ack acknowledges; bytes and ticks are of no meaning.
func ack(msg, seq, serial uint8) dp4.Frame {
	return dp4.Frame{Flags: dp4.ACK, MessageID: msg, Sequence: seq, Serial: serial}
}

func nack(msg, seq uint8, mask uint32, size uint8) dp4.Frame {
	return dp4.Frame{Flags: dp4.ACK | dp4.EXT, MessageID: msg, Sequence: seq, Mask: mask, MaskSize: size, ExtFlags: dp4.LSBFirst.ExtFlags(int(size))}
}
