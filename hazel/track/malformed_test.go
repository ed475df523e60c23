package track_test

import (
	"fmt"
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/hazel"
	"github.com/dpdissect/dpdissect/hazel/rules"
	"github.com/dpdissect/dpdissect/internal/testbed/sessiontest"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/seq"
)

// What real receivers do with malformed datagrams never makes the capture
// suspect: they read missing bytes as zeros and acknowledge the id they get.
func TestHazel_Malformed(t *testing.T) {
	for _, c := range []struct {
		name string
		play func(s *scene)
		want string // malformed, data frames, acks of b, messages of a
	}{
		{"empty", func(s *scene) { s.Raw(0, nil) }, "1 1 2 1"},
		{"an unknown type", func(s *scene) { s.Raw(0, []byte{0x11, 0, 2, 9}) }, "1 1 2 1"},
		{"a type of another dialect", func(s *scene) { s.Raw(0, []byte{0xff, 0, 2}) }, "1 1 2 1"},
		{"a fragment, which today has none", func(s *scene) { s.send(0, next(2, 5, 1, "x")) }, "1 1 2 1"},
		{"Reliable of 1 byte", func(s *scene) { s.Raw(0, []byte{1}); s.send(1, current.acks(0)) }, "1 1 3 1"},
		{"Reliable of 2 bytes", func(s *scene) { s.Raw(0, []byte{1, 1}); s.send(1, current.acks(0x100)) }, "1 1 3 1"},
		{"Ping with a byte behind", func(s *scene) { s.Raw(0, []byte{12, 0, 2, 0}); s.send(1, current.acks(2)) }, "0 1 3 1"},
		{"Ping of 2 bytes", func(s *scene) { s.Raw(0, []byte{12, 0}); s.send(1, current.acks(0)) }, "1 1 3 1"},
		{"an acknowledgement of 5 bytes", func(s *scene) { s.Raw(1, []byte{10, 0, 1, 255, 255}) }, "1 1 2 1"},
		{"an acknowledgement of an id never sent", func(s *scene) { s.send(1, current.acks(30000)) }, "0 1 3 1"},
		{"Reliable without data", func(s *scene) { s.send(0, current.reliable(2, "")) }, "0 2 2 2"},
		{"None without data", func(s *scene) { s.send(0, none("")) }, "0 2 2 2"},
	} {
		s := newScene(t, "", false)
		s.meet(current, current)
		s.send(0, current.reliable(1, "x"))
		s.send(1, current.acks(1))
		c.play(s)
		conn := s.One()
		_, malformed, _ := s.Table.Totals()
		a, b := &conn.Dir[0], &conn.Dir[1]
		if got := fmt.Sprint(malformed, a.DataFrames, b.Acks, a.Messages); got != c.want {
			t.Errorf("%s: %s, want %s (%s)", c.name, got, c.want, s.types())
		}
		if l := a.Lost(); l != (seq.Lost{}) || a.Missing() != 0 {
			t.Errorf("%s: lost %+v, missing %d", c.name, l, a.Missing())
		}
	}
}

// A datagram that the capture cut is not malformed; what is there counts.
func TestHazel_Cut(t *testing.T) {
	s := newScene(t, "", false)
	s.meet(current, current)
	s.cut(0, current.reliable(1, "a long message"), 5)
	s.cut(1, current.acks(1), 3)
	s.cut(0, current.reliable(2, "another"), 2) // its id is gone
	s.cut(0, none("unreliable"), 1)
	s.cut(0, ping(3), 3)
	s.cut(1, current.acks(3), 1)
	s.cut(0, current.bye("\x01\x01\x00\x00\x08"), 1)
	c := s.One()
	_, malformed, _ := s.Table.Totals()
	a, b := &c.Dir[0], &c.Dir[1]
	if got, want := fmt.Sprint(malformed, a.DataFrames, a.KeepAlives, b.Acks, a.Messages, a.IncompleteMessages, " ", c.Dialect, " ", c.State), "0 3 1 3 0 2 current closed"; got != want {
		t.Errorf("%s, want %s (%s)", got, want, s.types())
	}
}

// Recognition of each dialect, from its start.
func TestProbe_Dialects(t *testing.T) {
	talk := func(r release, n int) func(s *scene) {
		return func(s *scene) {
			s.meet(r, r)
			for id := r.first + 1; int(id) < n; id++ {
				s.send(0, r.reliable(id, "x"))
				s.send(1, r.acks(id))
			}
		}
	}
	for _, c := range []struct {
		name string
		play func(s *scene)
		most int // datagrams; 0: never
	}{
		{"2016-05-14", talk(may14, 9), 6},
		{"2016-05-30", talk(may30, 9), 6},
		{"spec", talk(spec, 9), 6},
		{"0.1", talk(v01, 9), 6},
		{"ack3", talk(ack3, 9), 6},
		{"current", talk(current, 9), 2},
		{"current of 2020", talk(of2020, 9), 2},
		{"a Hello alone", func(s *scene) { s.tries(0, current.hello(0, ""), helloTimes) }, 0},
		{"a Hello acknowledged by another id", func(s *scene) { s.send(0, current.hello(0, "")); s.send(1, current.acks(1)) }, 0},
		{"0.1, then unreliable data alone", func(s *scene) {
			s.meet(v01, v01)
			for range 12 {
				s.send(0, none("raw"))
			}
		}, 12},
		{"refused with a reason, answered", func(s *scene) {
			s.send(0, current.hello(0, ""))
			s.send(1, current.bye("\x01\x01\x00\x00\x05"))
			s.send(0, current.bye(""))
		}, 3},
		{"from the middle", func(s *scene) {
			for id := range uint16(20) {
				s.send(0, current.reliable(500+id, "x"))
				s.send(1, current.acks(500+id))
			}
		}, 14},
		{"ids that nobody acknowledges", func(s *scene) {
			for id := range uint16(60) {
				s.send(0, current.reliable(500+id, "x"))
			}
		}, 0},
		{"acknowledgements of other ids", func(s *scene) {
			for id := range uint16(60) {
				s.send(0, current.reliable(500+id, "x"))
				s.send(1, current.acks(9000+id))
			}
		}, 0},
	} {
		s := newScene(t, "", true)
		c.play(s)
		s.End()
		at := s.RecognisedAfter(rules.New().NewProbe())
		if at > c.most || at == 0 && c.most > 0 {
			t.Errorf("%s: recognised after %d, want at most %d", c.name, at, c.most)
		}
		if got := len(s.End()) > 0; got != (c.most > 0) {
			t.Errorf("%s: recognised %v", c.name, got)
		}
	}
}

// A datagram whose bytes are random must not disturb a connection that is known.
func TestHazel_AnyBytesAreSafe(t *testing.T) {
	for _, dialect := range append([]string{""}, hazel.Hazel.Dialects...) {
		for _, sample := range hazel.Samples() {
			for n := range len(sample) {
				s := newScene(t, dialect, false)
				s.meet(current, current)
				s.Raw(0, sample[:n])
				s.Raw(1, sample)
				s.End()
			}
		}
	}
}

func BenchmarkTracker(b *testing.B) {
	p := rules.New()
	tab := session.NewTable(session.Config{Protocols: []*session.Protocol{p}, Force: sessiontest.Force(p, "")})
	var list []*dissect.Datagram
	add := func(from dissect.Dir, f hazel.Frame) {
		payload := f.Append(nil)
		list = append(list, &dissect.Datagram{HasTime: true, Src: hosts[from], Dst: hosts[from.Other()], Payload: payload, Length: len(payload)})
	}
	add(0, current.hello(0, ""))
	add(1, current.acks(0))
	for id := range 65535 {
		add(0, current.reliable(uint16(id+1), "some data of a game"))
		add(1, current.acks(uint16(id+1)))
		add(0, none("some more data of a game"))
	}
	b.ReportAllocs()
	b.ResetTimer()
	for i := range b.N {
		d := list[2+i%(len(list)-2)]
		d.Frame, d.Time, d.IPID, d.Sum = uint64(i+1), int64(i)*1e6, uint16(i), uint64(i)
		tab.Add(d)
	}
}
