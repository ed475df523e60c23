package main

import (
	"cmp"
	"encoding/binary"
	"runtime"
	"slices"
	"testing"

	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/exit"
)

// manyPlayers is two points of a server with so many players, of whom each says a few words, other ones than
// everybody else. A router gives them other addresses at the second point.
func manyPlayers(t testing.TB, n int, router bool) (a, b *tapped) {
	a, b = &tapped{t: t}, &tapped{t: t}
	for i := range n {
		for k, payload := range [][]byte{
			{8, 0, 1, 0, 70, 0, 0, 0, 4, 'h', 'e', 'y'}, {10, 0, 1, 255},
			{1, 0, 2, 5, 0, 1, 0, 0, 0, 0, 0}, {10, 0, 2, 255}, {0, 5, 0, 2, 0, 0, 0, 0, 0}, {0, 5, 0, 3, 0, 0, 0, 0, 0}, {0, 5, 0, 4, 0, 0, 0, 0, 0},
		} {
			if len(payload) > 8 {
				binary.BigEndian.PutUint32(payload[len(payload)-4:], uint32(i))
			}
			back := payload[0] == 10
			at := 1_700_000_000_000_000_000 + int64(k)*40e6 + int64(i)*1e5
			for point, c := range []*tapped{a, b} {
				client := [6]byte{10, 1 + byte(i>>16), byte(i >> 8), byte(i), 0x9c, 0x40}
				if router && point == 1 {
					client = [6]byte{192, 0, 2, 1 + byte(i>>15), byte(i>>7) | 0x80, byte(i) | 0x80}
				}
				passed := at
				if (point == 1) != back {
					passed += 20e6
				}
				c.records = append(c.records, capture.Record{Time: passed, HasTime: true, Link: capture.LinkEthernet, Data: udpPacket(client, payload, back, uint16(i*8+k+1)), WireLen: 42 + len(payload)})
			}
		}
	}
	return a.sorted(), b.sorted()
}

// TestCompareManyPairs: what two captures of many address pairs cost grows as they do. Memory that is asked for is
// counted, not time: who looks through all pairs for each of them collects them, too.
func TestCompareManyPairs(t *testing.T) {
	for _, router := range []bool{false, true} {
		work := func(n int) (bytes, times uint64) {
			a, b := manyPlayers(t, n, router)
			pa, pb := a.write("a.pcap"), b.write("b.pcap")
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			if _, errs, code := call(t, "compare", "--workers", "1", "--format", "csv", pa, pb); code != exit.OK {
				t.Fatal(errs)
			}
			runtime.ReadMemStats(&after)
			return after.TotalAlloc - before.TotalAlloc, after.Mallocs - before.Mallocs
		}
		bytes, times := work(150)
		more, often := work(600)
		t.Logf("router %v: %d bytes, %d times; of four times as many %d, %d", router, bytes, times, more, often)
		if more > 5*bytes || often > 5*times {
			t.Errorf("router %v: four times as many pairs ask for memory %.1f times as often, for %.1f times as much", router, float64(often)/float64(times), float64(more)/float64(bytes))
		}
	}
}

// BenchmarkCompareManyPairs takes as long for each address pair, however many there are.
func BenchmarkCompareManyPairs(b *testing.B) {
	for _, n := range []int{5_000, 50_000} {
		x, y := manyPlayers(b, n, false)
		px, py := x.write("a.pcap"), y.write("b.pcap")
		b.Run(map[int]string{5_000: "5k", 50_000: "50k"}[n], func(b *testing.B) {
			for range b.N {
				if _, errs, code := call(b, "compare", "--workers", "1", "--format", "csv", px, py); code != exit.OK {
					b.Fatal(errs)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/pair")
		})
	}
}

// udpPacket is a packet between a client, address and port, and a server, on Ethernet and IPv4.
func udpPacket(client [6]byte, payload []byte, back bool, id uint16) []byte {
	server := [6]byte{203, 0, 113, 9, 0x56, 0x07}
	from, to := client, server
	if back {
		from, to = server, client
	}
	p := make([]byte, 42, 42+len(payload))
	p[12], p[14], p[22], p[23] = 8, 0x45, 64, 17
	binary.BigEndian.PutUint16(p[16:], uint16(28+len(payload)))
	binary.BigEndian.PutUint16(p[18:], id)
	copy(p[26:], from[:4])
	copy(p[30:], to[:4])
	copy(p[34:], from[4:])
	copy(p[36:], to[4:])
	binary.BigEndian.PutUint16(p[38:], uint16(8+len(payload)))
	r := capture.Record{Data: append(p, payload...)}
	checksumIP(&r)
	return r.Data
}

// sorted puts the packets in the order of their times.
func (c *tapped) sorted() *tapped {
	slices.SortStableFunc(c.records, func(a, b capture.Record) int { return cmp.Compare(a.Time, b.Time) })
	return c
}
