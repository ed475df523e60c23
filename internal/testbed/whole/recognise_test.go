package whole

import (
	"math/rand/v2"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/internal/protocols"
	"github.com/dpdissect/dpdissect/internal/testbed/captured"
	"github.com/dpdissect/dpdissect/internal/testbed/pcaps"
	"github.com/dpdissect/dpdissect/session"
)

// TestForeignTraffic: captures of other people's protocols must give no
// connection of ours.
func TestForeignTraffic(t *testing.T) {
	for _, f := range pcaps.Files(t, "foreign/*") {
		if a := analyse(t, f, protocols.Options{}); len(a.conns) != 0 {
			t.Errorf("%s: %d connections, the first is %s between %s and %s", filepath.Base(f), len(a.conns), a.conns[0].Protocol.Name, a.conns[0].A, a.conns[0].B)
		}
	}
}

// likely are first bytes that our protocols begin with.
var likely = []byte{0x3f, 0x37, 0x80, 0x88, 0x00, 0x01, 0x08, 0x0a, 0x0c, 0x02, 0x81, 0xc3}

// TestRandomDatagrams: random datagrams of any length between a few address
// pairs must never be recognised. DPDISSECT_RANDOM sets how many are tried.
func TestRandomDatagrams(t *testing.T) {
	n := 400_000
	if testing.Short() {
		n = 40_000
	}
	if s := os.Getenv("DPDISSECT_RANDOM"); s != "" {
		n, _ = strconv.Atoi(s)
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	tab := session.NewTable(session.Config{Protocols: protocols.All(protocols.Options{})})
	payload := make([]byte, 1500)
	for i := range n {
		// Long connections are the hard case: evidence has time to add up.
		a := dissect.MakeEndpoint(netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 0, 1}), uint16(2302+i%50)))
		b := dissect.MakeEndpoint(netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 0, 2}), 2302))
		if rnd.IntN(2) == 0 {
			a, b = b, a
		}
		p := payload[:randomLength(rnd)]
		for j := range p {
			p[j] = byte(rnd.Uint32())
		}
		if len(p) > 1 && rnd.IntN(2) == 0 {
			p[0], p[1] = likely[rnd.IntN(len(likely))], byte(rnd.IntN(8)) // as likely as it gets
		}
		tab.Add(&dissect.Datagram{Frame: uint64(i + 1), HasTime: true, Time: int64(i) * 1e6, Src: a, Dst: b, Payload: p, Length: len(p)})
	}
	tab.Close(0)
	for _, c := range tab.Conns() {
		t.Errorf("random datagrams between %s and %s were taken for %s with %.0f bits", c.A, c.B, c.Protocol.Name, c.Bits)
	}
}

func randomLength(rnd *rand.Rand) int {
	switch rnd.IntN(4) {
	case 0:
		return []int{4, 8, 12, 16, 20, 24, 48}[rnd.IntN(7)]
	case 1:
		return rnd.IntN(1500)
	}
	return rnd.IntN(64)
}

// lockAfter gives the datagrams it takes to recognise a connection that is
// captured from datagram start on as the protocol, 0 when it is not recognised,
// -1 when it is taken for another one.
func lockAfter(all []dissect.Datagram, start int, protocol string) int {
	tab := session.NewTable(session.Config{Protocols: protocols.All(protocols.Options{})})
	for i := start; i < len(all); i++ {
		tab.Add(&all[i])
		if conns := tab.Conns(); len(conns) > 0 {
			if conns[0].Protocol.Name != protocol {
				return -1
			}
			return i - start + 1
		}
	}
	return 0
}

// capturedOf are the captures of a protocol that were made elsewhere, where there are any.
var capturedOf = map[string]string{"dp8": "directplay/dp8_*", "dp4": "directplay/dp4_*", "knet": "knet/*", "hazel": "hazel/*"}

// tracesOf are the captures of a protocol's connections.
func tracesOf(t *testing.T, protocol string) []string {
	files, _ := filepath.Glob("../../../testdata/pcaps/" + protocol + "/*.pcap*")
	if elsewhere, ok := capturedOf[protocol]; ok {
		files = append(files, pcaps.Files(t, elsewhere)...)
	}
	return files
}

// quickness counts how long recognition took.
type quickness struct{ starts, late, middles, lateMiddles int }

// TestRecognitionIsQuick: at least 99% of connections are recognised within 12
// datagrams of their start and 40 from the middle, and none as another protocol.
func TestRecognitionIsQuick(t *testing.T) {
	for _, p := range protocols.All(protocols.Options{}) {
		t.Run(p.Name, func(t *testing.T) {
			var q quickness
			for _, f := range tracesOf(t, p.Name) {
				for _, pair := range pairs(captured.Datagrams(t, f)) {
					q.measure(t, filepath.Base(f), pair, p.Name)
				}
			}
			t.Logf("start: %d of %d late; middle: %d of %d late", q.late, q.starts, q.lateMiddles, q.middles)
			if q.starts == 0 || q.middles == 0 {
				t.Fatal("no traces")
			}
			if q.late*100 > q.starts || q.lateMiddles*100 > q.middles {
				t.Errorf("too late")
			}
		})
	}
}

// measure looks at one address pair from its start and from many places within.
func (q *quickness) measure(t *testing.T, file string, all []dissect.Datagram, protocol string) {
	for start := 0; start+60 < len(all); start += 1 + len(all)/40 {
		if !bothWays(all[start : start+40]) {
			continue
		}
		n := lockAfter(all, start, protocol)
		if n < 0 {
			t.Errorf("%s from %d: taken for another protocol", file, start)
		}
		if start == 0 {
			if q.starts++; n <= 0 || n > 12 {
				q.late++
				t.Logf("%s from the start: %d", file, n)
			}
			continue
		}
		if q.middles++; n <= 0 || n > 40 {
			q.lateMiddles++
			t.Logf("%s from %d: %d", file, start, n)
		}
	}
}

// pairs sorts datagrams by their address pair, in the order in which they begin.
func pairs(all []dissect.Datagram) (list [][]dissect.Datagram) {
	type key struct{ a, b dissect.Endpoint }
	place := map[key]int{}
	for _, d := range all {
		i, ok := place[key{d.Src, d.Dst}]
		if !ok {
			i = len(list)
			place[key{d.Src, d.Dst}], place[key{d.Dst, d.Src}] = i, i
			list = append(list, nil)
		}
		list[i] = append(list[i], d)
	}
	return list
}

func bothWays(all []dissect.Datagram) bool {
	n := 0
	for i := range all {
		if all[i].Src == all[0].Src {
			n++
		}
	}
	return n > 5 && len(all)-n > 5
}
