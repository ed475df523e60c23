package track_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/dp4"
	"github.com/dpdissect/dpdissect/dp4/track"
	"github.com/dpdissect/dpdissect/session"
)

// order plays frames of host 0 and gives the messages in the order of delivery.
func order(t *testing.T, play func(s *scene)) string {
	t.Helper()
	s := scenes(t)
	play(s)
	return fmt.Sprint(s.Texts(0))
}

func TestMC_DPL4R_3_1_5_2_Assembly(t *testing.T) {
	part := func(flags dp4.Flags, msg, seq, serial uint8, text string) func(s *scene) {
		return func(s *scene) { s.send(0, dataAs(flags, msg, seq, serial, text)) }
	}
	rel := func(msg, seq uint8, text string) func(s *scene) {
		return part(dp4.RLY|dp4.STA|dp4.EOM, msg, seq, 0, text)
	}
	unrel := func(msg, seq uint8, text string) func(s *scene) { return part(dp4.STA|dp4.EOM, msg, seq, 0, text) }
	acked := func(msg, seq uint8) func(s *scene) { return func(s *scene) { s.send(1, ack(msg, seq, 0)) } }
	for _, c := range []struct {
		name string
		play []func(s *scene)
		want string
	}{
		{"in order", []func(s *scene){rel(1, 1, "a"), rel(2, 2, "b"), unrel(3, 3, "c")}, "[a b c]"},
		{"a message of three", []func(s *scene){part(dp4.RLY|dp4.STA, 1, 1, 0, "a"), part(dp4.RLY, 1, 2, 1, "b"), part(dp4.RLY|dp4.EOM, 1, 3, 2, "c")}, "[abc]"},
		{"parts out of order", []func(s *scene){part(dp4.RLY|dp4.STA, 1, 1, 0, "a"), part(dp4.RLY|dp4.EOM, 1, 3, 2, "c"), part(dp4.RLY, 1, 2, 1, "b")}, "[abc]"},
		{"the first part last", []func(s *scene){rel(1, 1, "x"), part(dp4.STA, 2, 2, 0, "a"), part(dp4.EOM, 3, 5, 1, "d"), part(dp4.STA, 3, 4, 0, "c"), part(dp4.EOM, 2, 3, 1, "b")}, "[x cd ab]"},
		{"reliable messages keep their order", []func(s *scene){rel(1, 1, "a"), rel(3, 3, "c"), rel(2, 2, "b")}, "[a b c]"},
		{"unreliable ones do not wait", []func(s *scene){rel(1, 1, "a"), unrel(3, 3, "c"), unrel(2, 2, "b")}, "[a c b]"},
		{"what is not captured may be unreliable", []func(s *scene){rel(1, 1, "a"), rel(3, 3, "c"), unrel(4, 4, "d"), acked(4, 4)}, "[a c d]"},
		{"… or reliable", []func(s *scene){rel(1, 1, "a"), rel(3, 3, "c"), unrel(4, 4, "d"), rel(2, 2, "b")}, "[a d b c]"},
		{"waiting for a part", []func(s *scene){part(dp4.RLY|dp4.STA, 1, 1, 0, "a"), rel(2, 3, "c"), part(dp4.RLY|dp4.EOM, 1, 2, 1, "b")}, "[ab c]"},
		{"not waiting for an unreliable part", []func(s *scene){part(dp4.STA, 1, 1, 0, "a"), rel(2, 3, "c"), part(dp4.EOM, 1, 2, 1, "b")}, "[c ab]"},
		{"several wait", []func(s *scene){rel(1, 1, "a"), rel(4, 4, "d"), rel(3, 3, "c"), unrel(5, 5, "e"), rel(2, 2, "b")}, "[a e b c d]"},
		{"an incomplete one", []func(s *scene){part(dp4.RLY|dp4.STA, 1, 1, 0, "a"), rel(2, 3, "c")}, "[c [a]]"},
		{"an incomplete one in the middle", []func(s *scene){part(dp4.STA, 1, 1, 0, "a"), part(dp4.EOM, 1, 3, 2, "c"), rel(2, 4, "d")}, "[d [ac]]"},
		{"nothing in it", []func(s *scene){rel(1, 1, "")}, "[]"},
		{"a retry delivers nothing twice", []func(s *scene){rel(1, 1, "a"), part(dp4.RLY|dp4.STA|dp4.EOM, 1, 1, 1, "a")}, "[a]"},
	} {
		if got := order(t, func(s *scene) {
			for _, f := range c.play {
				f(s)
			}
		}); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// A message outside the window is waited for no longer.
func TestMC_DPL4R_2_2_2_WindowEndsWaiting(t *testing.T) {
	s := scenes(t)
	s.send(0, data(1, 1, 0, "a"))
	for n := range uint8(30) { // 2 is missing, and nothing is acknowledged
		s.send(0, data(3+n, 3+n, 0, "x"))
		if got, want := len(s.Messages) > 1, 3+n >= 26; got != want {
			t.Fatalf("message %d: delivered %v, want %v", 3+n, got, want)
		}
	}
	if got := len(s.Texts(0)); got != 31 {
		t.Errorf("%d messages", got)
	}
}

func TestMessageRecord(t *testing.T) {
	s := scenes(t)
	s.send(0, data(1, 1, 0, "first"))
	s.send(0, dataAs(dp4.RLY|dp4.STA, 2, 2, 0, "ab"))
	s.send(0, dataAs(dp4.RLY|dp4.EOM, 2, 4, 2, "ef"))
	s.send(0, dataAs(dp4.RLY, 2, 3, 1, "cd"))
	s.End()
	m := s.Messages[1]
	if got, want := fmt.Sprint(m.Index, m.FirstFrame, m.LastFrame, m.Frames, m.Number, m.Reliable, m.Ordered, m.Complete, m.Size, string(m.Payload)), "1 2 4 3 2 true true true 6abcdef"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got, want := fmt.Sprintf("%x", m.SHA256[:4]), "bef57ec7"; got != want {
		t.Errorf("digest %s, want %s", got, want)
	}
	if m.Time != s.Frames[3].Time {
		t.Error("it is there with its last part")
	}
}

// Counting alone gives the same numbers as collecting.
func TestCountOnly(t *testing.T) {
	w := newWorld(3, worldConfig{messages: 200, before: 0.03, after: 0.03, double: 0.02, jitter: 8, nacks: true})
	var got [3]string
	for mode := session.CountMessages; mode <= session.CollectPayload; mode++ {
		s := newScene(t, false, mode)
		w.play(s)
		for i := range s.One().Dir {
			d := &s.One().Dir[i]
			got[mode] += fmt.Sprint(d.Messages, d.MessageBytes, d.IncompleteMessages, " ")
		}
	}
	if got[0] != got[1] || got[1] != got[2] {
		t.Errorf("%q", got)
	}
}

// A part may come as late as 64 messages: what lacks it is kept so long, and no longer. A user who
// captures a path that reorders that much still sees the message whole.
func TestPartsAreAwaitedFor64Messages(t *testing.T) {
	for after, want := range map[uint8]string{63: "ab", 64: "[a]"} {
		s := scenes(t)
		s.send(0, dataAs(dp4.STA, 1, 1, 0, "a"))
		for n := range after - 1 {
			s.send(0, dataAs(dp4.STA|dp4.EOM, 2+n, 3+n, 0, "x"))
		}
		s.send(0, dataAs(dp4.STA, 1+after, 2+after, 0, "c")) // it lacks a part as well
		s.send(0, dataAs(dp4.EOM, 1, 2, 1, "b"))
		if got := s.Texts(0); !slices.Contains(got, want) {
			t.Errorf("%d messages later: %v, want %s among them", after, got, want)
		}
	}
}

// What is kept of messages that lack a part is bounded in packets and bytes; a message that
// needs more is incomplete, and counted as such.
func TestPartialsAreBounded(t *testing.T) {
	for _, c := range []struct {
		parts, size int
		want        bool
	}{
		{track.MaxParts, 1, true}, {track.MaxParts + 1, 1, false},
		{track.MaxKept/60_000 + 1, 60_000, true}, {track.MaxKept/60_000 + 2, 60_000, false}, // the last part of a message is not kept
	} {
		s := scenes(t)
		text := strings.Repeat("x", c.size)
		for i := range c.parts {
			flags := dp4.RLY
			if i == 0 {
				flags |= dp4.STA
			}
			if i == c.parts-1 {
				flags |= dp4.EOM
			}
			s.send(0, dataAs(flags, 1, uint8(1+i), uint8(i), text))
		}
		d := &s.One().Dir[0]
		if whole := d.Messages == 1 && d.IncompleteMessages == 0; whole != c.want || !c.want && d.IncompleteMessages == 0 {
			t.Errorf("%d parts of %d bytes: %d messages, %d incomplete; want it whole: %v", c.parts, c.size, d.Messages, d.IncompleteMessages, c.want)
		}
	}
}
