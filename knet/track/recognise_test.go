package track_test

import (
	"math/rand/v2"
	"net/netip"
	"path/filepath"
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/internal/testbed/captured"
	"github.com/dpdissect/dpdissect/internal/testbed/pcaps"
	"github.com/dpdissect/dpdissect/knet/track"
	"github.com/dpdissect/dpdissect/session"
)

func recognise(all []dissect.Datagram) []*session.Conn {
	tab := session.NewTable(session.Config{Protocols: []*session.Protocol{track.New(nil)}})
	for i := range all {
		tab.Add(&all[i])
	}
	tab.Close(0)
	return tab.Conns()
}

// Captures of other protocols are never taken for kNet.
func TestProbeForeignCaptures(t *testing.T) {
	for _, file := range pcaps.Files(t, "foreign/*", "hazel/*", "directplay/*", "formats/*") {
		for _, c := range recognise(captured.Whole(t, file)) {
			t.Errorf("%s: %s and %s are taken for kNet with %.0f bits", filepath.Base(file), c.A, c.B, c.Bits)
		}
	}
}

// lockAfter gives the datagrams it takes to recognise a connection that is
// captured from datagram start on, 0 when it is not recognised at all.
func lockAfter(all []dissect.Datagram, start int) int {
	tab := session.NewTable(session.Config{Protocols: []*session.Protocol{track.New(nil)}})
	for i := start; i < len(all); i++ {
		if tab.Add(&all[i]); len(tab.Conns()) > 0 {
			return i - start + 1
		}
	}
	return 0
}

func bothWays(list []dissect.Datagram) bool {
	n := 0
	for i := range list {
		if list[i].Src == list[0].Src {
			n++
		}
	}
	return n >= 5 && len(list)-n >= 5
}

// Connections of the library are recognised soon, from their start and from the
// middle, where both sides are captured.
func TestProbeRecognisesTheLibrary(t *testing.T) {
	starts, middles, late := 0, 0, 0
	for _, file := range pcaps.Files(t, "knet/*") {
		pairs := map[dissect.Endpoint][]dissect.Datagram{}
		all := captured.Whole(t, file)
		server := all[0].Dst
		for _, d := range all {
			client := d.Src
			if client == server {
				client = d.Dst
			}
			pairs[client] = append(pairs[client], d)
		}
		for client, list := range pairs {
			if len(list) < 40 {
				continue
			}
			starts++
			if n := lockAfter(list, 0); n == 0 || n > 12 {
				t.Errorf("%s: %s takes %d datagrams", filepath.Base(file), client, n)
			}
			for start := 3; start < len(list)-60; start += 23 {
				if !bothWays(list[start : start+40]) {
					continue // the client was killed
				}
				middles++
				if n := lockAfter(list, start); n == 0 || n > 40 {
					late++
					t.Logf("%s: %s from datagram %d takes %d", filepath.Base(file), client, start, n)
				}
			}
		}
	}
	t.Logf("%d starts, %d middles, %d of them late", starts, middles, late)
	if starts < 3 || middles < 20 || late*100 > middles {
		t.Errorf("%d starts, %d middles, %d of them late", starts, middles, late)
	}
}

// Random datagrams, and datagrams that have some of the structure, are never
// taken for kNet.
func TestProbeUnrecognised(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	n := 400_000
	if testing.Short() {
		n = 40_000
	}
	tab := session.NewTable(session.Config{Protocols: []*session.Protocol{track.New(nil)}})
	buf := make([]byte, 1500)
	for i := range n {
		kind := i % 40
		a := dissect.MakeEndpoint(netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 0, 1}), uint16(2345+kind)))
		b := dissect.MakeEndpoint(netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 0, 2}), 2345))
		if rnd.IntN(2) == 0 {
			a, b = b, a
		}
		p := foreign(rnd, buf, kind, uint32(i/40))
		tab.Add(&dissect.Datagram{Frame: uint64(i + 1), HasTime: true, Time: int64(i) * 1e6, Src: a, Dst: b, Payload: p, Length: len(p)})
	}
	tab.Close(0)
	for _, c := range tab.Conns() {
		t.Errorf("%s and %s are taken for kNet with %.0f bits", c.A, c.B, c.Bits)
	}
}

// foreign makes a datagram of one of several kinds of traffic.
func foreign(rnd *rand.Rand, buf []byte, kind int, seq uint32) []byte {
	n := 3 + rnd.IntN(60)
	if kind%3 == 0 {
		n = 3 + rnd.IntN(1400)
	}
	p := buf[:n]
	for i := range p {
		p[i] = byte(rnd.Uint32())
	}
	switch kind % 8 {
	case 1: // a counter, then a length
		p[0], p[1], p[2] = byte(seq), byte(seq>>8), byte(seq>>16)
		if n > 5 {
			p[3], p[4] = byte(n-5), byte((n-5)>>8)&7
		}
	case 2: // the same with the counter where the library has it
		p[0], p[1], p[2] = byte(seq&0x3f), byte(seq>>6), byte(seq>>14)
		if n > 5 {
			p[3], p[4], p[5] = byte(n-5), byte((n-5)>>8)&7, byte(seq)&0x7f
		}
	case 3: // small values
		for i := range p {
			p[i] &= 7
		}
	case 4: // zero bytes
		clear(p)
		p[n-1] = byte(seq)
	}
	return p
}

// BenchmarkCapture follows the connections of a capture of the library.
func BenchmarkCapture(b *testing.B) {
	all := captured.Datagrams(b, pcaps.Files(b, "knet/knet_loss_reorder_dup.*")[0])
	b.ReportAllocs()
	for b.Loop() {
		recognise(all)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(all)), "ns/datagram")
}
