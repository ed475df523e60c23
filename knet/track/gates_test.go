package track_test

import (
	"fmt"
	"testing"

	"github.com/dpdissect/dpdissect/knet"
	"github.com/dpdissect/dpdissect/session"
)

// A gate decides what of a datagram reaches the counters; docs/architecture.md lists them. Each
// scene is replayed without rules, and counts the same.

// TestKNet_DatagramByteFormat_FaultFarAway: datagrams that break the format by themselves, with
// PacketIDs far from those of their side, are no part of its series: none of those between is
// missing, even where they follow each other and are acknowledged.
func TestKNet_DatagramByteFormat_FaultFarAway(t *testing.T) {
	for fault, want := range map[bool]string{true: "0 missing, 0 not captured", false: "489 missing, 0 not captured"} {
		s := newScene(t, "spec")
		s.handshake()
		say := func(n int) {
			for range n {
				s.Raw(0, s.reliably(0, said("data")))
				s.send(1, s.acks(s.next[0]-1))
			}
		}
		say(10)
		at := s.next[0]
		s.next[0] += 489
		for i := range 3 {
			m := knet.Ping(knet.PingRequest, knet.IDsFromZero, uint8(i))
			if !fault {
				m = said("ping")
			}
			s.Raw(0, s.reliably(0, m)) // a ping is sent unreliably
			s.send(1, s.acks(s.next[0]-1))
		}
		if fault {
			s.next[0] = at
		}
		say(10)
		d := &s.One().Dir[0]
		if got := fmt.Sprintf("%d missing, %d not captured", d.Missing(), d.Lost().NotCaptured); got != want {
			t.Errorf("with a fault %v: %s, want %s", fault, got, want)
		}
	}
}

// TestKNet_DatagramByteFormat_FaultAhead: a datagram with a fault that was set apart was captured:
// when its side comes to its PacketID, that is not missing, and its acknowledgement is none of
// what the capture missed.
func TestKNet_DatagramByteFormat_FaultAhead(t *testing.T) {
	s := newScene(t, "spec")
	s.handshake()
	ahead := s.next[0] + 65
	for s.next[0] < ahead+30 {
		switch at := s.next[0]; at {
		case ahead - 55:
			s.next[0] = ahead
			s.Raw(0, s.reliably(0, knet.Ping(knet.PingRequest, knet.IDsFromZero, 1)))
			s.next[0] = at
			s.Raw(0, s.reliably(0, said("data")))
		case ahead:
			s.next[0]++
		default:
			s.Raw(0, s.reliably(0, said("data")))
		}
		s.send(1, s.acks(s.next[0]-1))
	}
	if d := &s.One().Dir[0]; d.Missing() != 0 || d.Lost().NotCaptured != 0 || d.Gaps != 0 {
		t.Errorf("%s, %d not captured", counts(d), d.Lost().NotCaptured)
	}
}

// TestKNet_DatagramByteFormat_FirstWithoutMessages: a datagram without messages begins no series.
func TestKNet_DatagramByteFormat_FirstWithoutMessages(t *testing.T) {
	s := newScene(t, "reference")
	s.Raw(0, make([]byte, 8))
	s.Raw(1, []byte{0x07, 0x31, 0}) // PacketID 3143
	for range 40 {
		s.send(1, s.told(1, "a"))
		s.send(0, s.acks(s.next[1]-1))
	}
	if d := &s.One().Dir[1]; d.Messages != 40 || d.OutOfOrder != 0 || d.Missing() != 0 {
		t.Error(counts(d))
	}
}

// TestKNet_InOrder_PassedLongAgo: a PacketID that was never captured, and that its side passed
// long ago, is of another series. One that comes soon is late; a reliable one of the page may be
// sent again; and below all that was captured anything may have been sent.
func TestKNet_InOrder_PassedLongAgo(t *testing.T) {
	for _, c := range []struct {
		name     string
		wait     int64 // ms until it comes
		reliable bool
		before   bool // it lies before the capture
		late     uint64
	}{
		{"long ago", 6000, false, false, 0},
		{"soon", 100, false, false, 1},
		{"reliable", 6000, true, false, 1},
		{"before the capture", 6000, false, true, 1},
	} {
		s := newScene(t, "spec")
		if c.before {
			s.next = [2]uint32{500, 500}
		} else {
			s.handshake()
		}
		gapID := s.next[0] + 5
		for range 80 {
			if c.before || s.next[0] != gapID {
				s.send(0, said("hello"))
			} else {
				s.next[0]++
			}
			s.send(1, said("hello"))
		}
		if c.before {
			gapID = 499
		}
		s.Wait(c.wait)
		at := s.next[0]
		if s.next[0] = gapID; c.reliable {
			s.Raw(0, s.reliably(0, said("late")))
		} else {
			s.send(0, said("late"))
		}
		s.next[0] = at
		s.send(0, said("hello"))
		if d := &s.One().Dir[0]; d.OutOfOrder != c.late {
			t.Errorf("%s: %s", c.name, counts(d))
		}
	}
}

// TestKNet_InOrder_CutDatagramsTellNoContent: bytes that the capture cut tell no other content: a
// datagram that is sent again, of which it kept more then, is sent again.
func TestKNet_InOrder_CutDatagramsTellNoContent(t *testing.T) {
	for cut, want := range map[int]uint64{0: 0, 3: 1} {
		s := newScene(t, "spec")
		s.handshake()
		first := s.reliably(0, said("what it says"))
		s.Cut(0, first, cut)
		if cut == 0 {
			s.next[0]--
			first = s.reliably(0, said("another word"))
		}
		s.Wait(2000)
		s.Raw(0, first)
		s.send(1, s.acks(s.next[0]-1))
		if d := &s.One().Dir[0]; d.Retries != want {
			t.Errorf("%d bytes cut: %s", cut, counts(d))
		}
	}
}

// TestKNet_ReservedMessages_AckBitsByWhatWasSent: in which order a PacketAck has its bits shows by
// what the readings name: what was sent unreliably is not acknowledged, and what was acknowledged
// is so once.
func TestKNet_ReservedMessages_AckBitsByWhatWasSent(t *testing.T) {
	for _, plain := range []bool{true, false} {
		s := newScene(t, "spec")
		s.handshake()
		s.next[0] = 4
		for id := uint32(4); id < 124; id++ { // two and two alike
			if plain && id%4 > 1 {
				s.send(0, said("data"))
			} else {
				s.Raw(0, s.reliably(0, said("data")))
			}
		}
		right, want := uint32(0), 60
		if !plain {
			right, want = 2, 120
			for id := uint32(4); id < 124; id++ {
				if id%4 < 2 {
					s.send(1, s.acks(id))
				}
			}
		}
		for base := uint32(4); base < 100; base += 16 {
			a := knet.Ack{PacketID: base + right, WordFirst: true}
			for i := range uint32(17) {
				if (a.PacketID+1+i)%4/2 == right/2 {
					a.Bits |= 1 << i
				}
			}
			s.send(1, knet.Acknowledge(knet.Spec, knet.IDsFromZero, a))
		}
		for id := uint32(100); id < 124; id++ {
			if id%4/2 == right/2 {
				s.send(1, s.acks(id))
			}
		}
		d := &s.One().Dir[0]
		if got := d.RTT().Samples; int(got) != want || d.Lost().NotCaptured != 0 {
			t.Errorf("unreliable ones between %v: %d round trips, want %d; %d not captured", plain, got, want, d.Lost().NotCaptured)
		}
	}
}

// TestKNet_ReliableDatagrams_AckFarAhead: while nothing of a side was missed, what is acknowledged
// far ahead of it was never sent: that it was not captured says nothing. A little ahead, or where
// something was missed, the capture may have missed it.
func TestKNet_ReliableDatagrams_AckFarAhead(t *testing.T) {
	for _, c := range []struct {
		name   string
		ahead  uint32
		missed bool
		want   uint64
	}{
		{"far ahead", 70, false, 0},
		{"near", 60, false, 1},
		{"far ahead behind a gap", 70, true, 1},
	} {
		s := newScene(t, "spec")
		s.handshake()
		say := func(n int) {
			for range n {
				s.Raw(0, s.reliably(0, said("data")))
				s.send(1, said("data"))
			}
		}
		say(20)
		if c.missed {
			s.next[0] += 2
			say(1)
		}
		s.send(1, s.acks(s.next[0]-1+c.ahead))
		to := s.next[0] + c.ahead + 2
		s.next[0] += 40
		say(1)
		s.next[0] = to
		say(5)
		if got := s.One().Dir[0].Lost().NotCaptured; got != c.want {
			t.Errorf("%s: %d not captured, want %d", c.name, got, c.want)
		}
	}
}

// TestKNet_ClosingAConnection_FaultyDisconnect: a Disconnect of the library in a datagram that is
// hardly meant as it is ends nothing: what follows would be another connection.
func TestKNet_ClosingAConnection_FaultyDisconnect(t *testing.T) {
	for body, want := range map[string]session.State{"": session.Closed, "x": session.Established} {
		s := newScene(t, "reference")
		s.meet()
		s.send(0, said("hello"))
		s.send(0, knet.Control(knet.Disconnect, []byte(body)))
		if c := s.One(); c.State != want {
			t.Errorf("%q: %s, want %s", body, c.State, want)
		}
	}
}

// TestKNet_ReservedMessages_SevenBytesNameAnUnreliable: a message of the application with id 4
// and 7 bytes is no PacketAck because it names an unreliable datagram.
func TestKNet_ReservedMessages_SevenBytesNameAnUnreliable(t *testing.T) {
	s := newScene(t, "spec")
	s.handshake()
	for range 20 {
		a := knet.Ack{PacketID: s.next[1]}
		s.send(1, said("data"))
		s.Raw(0, s.reliably(0, knet.Message{ID: knet.Num(4), Body: a.Append(nil, knet.Spec)}))
		s.send(1, said("data"))
	}
	if d := &s.One().Dir[0]; d.Messages != 20 || d.Acks != 0 {
		t.Error(counts(d))
	}
}

// TestKNet_OvertakenAcks: a datagram of nothing but acknowledgements that others overtook is no
// reordering of data.
func TestKNet_OvertakenAcks(t *testing.T) {
	for acks, want := range map[bool]uint64{true: 0, false: 1} {
		s := newScene(t, "reference")
		s.meet()
		s.send(0, s.told(0, "a"))
		m := said("b")
		if acks {
			m = s.acks(s.next[0] - 1)
		}
		late := s.datagram(1, m)
		s.send(1, said("c"))
		s.Raw(1, late)
		if d := &s.One().Dir[1]; d.OutOfOrder != want {
			t.Errorf("acknowledgements %v: %s", acks, counts(d))
		}
	}
}
