package capture

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// drain gives one line a packet: file, payload, time in ms after the first.
func drain(t testing.TB, s *Source) string {
	t.Helper()
	var lines []string
	frame := uint64(0)
	for p, ok := s.Next(); ok; p, ok = s.Next() {
		if frame++; p.Frame != frame {
			t.Fatalf("frame %d, want %d", p.Frame, frame)
		}
		lines = append(lines, fmt.Sprintf("%d%s", p.File, p.Payload))
	}
	if _, ok := s.Next(); ok {
		t.Fatal("a packet behind the end")
	}
	return strings.Join(lines, " ")
}

func open(t testing.TB, opts Options, paths ...string) *Source {
	t.Helper()
	s, err := Open(paths, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// timedFile is a file of packets named after their times in ms; -1 has no time.
func timedFile(t testing.TB, ms ...int64) []byte {
	var recs []Record
	for i, m := range ms {
		r := record(plainV4(fmt.Appendf(nil, "%d", m)), m)
		if m < 0 {
			r = record(plainV4(fmt.Appendf(nil, "n%d", i)), 0)
			r.HasTime = false
		}
		recs = append(recs, r)
	}
	return file(t, WriterOptions{Format: "pcapng"}, recs...)
}

func TestMerge(t *testing.T) {
	for _, c := range []struct {
		name  string
		files [][]int64
		want  string
	}{
		{"one", [][]int64{{1, 2, 3}}, "01 02 03"},
		{"by time", [][]int64{{1, 4, 5}, {2, 3, 6}}, "01 12 13 04 05 16"},
		{"equal times keep the order of files", [][]int64{{1, 1, 2}, {1, 2}, {1, 2}}, "01 01 11 21 02 12 22"},
		{"no time stays behind its packet", [][]int64{{5, -1, -1, 7}, {1, -1, 5, -1, 6}}, "11 1n1 05 0n1 0n2 15 1n3 16 07"},
		{"no time at all comes first", [][]int64{{3}, {-1, -1, 2}}, "1n0 1n1 12 03"},
		{"back in time within a file", [][]int64{{5, 1, 2, 9}, {3, 6}}, "13 05 01 02 16 09"},
		{"an empty one", [][]int64{{1}, {}, {0}}, "20 01"},
	} {
		var files [][]byte
		for _, f := range c.files {
			files = append(files, timedFile(t, f...))
		}
		s := open(t, Options{}, onDisk(t, files...)...)
		if got := drain(t, s); got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}

// One file or its packets spread over several: the same packets in the same order.
func TestMergeOfPartsIsTheWhole(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		parts := make([][]Record, 1+rnd.IntN(20))
		var all []Record
		for i := range 200 {
			r := record(plainV4(fmt.Appendf(nil, "%d", i)), int64(i))
			all = append(all, r)
			p := rnd.IntN(len(parts))
			parts[p] = append(parts[p], r)
		}
		var files [][]byte
		for _, p := range parts {
			files = append(files, file(t, WriterOptions{}, p...))
		}
		s := open(t, Options{}, onDisk(t, files...)...)
		for i := 0; ; i++ {
			p, ok := s.Next()
			if !ok {
				if i != len(all) {
					t.Fatalf("%d packets", i)
				}
				break
			}
			if string(p.Payload) != fmt.Sprint(i) || p.Time != all[i].Time {
				t.Fatalf("packet %d is %s", i, p.Payload)
			}
		}
	}
}

func TestSourceGoesOnWithTheRest(t *testing.T) {
	good := timedFile(t, 1, 2, 3)
	paths := onDisk(t, good, good[:len(good)-5], nil, []byte("no capture at all"))
	paths = append(paths, filepath.Join(t.TempDir(), "missing.pcap"), t.TempDir())
	s := open(t, Options{}, paths...)
	if got, want := drain(t, s), "01 11 02 12 03"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	infos := s.Infos()
	for i, want := range []struct {
		problem string
		cut     bool
		packets uint64
	}{
		{"", false, 3},
		{"cut short at offset 200: the block of packet 3 needs 76 bytes, but only 71 are present", true, 2},
		{"is empty", false, 0},
		{"is not a capture: neither pcap nor pcapng, it begins with 6e 6f 20 63 61 70 74 75", false, 0},
		{"cannot be read: no such file or directory", false, 0},
		{"is a directory without captures", false, 0},
	} {
		in := infos[i]
		if in.Path != paths[i] || in.Problem != want.problem || in.CutShort != want.cut || in.Failed != (want.problem != "") || in.Packets != want.packets {
			t.Errorf("input %d: %+v", i, in)
		}
	}
	if a := infos[0]; a.Format != "pcapng" || a.Bytes != 3*uint64(len(plainV4([]byte("1")))) || !a.HasTime || a.FirstTime != testTime+1e6 || a.LastTime != testTime+3e6 {
		t.Errorf("%+v", a)
	}
	if done, total := s.Progress(); done != total || total == 0 {
		t.Errorf("progress %d of %d", done, total)
	}
}

func TestSourceUsage(t *testing.T) {
	for _, paths := range [][]string{nil, {"-", "-"}} {
		if _, err := Open(paths, Options{}); err == nil {
			t.Errorf("%q: no error", paths)
		}
	}
}

func TestSourceStdinAndLimit(t *testing.T) {
	s := open(t, Options{Stdin: iotestOneByte{bytes.NewReader(timedFile(t, 1, 2, 3))}, MaxPackets: 2}, "-")
	if got := drain(t, s); got != "01 02" {
		t.Errorf("got %s", got)
	}
	if in := s.Infos()[0]; in.Packets != 2 || in.Problem != "" || in.Path != "-" {
		t.Errorf("%+v", in)
	}
}

// iotestOneByte reads as a slow pipe does.
type iotestOneByte struct{ r *bytes.Reader }

func (o iotestOneByte) Read(b []byte) (int, error) { return o.r.Read(b[:min(1, len(b))]) }

func TestTotals(t *testing.T) {
	bad := plainV4([]byte("bad"))
	bad[len(bad)-1] ^= 1
	ether := func(ip []byte) []byte { return etherBytes(etherIPv4, ip) }
	var recs []Record
	for i, b := range [][]byte{
		plainV4(hello), bad, etherBytes(0x806, make([]byte, 28)),
		ether(ipv4Bytes(protoICMP, 0, 0, cat([]byte{3, 3, 0, 0, 0, 0, 0, 0}, ipv4Bytes(protoUDP, 0, 0, udpBytes(testV4a, testV4b, hello))))),
		ether(frag{0, 800, true}.v4(1, testDatagram)), ether(frag{800, 2008, false}.v4(1, testDatagram)),
		ether(ipv4Bytes(6, 9, ipv4More, make([]byte, 80))), ether(frag{0, 800, true}.v4(2, testDatagram)),
	} {
		recs = append(recs, record(b, int64(i)))
	}
	s := open(t, Options{}, onDisk(t, file(t, WriterOptions{}, recs...))...)
	drain(t, s)
	if got, want := s.Totals(), (Totals{Packets: 8, UDPDatagrams: 3, NotUDP: 3, IPFragments: 4, BadChecksums: 1}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestLinkTypesOfAFile(t *testing.T) {
	ifaces := []Interface{{Link: 195}, {Link: LinkRaw}, {Link: LinkIPv4}, {Link: LinkEthernet}, {Link: LinkSLL}}
	rec := func(i int) Record {
		r := record(plainV4(hello), 0)
		r.Interface = i
		return r
	}
	s := open(t, Options{}, onDisk(t, file(t, WriterOptions{Format: "pcapng", Interfaces: ifaces}, rec(3), rec(1), rec(0), rec(2), rec(0), rec(3)))...)
	drain(t, s)
	in := s.Infos()[0]
	if got := strings.Join(in.LinkTypes, " "); got != "ethernet raw" {
		t.Errorf("link types %s", got)
	}
	if in.Problem != "link type 195 (IEEE 802.15.4) is not decoded: 2 packets" || in.Failed || in.CutShort {
		t.Errorf("%+v", in)
	}
	s = open(t, Options{}, onDisk(t, file(t, WriterOptions{}))...)
	drain(t, s)
	if in := s.Infos()[0]; fmt.Sprint(in.LinkTypes) != "[ethernet]" || in.Problem != "" || in.Failed {
		t.Errorf("a file without packets: %+v", in)
	}
}

// What a class does not set is zero, whatever was decoded before.
func TestPacketIsCleared(t *testing.T) {
	var d Decoder
	var p Packet
	rec := record(plainV4(hello), 0)
	d.Decode(&rec, &p)
	arp := record(etherBytes(0x806, make([]byte, 28)), 0)
	d.Decode(&arp, &p)
	if p.Payload != nil || p.Src.Port != 0 || p.Length != 0 || p.CapLen != 42 || !p.HasTime {
		t.Errorf("%+v", p.Datagram)
	}
}

func TestNoAllocationPerPacket(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.pcap")
	recs := make([]Record, 3000)
	for i := range recs {
		recs[i] = record(plainV4(make([]byte, 100)), int64(i))
	}
	for _, format := range []string{"pcap", "pcapng"} {
		if err := os.WriteFile(path, file(t, WriterOptions{Format: format}, recs...), 0o600); err != nil {
			t.Fatal(err)
		}
		s := open(t, Options{}, path)
		s.Next()
		if n := testing.AllocsPerRun(2000, func() {
			if p, ok := s.Next(); !ok || p.Class != UDP {
				t.Fatal("no datagram")
			}
		}); n != 0 {
			t.Errorf("%s: %v allocations a packet", format, n)
		}
	}
}

// TestInOrder: inputs are read one after the other, whatever their times, also with one that is fed.
func TestInOrder(t *testing.T) {
	dir := t.TempDir()
	var paths []string
	for i, times := range [][]int64{{5, 7}, {1, 9}, {}, {3}} {
		path := filepath.Join(dir, fmt.Sprint(i))
		if err := os.WriteFile(path, timedFile(t, times...), 0o600); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	const want = "05 07 11 19 33"
	if got := drain(t, open(t, Options{InOrder: true}, paths...)); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
