package track_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/hazel"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/seq"
)

// pages are sides that speak the page's dialect: with the Hello that it alone allows, and
// with that of late 2016, which 0.1 has, too.
var pages = []release{spec, {hazel.Spec, 1, false, false}}

// onPage plays a scene between sides that speak the page's dialect, named by the user or not.
func onPage(t *testing.T, play func(s *scene, r release), look func(t *testing.T, s *scene)) {
	for _, dialect := range []string{"", "spec"} {
		for _, r := range pages {
			t.Run(fmt.Sprintf("%q, bare Hello %v", dialect, r.short), func(t *testing.T) {
				s := newScene(t, dialect, false)
				play(s, r)
				look(t, s)
			})
		}
	}
}

func flagged(code byte, id uint16, text string) hazel.Frame {
	return hazel.Frame{Type: hazel.Fragment, Dialect: hazel.Spec, Code: code, ID: id, Data: []byte(text)}
}

// Hazel page, Keepalive packets: the interval is open, and what keeps alive is no message,
// of the server neither.
func TestHazelPage_Keepalive_EmptyReliables(t *testing.T) {
	for _, every := range []int64{1000, 2000, 10000} {
		onPage(t, func(s *scene, r release) {
			s.meet(r, r)
			for i := range uint16(6) {
				s.Wait(every)
				s.send(0, r.reliable(2+i, ""))
				s.send(1, r.acks(2+i))
				s.send(1, r.reliable(1+i, ""))
				s.send(0, r.acks(1+i))
			}
		}, func(t *testing.T, s *scene) {
			c := s.One()
			for i := range c.Dir {
				if d := &c.Dir[i]; d.KeepAlives != 6 || d.DataFrames != 0 || d.Messages != 0 {
					t.Errorf("every %d ms: side %d has %d keepalives, %d data frames, %d messages", every, i, d.KeepAlives, d.DataFrames, d.Messages)
				}
			}
		})
	}
}

// An empty Reliable without a silence is a message, and so is its resend.
func TestHazelPage_Keepalive_EmptyMessage(t *testing.T) {
	onPage(t, func(s *scene, r release) {
		s.meet(r, r)
		s.send(0, r.reliable(2, "x"))
		s.send(1, r.acks(2))
		s.send(0, r.reliable(3, ""))
		s.Wait(1000)
		s.send(0, r.reliable(3, ""))
		s.send(1, r.acks(3))
	}, func(t *testing.T, s *scene) {
		if d := &s.One().Dir[0]; d.KeepAlives != 0 || d.DataFrames != 3 || d.Messages != 2 {
			t.Errorf("%d keepalives, %d data frames, %d messages", d.KeepAlives, d.DataFrames, d.Messages)
		}
	})
}

// A keepalive while data is sent is early by the interval that its side keeps.
func TestHazelPage_Keepalive_Early(t *testing.T) {
	onPage(t, func(s *scene, r release) {
		s.meet(r, r)
		for i := range uint16(8) {
			s.Wait(2000)
			s.send(0, r.reliable(2+i, ""))
			s.send(1, r.acks(2+i))
		}
	}, func(t *testing.T, s *scene) {
		if got := s.fails(); got != "" {
			t.Error(got)
		}
	})
}

// Hazel page, Header Data: both flags together have an id and no header of a fragment; the
// flag Fragmented alone has neither.
func TestHazelPage_HeaderData_Fragments(t *testing.T) {
	onPage(t, func(s *scene, r release) {
		s.meet(r, r)
		s.send(1, flagged(2, 0, "one of many"))
		s.send(0, flagged(2, 0, "par"))
		for i := range uint16(4) {
			s.send(0, flagged(3, 2+i, "reliable"))
			s.send(1, r.acks(2+i))
			s.send(0, flagged(2, 0, "one of many"))
			s.send(1, flagged(3, 1+i, "back"))
			s.send(0, r.acks(1+i))
		}
	}, func(t *testing.T, s *scene) {
		c := s.One()
		a, b := &c.Dir[0], &c.Dir[1]
		if got := fmt.Sprint(c.Dialect, a.DataFrames, b.DataFrames, a.Messages, b.Messages, a.IncompleteMessages+b.IncompleteMessages, a.Missing()+b.Missing()); got != "spec9 5 9 5 0 0" {
			t.Error(got)
		}
		if (a.Lost() != seq.Lost{}) || (b.Lost() != seq.Lost{}) || strings.Contains(s.types(), "!") || a.RTT().Samples != 5 {
			t.Errorf("lost %v %v, %d round trips, %s", a.Lost(), b.Lost(), a.RTT().Samples, s.types())
		}
	})
}

// A fragment of 0.1 is one by its count and its id, be it the first datagram of a side.
func TestHazel_Fragments_ToldFromThePage(t *testing.T) {
	for _, c := range []struct {
		name string
		f    hazel.Frame
		want string
	}{
		{"0.1", start(1, 2, 1, "a"), "FRAGMENT_START"},
		{"text", flagged(2, 0, "one of many"), "FRAGMENT"},
		{"little of it", flagged(2, 0, "on"), "FRAGMENT"},
		{"an id from nowhere", start(9000, 2, 1, "a"), "FRAGMENT"},
		{"too many parts", start(1, 2000, 1, "a"), "FRAGMENT"},
	} {
		s := newScene(t, "", false)
		s.meet(v01, v01)
		s.send(1, c.f)
		if got := s.types(); got != "HELLO ACKNOWLEDGEMENT "+c.want {
			t.Errorf("%s: %s", c.name, got)
		}
	}
}

// AMB-HZ-02: the page has no codes 3 and 4.
func TestHazelPage_HeaderData_Codes(t *testing.T) {
	s := newScene(t, "spec", false)
	s.meet(spec, spec)
	s.Raw(0, []byte{0x0b, 0, 1, 0, 2, 0, 2, 5})
	s.Raw(0, []byte{0x0c, 0, 2})
	if got, want := s.types(), "HELLO ACKNOWLEDGEMENT ! !"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got, want := s.fails(), "HZ-HDR-CODE note 3, HZ-HDR-CODE note 4"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if d := &s.One().Dir[0]; d.KeepAlives+d.DataFrames+d.Missing() != 0 {
		t.Errorf("%d keepalives, %d data frames, %d missing", d.KeepAlives, d.DataFrames, d.Missing())
	}
}

// The first id is open on the page: 0 is not that of 2023, and 5000 makes the Hello no
// keepalive.
func TestHazelPage_FirstID(t *testing.T) {
	for _, first := range []uint16{0, 5000} {
		onPage(t, func(s *scene, r release) {
			s.send(0, r.hello(first, map[bool]string{false: "name"}[r.short]))
			s.send(1, r.acks(first))
			s.send(0, r.reliable(first+1, "x"))
			s.send(1, r.acks(first+1))
			s.Wait(2000)
			s.send(0, r.reliable(first+2, ""))
		}, func(t *testing.T, s *scene) {
			c := s.One()
			got := fmt.Sprint(c.State, c.Complete, c.Roles, c.Dir[0].KeepAlives, c.Dir[0].Messages)
			if got != "established true [client server] 1 1" {
				t.Errorf("first id %d: %s", first, got)
			}
			if first == 0 && c.Dialect != "spec" {
				t.Errorf("first id 0: dialect %q", c.Dialect)
			}
			if c.Dialect == "spec" && s.fails() != "" {
				t.Errorf("first id %d: %s", first, s.fails())
			}
		})
	}
}

// A Hello without data whose id is no first one may also keep alive a connection that began
// before the capture: the next one tells.
func TestHazel_Start_WithAKeepalive(t *testing.T) {
	s := newScene(t, "", false)
	for i := range uint16(3) {
		s.send(0, spec.hello(50+i, ""))
		s.send(1, spec.acks(50+i))
		s.Wait(10000)
	}
	if c := s.One(); c.Complete || c.State != session.StateUnknown || c.Dir[0].KeepAlives != 3 {
		t.Errorf("complete %v, %s, %d keepalives", c.Complete, c.State, c.Dir[0].KeepAlives)
	}
}

// The dialects that are left are listed, the oldest first.
func TestHazel_DialectsLeft(t *testing.T) {
	late := pages[1]
	for _, c := range []struct {
		name string
		play func(s *scene)
		want string
	}{
		{"a Hello of late 2016", func(s *scene) { s.meet(late, late); s.send(1, late.reliable(1, "x")); s.send(0, late.acks(1)) }, "[spec 0.1]"},
		{"… and a fragment", func(s *scene) { s.meet(v01, v01); s.send(0, start(2, 1, 1, "x")); s.send(1, v01.acks(2)) }, "[] 0.1"},
		{"a Hello of the page", func(s *scene) { s.meet(spec, spec) }, "[] spec"},
		{"its fourth byte is not 0", func(s *scene) {
			s.Raw(0, append([]byte{8, 0, 1}, "name"...))
			s.send(1, late.acks(1))
		}, "[] spec"},
		{"today's", func(s *scene) { s.meet(current, current) }, "[] current"},
		{"a Hello alone", func(s *scene) { s.send(0, v01.hello(1, "")) }, "[spec 0.1 current]"},
	} {
		s := newScene(t, "", false)
		c.play(s)
		conn := s.One()
		if got := strings.TrimSpace(fmt.Sprint(conn.Dialects, " ", conn.Dialect)); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}
