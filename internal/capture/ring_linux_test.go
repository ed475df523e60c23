//go:build linux && !libpcap

package capture

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"os/exec"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// openLive captures until the test ends.
func openLive(t *testing.T, o LiveOptions, l Limits, names ...string) *Source {
	t.Helper()
	s, err := OpenLive(names, o, l)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// collect stops a source and gives its packets, those with UDP datagrams by their
// payloads.
func collect(t *testing.T, s *Source) (payloads []string, packets []Record) {
	t.Helper()
	s.Stop()
	for p, ok := s.Next(); ok; p, ok = s.Next() {
		if p == nil {
			continue
		}
		r := *p.Record
		r.Data = bytes.Clone(r.Data)
		r.Interface = p.File
		packets = append(packets, r)
		if p.Class == UDP {
			payloads = append(payloads, string(p.Payload))
		}
	}
	return payloads, packets
}

// say sends texts as datagrams to an address of this machine and waits until each is
// received: a busy kernel delivers some time after it was sent.
func say(t *testing.T, to string, texts ...string) {
	t.Helper()
	ears, err := net.ListenPacket("udp", to)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ears.Close() })
	c, err := net.Dial("udp", to)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	heard := make([]byte, 1<<16)
	ears.SetReadDeadline(time.Now().Add(2 * time.Minute))
	for _, s := range texts {
		if _, err := c.Write([]byte(s)); err != nil {
			t.Fatal(err)
		}
		if _, _, err := ears.ReadFrom(heard); err != nil {
			t.Fatalf("%s was not heard: %v", to, err)
		}
	}
}

// numbered gives n texts of a size.
func numbered(n, size int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf("%0*d", size, i)
	}
	return out
}

// cable adds two interfaces, the ends of a cable, to a network of its own.
func cable(t *testing.T) (near, far string) {
	t.Helper()
	ownNetwork(t)
	ipTool(t, "link", "add", "near", "type", "veth", "peer", "name", "far")
	for _, s := range []string{"near", "far"} {
		ipTool(t, "link", "set", s, "addrgenmode", "none", "up")
	}
	for _, s := range []string{"near", "far", "lo"} {
		listen(t, s)
	}
	return "near", "far"
}

// onto sends whole frames out of one end of a cable and waits until they have come out
// of the other.
func onto(t *testing.T, iface string, frames ...[]byte) {
	t.Helper()
	i, err := net.InterfaceByName(iface)
	if err != nil {
		t.Fatal(err)
	}
	fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	end := heard[map[string]string{"near": "far", "far": "near"}[iface]]
	end.forget(t)
	for _, f := range frames {
		if err := unix.Sendto(fd, f, 0, &unix.SockaddrLinklayer{Ifindex: i.Index}); err != nil {
			t.Fatal(err)
		}
		end.wait(t, 1)
	}
}

// etherUDP is an Ethernet frame with VLAN tags and a datagram.
func etherUDP(payload string, tags ...uint32) []byte {
	b := []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2, 0, 0, 0, 0, 1}
	for _, tag := range tags {
		b = binary.BigEndian.AppendUint32(b, tag)
	}
	return append(b, plainV4([]byte(payload))[etherTypeAt:]...)
}

// TestRingLoopback: each packet of loopback comes once, with its time.
func TestRingLoopback(t *testing.T) {
	for name, link := range map[string]LinkType{"lo": LinkEthernet, "any": LinkSLL2} {
		t.Run(name, func(t *testing.T) {
			ownNetwork(t)
			before := time.Now()
			s := openLive(t, LiveOptions{}, Limits{}, name)
			want := numbered(500, 100)
			say(t, "127.0.0.1:2302", want...)
			got, packets := collect(t, s)
			if strings.Join(got, " ") != strings.Join(want, " ") {
				t.Errorf("%d datagrams, want each of %d once, in order", len(got), len(want))
			}
			info := s.Infos()[0]
			if info.Packets != 500 || info.Dropped != 0 || info.Received != 500 || !info.Live || info.Path != name || info.LinkTypes[0] != link.Name() {
				t.Errorf("%+v", info)
			}
			for i := range packets {
				p := &packets[i]
				if p.Link != link || p.WireLen != len(p.Data) || !p.HasTime || p.Time < before.UnixNano() || p.Time > time.Now().UnixNano() || p.Time%1000 == 0 && packets[0].Time%1000 == 0 && packets[1].Time%1000 == 0 {
					t.Fatalf("packet %d: %+v", i, p)
				}
			}
		})
	}
}

func TestRingSnaplen(t *testing.T) {
	ownNetwork(t)
	s := openLive(t, LiveOptions{Snaplen: 60}, Limits{}, "lo")
	say(t, "127.0.0.1:2302", numbered(3, 1000)...)
	_, packets := collect(t, s)
	for _, p := range packets {
		if len(p.Data) != 60 || p.WireLen != 1042 {
			t.Errorf("%d of %d bytes, want 60 of 1042", len(p.Data), p.WireLen)
		}
	}
	if len(packets) != 3 {
		t.Errorf("%d packets", len(packets))
	}
}

// toPort lets datagrams over IPv4 to a port pass, on Ethernet.
func toPort(port uint32) *Filter {
	return NewBytecodeFilter([]bpf.Instruction{
		bpf.LoadAbsolute{Off: 12, Size: 2},
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: 0x800, SkipTrue: 4},
		bpf.LoadMemShift{Off: 14},
		bpf.LoadIndirect{Off: 16, Size: 2},
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: port, SkipTrue: 1},
		bpf.RetConstant{Val: 262144},
		bpf.RetConstant{},
	})
}

func TestRingFilter(t *testing.T) {
	ownNetwork(t)
	s := openLive(t, LiveOptions{Filter: toPort(2302)}, Limits{}, "lo")
	say(t, "127.0.0.1:2302", "in", "in")
	say(t, "127.0.0.1:2303", "out")
	say(t, "127.0.0.1:2302"[:13]+"4", "out")
	if got, _ := collect(t, s); strings.Join(got, " ") != "in in" {
		t.Errorf("%q", got)
	}
	if n := s.Infos()[0].Received; n != 2 {
		t.Errorf("the kernel counts %d packets, want those that pass", n)
	}
}

// TestRingVLAN: tags, which kernels keep beside the packet, stand in it, and a
// filter judges the packet that has them.
func TestRingVLAN(t *testing.T) {
	near, far := cable(t)
	frames := [][]byte{
		etherUDP("plain"), etherUDP("tagged", 0x8100_6005), etherUDP("double", 0x88a8_0007, 0x8100_0005), etherUDP("twice", 0x8100_0007, 0x8100_0005),
	}
	vlan5 := NewBytecodeFilter([]bpf.Instruction{
		bpf.LoadAbsolute{Off: 12, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: 0x8100_6005, SkipTrue: 1},
		bpf.RetConstant{Val: 262144},
		bpf.RetConstant{},
	})
	all := openLive(t, LiveOptions{}, Limits{}, far)
	some := openLive(t, LiveOptions{Filter: vlan5}, Limits{}, far)
	any := openLive(t, LiveOptions{}, Limits{}, "any")
	onto(t, near, frames...)
	_, packets := collect(t, all)
	if len(packets) != len(frames) {
		t.Fatalf("%d packets, want %d", len(packets), len(frames))
	}
	for i, p := range packets {
		if !bytes.Equal(p.Data, frames[i]) || p.WireLen != len(frames[i]) {
			t.Errorf("% x, want\n% x", p.Data, frames[i])
		}
	}
	if got, _ := collect(t, some); strings.Join(got, " ") != "tagged" {
		t.Errorf("filtered: %q", got)
	}
	got, _ := collect(t, any)
	// Each is seen leaving one end and coming out of the other.
	for _, want := range []string{"plain", "tagged", "double", "twice"} {
		if n := strings.Count(strings.Join(got, " "), want); n != 2 {
			t.Errorf("any: %d packets with %q, want 2", n, want)
		}
	}
}

// TestRingSeveral: packets of several interfaces come in the order of their times.
func TestRingSeveral(t *testing.T) {
	near, far := cable(t)
	s := openLive(t, LiveOptions{}, Limits{}, "lo", near, far)
	for i := range 20 {
		say(t, fmt.Sprintf("127.0.0.1:%d", 3000+i), "x")
		onto(t, near, etherUDP("y"))
		onto(t, far, etherUDP("z"))
	}
	payloads, packets := collect(t, s)
	if len(payloads) != 20+40+40 {
		t.Errorf("%d packets, want 100", len(payloads))
	}
	seen := map[int]int{}
	for i := range packets {
		seen[packets[i].Interface]++
		if i > 0 && packets[i].Time < packets[i-1].Time {
			t.Fatalf("packet %d is older than the one before", i)
		}
	}
	if seen[0] != 20 || seen[1] != 40 || seen[2] != 40 {
		t.Errorf("by interface %v", seen)
	}
	for _, names := range [][]string{{"lo", "lo"}, {"any", "lo"}, {}, {"nosuch"}} {
		if s, err := OpenLive(names, LiveOptions{}, Limits{}); err == nil {
			s.Close()
			t.Errorf("%v is captured from", names)
		}
	}
}

// TestRingLimits: a source ends by itself.
func TestRingLimits(t *testing.T) {
	ownNetwork(t)
	for name, l := range map[string]Limits{"packets": {Packets: 3}, "bytes": {Bytes: 3 * 142}, "duration": {Duration: 300 * time.Millisecond}} {
		s := openLive(t, LiveOptions{}, l, "lo")
		say(t, "127.0.0.1:0", numbered(0, 0)...)
		say(t, fmt.Sprintf("127.0.0.1:%d", 4000+len(name)), numbered(10, 100)...)
		n := 0
		for p, ok := s.Next(); ok; p, ok = s.Next() {
			if p != nil {
				n++
			}
		}
		if want := map[string]int{"packets": 3, "bytes": 3, "duration": 10}[name]; n != want {
			t.Errorf("%s: %d packets, want %d", name, n, want)
		}
	}
}

// TestRingDrops: what the kernel drops is counted, and told before the packet that
// follows the gap.
func TestRingDrops(t *testing.T) {
	ownNetwork(t)
	s := openLive(t, LiveOptions{Buffer: 2 * blockSize}, Limits{}, "lo")
	want := 3000
	say(t, "127.0.0.1:2302", numbered(want, 1000)...)
	time.Sleep(50 * time.Millisecond) // the block being filled is given, so that there is room
	first := 0
	for first == 0 {
		p, _ := s.Next()
		if p != nil {
			first++
		}
	}
	for p, ok := s.Next(); ok && p != nil; p, ok = s.Next() {
		if first++; p.Dropped != 0 {
			t.Fatalf("%d packets are said to be lost before packet %d", p.Dropped, p.Frame)
		}
	}
	say(t, "127.0.0.1:2303", "behind")
	s.Stop()
	var last *Packet
	trailing := uint64(0)
	for p, ok := s.Next(); ok; p, ok = s.Next() {
		if p != nil && p.Class == UDP && string(p.Payload) == "behind" {
			last, trailing = p, p.Dropped
		}
	}
	lost := uint64(want - first)
	if last == nil || lost == 0 || trailing != lost {
		t.Errorf("%d packets came and %d were said to be lost of %d", first, trailing, want)
	}
	if i := s.Infos()[0]; i.Dropped != lost || i.Received != uint64(want)+1 || i.Packets != uint64(first)+1 {
		t.Errorf("%+v, lost %d", i, lost)
	}
}

// TestRingPromiscuous: the interface takes what is for others while it is asked to.
func TestRingPromiscuous(t *testing.T) {
	near, _ := cable(t)
	ip, err := exec.LookPath("ip")
	if err != nil {
		t.Skip("the tool ip is not installed")
	}
	count := func() string {
		out, err := exec.Command(ip, "-d", "link", "show", near).CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		_, rest, _ := strings.Cut(string(out), "promiscuity ")
		return strings.Fields(rest + " -")[0]
	}
	for promiscuous, want := range map[bool]string{false: "0", true: "1"} {
		s, err := OpenLive([]string{near}, LiveOptions{Promiscuous: promiscuous}, Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if got := count(); got != want {
			t.Errorf("promiscuous %v: %s, want %s", promiscuous, got, want)
		}
		s.Close()
		if got := count(); got != "0" {
			t.Errorf("%s when it is closed", got)
		}
	}
}

// TestRingGone: an interface that vanishes ends the capture, with what came before.
func TestRingGone(t *testing.T) {
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"vanishes": {[]string{"link", "delete", "near"}, "the interface vanished"},
		"down":     {[]string{"link", "set", "near", "down"}, "the interface went down"},
	} {
		t.Run(name, func(t *testing.T) {
			near, far := cable(t)
			s := openLive(t, LiveOptions{}, Limits{}, near)
			onto(t, far, etherUDP("last words"))
			ip, err := exec.LookPath("ip")
			if err != nil {
				t.Skip("the tool ip is not installed")
			}
			if out, err := exec.Command(ip, c.args...).CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			var got []string
			for p, ok := s.Next(); ok; p, ok = s.Next() {
				if p != nil && p.Class == UDP {
					got = append(got, string(p.Payload))
				}
			}
			if i := s.Infos()[0]; strings.Join(got, " ") != "last words" || !i.Failed || i.Problem != c.want {
				t.Errorf("%q, %+v", got, i)
			}
		})
	}
}

func TestRingErrors(t *testing.T) {
	ownNetwork(t)
	_, err := OpenLive([]string{"lo"}, LiveOptions{Buffer: 1 << 50}, Limits{})
	if err == nil || !strings.Contains(err.Error(), "packet buffer") {
		t.Errorf("a buffer beyond all measure: %v", err)
	}
	if _, err = OpenLive([]string{"nosuch\x1b"}, LiveOptions{}, Limits{}); err == nil || !strings.Contains(err.Error(), "no network interface") {
		t.Errorf("no such interface: %v", err)
	}
	if _, ok := errors.AsType[*NoRight](err); ok {
		t.Error("the right is not what is missing")
	}
}
