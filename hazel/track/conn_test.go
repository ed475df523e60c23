package track_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/hazel"
	"github.com/dpdissect/dpdissect/hazel/track"
	"github.com/dpdissect/dpdissect/session/seq"
)

// A connection of each dialect: what is counted, named and delivered.
func TestHazel_EveryDialect(t *testing.T) {
	talk := func(r release) func(s *scene) {
		return func(s *scene) {
			s.send(0, r.hello(r.first, ""))
			s.send(1, r.acks(r.first))
			s.send(0, r.reliable(r.first+1, "hi"))
			s.send(1, r.acks(r.first+1))
			s.send(0, none("x"))
			s.send(1, r.reliable(r.first, "yo"))
			s.send(0, r.acks(r.first))
		}
	}
	for _, c := range []struct {
		name string
		play func(s *scene)
		want string // dialects of the connection and of each side
	}{
		{"2016-05-14", talk(may14), `"2016-05-14" "" ""`},
		{"2016-05-30", talk(may30), `"2016-05-30" "" ""`},
		{"spec", talk(spec), `"spec" "" ""`},
		{"not told apart: spec of 2016-11, 0.1 and ack3", talk(v01), `"" "" ""`},
		{"0.1 by its fragments", func(s *scene) {
			talk(v01)(s)
			s.send(0, start(3, 1, 1, "z"))
		}, `"0.1" "" ""`},
		{"0.1 by its keepalive of late 2018", func(s *scene) {
			talk(v01)(s)
			s.Wait(10000)
			s.send(0, spec.hello(3, ""))
		}, `"0.1" "" ""`},
		{"a keepalive with a version leaves two", func(s *scene) {
			talk(v01)(s)
			s.Wait(10000)
			s.send(0, v01.hello(3, ""))
		}, `"" "" ""`},
		{"ack3 by its Pings", func(s *scene) {
			talk(ack3)(s)
			s.send(0, ping(3))
			s.send(1, ack3.acks(3))
		}, `"ack3" "" ""`},
		{"ack3 by a Disconnect with a reason", func(s *scene) {
			talk(ack3)(s)
			s.send(1, ack3.bye("\x01\x01\x00\x00\x08"))
		}, `"ack3" "" ""`},
		{"current", talk(current), `"current" "" ""`},
		{"current of 2020", talk(of2020), `"current" "" ""`},
		{"fork36 by its fragments", func(s *scene) {
			talk(of2020)(s)
			s.send(0, forked(3, 1, 0, 1, "z"))
		}, `"" "fork36" "current"`},
		{"fork36, and its fragment is acknowledged", func(s *scene) {
			talk(of2020)(s)
			s.send(0, forked(3, 1, 0, 1, "z"))
			s.send(1, of2020.acks(3))
		}, `"fork36" "" ""`},
		{"the sides differ", func(s *scene) {
			s.meet(ack3, of2020)
			s.send(1, ping(1))
			s.send(0, ack3.acks(1))
			s.send(0, ping(2))
		}, `"" "ack3" "current"`},
		{"a forged acknowledgement names nothing", func(s *scene) {
			talk(current)(s)
			s.send(0, ack3.acks(0))
		}, `"current" "" ""`},
	} {
		s := newScene(t, "", false)
		c.play(s)
		got := s.One()
		if have := fmt.Sprintf("%q %q %q", got.Dialect, got.Dir[0].Dialect, got.Dir[1].Dialect); have != c.want {
			t.Errorf("%s: dialects %s, want %s\n%s", c.name, have, c.want, s.types())
		}
		if have := s.texts(0); have != "hi x" && have != "hi x z" && c.name != "the sides differ" {
			t.Errorf("%s: messages %q", c.name, have)
		}
		a, b := &got.Dir[0], &got.Dir[1]
		if c.name != "the sides differ" && (a.Acks < 1 || b.Acks < 2 || b.DataFrames != 1 || a.Retries+b.Retries+a.Missing()+b.Missing() != 0 || a.Lost() != seq.Lost{}) {
			t.Errorf("%s: %d and %d acks, %d data frames of b", c.name, a.Acks, b.Acks, b.DataFrames)
		}
	}
}

// AMB-HZ-06: code of 2016 put no id after the Fragmented flag, the page does.
func TestHazel_HeaderData_FragmentedFlag(t *testing.T) {
	s := newScene(t, "", false)
	s.meet(spec, spec)
	s.Raw(0, append([]byte{2}, "two"...))
	s.Raw(0, append([]byte{3}, "three"...))
	s.Raw(0, append([]byte{3, 0, 2}, "page"...))
	s.send(1, spec.acks(2))
	d := &s.One().Dir[0]
	if got := s.texts(0); got != "two ree page" || d.Missing() != 0 || d.Gaps != 0 || d.DataFrames != 3 || d.RTT().Samples != 2 {
		t.Errorf("%q, %d missing, %d data frames, %d round trips", got, d.Missing(), d.DataFrames, d.RTT().Samples)
	}
}

// Each dialect can be named by the user, and is then not argued with.
func TestHazel_ForcedDialects(t *testing.T) {
	for _, name := range hazel.Hazel.Dialects {
		s := newScene(t, name, false)
		s.send(0, release{d: hazel.DialectNamed(name)}.reliable(9, "x"))
		if got := s.One(); got.Dialect != name {
			t.Errorf("%s: %q", name, got.Dialect)
		}
	}
}

// What counts as a keepalive in each era, and what is data.
func TestHazel_KeepalivePackets(t *testing.T) {
	for _, c := range []struct {
		name string
		play func(s *scene)
		want string // keepalives, data frames, messages of a
	}{
		{"Ping", func(s *scene) { s.meet(current, current); s.send(0, ping(1)); s.send(1, current.acks(1)) }, "1 0 0"},
		{"a Hello behind the start", func(s *scene) { s.meet(v01, v01); s.Wait(10000); s.send(0, v01.hello(2, "")) }, "1 0 0"},
		{"a Hello of type and id", func(s *scene) { s.meet(v01, v01); s.Wait(10000); s.send(0, spec.hello(2, "")) }, "1 0 0"},
		{"the Hello of the start, sent again", func(s *scene) { s.send(0, v01.hello(1, "")); s.send(0, v01.hello(1, "")) }, "0 0 0"},
		{"a keepalive that is sent again", func(s *scene) {
			s.meet(v01, v01)
			s.Wait(10000)
			s.send(0, v01.hello(2, ""))
			s.Wait(200)
			s.send(0, v01.hello(2, ""))
		}, "2 0 0"},
		{"a second Hello with data", func(s *scene) { s.meet(v01, v01); s.send(0, v01.hello(2, "again")) }, "0 0 0"},
		{"an empty Reliable of 2016-05 after a silence", func(s *scene) { s.meet(may14, may14); s.Wait(10000); s.send(0, may14.reliable(2, "")) }, "1 0 0"},
		{"… sent again", func(s *scene) {
			s.meet(may30, may30)
			s.Wait(10000)
			s.send(0, may30.reliable(2, ""))
			s.Wait(200)
			s.send(0, may30.reliable(2, ""))
		}, "2 0 0"},
		{"… behind an acknowledgement, which does not end the silence", func(s *scene) {
			s.meet(may14, may14)
			s.Wait(9800)
			s.send(1, may14.reliable(1, ""))
			s.send(0, may14.acks(1))
			s.Wait(160)
			s.send(0, may14.reliable(2, ""))
		}, "1 0 0"},
		{"… of a side that keeps alive so, its first sending not captured", func(s *scene) {
			s.meet(may14, may14)
			s.Wait(10000)
			s.send(0, may14.reliable(2, ""))
			s.send(0, may14.reliable(3, "x"))
			s.Wait(500)
			s.send(0, may14.reliable(4, ""))
		}, "2 1 1"},
		{"… without a silence", func(s *scene) { s.meet(may14, may14); s.send(0, may14.reliable(2, "")) }, "0 1 1"},
		{"an empty Reliable of the page's dialect", func(s *scene) { s.meet(spec, spec); s.Wait(10000); s.send(0, spec.reliable(2, "")) }, "1 0 0"},
		{"an empty Reliable of today is a message", func(s *scene) { s.meet(current, current); s.Wait(10000); s.send(0, current.reliable(1, "")) }, "0 1 1"},
		{"an empty Reliable of a side that keeps alive with Hello", func(s *scene) {
			s.meet(spec, spec)
			s.Wait(10000)
			s.send(0, spec.hello(2, ""))
			s.Wait(10000)
			s.send(0, spec.reliable(3, ""))
		}, "1 1 1"},
	} {
		s := newScene(t, "", false)
		c.play(s)
		d := &s.One().Dir[0]
		if got := fmt.Sprint(d.KeepAlives, d.DataFrames, d.Messages); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// A resend is the same id again, whatever its release; a copy has the same
// identification, or comes within 30 ms without one.
func TestHazel_ReliableDelivery_RetriesAndCopies(t *testing.T) {
	for _, c := range []struct {
		name   string
		noIPID bool
		play   func(s *scene)
		want   string // retries, unneeded, duplicates, messages of a
		words  string // of the last frame
	}{
		{"a resend", false, func(s *scene) { s.send(0, current.reliable(1, "x")); s.Wait(300); s.send(0, current.reliable(1, "x")) }, "1 0 0 1", "retry"},
		{"a resend at once", false, func(s *scene) { s.send(0, current.reliable(1, "x")); s.send(0, current.reliable(1, "x")) }, "1 0 0 1", "retry"},
		{"a resend behind the acknowledgement", false, func(s *scene) {
			s.send(0, current.reliable(1, "x"))
			s.send(1, current.acks(1))
			s.Wait(300)
			s.send(0, current.reliable(1, "x"))
		}, "1 1 0 1", "retry unneeded-retry"},
		{"a copy", false, func(s *scene) { s.copy(0, current.reliable(1, "x")) }, "0 0 1 1", "duplicate"},
		{"a copy without identification", true, func(s *scene) { s.send(0, current.reliable(1, "x")); s.send(0, current.reliable(1, "x")) }, "0 0 1 1", "duplicate"},
		{"late without identification", true, func(s *scene) { s.send(0, current.reliable(1, "x")); s.Wait(40); s.send(0, current.reliable(1, "x")) }, "1 0 0 1", "retry"},
		{"Ping", false, func(s *scene) { s.send(0, ping(1)); s.Wait(500); s.send(0, ping(1)) }, "1 0 0 0", "retry keepalive"},
		{"unreliable data twice is two messages", false, func(s *scene) { s.send(0, none("x")); s.send(0, none("x")) }, "0 0 0 2", ""},
		{"unreliable data copied is one", false, func(s *scene) { s.copy(0, none("x")) }, "0 0 1 1", "duplicate"},
		{"unreliable data without identification is never a copy", true, func(s *scene) { s.send(0, none("x")); s.send(0, none("x")) }, "0 0 0 2", ""},
		{"an id far away alone", false, func(s *scene) { s.send(0, current.reliable(1, "x")); s.send(0, current.reliable(0x7fff, "y")) }, "0 0 0 1", ""},
		{"ids far away", false, func(s *scene) {
			s.send(0, current.reliable(1, "x"))
			s.send(0, current.reliable(0x7ffe, "y"))
			s.send(0, current.reliable(0x7fff, "z"))
		}, "0 0 0 3", "gap"},
		{"an id far away that is acknowledged", false, func(s *scene) {
			s.send(0, current.reliable(1, "x"))
			s.send(0, current.reliable(0x7fff, "y"))
			s.send(1, current.acks(0x7fff))
		}, "0 0 0 2", "gap ack"},
	} {
		s := newScene(t, "", false)
		s.NoIPID = c.noIPID
		s.meet(current, current)
		c.play(s)
		d := &s.One().Dir[0]
		if got := fmt.Sprint(d.Retries, d.UnneededRetries, d.Duplicates, d.Messages); got != c.want || s.Words() != c.words {
			t.Errorf("%s: %s %q, want %s %q", c.name, got, s.Words(), c.want, c.words)
		}
	}
}

// Ids go from 65,535 to 0, in SkeldJS to 1; neither loses anything.
func TestHazel_ReliableDelivery_Wrap(t *testing.T) {
	for _, c := range []struct {
		name string
		ids  []uint16
		want string  // gaps, missing, out of order, messages
		last seq.Num // number of the last message
	}{
		{"to 0", []uint16{65534, 65535, 0, 1, 2}, "0 0 0 5", 65538},
		{"SkeldJS", []uint16{65520, 65521, 65522, 65523, 65524, 65525, 65526, 65527, 65528, 65529, 65530, 65531, 65532, 65533, 65534, 65535, 1, 2, 3}, "0 0 0 19", 65539},
		{"0 is lost, as others are", []uint16{65518, 65520, 65521, 65522, 65523, 65524, 65525, 65526, 65527, 65528, 65529, 65530, 65531, 65532, 65533, 65534, 65535, 1, 2, 3}, "2 2 0 20", 65539},
		{"0 is lost, too little is known", []uint16{65534, 65535, 1, 2, 3}, "1 1 0 5", 65539},
		{"0 is overtaken", []uint16{65534, 65535, 2, 0, 1}, "1 0 2 5", 65537},
		{"a gap behind 0", []uint16{65535, 0, 2}, "1 1 0 3", 65538},
		{"a larger gap across", []uint16{65535, 2}, "1 2 0 2", 65538},
	} {
		s := newScene(t, "current", false)
		for _, id := range c.ids {
			s.send(0, current.reliable(id, "x"))
			s.send(1, current.acks(id))
		}
		d := &s.One().Dir[0]
		if got := fmt.Sprint(d.Gaps, d.Missing(), d.OutOfOrder, d.Messages); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
		if d.RTT().Samples != uint64(len(c.ids)) {
			t.Errorf("%s: %d round trips", c.name, d.RTT().Samples)
		}
		if got := s.Messages[len(s.Messages)-1].Number; got != c.last {
			t.Errorf("%s: last number %d, want %d", c.name, got, c.last)
		}
	}
}

// Fragments are joined in the order of their index, whatever order they come in;
// each has its own id, is acknowledged and sent again alone.
func TestHazel_Fragments(t *testing.T) {
	for _, c := range []struct {
		name string
		play func(s *scene)
		want string // messages of a
		info string // frames, number of the last
	}{
		{"0.1, one", func(s *scene) { s.send(0, start(2, 1, 1, "a")) }, "a", "1 2"},
		{"0.1, in order", func(s *scene) {
			s.send(0, start(2, 3, 1, "a"))
			s.send(0, next(3, 1, 1, "b"))
			s.send(0, next(4, 2, 1, "c"))
		}, "abc", "3 2"},
		{"0.1, the start last", func(s *scene) {
			s.send(0, next(4, 2, 1, "c"))
			s.send(0, next(3, 1, 1, "b"))
			s.send(0, start(2, 3, 1, "a"))
		}, "abc", "3 2"},
		{"0.1, a part again", func(s *scene) {
			s.send(0, start(2, 2, 1, "a"))
			s.Wait(300)
			s.send(0, start(2, 2, 1, "a"))
			s.send(0, next(3, 1, 1, "b"))
		}, "ab", "2 2"},
		{"0.1, two messages mixed", func(s *scene) {
			s.send(0, start(2, 2, 1, "a"))
			s.send(0, start(3, 2, 2, "c"))
			s.send(0, next(5, 1, 2, "d"))
			s.send(0, next(4, 1, 1, "b"))
		}, "cd ab", "2 2"},
		{"0.1, a part is missing", func(s *scene) { s.send(0, start(2, 3, 1, "a")); s.send(0, next(4, 2, 1, "c")) }, "[a]", "2 2"},
		{"0.1, an index beyond the count", func(s *scene) {
			s.send(0, start(2, 2, 1, "a"))
			s.send(0, next(3, 7, 1, "z"))
			s.send(0, next(4, 1, 1, "b"))
		}, "ab", "2 2"},
		{"0.1, a part was cut", func(s *scene) { s.send(0, start(2, 2, 1, "a")); s.cut(0, next(3, 1, 1, "bcd"), 8) }, "[ab]", "2 2"},
		{"fork36", func(s *scene) { s.send(0, forked(2, 1, 0, 2, "a")); s.send(0, forked(3, 1, 1, 2, "b")) }, "ab", "2 2"},
		{"fork36, the first last", func(s *scene) { s.send(0, forked(3, 1, 1, 2, "b")); s.send(0, forked(2, 1, 0, 2, "a")) }, "ab", "2 2"},
		{"an MTU test is no message", func(s *scene) {
			s.send(0, hazel.Frame{Type: hazel.MTUTest, Dialect: hazel.Fork36, ID: 2, Data: make([]byte, 503), Size: 508})
			s.send(0, forked(3, 1, 0, 1, "a"))
		}, "a", "1 3"},
	} {
		s := newScene(t, "", false)
		s.meet(v01, v01)
		c.play(s)
		got := s.texts(0)
		if got != c.want {
			t.Errorf("%s: %q, want %q (%s)", c.name, got, c.want, s.types())
			continue
		}
		m := &s.Messages[len(s.Messages)-1]
		if info := fmt.Sprint(m.Frames, m.Number); info != c.info || !m.Reliable || m.Ordered {
			t.Errorf("%s: %s, want %s", c.name, info, c.info)
		}
	}
}

// What is kept of messages that lack a part is bounded in number: the oldest is incomplete.
func TestHazel_FragmentsBounded(t *testing.T) {
	for others, want := range map[uint16]uint64{track.MaxPartial - 1: 1, track.MaxPartial: 0} {
		s := newScene(t, "", false)
		s.meet(v01, v01)
		s.send(0, start(2, 2, 1, "a"))
		for i := range others {
			s.send(0, start(3+i, 9, 2+i, "a"))
		}
		s.send(0, next(3+others, 1, 1, "b"))
		if d := &s.One().Dir[0]; d.Messages != want || d.IncompleteMessages < uint64(others) {
			t.Errorf("%d others: %d whole, %d incomplete; want %d whole", others, d.Messages, d.IncompleteMessages, want)
		}
	}
}

// … and in bytes: what there is no room for makes its message incomplete, whether its parts wait
// for the first one or were joined to it.
func TestHazel_FragmentBytesBounded(t *testing.T) {
	const parts, size = 200, 60_000
	text := strings.Repeat("x", size)
	for _, c := range []struct {
		messages, missing uint16
		whole             bool
	}{
		{track.MaxHeldBytes / (parts * size), 0, true}, {track.MaxHeldBytes/(parts*size) + 1, 0, false},
		{track.MaxHeldBytes / (parts * size), parts - 1, true}, {track.MaxHeldBytes/(parts*size) + 1, parts - 1, false},
	} {
		s := newScene(t, "", false)
		s.meet(v01, v01)
		id := uint16(2)
		send := func(m, k uint16) {
			if k == 0 {
				s.send(0, start(id, parts, m, text))
			} else {
				s.send(0, next(id, k, m, text))
			}
			id++
		}
		for m := range c.messages {
			for k := range uint16(parts) {
				if k != c.missing {
					send(m, k)
				}
			}
		}
		if held := track.Held(s.Sessions[0], 0); held > track.MaxHeldBytes || held < track.MaxHeldBytes-parts*size {
			t.Errorf("%+v: %d bytes are held", c, held)
		}
		for m := range c.messages {
			send(m, c.missing)
		}
		if d := &s.One().Dir[0]; d.Messages+d.IncompleteMessages != uint64(c.messages) || d.IncompleteMessages == 0 != c.whole {
			t.Errorf("%+v: %d whole, %d incomplete", c, d.Messages, d.IncompleteMessages)
		}
	}
}
