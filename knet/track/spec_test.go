package track_test

import (
	"fmt"
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/knet"
	"github.com/dpdissect/dpdissect/session"
)

func TestKNet_SessionManagement(t *testing.T) {
	for _, c := range []struct {
		name   string
		play   func(s *scene)
		groups string
		states string
		by     session.Side // of the last connection
	}{
		{"handshake", func(s *scene) { s.handshake() }, "000", "[established]", session.NoSide},
		{"ConnectSyn alone", func(s *scene) { s.send(0, knet.Control(knet.ConnectSyn, nil)) }, "0", "[opening]", session.NoSide},
		{"not confirmed", func(s *scene) {
			s.send(0, knet.Control(knet.ConnectSyn, nil))
			s.send(1, knet.Control(knet.ConnectSynAck, nil))
		}, "00", "[opening]", session.NoSide},
		{"confirmed by any message", func(s *scene) {
			s.send(0, knet.Control(knet.ConnectSyn, nil))
			s.send(1, knet.Control(knet.ConnectSynAck, nil))
			s.send(0, knet.Ping(knet.PingRequest, knet.IDsFromZero, 1))
		}, "000", "[established]", session.NoSide},
		{"ConnectSyn again and again", func(s *scene) {
			for range 3 {
				s.Wait(2000)
				s.send(0, knet.Control(knet.ConnectSyn, nil))
			}
			s.send(1, knet.Control(knet.ConnectSynAck, nil))
		}, "0000", "[opening]", session.NoSide},
		{"never answered", func(s *scene) {
			for range 6 {
				s.Wait(2000)
				s.send(0, knet.Control(knet.ConnectSyn, nil))
			}
		}, "000000", "[timed-out]", session.NoSide},
		{"refused", func(s *scene) {
			s.send(0, knet.Control(knet.ConnectSyn, nil))
			s.send(1, knet.Control(knet.DisconnectAck, nil))
		}, "00", "[refused]", session.NoSide},
		{"refused by the client", func(s *scene) {
			s.send(0, knet.Control(knet.ConnectSyn, nil))
			s.send(1, knet.Control(knet.ConnectSynAck, nil))
			s.send(0, knet.Control(knet.DisconnectAck, nil))
		}, "000", "[refused]", session.NoSide},
		{"refused, then tried again", func(s *scene) {
			s.send(0, knet.Control(knet.ConnectSyn, nil))
			s.send(1, knet.Control(knet.DisconnectAck, nil))
			s.Wait(1000)
			s.handshake()
		}, "00111", "[refused established]", session.NoSide},
		{"closed with DisconnectAck", func(s *scene) {
			s.handshake()
			s.send(1, knet.Control(knet.Disconnect, nil))
			s.send(0, knet.Control(knet.DisconnectAck, nil))
		}, "00000", "[closed]", session.SideB},
		{"closed without waiting", func(s *scene) { s.handshake(); s.send(0, knet.Control(knet.Disconnect, nil)) }, "0000", "[closed]", session.SideA},
		{"closed by time", func(s *scene) { s.handshake(); s.send(0, knet.Control(knet.Disconnect, nil)); s.Wait(6000) }, "0000", "[closed]", session.SideA},
		{"crossing", func(s *scene) {
			s.handshake()
			s.send(0, knet.Control(knet.Disconnect, nil))
			s.send(1, knet.Control(knet.Disconnect, nil))
			s.send(0, knet.Control(knet.DisconnectAck, nil))
			s.send(1, knet.Control(knet.DisconnectAck, nil))
		}, "0000000", "[closed]", session.BothSides},
		{"closed and opened again", func(s *scene) {
			s.handshake()
			s.send(0, knet.Control(knet.Disconnect, nil))
			s.send(1, knet.Control(knet.DisconnectAck, nil))
			s.Wait(1000)
			s.next = [2]uint32{0, 0}
			s.handshake()
		}, "00000111", "[closed established]", session.NoSide},
		{"a peer that falls silent", func(s *scene) {
			s.handshake()
			for i := range 3 {
				s.Wait(5000)
				s.send(0, knet.Ping(knet.PingRequest, knet.IDsFromZero, uint8(i)))
			}
			s.Wait(10_000)
		}, "000000", "[timed-out]", session.NoSide},
		{"given up with a Disconnect", func(s *scene) {
			s.handshake()
			s.Wait(15_000)
			s.send(0, knet.Control(knet.Disconnect, nil))
		}, "0000", "[timed-out]", session.SideA},
		{"from the middle", func(s *scene) { s.send(0, said("x")); s.send(1, said("y")) }, "00", "[unknown]", session.NoSide},
	} {
		s := newScene(t, "spec")
		c.play(s)
		if got := s.Groups(); got != c.groups {
			t.Errorf("%s: frames %s, want %s", c.name, got, c.groups)
		}
		var states []string
		var last *session.Conn
		for _, x := range s.End() {
			states = append(states, x.State.String())
			last = x
		}
		if got := fmt.Sprint(states); got != c.states || last.ClosedBy != c.by {
			t.Errorf("%s: %s by %v, want %s by %v", c.name, got, last.ClosedBy, c.states, c.by)
		}
		if known := c.states != "[unknown]"; last.Complete != known || (last.Roles == [2]string{"client", "server"}) != known {
			t.Errorf("%s: complete %v, roles %v", c.name, last.Complete, last.Roles)
		}
	}
}

// The datagram sent again under its PacketID is a retry; a copy of it is not.
func TestKNet_ReliableDatagrams_SamePacketID(t *testing.T) {
	s := newScene(t, "spec")
	s.handshake()
	b := s.reliably(0, said("one"))
	s.Raw(0, b)
	s.Again()
	if !s.Last().Words.Has(dissect.Duplicate) {
		t.Errorf("copy: %v", s.Words())
	}
	s.Wait(2000)
	s.Raw(0, b)
	if !s.Last().Words.Has(dissect.Retry) || s.Last().Words.Has(dissect.UnneededRetry) || s.Frames[5].RetryOf != 4 {
		t.Errorf("retry: %v of %d", s.Words(), s.Frames[5].RetryOf)
	}
	s.send(1, s.acks(2, 3))
	s.Wait(2000)
	s.Raw(0, b)
	c := s.One()
	wantCounts(t, "client", &c.Dir[0], "frames 6 data 4 acks 0 retries 2+1 dup 1 ooo 0 gaps 0 missing 0 messages 1/3/0 pings 0 rtt 1")
	if got := fmt.Sprint(s.Texts(0)); got != "[one]" {
		t.Error(got)
	}
}

// Messages sent again in a datagram with a new PacketID are known by their
// content, while the first was not acknowledged (AMB-KN-10).
func TestKNet_ReliableDatagrams_NewPacketID(t *testing.T) {
	s := newScene(t, "spec")
	s.handshake()                              // PacketIDs 1, 2
	s.Raw(0, s.reliably(0, said("message 1"))) // 3, frame 4
	s.Raw(0, s.reliably(0, said("message 2"))) // 4
	s.send(1, s.acks(2, 4))                    // 3 was lost after the capture
	s.Raw(0, s.reliably(0, said("message 2"))) // 5: acknowledged, so this is another one
	s.Wait(2000)
	s.Raw(0, s.reliably(0, said("message 1"))) // 6, frame 8: the same again
	s.Raw(0, s.reliably(0, said("message 3"))) // 7, frame 9
	s.send(1, s.acks(5, 6, 7))                 // lost after the capture
	s.Wait(1990)
	s.Raw(0, s.reliably(0, said("message 3"))) // 8, frame 11: one time-out later
	s.Raw(0, s.reliably(0, said("message 2"))) // 9: said more than once before
	c := s.One()
	wantCounts(t, "client", &c.Dir[0], "frames 9 data 7 acks 0 retries 2+1 dup 0 ooo 0 gaps 0 missing 0 messages 5/45/0 pings 0 rtt 5")
	if s.Frames[7].RetryOf != 4 || s.Frames[10].RetryOf != 9 {
		t.Errorf("retries of %d, %d", s.Frames[7].RetryOf, s.Frames[10].RetryOf)
	}
	if got := fmt.Sprint(s.Texts(0)); got != "[message 1 message 2 message 2 message 3 message 2]" {
		t.Error(got)
	}
}

// Applications say the same again and again: without proof that a side resends
// under new PacketIDs, each is a message of its own.
func TestKNet_ReliableDatagrams_SaidAgain(t *testing.T) {
	for _, c := range []struct {
		name string
		play func(s *scene)
		want int
	}{
		{"acknowledged", func(s *scene) {
			s.Raw(0, s.reliably(0, said("same again")))
			s.send(1, s.acks(2, 3))
			s.Wait(2000)
			s.Raw(0, s.reliably(0, said("same again")))
		}, 2},
		{"short", func(s *scene) {
			s.Raw(0, s.reliably(0, said("")))
			s.send(1, s.acks(2))
			s.Wait(2000)
			s.Raw(0, s.reliably(0, said("")))
		}, 2},
		{"soon", func(s *scene) {
			s.Raw(0, s.reliably(0, said("same again")))
			s.send(1, s.acks(2))
			s.Wait(1000)
			s.Raw(0, s.reliably(0, said("same again")))
		}, 2},
		{"a side that repeats PacketIDs", func(s *scene) {
			b := s.reliably(0, said("first"))
			s.Raw(0, b)
			s.send(1, s.acks(2))
			s.Wait(2000)
			s.Raw(0, b)
			s.Raw(0, s.reliably(0, said("same again")))
			s.Wait(2000)
			s.Raw(0, s.reliably(0, said("same again")))
		}, 3},
		{"said often", func(s *scene) {
			s.send(1, s.acks(2))
			for range 5 {
				s.Wait(500)
				s.Raw(0, s.reliably(0, said("same again")))
			}
			s.Wait(2000)
			s.Raw(0, s.reliably(0, said("same again")))
		}, 6},
	} {
		s := newScene(t, "spec")
		s.handshake()
		c.play(s)
		if got := s.One().Dir[0].Messages; got != uint64(c.want) {
			t.Errorf("%s: %d messages, want %d", c.name, got, c.want)
		}
	}
}

// Which datagrams share a place in the memory must not decide what is seen.
func TestKNet_ReliableDatagrams_ManyNewPacketIDs(t *testing.T) {
	s := newScene(t, "spec")
	s.handshake()
	s.send(1, s.acks(2))
	for range 2 {
		for i := range 150 {
			s.Raw(0, s.reliably(0, said(fmt.Sprint("message ", i))))
		}
		s.Wait(2000)
	}
	if c := s.One(); c.Dir[0].Retries != 150 || c.Dir[0].Messages != 150 {
		t.Error(counts(&c.Dir[0]))
	}
}

// ordered makes an in-order datagram with one message that depends on others.
func (s *scene) ordered(from int, text string, on ...knet.Dependency) []byte {
	d := knet.Datagram{Dialect: knet.Spec, PacketID: s.next[from], Reliable: true}
	s.next[from]++
	d.Depend(on...)
	m := said(text)
	if len(on) > 0 {
		m.SetCode(7)
		for i := range on {
			m.Indexes = append(m.Indexes, byte(i))
		}
	}
	d.Messages = []knet.Message{m}
	return d.Append(nil)
}

func TestKNet_InOrder(t *testing.T) {
	on := func(delta, index uint16) knet.Dependency { return knet.Dependency{Delta: delta, Index: index} }
	for _, c := range []struct {
		name string
		play func(s *scene)
		want string
	}{
		{"in order", func(s *scene) { s.Raw(0, s.ordered(0, "one")); s.Raw(0, s.ordered(0, "two", on(0, 0))) }, "[one two]"},
		{"overtaken", func(s *scene) {
			a, b, x := s.ordered(0, "one"), s.ordered(0, "two", on(0, 0)), s.ordered(0, "three", on(0, 0))
			s.Raw(0, x)
			s.Raw(0, b)
			s.Raw(0, a)
		}, "[one two three]"},
		{"what depends on nothing does not wait", func(s *scene) {
			a, b := s.ordered(0, "one"), s.ordered(0, "two", on(0, 0))
			s.Raw(0, b)
			s.send(0, said("free"))
			s.Raw(0, a)
		}, "[free one two]"},
		{"several", func(s *scene) {
			a, b, x := s.ordered(0, "one"), s.ordered(0, "two"), s.ordered(0, "three", on(0, 0), on(1, 0))
			s.Raw(0, x)
			s.Raw(0, a)
			s.send(0, said("free"))
			s.Raw(0, b)
		}, "[one free two three]"},
		{"never captured", func(s *scene) {
			s.ordered(0, "one")
			s.Raw(0, s.ordered(0, "two", on(0, 0)))
			s.send(0, said("free"))
		}, "[free two]"},
		{"acknowledged and never captured", func(s *scene) {
			s.ordered(0, "one")
			s.Raw(0, s.ordered(0, "two", on(0, 0)))
			s.send(1, s.acks(3))
			s.send(0, said("free"))
		}, "[two free]"},
		{"on a message in fragments", func(s *scene) {
			start, rest := said("1"), said("2")
			start.Bits, start.TransferID, start.FragmentCount = knet.FragmentStart|knet.Fragment, 1, knet.Num(2)
			rest.Bits, rest.TransferID, rest.FragmentNumber = knet.Fragment, 1, knet.Num(1)
			a := s.reliably(0, start)
			x := s.ordered(0, "after", on(0, 0))
			b := s.reliably(0, rest)
			s.Raw(0, a)
			s.Raw(0, x)
			s.Raw(0, b)
		}, "[12 after]"},
	} {
		s := newScene(t, "spec")
		s.handshake()
		c.play(s)
		if got := fmt.Sprint(s.Texts(0)); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
		for i, m := range s.Messages {
			if m.Index != uint64(i) {
				t.Errorf("%s: message %d has index %d", c.name, i, m.Index)
			}
		}
	}
}

func TestKNet_FragmentedTransfers(t *testing.T) {
	part := func(k, count int, id uint8, text string) knet.Message {
		m := said(text)
		m.Bits, m.TransferID, m.FragmentNumber = knet.Fragment, id, knet.Num(uint32(k))
		if k == 0 {
			m.Bits |= knet.FragmentStart
			m.FragmentCount = knet.Num(uint32(count))
		}
		return m
	}
	for _, c := range []struct {
		name string
		play func(s *scene)
		want string
	}{
		{"in order", func(s *scene) {
			for k, text := range []string{"a", "b", "c"} {
				s.Raw(0, s.reliably(0, part(k, 3, 0, text)))
			}
		}, "[abc]"},
		{"before their start", func(s *scene) {
			a, b, x := s.reliably(0, part(0, 3, 9, "a")), s.reliably(0, part(1, 3, 9, "b")), s.reliably(0, part(2, 3, 9, "c"))
			s.Raw(0, x)
			s.Raw(0, b)
			s.Raw(0, a)
		}, "[abc]"},
		{"sent again", func(s *scene) {
			a, b := s.reliably(0, part(0, 2, 9, "a")), s.reliably(0, part(1, 2, 9, "b"))
			s.Raw(0, a)
			s.Wait(2000)
			s.Raw(0, a)
			s.Raw(0, b)
		}, "[ab]"},
		{"an id used again", func(s *scene) {
			for range 2 {
				s.Raw(0, s.reliably(0, part(0, 2, 9, "a"), part(1, 2, 9, "b")))
			}
		}, "[ab ab]"},
		{"a start that was lost", func(s *scene) {
			s.reliably(0, part(0, 2, 9, "a"))
			s.Raw(0, s.reliably(0, part(1, 2, 9, "b")))
		}, "[[b]]"},
	} {
		s := newScene(t, "spec")
		s.handshake()
		c.play(s)
		if got := fmt.Sprint(s.Texts(0)); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
	// A stray fragment of a transfer whose start the capture missed, then a transfer
	// with the same id, and another one.
	s := newScene(t, "spec")
	s.handshake()
	s.reliably(0, part(0, 2, 9, "x"))
	s.Raw(0, s.reliably(0, part(1, 2, 9, "stray")))
	s.send(1, s.acks(2, 4))
	s.Raw(0, s.reliably(0, part(0, 2, 9, "a"), part(1, 2, 9, "b")))
	s.Raw(0, s.reliably(0, part(0, 2, 9, "c")))
	s.Raw(0, s.reliably(0, part(1, 2, 9, "d")))
	if got := fmt.Sprint(s.Texts(0)); got != "[[stray] ab cd]" && got != "[ab [stray] cd]" {
		t.Errorf("strays: %s", got)
	}
	// Fragments acknowledged before their start was sent, in a capture with a loss.
	s = newScene(t, "spec")
	s.handshake()
	s.reliably(0, said("lost"))
	s.Raw(0, s.reliably(0, part(1, 3, 9, "b")))
	s.send(1, s.acks(2, 4))
	s.Raw(0, s.reliably(0, part(0, 3, 9, "a"), part(2, 3, 9, "c")))
	if got := fmt.Sprint(s.Texts(0)); got != "[abc]" {
		t.Errorf("late start: %s", got)
	}
	// In a capture from the middle, what is left of a transfer is not mixed with the next.
	s = newScene(t, "spec")
	for k := 2; k < 4; k++ {
		s.Raw(0, s.reliably(0, part(k, 4, 9, "old")))
	}
	for k, text := range []string{"a", "b", "c", "d"} {
		s.Raw(0, s.reliably(0, part(k, 4, 9, text)))
	}
	if got := fmt.Sprint(s.Texts(0)); got != "[[oldold] abcd]" {
		t.Error(got)
	}
}

// The dialect of a connection that does not say it is learned from its bytes.
func TestKNet_DialectIsLearned(t *testing.T) {
	s := newScene(t, "")
	s.dialect = knet.Spec
	s.handshake()
	for i := range 6 {
		s.Raw(0, s.reliably(0, said("x")))
		s.send(1, s.acks(uint32(i)+2))
	}
	c := s.One()
	if c.Dialect != "spec" || c.Dir[0].Messages != 6 || c.DetectedBy != session.ByHandshake || c.Dir[1].Acks != 6 {
		t.Errorf("%q, %s, %v", c.Dialect, counts(&c.Dir[0]), c.DetectedBy)
	}
}

// A session with the later ids.
func TestKNet_IDsFromOne(t *testing.T) {
	s := newScene(t, "")
	s.dialect = knet.Spec
	s.handshake()
	for i := range 6 {
		s.send(0, knet.Ping(knet.PingRequest, knet.IDsFromOne, uint8(i)))
		s.send(1, knet.Ping(knet.PingReply, knet.IDsFromOne, uint8(i)))
		s.Raw(0, s.reliably(0, said("x")))
		s.send(1, knet.Acknowledge(knet.Spec, knet.IDsFromOne, knet.Ack{PacketID: uint32(2*i) + 4}))
	}
	c := s.One()
	if c.Dialect != "spec" || c.Dir[0].KeepAlives != 6 || c.Dir[1].KeepAlives != 0 || c.Dir[1].Acks != 6 || c.Dir[0].RTT().Samples != 6 || c.Dir[0].Trips().PingRTT().Samples != 6 {
		t.Errorf("%q, %s; %s", c.Dialect, counts(&c.Dir[0]), counts(&c.Dir[1]))
	}
}

// The next connection of an address pair may have other ids than the one before:
// a PacketAck tells at once.
func TestKNet_IDsOfTheNextConnection(t *testing.T) {
	s := newScene(t, "spec")
	say := func(ids knet.IDMap) {
		for i := range 3 {
			s.send(1, knet.Ping(knet.PingRequest, ids, uint8(i)))
			s.Raw(0, s.reliably(0, said("x"), knet.Ping(knet.PingReply, ids, uint8(i))))
			s.send(1, knet.Acknowledge(knet.Spec, ids, knet.Ack{PacketID: s.next[0] - 1}))
		}
		s.send(0, knet.Control(knet.Disconnect, nil))
		s.send(1, knet.Control(knet.DisconnectAck, nil))
		s.Wait(5000)
	}
	for _, ids := range []knet.IDMap{knet.IDsFromOne, knet.IDsFromZero, knet.IDsFromOne, knet.IDsFromOne} {
		s.next = [2]uint32{1, 1}
		s.handshake()
		say(ids)
	}
	for i, c := range s.End() {
		if c.Dir[1].Acks != 3 || c.Dir[0].Messages != 3 || c.Dir[1].Messages != 0 || c.Dir[1].KeepAlives != 3 || c.Dir[0].KeepAlives != 0 {
			t.Errorf("connection %d: %s; %s", i, counts(&c.Dir[0]), counts(&c.Dir[1]))
		}
	}
}
