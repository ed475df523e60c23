package knet

import (
	"net/netip"
	"slices"
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
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
	dialect  Dialect
}

// newScene makes a scene of one dialect; with "" the address pair is recognised,
// or not, as in real life.
func newScene(t *testing.T, dialect string) *scene {
	s := &scene{t: t, now: 1e15, next: [2]uint32{1, 1}, dialect: ParseDialect(dialect), acked: map[uint64]uint64{}}
	p := New()
	cfg := session.Config{Protocols: []*session.Protocol{p}, Links: true, Messages: session.CollectPayload, Incomplete: true, Summaries: true, Sink: s}
	if dialect != "" {
		cfg.Force = []session.Force{{Lo: 0, Hi: 65535, Protocol: p, Dialect: dialect}}
	} else {
		s.dialect = Reference
	}
	s.tab = session.NewTable(cfg)
	return s
}

func (s *scene) Frame(fr *dissect.Frame, c *session.Conn) {
	f := *fr
	f.Acks, f.Summary = slices.Clone(fr.Acks), slices.Clone(fr.Summary)
	s.frames, s.conns = append(s.frames, f), append(s.conns, c)
}

func (s *scene) Acked(frame, by uint64) { s.acked[frame] = by }

func (s *scene) Message(m *session.Message) {
	c := *m
	c.Payload = slices.Clone(m.Payload)
	s.messages = append(s.messages, c)
}

func (s *scene) Finding(*session.Finding) {}

var hosts = [2]dissect.Endpoint{
	dissect.MakeEndpoint(netip.MustParseAddrPort("10.0.0.1:50000")), dissect.MakeEndpoint(netip.MustParseAddrPort("10.0.0.2:2345")),
}
