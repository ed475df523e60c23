package track_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/dp8/track"
	"github.com/dpdissect/dpdissect/session"
)

// recognisedAfter gives the datagrams a play takes to be recognised, 0 for never.
func recognisedAfter(t *testing.T, play func(s *scene)) int {
	t.Helper()
	s := newScene(t, track.Options{}, false)
	play(s)
	s.End()
	for i, c := range s.ConnOf {
		if c != nil {
			if i != 0 {
				t.Errorf("the first %d datagrams are not the connection's", i)
			}
			break
		}
	}
	return s.RecognisedAfter(&track.Probe{})
}

func TestRecognition(t *testing.T) {
	// talk is a conversation from the middle: data both ways and SACKs.
	talk := func(s *scene, n int, f func(seq uint8) dp8.Frame) {
		for i := range n {
			k := uint8(i)
			s.send(0, f(100+k))
			s.send(1, data(200+k, 101+k, "y"))
			if i%3 == 2 {
				s.send(0, sack(101+k, 201+k, 0))
			}
		}
	}
	answered := func(seq uint8) dp8.Frame { return data(seq, seq+100, "x") }
	for _, c := range []struct {
		name string
		play func(s *scene)
		most int // datagrams; 0: never
	}{
		{"a handshake", func(s *scene) { s.meet(7, dp8.Version16, dp8.Version16) }, 2},
		{"a signed handshake", func(s *scene) { s.meetSigned(dp8.SigningFull) }, 2},
		{"one CONNECT", func(s *scene) { s.send(0, command(dp8.OpConnect, true, 7, dp8.Version16)) }, 0},
		{"CONNECTs unanswered", func(s *scene) {
			for range 3 {
				s.send(0, command(dp8.OpConnect, true, 7, dp8.Version16))
			}
		}, 2},
		{"answers of different sessions", func(s *scene) {
			s.send(0, command(dp8.OpConnect, true, 7, dp8.Version16))
			s.send(1, command(dp8.OpConnected, true, 8, dp8.Version16))
		}, 0},
		{"from the middle", func(s *scene) { talk(s, 40, answered) }, 40},
		{"data that acknowledges nothing that was sent", func(s *scene) { talk(s, 40, func(seq uint8) dp8.Frame { return data(seq, seq, "x") }) }, 0},
		{"one direction", func(s *scene) {
			for n := range uint8(60) {
				s.send(0, data(n, 9, "x"))
			}
		}, 0},
		{"KeepAlives alone", func(s *scene) {
			for n := range uint8(10) {
				s.send(0, keepAlive(n, n, 7))
				s.send(1, keepAlive(n, n+1, 7))
			}
		}, 20},
	} {
		got := recognisedAfter(t, c.play)
		if got > c.most || got == 0 && c.most > 0 {
			t.Errorf("%s: recognised after %d, want at most %d", c.name, got, c.most)
		}
	}
}

// What is no frame at all makes a pair hopeless, a few strange datagrams within
// a conversation do not.
func TestProbeGivesUp(t *testing.T) {
	var p track.Probe
	junk := dissect.Datagram{Payload: []byte("\x40 not DirectPlay")}
	for range 10 {
		if p.Observe(&junk, 0) > 0 {
			t.Fatal("junk is evidence")
		}
	}
	if !math.IsInf(p.Observe(&junk, 0), -1) {
		t.Error("junk leaves hope")
	}
	p = track.Probe{}
	for n := range uint8(30) {
		f := data(n, 0, "x")
		bits := p.Observe(&dissect.Datagram{Payload: f.Append(nil)}, 0)
		if n%5 == 4 {
			bits = p.Observe(&junk, 0)
		}
		if math.IsInf(bits, -1) {
			t.Fatalf("hopeless after %d", n)
		}
	}
}

// Payloads without structure stay below the evidence for recognition, whatever
// their length.
func TestProbeOnNoise(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	best := math.Inf(-1)
	for range 2000 {
		var p track.Probe
		for range 100 {
			b := make([]byte, 4+rnd.IntN(60))
			for i := range b {
				b[i] = byte(rnd.Uint32())
			}
			if rnd.IntN(2) == 0 {
				b[0] = []byte{0x3f, 0x37, 0x80, 0x88}[rnd.IntN(4)]
			}
			best = max(best, p.Observe(&dissect.Datagram{Payload: b}, dissect.Dir(rnd.IntN(2))))
		}
	}
	if best >= session.LockBits {
		t.Errorf("%.0f bits", best)
	}
}

func TestProbeLearns(t *testing.T) {
	for _, c := range []struct {
		name   string
		frames []dp8.Frame
		want   dp8.Signing
		old    bool
	}{
		{"nothing", []dp8.Frame{data(1, 1, "x")}, dp8.SigningUnknown, false},
		{"a SACK", []dp8.Frame{sack(1, 1, 0)}, dp8.Unsigned, false},
		{"a SACK with masks", []dp8.Frame{sack(1, 1, 5)}, dp8.Unsigned, false},
		{"an unsigned handshake", []dp8.Frame{command(dp8.OpConnected, true, 7, dp8.Version16)}, dp8.Unsigned, false},
		{"a signed handshake", []dp8.Frame{signedAnswer(true, 7, connectorSecret, listenerSecret, dp8.SigningFast)}, dp8.Signed, false},
		{"a KeepAlive", []dp8.Frame{keepAlive(1, 1, 7)}, dp8.Unsigned, false},
		{"KeepAlives with different ids", []dp8.Frame{keepAlive(1, 1, 7), keepAlive(2, 1, 8)}, dp8.Unsigned, true},
		{"the KeepAlive bit on data", []dp8.Frame{dataAs(whole, dp8.CtlKeepAlive, 1, 1, "hello")}, dp8.SigningUnknown, true},
	} {
		var p track.Probe
		for i := range c.frames {
			p.Observe(&dissect.Datagram{Payload: c.frames[i].Append(nil)}, 0)
		}
		if signing, old := p.Learned(); signing != c.want || old != c.old {
			t.Errorf("%s: signing %d, old %v", c.name, signing, old)
		}
	}
}

// No payload, however short or odd, makes a probe panic.
func TestProbeOnCuts(t *testing.T) {
	for _, sample := range dp8.Samples() {
		for n := range len(sample) + 1 {
			for flip := range 16 {
				b := append([]byte(nil), sample[:n]...)
				if n > 1 {
					b[1] ^= byte(flip) << 4 // announces masks
				}
				var p track.Probe
				p.SawNumber(1)
				if bits := p.Observe(&dissect.Datagram{Payload: b}, 0); bits >= session.LockBits {
					t.Fatalf("% x: %.0f bits", b, bits)
				}
			}
		}
	}
}

// TestThreeAnswersTellFromTheMiddle: three numbers of the other side that are acknowledged as
// soon as they were sent are enough of a relation when enough else speaks for the protocol. A
// user who captures from the middle sees the connection from there, not from one frame later.
func TestThreeAnswersTellFromTheMiddle(t *testing.T) {
	if got := recognisedAfter(t, func(s *scene) {
		for n := range uint8(track.Patience) {
			s.send(0, data(n, 77, "x")) // nothing tells what 77 is about
		}
		s.send(1, data(200, track.Patience, "y"))
		s.send(0, data(track.Patience, 201, "x"))
		s.send(1, data(201, track.Patience+1, "y"))
		s.send(0, data(track.Patience+1, 202, "x"))
	}); got != track.Patience+3 {
		t.Errorf("recognised after %d datagrams, want %d", got, track.Patience+3)
	}
}

// TestWhatASACKIsLike: a SACK of the protocol has flags that are defined, no padding, and
// either nothing or a signature behind its masks. Evidence that is counted for other
// datagrams makes a connection of other traffic, and that is missed where it is due hides one.
func TestWhatASACKIsLike(t *testing.T) {
	plain := func(length int, changes ...byte) []byte { // changes are pairs of a place and a value
		b := make([]byte, length)
		copy(b, []byte{byte(dp8.CFrame), dp8.OpSACK, 1, 0, 5, 9})
		for i := 0; i < len(changes); i += 2 {
			b[changes[i]] = changes[i+1]
		}
		return b
	}
	for _, c := range []struct {
		name    string
		payload []byte
		is      bool
	}{
		{"plain", plain(12), true},
		{"signed", plain(20), true},
		{"all four masks", plain(28, 2, 0x1f), true},
		{"two masks", plain(20, 2, 0x07), true},
		{"one mask and a signature", plain(24, 2, 0x03), true},
		{"a flag that is not defined", plain(12, 2, 0x20), false},
		{"flags that are not defined, with masks", plain(28, 2, 0x3f), false},
		{"one byte more", plain(13), false},
		{"seven bytes more", plain(19), false},
		{"nine bytes more", plain(21), false},
		{"padding, first byte", plain(12, 6, 1), false},
		{"padding, second byte", plain(12, 7, 1), false},
		{"padding, both", plain(12, 6, 1, 7, 2), false},
	} {
		var p track.Probe
		p.Observe(&dissect.Datagram{Payload: c.payload, Length: len(c.payload)}, 0)
		if is := p.Strangers() == 0 && p.Bits > 0; is != c.is {
			t.Errorf("%s: %v bits, taken for a SACK: %v", c.name, p.Bits, is)
		}
	}
}
