package track_test

import (
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/internal/testbed/sessiontest"
	"github.com/dpdissect/dpdissect/knet"
	"github.com/dpdissect/dpdissect/knet/rules"
	"github.com/dpdissect/dpdissect/knet/track"
	"github.com/dpdissect/dpdissect/session"
)

var hosts = sessiontest.Hosts("10.0.0.1:50000", "10.0.0.2:2345")

// A scene is a capture of host 0, the client, and host 1.
type scene struct {
	*sessiontest.Scene
	next    [2]uint32 // PacketIDs
	number  [2]uint32 // reliable numbers
	dialect knet.Dialect
	changed bool // the test reached into the connection
}

// newScene makes a scene of one dialect; with "" the address pair is recognised,
// or not, as in real life.
func newScene(t *testing.T, dialect string) *scene {
	p := rules.New()
	cfg := session.Config{Protocols: []*session.Protocol{p}, Links: true, Messages: session.CollectPayload, Incomplete: true, Summaries: true}
	s := &scene{next: [2]uint32{1, 1}, dialect: knet.Reference}
	if dialect != "" {
		cfg.Force = sessiontest.Force(p, dialect)
		s.dialect = knet.ParseDialect(dialect)
	}
	s.Scene = sessiontest.New(t, hosts, cfg)
	t.Cleanup(func() {
		if !s.changed {
			sameWithoutRules(t, s.Scene, cfg, dialect)
		}
	})
	return s
}

// sameWithoutRules holds that rules steer nothing: who follows a scene without them counts
// the same.
func sameWithoutRules(t testing.TB, s *sessiontest.Scene, with session.Config, dialect string) {
	p := track.New(nil)
	cfg := session.Config{Protocols: []*session.Protocol{p}, Messages: with.Messages, Incomplete: with.Incomplete}
	if dialect != "" {
		cfg.Force = sessiontest.Force(p, dialect)
	}
	if apart := s.Apart(cfg); apart != "" {
		t.Errorf("without rules: %s", apart)
	}
}

// datagram makes the next datagram of a side. With Reference, messages that are
// reliable have their Number set.
func (s *scene) datagram(from dissect.Dir, messages ...knet.Message) []byte {
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
func (s *scene) send(from dissect.Dir, messages ...knet.Message) []byte {
	b := s.datagram(from, messages...)
	s.Raw(from, b)
	return b
}

// lose makes the next datagram of a side, which is not captured.
func (s *scene) lose(from dissect.Dir, messages ...knet.Message) []byte {
	return s.datagram(from, messages...)
}

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
	s.Raw(0, make([]byte, 8))
	s.send(1, knet.Ping(knet.PingRequest, knet.IDsFromOne, 1), knet.Ping(knet.PingRequest, knet.IDsFromOne, 2))
	s.send(0, knet.Ping(knet.PingReply, knet.IDsFromOne, 1), knet.Ping(knet.PingReply, knet.IDsFromOne, 2))
	s.send(0, knet.Ping(knet.PingRequest, knet.IDsFromOne, 1))
	s.send(1, knet.Ping(knet.PingReply, knet.IDsFromOne, 1))
}

// handshake plays the opening of the page.
func (s *scene) handshake() {
	s.send(0, knet.Control(knet.ConnectSyn, []byte("me")))
	s.send(1, knet.Control(knet.ConnectSynAck, nil))
	s.Raw(0, s.reliably(0, knet.Control(knet.ConnectAck, nil)))
}
