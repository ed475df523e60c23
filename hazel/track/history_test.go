package track_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/dpdissect/dpdissect/hazel"
	"github.com/dpdissect/dpdissect/hazel/track"
	"github.com/dpdissect/dpdissect/session/seq"
)

// History bits acknowledge ids whose own acknowledgement was lost, and prove
// neither that the capture lost anything nor, where a release sets them wrongly,
// that the network did.
func TestHazel_ReliableDelivery_History(t *testing.T) {
	s := newScene(t, "", false)
	s.meet(current, current)
	s.send(0, current.reliable(1, "x")) // 3
	s.send(0, current.reliable(2, "y")) // 4
	s.send(1, history(2, 0xff))
	if got := fmt.Sprint(s.Frames[4].Acks, " ", s.Words()); got != "[4 3] ack" {
		t.Errorf("acknowledges %s", got)
	}
	if n := s.One().Dir[0].RTT().Samples; n != 3 {
		t.Errorf("%d round trips", n)
	}
	for _, c := range []struct {
		name   string
		recent uint8
	}{{"always FE (Hazel 2ceee1f)", 0xfe}, {"never anything (SkeldJS)", 0}, {"all (Hindenburg)", 0xff}} {
		s := newScene(t, "", false)
		s.meet(of2020, release{hazel.Current, 1, true, false})
		for id := uint16(2); id < 40; id++ {
			s.Wait(50)
			if id%7 == 0 {
				continue // lost on the way to the capture
			}
			s.send(0, of2020.reliable(id, "x"))
			s.send(1, history(id, c.recent))
		}
		if l := s.One().Dir[0].Lost(); l.NotCaptured != 0 || l.AfterCapture != 0 || l.BeforeCapture > 5 {
			t.Errorf("%s: lost %+v", c.name, l)
		}
	}
}

// A number that was acknowledged before a frame of it was captured: the next
// acknowledgement that tells of it, if only in its history, is that frame's.
func TestHazel_ReliableDelivery_HistoryOfKnownNumbers(t *testing.T) {
	for _, c := range []struct {
		name string
		play func(s *scene)
		want string // frames that the last one but one and the last one acknowledge
	}{
		{"acknowledged before it was captured", func(s *scene) {
			s.meet(current, current)
			s.send(1, history(1, 0xff))
			s.send(0, current.reliable(1, "late"))
			s.send(0, current.reliable(2, ""))
			s.send(1, history(2, 0xff))
			s.send(1, history(2, 0xff))
		}, "[4 5] []"},
		{"sent again though it was acknowledged", func(s *scene) {
			s.meet(current, current)
			s.send(0, current.reliable(1, ""))
			s.send(1, history(1, 0xff))
			s.Wait(300)
			s.send(0, current.reliable(1, ""))
			s.send(0, current.reliable(2, ""))
			s.send(1, history(2, 0xff))
			s.send(1, history(2, 0xff))
		}, "[5 6] []"},
		{"… many of them", func(s *scene) {
			s.meet(current, current)
			s.send(0, current.reliable(1, ""))
			s.send(1, history(1, 0xff))
			for range 2 * track.AwaitedKept {
				s.Wait(300)
				s.send(0, current.reliable(1, ""))
			}
			s.send(0, current.reliable(2, ""))
			s.send(1, history(2, 0xff))
			s.send(1, history(2, 0xff))
		}, "[5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21] []"},
	} {
		s := newScene(t, "", false)
		c.play(s)
		s.End()
		n := len(s.Frames)
		got := slices.Clone(s.Frames[n-2].Acks)
		slices.Sort(got)
		if text := fmt.Sprint(got, s.Frames[n-1].Acks); text != c.want {
			t.Errorf("%s: %s, want %s", c.name, text, c.want)
		}
	}
}

// What was lost before the capture looks like what the capture missed: nothing
// marks a first transmission.
func TestHazel_ReliableDelivery_NothingLostBefore(t *testing.T) {
	s := newScene(t, "", false)
	s.meet(current, current)
	s.send(0, current.reliable(1, "x"))
	s.send(1, history(1, 0xff))
	s.send(0, current.reliable(3, "x"))
	s.send(1, history(3, 0xfe)) // 2, perhaps a Ping, never comes
	s.send(0, current.reliable(4, "x"))
	s.send(1, history(4, 0xfd))
	if l := s.One().Dir[0].Lost(); l != (seq.Lost{}) {
		t.Errorf("lost %+v", l)
	}
}
