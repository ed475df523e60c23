package track_test

import (
	"testing"

	"github.com/dpdissect/dpdissect/knet"
	"github.com/dpdissect/dpdissect/knet/track"
)

// A datagram of thousands of messages, each of which says what can't be, is told
// within bounds, and what it acknowledges counts all the same.
func TestManyFaultsInOneDatagram(t *testing.T) {
	for name, make := range map[string]func(s *scene, i int) knet.Message{
		"replies to no request":          func(s *scene, i int) knet.Message { return knet.Ping(knet.PingReply, knet.IDsFromOne, uint8(50+i%200)) },
		"requests out of order":          func(s *scene, i int) knet.Message { return knet.Ping(knet.PingRequest, knet.IDsFromOne, uint8(7*i)) },
		"acknowledgements of the unsent": func(s *scene, i int) knet.Message { return s.acks(uint32(3_000_000 + i)) },
		"acknowledgements beyond 22 bits": func(s *scene, i int) knet.Message {
			return knet.Acknowledge(knet.Reference, knet.IDsFromOne, knet.Ack{PacketID: 1<<23 + 3_000_000 + uint32(i), Bits: 1<<32 - 1})
		},
	} {
		s := newScene(t, "reference")
		s.meet()
		for range 40 {
			s.send(0, said("hello"))
			s.send(1, said("hello"))
		}
		var all []knet.Message
		for i := range 5000 {
			all = append(all, make(s, i))
		}
		s.send(1, append(all, s.acks(s.next[0]-1))...)
		f := s.Last()
		if len(f.Notes) > 4*track.MaxFaults {
			t.Errorf("%s: %d notes on one frame", name, len(f.Notes))
		}
		if f.Type != "DATAGRAM" || f.Err != nil {
			t.Fatalf("%s: %s %v", name, f.Type, f.Err)
		}
		if len(f.Acks) != 1 {
			t.Errorf("%s: acknowledges frames %v, want the last", name, f.Acks)
		}
		s.End()
	}
}

// TestMessageWithoutRoomIsIncomplete: a message whose fragments there was no room for is counted
// as incomplete.
func TestMessageWithoutRoomIsIncomplete(t *testing.T) {
	for full, want := range map[bool]uint64{false: 0, true: 1} {
		s := newScene(t, "reference")
		s.meet()
		s.send(0, s.fragment(0, 0, 3, 1, "a"))
		for k := 1; k < 3; k++ {
			if full {
				track.Fill(s.Sessions[0], 0)
				s.changed = true
			}
			s.send(0, s.fragment(0, k, 3, 1, "b"))
		}
		if d := &s.One().Dir[0]; d.IncompleteMessages != want || d.Messages != 1-want {
			t.Errorf("no room %v: %d messages, %d incomplete", full, d.Messages, d.IncompleteMessages)
		}
	}
}

// TestOpenersAreBounded: the connect datagrams of a pair are remembered to know copies of them.
// What is in a further one is not: a copy of it counts as a datagram of the connection.
func TestOpenersAreBounded(t *testing.T) {
	s := newScene(t, "reference")
	for n := range byte(track.MaxOpeners + 2) {
		s.Raw(0, []byte{'h', 'e', 'l', 'l', 'o', ' ', '0' + n, 0})
		s.next, s.number = [2]uint32{1, 1}, [2]uint32{}
		s.send(1, knet.Ping(knet.PingRequest, knet.IDsFromOne, 1), knet.Ping(knet.PingRequest, knet.IDsFromOne, 2))
		s.send(0, knet.Ping(knet.PingReply, knet.IDsFromOne, 1), knet.Ping(knet.PingReply, knet.IDsFromOne, 2))
		s.send(0, knet.Control(knet.Disconnect, nil))
		s.send(1, knet.Control(knet.DisconnectAck, nil))
		s.Wait(1000)
	}
	if n := track.Openers(s.Sessions[0]); n != track.MaxOpeners {
		t.Errorf("%d connect datagrams are remembered, want %d", n, track.MaxOpeners)
	}
	if conns := s.End(); len(conns) != track.MaxOpeners+2 {
		t.Errorf("%d connections, want %d", len(conns), track.MaxOpeners+2)
	}
}
