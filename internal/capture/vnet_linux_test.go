//go:build linux && !libpcap

package capture

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// together sends payloads of a size as one packet of segmentation offload, the last
// 10 bytes shorter. They begin with their index.
func together(t *testing.T, to string, n, size int) (payloads []string) {
	t.Helper()
	c, err := net.Dial("udp", to)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	raw, err := c.(*net.UDPConn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	raw.Control(func(fd uintptr) { err = unix.SetsockoptInt(int(fd), unix.SOL_UDP, unix.UDP_SEGMENT, size) })
	if err != nil {
		t.Skipf("this kernel has no UDP segmentation offload: %v", err)
	}
	var all []byte
	for i := range n {
		b := bytes.Repeat([]byte{byte(i)}, size)
		if i == n-1 {
			b = b[:size-10]
		}
		payloads = append(payloads, string(b))
		all = append(all, b...)
	}
	end := heard["far"]
	if netip.MustParseAddrPort(to).Addr().IsLoopback() {
		end = heard["lo"]
	}
	end.forget(t)
	if _, err := c.Write(all); err != nil {
		t.Fatal(err)
	}
	end.wait(t, len(all))
	return payloads
}

// offloadCable is a cable of which one end has addresses, and knows where others are.
func offloadCable(t *testing.T) {
	t.Helper()
	cable(t)
	ipTool(t, "addr", "add", "10.0.0.1/24", "dev", "near")
	ipTool(t, "addr", "add", "fd00::1/64", "dev", "near", "nodad")
	ipTool(t, "neigh", "add", "10.0.0.2", "lladdr", "02:00:00:00:00:02", "dev", "near")
	ipTool(t, "neigh", "add", "fd00::2", "lladdr", "02:00:00:00:00:02", "dev", "near")
	s := openLive(t, LiveOptions{}, Limits{}, "near")
	if r := s.inlet.(*live).taps[0].device.(*ring); !r.vnet {
		t.Skip(r.notice)
	}
	s.Close()
}

// TestSegments: what one packet of segmentation offload stands for is captured as the
// datagrams that are on the wire, at both ends, on loopback and on all interfaces.
func TestSegments(t *testing.T) {
	offloadCable(t)
	for _, c := range []struct{ iface, to string }{
		{"near", "10.0.0.2:5000"}, {"far", "10.0.0.2:5000"}, {"near", "[fd00::2]:5000"}, {"far", "[fd00::2]:5000"},
		{"lo", "127.0.0.1:5000"}, {"lo", "[::1]:5000"},
	} {
		s := openLive(t, LiveOptions{Filter: mustFilter(t, "udp port 5000")}, Limits{}, c.iface)
		want := together(t, c.to, 5, 1000)
		want = append(want, together(t, c.to, 3, 100)...)
		got, packets := collect(t, s)
		if !slices.Equal(got, want) {
			t.Errorf("%s to %s: %d datagrams, want %d", c.iface, c.to, len(got), len(want))
			continue
		}
		if n, _ := s.Counts(0); n.Received != uint64(len(want)) || s.Totals().BadChecksums != 0 || s.Infos()[0].Problem != "" {
			t.Errorf("%s to %s: %d received, %+v, %q", c.iface, c.to, n.Received, s.Totals(), s.Infos()[0].Problem)
		}
		for i, p := range packets {
			if p.WireLen != len(p.Data) || !sound(t, &p) {
				t.Errorf("%s to %s: packet %d of %d bytes, %d on the wire, has wrong checksums", c.iface, c.to, i, len(p.Data), p.WireLen)
			}
			if i := i % 5; i > 0 && len(want) == 8 && p.Data[14]>>4 == 4 {
				last := binary.BigEndian.Uint16(packets[i-1].Data[18:])
				if id := binary.BigEndian.Uint16(packets[i].Data[18:]); id != last+1 {
					t.Errorf("%s: identification %d behind %d", c.iface, id, last)
				}
			}
		}
	}
	s := openLive(t, LiveOptions{Filter: mustFilter(t, "udp port 5000")}, Limits{}, "any")
	want := together(t, "10.0.0.2:5000", 4, 700)
	got, _ := collect(t, s)
	if !slices.Equal(got, append(slices.Clone(want), want...)) && !slices.Equal(got, want) {
		t.Errorf("any: %d datagrams", len(got))
	}
}

// sound verifies both checksums of an Ethernet packet, whatever may be forgiven.
func sound(t *testing.T, rec *Record) bool {
	ip, udp, v6, ok := locateUDP(rec.Link, rec.Data)
	if !ok {
		t.Fatalf("% x is no UDP", rec.Data[:40])
	}
	h := ipHeader{v6: v6}
	b := rec.Data[ip:]
	if h.addrs = b[12:20]; v6 {
		h.addrs = b[8:40]
	} else if fold(sum(0, b[:20])) != 0xffff {
		return false
	}
	u := rec.Data[udp:]
	return fold(sum(addCarry(pseudoSum(&h), lengthSum(len(u))), u)) == 0xffff
}

func mustFilter(t *testing.T, expr string) *Filter {
	t.Helper()
	f, err := NewFilter(expr)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestSegmentsFiltered: filters judge the datagrams, not the packet that stands for
// them.
func TestSegmentsFiltered(t *testing.T) {
	offloadCable(t)
	for _, c := range []struct {
		filter string
		want   []int // of five datagrams of 1,000 bytes, the last 10 shorter
	}{
		{"less 1100", []int{0, 1, 2, 3, 4}},
		{"greater 1100", nil},
		{"udp[8] = 2", []int{2}},
		{"udp[4:2] < 1008", []int{4}},
		{"udp and less 1040", []int{4}},
		{"udp dst port 5000 and not udp[8] = 0", []int{1, 2, 3, 4}},
		{"tcp", nil},
		{"host 10.0.0.2", []int{0, 1, 2, 3, 4}},
		{"host 10.0.0.3", nil},
	} {
		for _, iface := range []string{"far", "any"} {
			s := openLive(t, LiveOptions{Filter: mustFilter(t, c.filter)}, Limits{}, iface)
			all := together(t, "10.0.0.2:5000", 5, 1000)
			got, packets := collect(t, s)
			var want []string
			for _, i := range c.want {
				want = append(want, all[i])
			}
			if iface == "any" && len(got) > len(want) { // both ends see them
				got = got[:len(got)/2]
				if c.filter == "host 10.0.0.3" || c.filter == "tcp" {
					got = append(got, "too many")
				}
			}
			if len(got) != len(want) || iface == "far" && !slices.Equal(got, want) {
				t.Errorf("%s, %s: %d datagrams, want %d", iface, c.filter, len(got), len(want))
			}
			// The first filter passes what the system says by itself, also after the end.
			if n, _ := s.Counts(0); n.Received < uint64(len(packets)) || n.Received > uint64(len(packets)) && c.filter != "less 1100" {
				t.Errorf("%s, %s: %d received, %d given", iface, c.filter, n.Received, len(packets))
			}
		}
	}
}

// TestSegmentsCut: a snapshot length cuts each datagram, not the packet that stands for
// them: all have their headers.
func TestSegmentsCut(t *testing.T) {
	offloadCable(t)
	for _, iface := range []string{"far", "any"} {
		s := openLive(t, LiveOptions{Snaplen: 64, Filter: mustFilter(t, "udp port 5000")}, Limits{}, iface)
		want := together(t, "10.0.0.2:5000", 5, 1000)
		_, packets := collect(t, s)
		if len(packets) < len(want) {
			t.Fatalf("%s: %d packets", iface, len(packets))
		}
		for i, p := range packets {
			if len(p.Data) != 64 || p.WireLen < 1000 || iface == "far" && p.Data[60] != byte(i) {
				t.Errorf("%s: packet %d has %d bytes of %d", iface, i, len(p.Data), p.WireLen)
			}
		}
	}
}

// TestTellsUDP knows the versions of Linux that tell of UDP segmentation offload.
func TestTellsUDP(t *testing.T) {
	for release, want := range map[string]bool{"6.18.44-fc": true, "6.2.0": true, "6.1.0-13-amd64": false, "5.15.0": false, "10.0": true, "": false, "six": false} {
		if got := tellsUDP(release); got != want {
			t.Errorf("%q: %t", release, got)
		}
	}
}

// TestLooksInside: filters on addresses and ports judge a packet as its datagrams.
func TestLooksInside(t *testing.T) {
	for expr, want := range map[string]bool{
		"udp": false, "udp port 2302": false, "host 10.0.0.1 and udp portrange 1-9": false, "ip6 and udp src port 9": false, "ether host 02:00:00:00:00:01": false,
		"not tcp": false, "less 100": true, "len > 3": true, "udp[8] = 1": true, "ip[2:2] > 9": true, "ip[4:2] = 1": true, "udp[4:2] = 9": true,
	} {
		prog, err := mustFilter(t, expr).program(LinkEthernet)
		if err != nil {
			t.Fatal(err)
		}
		if got := looksInside(prog, etherHeader); got != want {
			t.Errorf("%s: %t, %v", expr, got, fmt.Sprint(prog))
		}
	}
	if !looksInside([]bpf.Instruction{bpf.RawInstruction{}}, etherHeader) {
		t.Error("what is not known may look anywhere")
	}
}

// TestNotice: where the kernel does not tell of segmentation offload it is said.
func TestNotice(t *testing.T) {
	r := &ring{fd: -1} // a socket that takes no setting, as that of an old kernel
	if r.askSegments(); r.notice != noSegments || r.vnet {
		// Else nobody learns why one packet of 60 kB stands for 40 datagrams.
		t.Errorf("refused by the kernel: notice %q, headers before packets %t", r.notice, r.vnet)
	}
	s := &live{taps: []*tap{{device: &ring{fd: -1, notice: noSegments}}}}
	if got := s.infos()[0].Problem; !strings.Contains(got, "segmentation offload") {
		t.Errorf("%q", got)
	}
}
