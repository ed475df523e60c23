package track_test

import (
	"fmt"
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dissect/dissecttest"
	"github.com/dpdissect/dpdissect/knet"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/seq"
)

func counts(d *seq.Direction) string {
	return fmt.Sprintf("frames %d data %d acks %d retries %d+%d dup %d ooo %d gaps %d missing %d messages %d/%d/%d pings %d rtt %d", d.Frames, d.DataFrames, d.Acks,
		d.Retries, d.UnneededRetries, d.Duplicates, d.OutOfOrder, d.Gaps, d.Missing(), d.Messages, d.MessageBytes, d.IncompleteMessages, d.KeepAlives, d.RTT().Samples)
}

func wantCounts(t *testing.T, name string, d *seq.Direction, want string) {
	t.Helper()
	if got := counts(d); got != want {
		t.Errorf("%s:\ngot  %s\nwant %s", name, got, want)
	}
}

func TestReference_Opening(t *testing.T) {
	s := newScene(t, "reference")
	s.meet()
	c := s.One()
	if c.State != session.Established || !c.Complete || c.Roles != [2]string{"client", "server"} || c.DetectedBy != session.ByDecodeAs && c.DetectedBy != session.ByHandshake {
		t.Errorf("%v, complete %v, %v, %v", c.State, c.Complete, c.Roles, c.DetectedBy)
	}
	if s.Frames[0].Type != "CONNECT" || s.Frames[1].Type != "DATAGRAM" || c.Dialect != "reference" {
		t.Errorf("%s, %s, %s", s.Frames[0].Type, s.Frames[1].Type, c.Dialect)
	}
	wantCounts(t, "client", &c.Dir[0], "frames 3 data 0 acks 0 retries 0+0 dup 0 ooo 0 gaps 0 missing 0 messages 0/0/0 pings 1 rtt 0")
	wantCounts(t, "server", &c.Dir[1], "frames 2 data 0 acks 0 retries 0+0 dup 0 ooo 0 gaps 0 missing 0 messages 0/0/0 pings 2 rtt 0")
	if s.AckedBy[2] != 0 || s.AckedBy[4] != 0 || s.Frames[2].Acks != nil || s.Frames[2].Words.Has(dissect.Ack) {
		t.Errorf("PingReplies acknowledge: %v, %v", s.AckedBy, s.Frames[2].Acks)
	}
	if _, malformed, _ := s.Table.Totals(); malformed != 0 {
		t.Errorf("%d malformed", malformed)
	}
}

// The connect datagram may hold anything, also what looks like a datagram.
func TestReference_ConnectBlob(t *testing.T) {
	for _, blob := range []string{"hello, server!", "\x05\x00\x00\x01\x00\x07", "\x00\x00\x00", "GET / HTTP/1.1\r\n\r\n"} {
		s := newScene(t, "")
		s.Raw(0, []byte(blob))
		s.send(1, knet.Ping(knet.PingRequest, knet.IDsFromOne, 1), knet.Ping(knet.PingRequest, knet.IDsFromOne, 2))
		s.send(0, knet.Ping(knet.PingReply, knet.IDsFromOne, 1), knet.Ping(knet.PingReply, knet.IDsFromOne, 2))
		for i := range 6 {
			s.send(0, s.told(0, "abc"))
			s.send(1, s.acks(uint32(i)+2))
		}
		c := s.One()
		if s.Frames[0].Type != "CONNECT" || !c.Complete || c.Dir[0].Frames != 8 || c.Dir[0].Messages != 6 || c.DetectedBy != session.ByHandshake {
			t.Errorf("%q: %s, complete %v, %s, %v", blob, s.Frames[0].Type, c.Complete, counts(&c.Dir[0]), c.DetectedBy)
		}
	}
}

// A reliable message keeps its number when it is sent again under a new PacketID.
func TestReference_Resend(t *testing.T) {
	s := newScene(t, "reference")
	s.meet()
	first := s.told(0, "one")
	s.send(0, first, said("with it")) // 6
	s.Wait(5000)
	s.send(0, first, s.told(0, "two")) // 7: the ack of 6 was lost
	if s.Frames[6].RetryOf != 6 || !s.Last().Words.Has(dissect.Retry) || s.Last().Words.Has(dissect.UnneededRetry) {
		t.Errorf("retry of %d, %v", s.Frames[6].RetryOf, s.Words())
	}
	s.send(1, s.acks(4))
	s.Wait(5000)
	s.send(0, first)
	if !s.Last().Words.Has(dissect.UnneededRetry) {
		t.Errorf("%v", s.Words())
	}
	lost := s.told(0, "lost before")
	s.lose(0, lost)
	s.Wait(5000)
	s.send(0, lost)
	c := s.One()
	wantCounts(t, "client", &c.Dir[0], "frames 7 data 4 acks 0 retries 2+1 dup 0 ooo 0 gaps 1 missing 1 messages 4/24/0 pings 1 rtt 1")
	if got := fmt.Sprint(s.Texts(0)); got != "[one with it two lost before]" {
		t.Error(got)
	}
}

// What the capture holds twice is a copy, whatever its identification says: the
// library never sends a PacketID again.
func TestReference_Copies(t *testing.T) {
	s := newScene(t, "reference")
	s.meet()
	b := s.send(0, s.told(0, "one"), said("two"))
	s.Again()
	s.Wait(1000)
	s.Raw(0, b) // with another identification, later
	if s.Frames[7].RetryOf != 6 || !s.Last().Words.Has(dissect.Duplicate) {
		t.Errorf("copy of %d, %v", s.Frames[7].RetryOf, s.Words())
	}
	s.send(1, knet.Ping(knet.PingRequest, knet.IDsFromOne, 2))
	s.Again()
	c := s.One()
	wantCounts(t, "client", &c.Dir[0], "frames 6 data 3 acks 0 retries 0+0 dup 2 ooo 0 gaps 0 missing 0 messages 2/6/0 pings 1 rtt 0")
	wantCounts(t, "server", &c.Dir[1], "frames 4 data 0 acks 0 retries 0+0 dup 1 ooo 0 gaps 0 missing 0 messages 0/0/0 pings 4 rtt 0")
}

func TestReference_Acks(t *testing.T) {
	s := newScene(t, "reference")
	s.meet()
	for range 4 { // PacketIDs 3–6, frames 6–9
		s.send(0, s.told(0, "x"))
	}
	s.send(1, s.acks(3, 5)) // 10
	s.send(1, s.acks(3, 5)) // 11: says nothing new
	if !s.Last().Words.Has(dissect.DuplicateAck) {
		t.Errorf("%v", s.Words())
	}
	s.lose(0, s.told(0, "y")) // 7
	s.send(0, s.told(0, "z")) // 8, frame 12
	s.send(1, s.acks(7, 8), said("with data"))
	if !s.Last().Words.Has(dissect.Ack | dissect.AckOfUncaptured) {
		t.Errorf("%v", s.Words())
	}
	s.send(1, s.acks(4))
	c := s.One()
	wantCounts(t, "client", &c.Dir[0], "frames 8 data 5 acks 0 retries 0+0 dup 0 ooo 0 gaps 1 missing 1 messages 5/5/0 pings 1 rtt 4")
	if got := c.Dir[0].Lost(); got.NotCaptured != 1 {
		t.Errorf("lost %+v", got)
	}
	if c.Dir[1].Acks != 3 || s.AckedBy[6] != 10 || s.AckedBy[7] != 14 || s.AckedBy[9] != 0 {
		t.Errorf("%d acks, links %v", c.Dir[1].Acks, s.AckedBy)
	}
}

func TestReference_Wraps(t *testing.T) {
	s := newScene(t, "reference")
	s.next = [2]uint32{knet.PacketIDMask - 2, knet.PacketIDMask - 1}
	s.number = [2]uint32{knet.Max31 - 1, 0}
	for range 6 {
		s.send(0, s.told(0, "x"))
		s.number[0] &= knet.Max31
	}
	s.send(1, s.acks(knet.PacketIDMask-2, knet.PacketIDMask-1, knet.PacketIDMask, 0, 1, 2))
	c := s.One()
	wantCounts(t, "client", &c.Dir[0], "frames 6 data 6 acks 0 retries 0+0 dup 0 ooo 0 gaps 0 missing 0 messages 6/6/0 pings 0 rtt 6")
	if c.State != session.StateUnknown || c.Complete {
		t.Errorf("%v, complete %v: it was captured from the middle", c.State, c.Complete)
	}
	for i, m := range s.Messages {
		if m.Number != knet.Max31-1+seq.Num(i) {
			t.Errorf("message %d has number %d", i, m.Number)
		}
	}
}

func (s *scene) fragment(from, k, count int, id uint8, text string) knet.Message {
	m := s.told(from, text)
	m.Bits |= knet.Fragment
	m.TransferID, m.FragmentNumber = id, knet.Num(uint32(k))
	if k == 0 {
		m.Bits |= knet.FragmentStart
		m.FragmentCount, m.FragmentNumber = knet.Num(uint32(count)), knet.VLE{}
	} else {
		m.ID = knet.VLE{}
	}
	return m
}

func TestReference_Fragments(t *testing.T) {
	parts := func(s *scene, n int, id uint8) (list []knet.Message) {
		for k := range n {
			list = append(list, s.fragment(0, k, n, id, fmt.Sprint(id, "/", k, ";")))
		}
		return list
	}
	for _, c := range []struct {
		name string
		play func(s *scene)
		want string
	}{
		{"in order", func(s *scene) { s.send(0, parts(s, 3, 1)...) }, "[1/0;1/1;1/2;]"},
		{"before their start", func(s *scene) {
			p := parts(s, 3, 1)
			s.send(0, p[2])
			s.send(0, p[1])
			s.send(0, p[0])
		}, "[1/0;1/1;1/2;]"},
		{"resent under a new PacketID", func(s *scene) {
			p := parts(s, 3, 1)
			s.send(0, p[0], p[2])
			s.send(0, p[2])
			s.send(0, p[1])
		}, "[1/0;1/1;1/2;]"},
		{"an id used again at once", func(s *scene) {
			p, q := parts(s, 2, 1), parts(s, 2, 1)
			s.send(0, p[0])
			s.send(0, q[0])
			s.send(0, p[1]) // late
			s.send(0, q[1])
		}, "[1/0;1/1; 1/0;1/1;]"},
		{"a new start supersedes", func(s *scene) {
			p, q, r := parts(s, 2, 1), parts(s, 2, 1), parts(s, 2, 1)
			s.send(0, p[0])
			s.send(0, q...)
			s.send(0, r...)
		}, "[1/0;1/1; [1/0;] 1/0;1/1;]"},
		{"two at a time", func(s *scene) {
			p, q := parts(s, 2, 1), parts(s, 3, 2)
			s.send(0, p[0], q[0])
			s.send(0, q[2], q[1])
			s.send(0, p[1])
		}, "[2/0;2/1;2/2; 1/0;1/1;]"},
		{"never whole", func(s *scene) {
			p := parts(s, 4, 1)
			s.send(0, p[1])
			s.send(0, p[3])
		}, "[[1/1;1/3;]]"},
	} {
		s := newScene(t, "reference")
		s.meet()
		c.play(s)
		if got := fmt.Sprint(s.Texts(0)); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
		for _, m := range s.Messages {
			if m.Complete && (m.Number%5 != 0 && m.Number > 5 || m.Frames < 2 || !m.Reliable) {
				t.Errorf("%s: %+v", c.name, m)
			}
		}
	}
}

// Several connections of one address pair: the group of each frame, and how each
// connection ended.
func TestReference_Connections(t *testing.T) {
	hello := func(s *scene) {
		s.next = [2]uint32{1, 1}
		s.number = [2]uint32{}
		s.send(1, knet.Ping(knet.PingRequest, knet.IDsFromOne, 1), knet.Ping(knet.PingRequest, knet.IDsFromOne, 2))
		s.send(0, knet.Ping(knet.PingReply, knet.IDsFromOne, 1), knet.Ping(knet.PingReply, knet.IDsFromOne, 2))
	}
	bye := func(s *scene) {
		s.send(0, knet.Control(knet.Disconnect, nil))
		s.send(1, knet.Control(knet.DisconnectAck, nil))
	}
	for _, c := range []struct {
		name   string
		play   func(s *scene)
		groups string
		states string
	}{
		{"closed and connected again", func(s *scene) {
			s.meet()
			bye(s)
			s.Wait(1000)
			s.Raw(0, make([]byte, 8))
			hello(s)
		}, "0000000111", "[closed established]"},
		{"connected again with content of the application", func(s *scene) {
			s.meet()
			bye(s)
			s.Wait(1000)
			s.Raw(0, []byte("hello again"))
			hello(s)
		}, "0000000111", "[closed established]"},
		{"a late datagram makes the server begin anew", func(s *scene) {
			s.meet()
			late := s.lose(0, knet.Ping(knet.PingRequest, knet.IDsFromOne, 2))
			bye(s)
			s.Raw(0, late)
			s.Wait(1000)
			s.next[1] = 1
			s.send(1, knet.Ping(knet.PingRequest, knet.IDsFromOne, 1), knet.Ping(knet.PingRequest, knet.IDsFromOne, 2))
		}, "000000001", "[closed opening]"},
		{"a copy of the connect datagram", func(s *scene) {
			s.Raw(0, make([]byte, 8))
			s.Again()
			hello(s)
		}, "0000", "[established]"},
		{"a copy of the server's first datagram", func(s *scene) {
			s.Raw(0, make([]byte, 8))
			b := s.send(1, knet.Ping(knet.PingRequest, knet.IDsFromOne, 1), knet.Ping(knet.PingRequest, knet.IDsFromOne, 2))
			s.send(0, knet.Ping(knet.PingReply, knet.IDsFromOne, 1), knet.Ping(knet.PingReply, knet.IDsFromOne, 2))
			s.Raw(1, b)
		}, "0000", "[established]"},
		{"a client that was killed and came back", func(s *scene) {
			s.meet()
			for range 20 {
				s.send(0, s.told(0, "x"))
			}
			s.Wait(8000)
			s.Raw(0, make([]byte, 8))
			hello(s)
			s.send(0, s.told(0, "x"))
		}, "00000000000000000000000001111", "[established established]"},
		{"garbage on a live connection", func(s *scene) {
			s.meet()
			s.Raw(0, []byte("garbage, and more of it"))
			s.Raw(1, make([]byte, 8))
			s.send(0, s.told(0, "x"))
		}, "00000000", "[established]"},
	} {
		s := newScene(t, "reference")
		c.play(s)
		if got := s.Groups(); got != c.groups {
			t.Errorf("%s: frames %s, want %s", c.name, got, c.groups)
		}
		var states []string
		for _, x := range s.End() {
			states = append(states, x.State.String())
			if !x.Complete {
				t.Errorf("%s: not complete", c.name)
			}
		}
		if got := fmt.Sprint(states); got != c.states {
			t.Errorf("%s: %s, want %s", c.name, got, c.states)
		}
	}
}

func TestReference_Ends(t *testing.T) {
	for _, c := range []struct {
		name  string
		play  func(s *scene)
		state session.State
		by    session.Side
	}{
		{"Disconnect and DisconnectAck", func(s *scene) {
			s.send(0, knet.Control(knet.Disconnect, nil))
			s.send(1, knet.Control(knet.DisconnectAck, nil))
		}, session.Closed, session.SideA},
		{"of the server", func(s *scene) {
			s.send(1, knet.Control(knet.Disconnect, nil))
			s.send(0, knet.Control(knet.DisconnectAck, nil))
		}, session.Closed, session.SideB},
		{"Disconnect alone", func(s *scene) { s.send(1, knet.Control(knet.Disconnect, nil)) }, session.Closed, session.SideB},
		{"DisconnectAck alone", func(s *scene) { s.send(1, knet.Control(knet.DisconnectAck, nil)) }, session.Closed, session.NoSide},
		{"crossing", func(s *scene) {
			s.send(0, knet.Control(knet.Disconnect, nil))
			s.send(1, knet.Control(knet.Disconnect, nil))
		}, session.Closed, session.BothSides},
		{"a second one long after", func(s *scene) {
			s.send(0, knet.Control(knet.Disconnect, nil))
			s.Wait(3000)
			s.send(1, knet.Control(knet.Disconnect, nil))
		}, session.Closed, session.SideA},
		{"unreachable", func(s *scene) { s.send(0, said("x")); s.ICMP(0) }, session.Reset, session.NoSide},
		{"unreachable, then not", func(s *scene) { s.ICMP(0); s.Wait(2000); s.send(1, said("x")) }, session.Established, session.NoSide},
		{"closed, then unreachable", func(s *scene) { s.send(0, knet.Control(knet.Disconnect, nil)); s.ICMP(1) }, session.Closed, session.SideA},
		{"the peer is silent until the sender gives up", func(s *scene) {
			for i := range 4 {
				s.Wait(3500)
				s.send(0, knet.Ping(knet.PingRequest, knet.IDsFromOne, uint8(2+i)))
			}
			s.Wait(5000)
		}, session.TimedOut, session.NoSide},
		{"… or the capture ends", func(s *scene) {
			for i := range 3 {
				s.Wait(3500)
				s.send(0, knet.Ping(knet.PingRequest, knet.IDsFromOne, uint8(2+i)))
			}
		}, session.Established, session.NoSide},
		{"both are silent", func(s *scene) { s.Wait(60_000) }, session.Established, session.NoSide},
		{"one direction of the capture is missing", func(s *scene) {
			for i := range 20 {
				s.Wait(3500)
				s.send(0, knet.Ping(knet.PingRequest, knet.IDsFromOne, uint8(2+i)))
			}
		}, session.Established, session.NoSide},
	} {
		s := newScene(t, "reference")
		s.meet()
		c.play(s)
		if x := s.One(); x.State != c.state || x.ClosedBy != c.by {
			t.Errorf("%s: %v by %v, want %v by %v", c.name, x.State, x.ClosedBy, c.state, c.by)
		}
	}
	s := newScene(t, "reference")
	s.Raw(0, make([]byte, 8))
	s.ICMP(0)
	if x := s.One(); x.State != session.Refused {
		t.Errorf("unreachable before any answer: %v", x.State)
	}
	s = newScene(t, "reference")
	s.Raw(0, make([]byte, 8))
	s.Wait(60_000)
	if x := s.One(); x.State != session.Opening {
		t.Errorf("never answered: %v", x.State)
	}
}

// What is damaged, cut or nonsense is counted and changes nothing else.
func TestReference_Damage(t *testing.T) {
	s := newScene(t, "reference")
	s.meet()
	s.Raw(0, dissecttest.Unhex(t, "43 00 00 00 00 05 10 00 64 61"))    // 6: too short
	s.Cut(0, s.datagram(0, s.told(0, "cut"), s.told(0, "gone")), 10)   // 7: PacketID 3
	s.send(0, s.told(0, "next"))                                       // 8: PacketID 4
	s.Raw(0, dissecttest.Unhex(t, "07 D4 31"))                         // … and without messages
	s.Raw(0, dissecttest.Unhex(t, "D5 34 32 FF FF FF FF 01 10 00 64")) // 9: a PacketID and a number nowhere near
	s.send(0, s.told(0, "last"))
	c := s.One()
	wantCounts(t, "client", &c.Dir[0], "frames 9 data 4 acks 0 retries 0+0 dup 0 ooo 0 gaps 0 missing 0 messages 2/8/1 pings 1 rtt 0")
	if _, malformed, _ := s.Table.Totals(); malformed != 1 || !s.Frames[5].Words.Has(dissect.Malformed) {
		t.Errorf("%d malformed, %v", malformed, s.Frames[5].Words)
	}
}

// Where a side has come to while the capture slept is believed when a second datagram
// confirms it, or a fourth when it can hardly have sent so many in that time.
func TestReference_Jump(t *testing.T) {
	for _, x := range []struct {
		slept int64
		sent  int
		want  string
	}{
		{100_000, 2, "frames 5 data 2 acks 0 retries 0+0 dup 0 ooo 0 gaps 1 missing 100000 messages 2/2/0 pings 1 rtt 0"},
		{0, 3, "frames 6 data 3 acks 0 retries 0+0 dup 0 ooo 0 gaps 0 missing 0 messages 0/0/0 pings 1 rtt 0"},
		{0, 4, "frames 7 data 4 acks 0 retries 0+0 dup 0 ooo 0 gaps 1 missing 100000 messages 4/4/0 pings 1 rtt 0"},
	} {
		s := newScene(t, "reference")
		s.meet()
		s.next[0] += 100_000
		s.Wait(x.slept)
		for range x.sent {
			s.send(0, s.told(0, "x"))
		}
		wantCounts(t, "client", &s.One().Dir[0], x.want)
	}
}

// Ids from 0 are learned from sizes.
func TestReference_OldIDs(t *testing.T) {
	s := newScene(t, "reference")
	s.Raw(0, make([]byte, 8))
	s.send(1, knet.Ping(knet.PingRequest, knet.IDsFromZero, 1), knet.Ping(knet.PingRequest, knet.IDsFromZero, 2))
	s.send(0, knet.Ping(knet.PingReply, knet.IDsFromZero, 1), knet.Ping(knet.PingReply, knet.IDsFromZero, 2))
	s.send(0, s.told(0, "x"))
	s.send(1, knet.Acknowledge(knet.Reference, knet.IDsFromZero, knet.Ack{PacketID: 2}))
	c := s.One()
	wantCounts(t, "client", &c.Dir[0], "frames 3 data 1 acks 0 retries 0+0 dup 0 ooo 0 gaps 0 missing 0 messages 1/1/0 pings 0 rtt 1")
	wantCounts(t, "server", &c.Dir[1], "frames 2 data 0 acks 1 retries 0+0 dup 0 ooo 0 gaps 0 missing 0 messages 0/0/0 pings 2 rtt 0")
}

// After the wrap, the first PacketIDs come again; one that is late begins nothing.
func TestReference_LateAfterTheWrap(t *testing.T) {
	s := newScene(t, "reference")
	s.meet()
	for _, at := range []uint32{1 << 20, 2 << 20, 3 << 20, knet.PacketIDMask - 3} {
		s.next[0] = at
		for range 4 {
			s.send(0, said("x"))
		}
	}
	zero, one := s.lose(0, said("zero")), s.lose(0, said("one"))
	s.send(0, said("two"))
	s.Wait(10)
	s.Raw(0, one)
	s.Raw(0, zero)
	c := s.One()
	if d := &c.Dir[0]; d.OutOfOrder != 2 || d.Duplicates != 0 {
		t.Error(counts(d))
	}
}

// A third party's datagram without messages has a PacketID of no meaning.
func TestReference_StrayWithoutMessages(t *testing.T) {
	s := newScene(t, "reference")
	s.meet()
	s.send(0, s.told(0, "a"))
	s.Raw(0, []byte{0x07, 0x31, 0}) // PacketID 3143
	s.send(0, s.told(0, "b"))
	c := s.One()
	if d := &c.Dir[0]; d.Frames != 6 || d.Gaps != 0 || d.Missing() != 0 || d.OutOfOrder != 0 || d.Messages != 2 {
		t.Error(counts(d))
	}
}
