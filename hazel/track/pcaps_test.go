package track_test

import (
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/hazel"
	"github.com/dpdissect/dpdissect/hazel/track"
	"github.com/dpdissect/dpdissect/internal/testbed/captured"
	"github.com/dpdissect/dpdissect/internal/testbed/pcaps"
	"github.com/dpdissect/dpdissect/session"
)

// A pairKey is an address pair.
type pairKey struct{ a, b dissect.Endpoint }

// pairs reads the UDP datagrams of a file by address pair.
func pairs(t *testing.T, file string) map[pairKey][]dissect.Datagram {
	t.Helper()
	all := map[pairKey][]dissect.Datagram{}
	for _, d := range captured.Datagrams(t, file) {
		key := pairKey{d.Src, d.Dst}
		if _, ok := all[key]; !ok {
			if _, ok := all[pairKey{d.Dst, d.Src}]; ok {
				key = pairKey{d.Dst, d.Src}
			}
		}
		all[key] = append(all[key], d)
	}
	return all
}

// recognised gives how many datagrams a probe needs, 0 when they are too few.
func recognised(key pairKey, list []dissect.Datagram) int {
	p := track.New(nil).NewProbe()
	for i := range list {
		side := dissect.Dir(0)
		if list[i].Src != key.a {
			side = 1
		}
		if p.Observe(&list[i], side) >= session.LockBits {
			return i + 1
		}
	}
	return 0
}

// Real connections are recognised within 12 datagrams of their start and within
// 40 from anywhere.
func TestProbeCaptures(t *testing.T) {
	starts, slow, middles, late := 0, 0, 0, 0
	for _, file := range pcaps.Files(t, "hazel/*") {
		for key, list := range pairs(t, file) {
			starts++
			if n := recognised(key, list); n == 0 || n > 12 {
				slow++
				t.Logf("%s: %v: recognised after %d of %d", filepath.Base(file), key.a, n, len(list))
			}
			for from := 1; from+40 <= len(list); from++ {
				if oneSided(list[from : from+40]) {
					continue
				}
				middles++
				if n := recognised(key, list[from:]); n == 0 || n > 40 {
					late++
					t.Logf("%s: %v from %d: recognised after %d", filepath.Base(file), key.a, from, n)
				}
			}
		}
	}
	t.Logf("%d of %d starts are slow, %d of %d middles", slow, starts, late, middles)
	if starts == 0 || slow*100 > starts || late*100 > middles {
		t.Error("too many are recognised late")
	}
}

// oneSided reports datagrams of which a side sent nearly all: the other was
// killed.
func oneSided(list []dissect.Datagram) bool {
	n := 0
	for i := range list {
		if list[i].Src == list[0].Src {
			n++
		}
	}
	return n < 8 || n > len(list)-8
}

// Nothing in captures of other protocols is recognised, from whatever datagram
// on.
func TestProbeForeignCaptures(t *testing.T) {
	datagrams := 0
	for _, file := range pcaps.Files(t, "foreign/*", "knet/*", "directplay/*") {
		for key, list := range pairs(t, file) {
			for from := 0; from < len(list); from += 1 + len(list)/50 {
				datagrams += len(list) - from
				if n := recognised(key, list[from:]); n != 0 {
					t.Errorf("%s: %v ↔ %v from %d: recognised after %d", filepath.Base(file), key.a, key.b, from, n)
				}
			}
		}
	}
	if t.Logf("%d datagrams", datagrams); datagrams < 10000 {
		t.Errorf("%d datagrams: too few to prove anything", datagrams)
	}
}

// Every datagram of the captures of the real library is decoded and encodes to
// the same bytes.
func TestCapturesDecode(t *testing.T) {
	n := 0
	for _, file := range pcaps.Files(t, "hazel/*") {
		for _, list := range pairs(t, file) {
			for i := range list {
				n++
				if out, ok := hazel.Hazel.Reencode(list[i].Payload); !ok || string(out) != string(list[i].Payload) {
					t.Errorf("%s: frame %d: refused or changed: % x", filepath.Base(file), list[i].Frame, list[i].Payload)
				}
			}
		}
	}
	if n < 1000 {
		t.Errorf("%d datagrams", n)
	}
}

// Random payloads, plain and with first bytes of the protocol, are never
// recognised.
func TestProbeOnNoise(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	heads := []byte{0, 1, 2, 8, 9, 10, 11, 12, 0x80, 0x82, 0x10, 0xfd, 0xff, 0x14, 0x16, 0x17}
	a, b := dissect.Endpoint{Port: 1}, dissect.Endpoint{Port: 2}
	for range 3000 {
		list := make([]dissect.Datagram, 100)
		structured := rnd.IntN(2) == 0
		for i := range list {
			p := make([]byte, 1+rnd.IntN(60))
			for j := range p {
				p[j] = byte(rnd.Uint32())
			}
			if structured {
				p[0] = heads[rnd.IntN(len(heads))]
				p = p[:min(len(p), 3+rnd.IntN(4))]
			}
			list[i] = dissect.Datagram{Payload: p, Length: len(p), Src: a, Dst: b}
			if rnd.IntN(2) == 0 {
				list[i].Src, list[i].Dst = b, a
			}
		}
		if n := recognised(pairKey{a, b}, list); n != 0 {
			t.Fatalf("recognised after %d", n)
		}
	}
}
