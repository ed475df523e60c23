package track_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/hazel"
	"github.com/dpdissect/dpdissect/hazel/rules"
	"github.com/dpdissect/dpdissect/hazel/track"
	"github.com/dpdissect/dpdissect/session"
)

// A flight makes datagrams of records.
type flight struct {
	version uint16
	suite   uint16
	extra   int // bytes that encryption adds

	extensions string
}

var (
	hiddenFlight = flight{version: hazel.HiddenVersion, suite: hazel.HazelSuite, extra: hazel.Sealed}
	openFlight   = flight{version: hazel.DTLS12, suite: hazel.HazelSuite, extra: hazel.Sealed}
	webRTC       = flight{version: hazel.DTLS12, suite: hazel.HazelSuite, extra: hazel.Sealed + 8} // the suite as its standard has it
	ccm8         = flight{version: hazel.DTLS12, suite: 0xC0AE, extra: 16}                         // CoAP: 8 bytes of nonce and 8 of tag
)

func (f flight) record(content byte, epoch uint16, seq uint64, body []byte) []byte {
	r := hazel.Record{Content: content, Version: f.version, Epoch: epoch, Sequence: seq, Body: body}
	return r.Append(nil)
}

func (f flight) clientHello(random byte, seq uint64, session, cookie string) []byte {
	b := []byte{0xfe, 0xfd}
	for range 32 {
		b = append(b, random)
	}
	b = append(append(b, byte(len(session))), session...)
	b = append(append(b, byte(len(cookie))), cookie...)
	b = append(b, 0, 2, byte(f.suite>>8), byte(f.suite), 1, 0)
	b = append(b, f.extensions...)
	return f.record(hazel.RecordHandshake, 0, seq, hazel.AppendHandshake(nil, hazel.ClientHello, uint16(seq), b))
}

func (f flight) verify() []byte {
	return f.record(hazel.RecordHandshake, 0, 0, hazel.AppendHandshake(nil, hazel.HelloVerifyRequest, 0, []byte("\xfe\xfd\x04cake")))
}

func (f flight) serverHello() []byte {
	b := append([]byte{0xfe, 0xfd}, make([]byte, 32)...)
	b = append(b, 0, byte(f.suite>>8), byte(f.suite), 0)
	return f.record(hazel.RecordHandshake, 0, 1, hazel.AppendHandshake(nil, hazel.ServerHello, 1, b))
}

func (f flight) finished() []byte {
	b := f.record(hazel.RecordChangeCipherSpec, 0, 2, []byte{1})
	return append(b, f.record(hazel.RecordHandshake, 1, 0, make([]byte, 24+f.extra))...)
}

func (f flight) data(seq uint64, size int) []byte {
	return f.record(hazel.RecordApplicationData, 1, seq, make([]byte, size+f.extra))
}

// handshake plays one, with a session version, up to both Finished.
func (f flight) handshake(s *scene, session string) {
	s.Raw(0, f.clientHello(7, 0, session, ""))
	s.Raw(1, f.verify())
	s.Raw(0, f.clientHello(7, 1, session, "cake"))
	s.Raw(1, f.serverHello())
	s.Raw(0, f.finished())
	s.Raw(1, f.finished())
}

// cookies plays the first datagrams of a handshake.
func (f flight) cookies(s *scene, session string, n int) {
	for i, b := range [][]byte{f.clientHello(7, 0, session, ""), f.verify(), f.clientHello(7, 1, session, "cake")}[:n] {
		s.Raw(dissect.Dir(i)&1, b)
	}
}

// small plays records of random lengths from both sides.
func small(s *scene, n, least, most int) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for i := range uint64(n) {
		for side := range dissect.Dirs {
			s.Raw(side, openFlight.data(1+i, least-hazel.Sealed+rnd.IntN(most-least+1)))
		}
	}
}

// pings plays Pings from both sides and their acknowledgements, by their sizes.
func (f flight) pings(s *scene, n int) {
	for i := range uint64(n) {
		s.Raw(0, f.data(2+2*i, hazel.SizePing))
		s.Raw(1, f.data(2+2*i, hazel.SizeAck))
		s.Raw(1, f.data(3+2*i, hazel.SizePing))
		s.Raw(0, f.data(3+2*i, hazel.SizeAck))
		s.Wait(1480)
	}
}

func TestHazel_DTLS_Connection(t *testing.T) {
	s := newScene(t, "", true)
	hiddenFlight.handshake(s, "\x01")
	s.Raw(0, hiddenFlight.data(2, 9)) // the Hello: 1 is left out
	s.Raw(1, hiddenFlight.data(2, hazel.SizeAck))
	s.Raw(0, hiddenFlight.data(3, hazel.SizePing))
	s.Raw(1, hiddenFlight.data(3, hazel.SizeAck))
	s.Raw(1, hiddenFlight.data(4, 40))
	s.Again()
	s.Raw(0, hiddenFlight.data(4, hazel.SizeAck))
	s.Raw(0, hiddenFlight.data(5, hazel.SizeDisconnect))
	c := s.One()
	if got := fmt.Sprint(c.Dialect, " ", c.State, c.ClosedBy, c.Complete, c.DetectedBy, c.Roles, c.Remarks); got !=
		"dtls closed a true handshake [client server] [DTLS: the server asked for a cookie DTLS: the client returned the cookie]" {
		t.Error(got)
	}
	if len(s.Messages) != 0 {
		t.Errorf("%d messages", len(s.Messages))
	}
	for dir, want := range [2]string{"1 1 1 0 0 0", "2 2 0 1 0 0"} {
		d := &c.Dir[dir]
		if got := fmt.Sprint(d.DataFrames, d.Acks, d.KeepAlives, d.Duplicates, d.Missing(), d.Gaps); got != want {
			t.Errorf("side %d: %s, want %s", dir, got, want)
		}
	}
	const types = "DTLS Handshake DTLS Handshake DTLS Handshake DTLS Handshake DTLS ChangeCipherSpec DTLS ChangeCipherSpec" +
		" DTLS ApplicationData DTLS ApplicationData DTLS ApplicationData DTLS ApplicationData DTLS ApplicationData DTLS ApplicationData DTLS ApplicationData DTLS ApplicationData"
	if got := s.types(); got != types {
		t.Error(got)
	}
	if got := string(s.Frames[2].Summary); got != "DTLS Handshake ClientHello epoch=0 seq=1 len=59 cookie" {
		t.Error(got)
	}
}

func TestHazel_DTLS_Recognition(t *testing.T) {
	for _, c := range []struct {
		name string
		play func(s *scene)
		want bool
	}{
		{"a hidden version, from the start", func(s *scene) { hiddenFlight.handshake(s, "\x01") }, true},
		{"a hidden version without a session version", func(s *scene) { hiddenFlight.handshake(s, "") }, true},
		{"a hidden version, from the middle", func(s *scene) { hiddenFlight.pings(s, 4) }, true},
		{"a session version", func(s *scene) { openFlight.handshake(s, "\x01") }, true},
		{"the sizes of a handshake", func(s *scene) { openFlight.handshake(s, "") }, true},
		{"a hidden version, two datagrams", func(s *scene) { hiddenFlight.cookies(s, "\x01", 2) }, true},
		{"a session version and its cookie, three datagrams", func(s *scene) { openFlight.cookies(s, "\x01", 3) }, true},
		{"… without the cookie", func(s *scene) { openFlight.cookies(s, "\x01", 2) }, false},
		{"… with another cookie", func(s *scene) {
			s.Raw(0, openFlight.clientHello(7, 0, "\x01", ""))
			s.Raw(1, openFlight.verify())
			s.Raw(0, openFlight.clientHello(7, 1, "\x01", "pies"))
		}, false},
		{"a cookie without a session", func(s *scene) { openFlight.cookies(s, "", 3) }, false},
		{"a cookie and a session of 32 bytes", func(s *scene) { openFlight.cookies(s, strings.Repeat("\x01", 32), 3) }, false},
		{"another session version", func(s *scene) { openFlight.cookies(s, "\x02", 3) }, false},
		{"a session version with the suite of another", func(s *scene) { ccm8.cookies(s, "\x01", 3) }, false},
		{"extensions that are cut short", func(s *scene) {
			f := hiddenFlight
			f.extensions = "\x00\x0a\x00\x0a\x00\x04\x00\x02\x00\x1d"
			f.cookies(s, "\x01", 2)
		}, true},
		{"small records of others, in any order", func(s *scene) { small(s, 300, 17, 22) }, false},
		{"the same without a Disconnect's size", func(s *scene) { small(s, 300, 18, 22) }, false},
		{"sizes of Pings and acknowledgements alone, in any order", func(s *scene) { small(s, 300, 19, 20) }, false},
		{"an acknowledgement's size for nothing", func(s *scene) {
			for i := range uint64(30) {
				s.Raw(0, openFlight.data(1+3*i, hazel.SizePing))
				s.Raw(1, openFlight.data(1+3*i, hazel.SizeAck))
				for j := range uint64(2) {
					s.Raw(0, openFlight.data(2+3*i+j, hazel.SizeAck))
					s.Raw(1, openFlight.data(2+3*i+j, hazel.SizeAck))
				}
			}
		}, false},
		{"Pings among records of two bytes", func(s *scene) {
			for i := range uint64(30) {
				s.Raw(0, openFlight.data(1+2*i, hazel.SizePing))
				s.Raw(1, openFlight.data(1+i, hazel.SizeAck))
				s.Raw(0, openFlight.data(2+2*i, 2))
			}
		}, false},
		{"Pings behind a Disconnect", func(s *scene) {
			s.Raw(0, openFlight.data(1, hazel.SizeDisconnect))
			s.Raw(1, openFlight.data(1, hazel.SizeDisconnect))
			openFlight.pings(s, 10)
		}, false},
		{"Pings from the middle", func(s *scene) { openFlight.pings(s, 10) }, true},
		{"another suite, with Pings of Hazel's sizes", func(s *scene) {
			f := openFlight
			f.suite = ccm8.suite
			f.handshake(s, "")
			f.pings(s, 20)
		}, false},
		{"another stack, the same suite", func(s *scene) { webRTC.handshake(s, ""); webRTC.pings(s, 20) }, false},
		{"another stack from the middle", func(s *scene) { webRTC.pings(s, 40) }, false},
		{"CoAP: empty answers have the size of acknowledgements", func(s *scene) {
			ccm8.handshake(s, "")
			for i := range uint64(40) {
				s.Raw(0, ccm8.data(2+i, 20))
				s.Raw(1, ccm8.data(2+i, 4))
			}
		}, false},
		{"CoAP from the middle", func(s *scene) {
			for i := range uint64(80) {
				s.Raw(0, ccm8.data(2+i, 4))
				s.Raw(1, ccm8.data(2+i, 4))
			}
		}, false},
		{"one side alone", func(s *scene) {
			for i := range uint64(60) {
				s.Raw(0, hiddenFlight.data(2+i, 20))
			}
		}, false},
	} {
		s := newScene(t, "", true)
		c.play(s)
		if got := len(s.End()) == 1; got != c.want {
			t.Errorf("%s: recognised %v", c.name, got)
		}
		for i := range s.Frames {
			if want := map[bool]string{true: "hazel", false: "dtls"}[c.want]; s.Frames[i].Protocol != want && s.Frames[i].Protocol != "udp" {
				t.Fatalf("%s: frame %d is %s", c.name, i+1, s.Frames[i].Protocol)
			}
			if c.name == "another stack, the same suite" && s.Frames[i].Protocol != "dtls" {
				t.Fatalf("%s: frame %d is %s", c.name, i+1, s.Frames[i].Protocol)
			}
		}
	}
}

func TestHazel_DTLS_Ends(t *testing.T) {
	f := hiddenFlight
	for _, c := range []struct {
		name  string
		play  func(s *scene)
		state session.State
		conns int
	}{
		{"opening", func(s *scene) { s.Raw(0, f.clientHello(7, 0, "\x01", "")) }, session.Opening, 1},
		{"refused", func(s *scene) { s.Raw(0, f.clientHello(7, 0, "\x01", "")); s.ICMP(0) }, session.Refused, 1},
		{"refused with an alert", func(s *scene) {
			s.Raw(0, f.clientHello(7, 0, "\x01", ""))
			s.Raw(1, f.record(hazel.RecordAlert, 0, 0, []byte{2, 40}))
		}, session.Refused, 1},
		{"nobody answers", func(s *scene) {
			for i := range uint64(25) {
				s.Raw(0, f.clientHello(7, i, "\x01", ""))
				s.Wait(195)
			}
			s.Wait(3000)
		}, session.TimedOut, 1},
		{"established", func(s *scene) { f.handshake(s, "\x01") }, session.Established, 1},
		{"established, from the middle", func(s *scene) { f.pings(s, 4) }, session.StateUnknown, 1},
		{"reset", func(s *scene) { f.handshake(s, "\x01"); s.ICMP(1) }, session.Reset, 1},
		{"another connection", func(s *scene) {
			f.handshake(s, "\x01")
			s.Wait(2000)
			s.Raw(0, f.clientHello(9, 0, "\x01", ""))
		}, session.Opening, 2},
		{"the ClientHello again is none", func(s *scene) {
			f.handshake(s, "\x01")
			s.Raw(0, f.clientHello(7, 0, "\x01", ""))
		}, session.Established, 1},
	} {
		s := newScene(t, "", false)
		c.play(s)
		conns := s.End()
		if last := conns[len(conns)-1]; last.State != c.state || len(conns) != c.conns || last.Dialect != "dtls" {
			t.Errorf("%s: %d connections, %s %s; want %d, %s", c.name, len(conns), last.State, last.Dialect, c.conns, c.state)
		}
	}
}

// A Disconnect with data looks like any other message: who was the first to leave is not
// known where an empty one comes after a message that nothing answered.
func TestHazel_DTLS_ClosedBy(t *testing.T) {
	f := hiddenFlight
	for _, c := range []struct {
		name string
		play func(s *scene)
		by   session.Side
	}{
		{"the client leaves", func(s *scene) { s.Raw(0, f.data(3, 1)) }, session.SideA},
		{"the server does, with a reason", func(s *scene) { s.Raw(1, f.data(3, 9)); s.Wait(10); s.Raw(0, f.data(3, 1)) }, session.NoSide},
		{"… and it is answered long after", func(s *scene) { s.Raw(1, f.data(3, 9)); s.Wait(900); s.Raw(0, f.data(3, 1)) }, session.SideA},
		{"the client leaves behind a message of the server, which answers", func(s *scene) {
			s.Raw(1, f.data(3, 9))
			s.Raw(0, f.data(3, 1))
			s.Wait(10)
			s.Raw(1, f.data(4, 1))
		}, session.SideA},
		{"the message was acknowledged", func(s *scene) { s.Raw(1, f.data(3, 9)); s.Raw(0, f.data(3, 4)); s.Raw(0, f.data(4, 1)) }, session.SideA},
	} {
		s := newScene(t, "", false)
		f.handshake(s, "\x01")
		for side := range dissect.Dirs {
			s.Raw(side, f.data(2, 3))
			s.Raw(side.Other(), f.data(2, 4))
		}
		c.play(s)
		if got := s.One(); got.State != session.Closed || got.ClosedBy != c.by {
			t.Errorf("%s: %s by %q, want %q", c.name, got.State, got.ClosedBy, c.by)
		}
	}
}

// Records of others are a neighbour once their pair was given up, and never
// before the probes have seen them.
func TestHazel_Neighbours(t *testing.T) {
	dtls := webRTC.data(9, 100)
	lan := hazel.AppendLAN(nil, []byte("Red~Open~3~"))
	broadcast := dissect.Endpoint{IP: [16]byte{10: 255, 11: 255, 12: 192, 13: 168, 14: 1, 15: 255}, Port: 9}
	for _, c := range []struct {
		name     string
		payload  []byte
		dst      dissect.Endpoint
		standing session.Standing
		want     *dissect.Protocol
	}{
		{"DTLS, undecided", dtls, hosts[1], session.Undecided, nil},
		{"DTLS of a stranger", dtls, hosts[1], session.Stranger, hazel.DTLS},
		{"DTLS on a pair of ours", dtls, hosts[1], session.Ours, nil},
		{"a hidden version of a stranger", hiddenFlight.data(9, 100), hosts[1], session.Stranger, nil},
		{"a record that does not fill its datagram", append(webRTC.data(9, 100), 0), hosts[1], session.Stranger, nil},
		{"an announcement", lan, dissect.Endpoint{IP: hosts[1].IP, Port: hazel.LANPort}, session.Undecided, hazel.LAN},
		{"an announcement, broadcast elsewhere", lan, broadcast, session.Undecided, hazel.LAN},
		{"its bytes on other ports", lan, hosts[1], session.Undecided, nil},
		{"broadcast, but without parts", hazel.AppendLAN(nil, []byte("hello")), broadcast, session.Undecided, nil},
		{"bytes that are no text", []byte{4, 2, 0xff, 0, 1}, dissect.Endpoint{Port: hazel.LANPort}, session.Undecided, nil},
	} {
		d := &dissect.Datagram{Src: hosts[0], Dst: c.dst, Payload: c.payload, Length: len(c.payload)}
		if got := rules.New().Neighbour(d, c.standing); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
	if got := string(hazel.AppendNeighbourSummary(nil, lan)); got != "ANNOUNCEMENT Red~Open~3~" {
		t.Error(got)
	}
	if got := string(hazel.AppendNeighbourSummary(nil, dtls)); got != "ApplicationData epoch=1 seq=9 len=124" {
		t.Error(got)
	}
}

// Pairs that cannot be Hazel are given up soon.
func TestProbeGivesUp(t *testing.T) {
	p := track.New(nil).NewProbe()
	junk := &dissect.Datagram{Payload: []byte("\x40 neither Hazel nor DTLS"), Length: 24}
	for range 3 { // soon
		if math.IsInf(p.Observe(junk, 0), -1) {
			return
		}
	}
	t.Error("junk leaves hope")
}

// A capture that kept nothing of the first datagram shows by the next one that they are records.
func TestHazel_DTLS_FirstDatagramCut(t *testing.T) {
	s := newScene(t, "", false)
	b := hiddenFlight.clientHello(7, 0, "\x01", "")
	s.Cut(0, b, len(b))
	s.Raw(1, hiddenFlight.verify())
	s.Raw(0, hiddenFlight.clientHello(7, 1, "\x01", "cake"))
	if c := s.One(); c.Dialect != "dtls" {
		t.Errorf("dialect %q", c.Dialect)
	}
}
