package track_test

import (
	"testing"

	"github.com/dpdissect/dpdissect/knet"
	"github.com/dpdissect/dpdissect/session"
)

// unsure plays datagrams that only the page reads: a dialect that was decided is in doubt.
func (s *scene) unsure() {
	other := &scene{Scene: s.Scene, dialect: knet.Spec, next: s.next}
	for range 3 {
		s.Raw(0, other.datagram(0, knet.Control(knet.ConnectSyn, []byte("me"))))
	}
}

// TestKNet_InOrder_PassedLongAgo_Unsure: while the dialect is in doubt, no PacketID is taken for one of
// another series (gate K6).
func TestKNet_InOrder_PassedLongAgo_Unsure(t *testing.T) {
	for unsure, late := range map[bool]uint64{false: 0, true: 1} {
		s := newScene(t, "")
		s.meet()
		gapID := s.next[0] + 30
		for i := range 40 {
			if unsure && i == 10 {
				s.unsure()
			}
			if s.next[0] != gapID {
				s.send(0, said("hello"))
			} else {
				s.next[0]++
			}
			s.send(1, s.told(1, "hello"))
			s.send(0, s.acks(s.next[1]-1))
		}
		s.Wait(2500)
		at := s.next[0]
		s.next[0] = gapID
		s.send(0, said("late"))
		s.next[0] = at
		s.send(0, said("hello"))
		if d := &s.End()[0].Dir[0]; d.OutOfOrder != late {
			t.Errorf("unsure %v: %s", unsure, counts(d))
		}
	}
}

// TestKNet_ReliableDatagrams_AckFarAhead_Unsure: while the dialect is in doubt, an acknowledgement far
// ahead is believed (gate K10).
func TestKNet_ReliableDatagrams_AckFarAhead_Unsure(t *testing.T) {
	for unsure, want := range map[bool]uint64{false: 0, true: 1} {
		s := newScene(t, "")
		s.meet()
		say := func(n int) {
			for range n {
				s.send(0, s.told(0, "data"))
				s.send(1, s.acks(s.next[0]-1))
			}
		}
		say(20)
		if unsure {
			s.unsure()
		}
		s.send(1, s.acks(s.next[0]+70))
		to := s.next[0] + 72
		s.next[0] += 40
		say(1)
		s.next[0] = to
		say(5)
		if got := s.End()[0].Dir[0].Lost().NotCaptured; got != want {
			t.Errorf("unsure %v: %d not captured, want %d", unsure, got, want)
		}
	}
}

// TestKNet_ReservedMessages_AckBitsOfWhatIsSentAgain: an acknowledgement of what was acknowledged before is
// no sign against an order of bits where that was sent again since (gate K9).
func TestKNet_ReservedMessages_AckBitsOfWhatIsSentAgain(t *testing.T) {
	s := newScene(t, "spec")
	s.handshake()
	s.next[0] = 4
	var sent [128][]byte
	for id := uint32(4); id < 124; id++ {
		sent[id] = s.reliably(0, said("data"))
		s.Raw(0, sent[id])
	}
	for id := uint32(4); id < 124; id++ {
		s.send(1, s.acks(id))
	}
	s.Wait(2000)
	for id := uint32(4); id < 124; id++ {
		if id%4/2 == 1 {
			s.Raw(0, sent[id])
		}
	}
	word := func(from, base uint32) knet.Ack { // of two and two alike, by the word first
		a := knet.Ack{PacketID: base, WordFirst: true}
		for i := range uint32(17) {
			if (a.PacketID+1+i)%4/2 == from/2 {
				a.Bits |= 1 << i
			}
		}
		return a
	}
	for base := uint32(4); base < 100; base += 16 {
		s.send(1, knet.Acknowledge(knet.Spec, knet.IDsFromZero, word(2, base+2)))
	}
	for range 32 {
		s.Raw(0, s.reliably(0, said("new")))
	}
	s.send(1, knet.Acknowledge(knet.Spec, knet.IDsFromZero, word(2, 126)))
	if got := len(s.Last().Acks); got != 10 {
		t.Errorf("%d of the new ones are acknowledged, want 10", got)
	}
}

// TestKNet_DatagramByteFormat_HabitOfAnotherSeries: what was a habit before PacketIDs jumped far away is
// none after that (gate K16): a Disconnect with such a fault ends nothing.
func TestKNet_DatagramByteFormat_HabitOfAnotherSeries(t *testing.T) {
	long := string(make([]byte, 1600))
	for jump, want := range map[uint32]session.State{0: session.Closed, 100: session.Closed, 70_000: session.Established} {
		s := newScene(t, "reference")
		s.meet()
		for range 12 {
			s.send(0, said(long))
		}
		s.next[0] += jump
		for range 5 { // so many are believed wherever they are
			s.send(0, said("on"))
		}
		s.send(0, said(long), knet.Control(knet.Disconnect, nil))
		if got := s.End()[0].State; got != want {
			t.Errorf("a jump of %d: %s, want %s", jump, got, want)
		}
	}
}
