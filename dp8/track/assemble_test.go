package track_test

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/dp8/rules"
	"github.com/dpdissect/dpdissect/dp8/track"
	"github.com/dpdissect/dpdissect/internal/testbed/sessiontest"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/seq"
)

const (
	head   = dp8.Reliable | dp8.Sequential | dp8.NewMsg
	middle = dp8.Reliable | dp8.Sequential
	tail   = dp8.Reliable | dp8.Sequential | dp8.EndMsg
	loose  = ^dp8.Sequential // and-mask: may be delivered out of order
)

// TestMC_DPL8R_3_1_5_2_6_Messages plays the frames of one side. An A before a
// text makes the other side acknowledge all before the number behind it.
func TestMC_DPL8R_3_1_5_2_6_Messages(t *testing.T) {
	ack := func(s *scene, nrcv uint8) { s.send(1, sack(0, nrcv, 0)) }
	say := func(s *scene, cmd dp8.Command, seq uint8, text string) { s.send(0, dataAs(cmd, 0, seq, 0, text)) }
	again := func(s *scene, cmd dp8.Command, seq uint8, text string) {
		s.send(0, dataAs(cmd, dp8.CtlRetry, seq, 0, text))
	}
	const rel, seq = dp8.PartReliable, dp8.PartReliable | dp8.PartSequential
	for _, c := range []struct {
		name string
		play func(s *scene)
		want string
	}{
		{"single", func(s *scene) { say(s, whole, 0, "a"); say(s, whole, 1, "b") }, "a b"},
		{"three parts", func(s *scene) { say(s, head, 0, "a"); say(s, middle, 1, "b"); say(s, tail, 2, "c") }, "abc"},
		{"a gap is waited for", func(s *scene) { say(s, whole, 0, "a"); say(s, whole, 2, "c"); again(s, whole, 1, "b") }, "a b c"},
		{"unordered ones do not wait", func(s *scene) { say(s, whole, 0, "a"); say(s, whole&loose, 2, "c"); again(s, whole, 1, "b") }, "a c b"},
		{"a retry of what was acknowledged keeps its turn", func(s *scene) {
			say(s, whole, 0, "a")
			say(s, whole, 2, "c")
			ack(s, 3)
			s.Wait(30)
			ack(s, 3)
			again(s, whole, 1, "b")
		}, "a b c"},
		{"an acknowledgement captured before what it acknowledges", func(s *scene) {
			say(s, whole, 0, "a")
			ack(s, 1)
			ack(s, 2)
			ack(s, 3)
			say(s, head, 1, "b")
			say(s, tail, 2, "c")
		}, "a bc"},
		{"what is given up is not waited for", func(s *scene) { say(s, whole, 0, "a"); s.send(0, masked(data(2, 0, "c"), 0, 1)); say(s, whole, 3, "d") }, "a c d"},
		{"given up, and yet it comes", func(s *scene) {
			say(s, head, 0, "a")
			s.send(0, masked(dataAs(tail, 0, 2, 0, "c"), 0, 1))
			say(s, middle, 1, "b")
		}, "abc"},
		{"a copy makes no second message", func(s *scene) { say(s, whole, 0, "a"); say(s, whole, 0, "a"); again(s, whole, 0, "a") }, "a"},
		{"a retry of what was delivered out of order", func(s *scene) { say(s, whole&loose, 1, "b"); again(s, whole&loose, 1, "b"); say(s, whole, 0, "a") }, "b a"},
		{"parts out of order", func(s *scene) { say(s, tail, 2, "c"); say(s, middle, 1, "b"); say(s, head, 0, "a") }, "abc"},
		{"unordered parts out of order wait for nothing before", func(s *scene) {
			say(s, tail&loose, 3, "d")
			say(s, head&loose, 1, "b")
			say(s, middle&loose, 2, "c")
			say(s, whole, 0, "a")
		}, "bcd a"},
		{"a hole", func(s *scene) { say(s, head, 0, "a"); say(s, tail, 2, "c"); say(s, whole, 3, "d") }, "[ac] d"},
		{"a hole the capture missed, filled by a retry", func(s *scene) {
			say(s, head, 0, "a")
			say(s, tail, 2, "c")
			say(s, whole, 3, "d")
			ack(s, 4)
			again(s, middle, 1, "b")
		}, "abc d"},
		{"the first part is missing", func(s *scene) { say(s, middle, 1, "b"); say(s, tail, 2, "c"); ack(s, 3); say(s, whole, 3, "d") }, "[bc] d"},
		{"the last part is missing", func(s *scene) { say(s, head, 0, "a"); say(s, whole, 2, "c") }, "[a] c"},
		{"cut off by the end of the capture", func(s *scene) { say(s, head, 0, "a"); say(s, middle, 1, "b") }, "[ab]"},
		{"NEW behind a part: the frame before counts as the last", func(s *scene) { say(s, head, 0, "a"); say(s, head, 1, "b"); say(s, tail, 2, "c") }, "a bc"},
		{"a whole message behind a part", func(s *scene) { say(s, head, 0, "a"); say(s, whole, 1, "b") }, "a b"},
		{"no NEW behind an END", func(s *scene) { say(s, whole, 0, "a"); say(s, middle, 1, "b"); say(s, tail, 2, "c") }, "a bc"},
		{"no NEW and END behind a whole one", func(s *scene) { say(s, whole, 0, "a"); say(s, tail, 1, "b") }, "a b"},
		{"KeepAlives are no messages", func(s *scene) { s.send(0, keepAlive(0, 0, 7)); say(s, whole, 1, "a") }, "a"},
		{"an empty end of stream is no message", func(s *scene) { say(s, whole, 0, "a"); s.send(0, dataAs(whole, dp8.CtlEndStream, 1, 0, "")) }, "a"},
		{"one with payload is", func(s *scene) { s.send(0, dataAs(whole, dp8.CtlEndStream, 0, 0, "bye")) }, "bye"},
		{"an empty message", func(s *scene) { say(s, whole, 0, "") }, ""},
		{"coalesced", func(s *scene) { s.send(0, coalesced(0, 0, part(seq, "a"), part(0, "b"), part(rel, "c"))) }, "a b c"},
		{"coalesced ones wait when one of them must", func(s *scene) {
			s.send(0, coalesced(0, 1, part(rel, "b"), part(seq, "c")))
			say(s, whole, 0, "a")
		}, "a b c"},
		{"coalesced ones that need not wait do not", func(s *scene) {
			s.send(0, coalesced(0, 1, part(rel, "b"), part(rel, "c")))
			say(s, whole, 0, "a")
		}, "b c a"},
		{"a reduced retry alone", func(s *scene) { s.send(0, coalesced(dp8.CtlRetry, 0, part(seq, "a"))) }, "a"},
		{"a reduced retry behind the frame", func(s *scene) {
			s.send(0, coalesced(0, 0, part(seq, "a"), part(0, "b")))
			s.send(0, coalesced(dp8.CtlRetry, 0, part(seq, "a")))
		}, "a b"},
		{"a reduced retry before the frame", func(s *scene) {
			s.send(0, coalesced(dp8.CtlRetry, 0, part(seq, "a")))
			s.send(0, coalesced(0, 0, part(seq, "a"), part(0, "b")))
			s.send(0, coalesced(0, 0, part(seq, "a"), part(0, "b")))
		}, "a b"},
		{"a cut frame", func(s *scene) {
			f := data(0, 0, "abcdef")
			s.Cut(0, f.Append(nil), 3)
			say(s, whole, 1, "g")
		}, "[abc] g"},
		{"a cut part", func(s *scene) {
			f := dataAs(head, 0, 0, 0, "abcdef")
			s.Cut(0, f.Append(nil), 3)
			say(s, tail, 1, "g")
		}, "[abcg]"},
	} {
		s := newScene(t, track.Options{}, true)
		s.meet(7, dp8.Version16, dp8.Version16)
		c.play(s)
		if got := strings.Join(s.Texts(0), " "); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		checkMessages(t, c.name, s)
	}
}

// checkMessages checks what holds for messages in general, and that the
// counters say the same when no message is kept.
func checkMessages(t *testing.T, name string, s *scene) {
	t.Helper()
	for _, c := range s.End() {
		for dir := range dissect.Dirs {
			var whole, size, broken, index, at uint64
			for _, m := range s.Messages {
				if m.Conn != c || m.Dir != dir {
					continue
				}
				if m.Complete {
					whole++
					size += uint64(m.Size)
				} else {
					broken++
				}
				if m.Index != index || m.At < at || m.FirstFrame > m.LastFrame || m.LastFrame > m.At || m.Frames == 0 {
					t.Errorf("%s: message %+v", name, m)
				}
				if sum := sha256.Sum256(m.Payload); sum != m.SHA256 || m.Size < len(m.Payload) {
					t.Errorf("%s: digest or size of %q", name, m.Payload)
				}
				index, at = index+1, m.At
			}
			if d := &c.Dir[dir]; d.Messages != whole || d.MessageBytes != size || d.IncompleteMessages != broken {
				t.Errorf("%s: counted %d of %d bytes and %d incomplete, delivered %d, %d, %d", name, d.Messages, d.MessageBytes, d.IncompleteMessages, whole, size, broken)
			}
		}
	}
}

func TestMessageFields(t *testing.T) {
	s := newScene(t, track.Options{}, true)
	s.meet(7, dp8.Version16, dp8.Version16)
	s.send(0, dataAs(tail, 0, 2, 0, "c"))   // frame 4
	s.send(0, dataAs(head, 0, 0, 0, "a"))   // frame 5
	s.send(1, data(0, 0, "other side"))     // frame 6
	s.send(0, dataAs(middle, 0, 1, 0, "b")) // frame 7
	s.End()
	m := s.Messages[1]
	got := fmt.Sprint(m.Number, m.FirstFrame, m.LastFrame, m.At, m.Frames, m.Reliable, m.Ordered, m.Complete, m.Size, m.Time-sessiontest.Start)
	if want := fmt.Sprint(0, 4, 7, 7, 3, true, true, true, 3, int64(7*5e6)); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// In the middle of a capture, numbers below the first one may still come.
func TestMessagesFromTheMiddle(t *testing.T) {
	s := newScene(t, track.Options{}, true)
	s.send(0, data(101, 50, "b"))
	s.send(0, data(100, 50, "a"))
	s.send(1, sack(50, 102, 0))
	s.send(0, data(102, 50, "c"))
	if got := s.Texts(0); !slices.Equal(got, []string{"a", "b", "c"}) {
		t.Errorf("%q", got)
	}
	if n := s.Messages[0].Number; n != 100 {
		t.Errorf("number %d, want 100", n)
	}
}

func TestMessagesOverTheWrap(t *testing.T) {
	s := newScene(t, track.Options{}, true)
	s.meet(7, dp8.Version16, dp8.Version16)
	var want []string
	for n := range 600 {
		s.send(0, data(uint8(n), 0, fmt.Sprint(n)))
		want = append(want, fmt.Sprint(n))
	}
	if got := s.Texts(0); !slices.Equal(got, want) {
		t.Errorf("%d messages", len(got))
	}
	if n := s.Messages[599].Number; n != 599 {
		t.Errorf("number %d, want 599", n)
	}
}

// Any order of sendings within the window gives every message once, sequential
// ones in order.
func TestMessagesInAnyOrder(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := newScene(t, track.Options{}, true)
		s.meet(7, dp8.Version16, dp8.Version16)
		type frame struct {
			cmd  dp8.Command
			text string
		}
		var frames []frame
		var messages []string
		for i := range rapid.IntRange(1, 40).Draw(rt, "messages") {
			parts := rapid.IntRange(1, 4).Draw(rt, "parts")
			cmd := rapid.SampledFrom([]dp8.Command{dp8.Reliable, dp8.Sequential, dp8.Reliable | dp8.Sequential, 0}).Draw(rt, "flags")
			for k := range parts {
				f := frame{cmd, fmt.Sprintf("%d.%d ", i, k)}
				if k == 0 {
					f.cmd |= dp8.NewMsg
				}
				if k == parts-1 {
					f.cmd |= dp8.EndMsg
				}
				frames = append(frames, f)
			}
			all := ""
			for k := range parts {
				all += fmt.Sprintf("%d.%d ", i, k)
			}
			messages = append(messages, all)
		}
		order := make([]int, len(frames))
		for i := range order {
			order[i] = i
		}
		for i := range order { // swap within half a window
			j := min(len(order)-1, i+rapid.IntRange(0, 8).Draw(rt, "swap"))
			if order[i]+dp8.WindowSize/2 > j { // swaps of what was swapped add up
				order[i], order[j] = order[j], order[i]
			}
		}
		for _, i := range order {
			s.send(0, dataAs(frames[i].cmd, 0, uint8(i), 0, frames[i].text))
			if rapid.IntRange(0, 9).Draw(rt, "copy") == 0 {
				s.send(0, dataAs(frames[i].cmd, 0, uint8(i), 0, frames[i].text))
			}
		}
		got := s.Texts(0)
		var ordered []seq.Num
		for _, m := range s.Messages {
			if m.Ordered {
				ordered = append(ordered, m.Number)
			}
		}
		if !slices.IsSorted(ordered) {
			rt.Fatalf("sequential messages in the order %v", ordered)
		}
		slices.Sort(got)
		slices.Sort(messages)
		if !slices.Equal(got, messages) {
			rt.Fatalf("%q, want %q", got, messages)
		}
		checkMessages(t, "any order", s)
	})
}

// The assembler holds a window and no more.
func TestAssemblerIsBounded(t *testing.T) {
	s := newScene(t, track.Options{}, true)
	s.meet(7, dp8.Version16, dp8.Version16)
	s.send(0, dataAs(head, 0, 0, 0, "a"))
	for n := 2; n < 3000; n++ {
		s.send(0, dataAs(middle, 0, uint8(n), 0, "b"))
	}
	c := s.One()
	if d := &c.Dir[0]; d.Messages != 0 || d.IncompleteMessages != 1 {
		t.Errorf("%d messages, %d incomplete", d.Messages, d.IncompleteMessages)
	}
	for _, n := range s.Messages {
		if n.Frames != 2999 {
			t.Errorf("%d parts, want 2999", n.Frames)
		}
	}
}

// Counting alone gives the same counters.
func TestCountingAlone(t *testing.T) {
	for _, mode := range []session.MessageMode{session.CountMessages, session.HashMessages, session.CollectPayload} {
		p := rules.New(track.Options{})
		s := &scene{sessiontest.New(t, hosts, session.Config{Protocols: []*session.Protocol{p}, Messages: mode, Force: sessiontest.Force(p, "")})}
		s.meet(7, dp8.Version16, dp8.Version16)
		s.send(0, dataAs(tail, 0, 2, 0, "c"))
		s.send(0, coalesced(0, 3, part(0, "xx"), part(dp8.PartReliable|dp8.PartSequential, "yyy")))
		s.send(0, dataAs(head, 0, 0, 0, "a"))
		s.send(0, dataAs(middle, 0, 1, 0, "b"))
		s.send(0, dataAs(head, 0, 4, 0, "never ends"))
		d := &s.One().Dir[0]
		if got, want := fmt.Sprint(d.Messages, d.MessageBytes, d.IncompleteMessages), "3 8 1"; got != want {
			t.Errorf("mode %d: %s, want %s", mode, got, want)
		}
		if mode == session.CountMessages && len(s.Messages) > 0 {
			t.Error("messages are delivered that nobody asked for")
		}
	}
}
