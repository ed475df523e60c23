package track_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp4"
	"github.com/dpdissect/dpdissect/dp4/track"
	"github.com/dpdissect/dpdissect/session"
)

// recognisedAfter gives the datagrams a play takes to be recognised, 0 for never.
func recognisedAfter(t *testing.T, play func(s *scene)) int {
	t.Helper()
	s := scenes(t)
	play(s)
	return s.RecognisedAfter(&track.Probe{})
}

// A talk sends messages both ways; the other side counts the bytes.
type talk struct {
	s        *scene
	msg, seq [2]uint8
	bytes    [2]uint32
}

func (k *talk) data(from dissect.Dir, text string) {
	k.s.send(from, data(k.msg[from], k.seq[from], 0, text))
	k.bytes[from] += uint32(4 + len(text))
	k.msg[from]++
	k.seq[from]++
}

func (k *talk) ack(from dissect.Dir) {
	f := ack(k.msg[from.Other()]-1, k.seq[from.Other()]-1, 0)
	f.BytesReceived, f.Tick = k.bytes[from.Other()], uint32(k.s.Now/1e6)
	k.s.send(from, f)
}

func TestRecognition(t *testing.T) {
	exchange := func(first uint8, n int) func(s *scene) {
		return func(s *scene) {
			k := talk{s: s, msg: [2]uint8{first, first + 60}, seq: [2]uint8{first + 5, first + 90}}
			if first == 1 {
				k.msg, k.seq = [2]uint8{1, 1}, [2]uint8{1, 1}
			}
			for i := range n {
				k.data(0, "hello"[:i%6])
				if i%2 == 0 {
					k.ack(1)
					k.data(1, "world!!"[:i%8])
				}
				if i%4 == 3 {
					k.ack(0)
				}
			}
		}
	}
	for _, c := range []struct {
		name string
		play func(s *scene)
		most int // datagrams; 0: never
	}{
		{"from the start", exchange(1, 20), 12},
		{"from the middle", exchange(100, 40), 30},
		{"one direction", func(s *scene) {
			for n := range uint8(100) {
				s.send(0, data(1+n, 1+n, 0, "x"))
			}
		}, 0},
		{"acknowledgements of nothing that was sent", func(s *scene) {
			for n := range uint8(60) {
				s.send(0, data(1+n, 1+n, 0, "x"))
				s.send(1, ack(100-n, 3*n, 0))
			}
		}, 0},
		{"echoes", func(s *scene) { // the same bytes back, players and all
			for n := range uint8(60) {
				f := data(100+n, 50+n, 0, "x")
				f.From.Value, f.To.Value = 1, 2
				s.Raw(0, f.Append(nil))
				s.Raw(1, f.Append(nil))
			}
		}, 0},
		{"players that come and go", func(s *scene) {
			for n := range uint32(100) {
				f := data(uint8(n), uint8(n), 0, "x")
				f.From.Value, f.To.Value = n, n+1
				s.send(dissect.Dir(n%2), f)
			}
		}, 0},
	} {
		got := recognisedAfter(t, c.play)
		if got > c.most || got == 0 && c.most > 0 {
			t.Errorf("%s: recognised after %d, want at most %d", c.name, got, c.most)
		}
	}
}

func TestRecognitionOfModels(t *testing.T) {
	late, n := 0, 0
	for seed := range uint64(20) {
		for _, cut := range []int{0, 300} {
			w := newWorld(seed, worldConfig{messages: 150, before: 0.002, after: 0.002, jitter: 1, nacks: seed%2 == 0, header: seed%3 == 0, cutStart: cut})
			var p track.Probe
			at := 0
			for i := range w.tap {
				x := &w.tap[i]
				if p.Observe(&dissect.Datagram{Payload: x.payload, Length: len(x.payload), Time: x.at, HasTime: true}, x.from) >= session.LockBits {
					at = i + 1
					break
				}
			}
			n++
			if at == 0 || at > 40 {
				late++
				t.Logf("seed %d from %d: %d", seed, cut, at)
			}
		}
	}
	if late > n/50 {
		t.Errorf("%d of %d late", late, n)
	}
}

// What is no frame at all makes a pair hopeless, a few strange datagrams within
// a connection do not.
func TestProbeGivesUp(t *testing.T) {
	var p track.Probe
	junk := dissect.Datagram{Payload: []byte("\x80\x80\x80 not DirectPlay"), Length: 17}
	for range 3 {
		if p.Observe(&junk, 0) > 0 {
			t.Fatal("junk is evidence")
		}
	}
	if !math.IsInf(p.Observe(&junk, 0), -1) {
		t.Error("junk leaves hope")
	}
	p = track.Probe{}
	for n := range uint8(30) {
		f := data(n, n, 0, "x")
		f.From.Value = 1
		b := f.Append(nil)
		bits := p.Observe(&dissect.Datagram{Payload: b, Length: len(b)}, 0)
		if n%5 == 4 {
			bits = p.Observe(&junk, 0)
		}
		if math.IsInf(bits, -1) {
			t.Fatalf("hopeless after %d", n)
		}
	}
}

// Payloads without structure stay below the evidence for recognition.
func TestProbeOnNoise(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 8))
	best := math.Inf(-1)
	for range 2000 {
		var p track.Probe
		for range 100 {
			b := make([]byte, 6+rnd.IntN(40))
			for i := range b {
				b[i] = byte(rnd.Uint32())
			}
			if rnd.IntN(2) == 0 {
				side := byte(rnd.IntN(2))
				b[0], b[1], b[2] = 1+side, 2-side, []byte{0x38, 0x39, 0x3d, 0x02}[rnd.IntN(4)]
				if b[2] == 2 && len(b) > 14 {
					b = b[:14]
				}
			}
			best = max(best, p.Observe(&dissect.Datagram{Payload: b, Length: len(b)}, dissect.Dir(b[0])&1))
		}
	}
	if best >= session.LockBits {
		t.Errorf("%.0f bits", best)
	}
}

// Counters and clocks of other protocols, in the places of ours.
func TestProbeOnCounters(t *testing.T) {
	rnd := rand.New(rand.NewPCG(9, 10))
	for range 3000 {
		var p track.Probe
		var kinds [16]int
		for i := range kinds {
			kinds[i] = rnd.IntN(6)
		}
		var value [16]byte
		rndBytes(rnd, value[:])
		for n := range 120 {
			side := dissect.Dir(rnd.IntN(2))
			b := make([]byte, []int{14, 14, 20}[rnd.IntN(3)])
			for i := range b {
				switch k := i % 16; kinds[k] {
				case 0:
					b[i] = value[k]
				case 1:
					b[i] = byte(n)
				case 2:
					b[i] = byte(n / 2)
				case 3:
					b[i] = value[k] ^ byte(side)
				case 4:
					b[i] = 0
				default:
					b[i] = byte(rnd.Uint32())
				}
			}
			if p.Observe(&dissect.Datagram{Payload: b, Length: len(b), Time: int64(n) * 20e6, HasTime: true}, side) >= session.LockBits {
				t.Fatalf("% x after %d with %v: %v", b, n, kinds, p.Reasons())
			}
		}
	}
}

func rndBytes(rnd *rand.Rand, b []byte) {
	for i := range b {
		b[i] = byte(rnd.Uint32())
	}
}

// No payload, however short or odd, makes a probe panic.
func TestProbeOnCuts(t *testing.T) {
	for _, sample := range dp4.Samples() {
		var p track.Probe
		for n := range len(sample) + 1 {
			for flip := range 8 {
				b := append([]byte(nil), sample[:n]...)
				if n > 2 {
					b[2] ^= 1 << flip
				}
				if bits := p.Observe(&dissect.Datagram{Payload: b, Length: n + flip}, dissect.Dir(flip)&1); bits >= session.LockBits {
					t.Fatalf("% x: %.0f bits", b, bits)
				}
			}
		}
	}
}
