//go:build libpcap && cgo && linux

package capture

import (
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/bpf"
)

// gamePort lets datagrams to port 2302 over IPv4 pass.
func gamePort(l LinkType) ([]bpf.Instruction, error) {
	header := uint32(14)
	if l == LinkSLL {
		header = 16
	}
	return []bpf.Instruction{
		bpf.LoadAbsolute{Off: header - 2, Size: 2},
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: etherIPv4, SkipTrue: 6},
		bpf.LoadAbsolute{Off: header + 9, Size: 1},
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: protoUDP, SkipTrue: 4},
		bpf.LoadMemShift{Off: header},
		bpf.LoadIndirect{Off: header + 2, Size: 2},
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: 2302, SkipTrue: 1},
		bpf.RetConstant{Val: MaxPacket},
		bpf.RetConstant{Val: 0},
	}, nil
}

func openPcap(t *testing.T, name string, o LiveOptions) device {
	t.Helper()
	d, err := openDevice(name, &o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

// sendUDP sends datagrams that hold their number, to each address in turn.
func sendUDP(t *testing.T, n, size int, to ...string) {
	t.Helper()
	var conns []net.Conn
	for _, address := range to {
		c, err := net.Dial("udp", address)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		conns = append(conns, c)
	}
	payload := make([]byte, size)
	for i := range n {
		copy(payload, fmt.Sprintf("datagram %06d", i))
		if _, err := conns[i%len(conns)].Write(payload); err != nil {
			t.Fatal(err)
		}
	}
}

// listenUDP keeps what is sent to an address from being refused.
func listenUDP(t *testing.T, address string) {
	t.Helper()
	c, err := net.ListenPacket("udp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
}

// drainPcap reads until nothing came for a while.
func drainPcap(t *testing.T, d device, see func(*Record)) {
	t.Helper()
	var rec Record
	for idle := 0; idle < 5; {
		ok, err := d.Read(&rec)
		switch {
		case err != nil:
			t.Fatal(err)
		case ok:
			see(&rec)
			idle = 0
		default:
			waitDevices([]device{d}, 50*time.Millisecond)
			idle++
		}
	}
}

// TestPcapLoopback: on loopback each packet is seen once, and only those that
// pass the filter.
func TestPcapLoopback(t *testing.T) {
	for name, link := range map[string]LinkType{"lo": LinkEthernet, "any": anyLink} {
		t.Run(name, func(t *testing.T) {
			ownNetwork(t)
			testLoopback(t, name, link)
		})
	}
}

func testLoopback(t *testing.T, name string, link LinkType) {
	d := openPcap(t, name, LiveOptions{Filter: &Filter{program: gamePort}, Promiscuous: true})
	if in := d.Describe(); in.Name != name || in.Link != link || in.Snaplen != MaxPacket {
		t.Fatalf("it describes itself as %+v", in)
	}
	listenUDP(t, "127.0.0.1:2302")
	listenUDP(t, "127.0.0.1:2303")
	start := time.Now().Add(-time.Second)
	sendUDP(t, 400, 300, "127.0.0.1:2302", "127.0.0.1:2303")
	var dec Decoder
	var p Packet
	seen := map[string]int{}
	packets := 0
	drainPcap(t, d, func(rec *Record) {
		packets++
		dec.Decode(rec, &p)
		if p.Class != UDP || p.Dst.Port != 2302 || len(p.Payload) != 300 || rec.WireLen != len(rec.Data) {
			t.Errorf("class %v to %v, %d bytes", p.Class, p.Dst, len(p.Payload))
			return
		}
		seen[string(p.Payload[:15])]++
		if at := time.Unix(0, rec.Time); !rec.HasTime || at.Before(start) || at.After(time.Now().Add(time.Second)) {
			t.Errorf("its time is %v", at)
		}
	})
	if packets != 200 || len(seen) != 200 {
		t.Errorf("%d packets with %d datagrams were seen, 200 were sent", packets, len(seen))
	}
	if c := d.Counts(); c.Received != 200 || c.Dropped != 0 {
		t.Errorf("the counts are %+v", c)
	}
}

// veth makes a pair of interfaces, left with 10.7.0.1. What is sent to 10.7.0.2
// comes out at right.
func veth(t *testing.T) {
	t.Helper()
	ownNetwork(t)
	ipTool(t, "link", "add", "left", "type", "veth", "peer", "name", "right")
	ipTool(t, "link", "set", "right", "up", "address", "02:00:00:00:00:02")
	ipTool(t, "link", "set", "left", "up")
	ipTool(t, "addr", "add", "10.7.0.1/24", "dev", "left")
	ipTool(t, "neigh", "add", "10.7.0.2", "lladdr", "02:00:00:00:00:02", "dev", "left")
}

// TestPcapSnaplen: packets are cut, their length is told.
func TestPcapSnaplen(t *testing.T) {
	veth(t)
	d := openPcap(t, "right", LiveOptions{Filter: &Filter{program: gamePort}, Snaplen: 60, Delay: time.Millisecond})
	sendUDP(t, 5, 200, "10.7.0.2:2302")
	n := 0
	drainPcap(t, d, func(rec *Record) {
		n++
		if len(rec.Data) != 60 || rec.WireLen != 14+20+8+200 {
			t.Errorf("%d bytes of %d", len(rec.Data), rec.WireLen)
		}
	})
	if n != 5 || d.Describe().Snaplen != 60 {
		t.Errorf("%d packets of %+v", n, d.Describe())
	}
}

// TestPcapDrops: what a small buffer loses is counted, and told with the packets
// after it.
func TestPcapDrops(t *testing.T) {
	veth(t)
	d := openPcap(t, "right", LiveOptions{Filter: &Filter{program: gamePort}, Buffer: 1 << 16})
	const sent = 5000
	sendUDP(t, sent, 1000, "10.7.0.2:2302")
	n, told := uint64(0), uint64(0)
	count := func(rec *Record) {
		n++
		told += rec.Drops
		if rec.HasDrops != (rec.Drops > 0) {
			t.Errorf("packet %d: %d were lost, which is known: %t", n, rec.Drops, rec.HasDrops)
		}
	}
	drainPcap(t, d, count)
	sendUDP(t, 1, 1000, "10.7.0.2:2302")
	drainPcap(t, d, count)
	c := d.Counts()
	if n < 2 || c.Dropped == 0 || c.Received != sent+1 || n+c.Dropped != sent+1 || told != c.Dropped {
		t.Errorf("%d packets came of %d, which told of %d lost; the counts are %+v", n, sent+1, told, c)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	if after := d.Counts(); after != c {
		t.Errorf("after closing the counts are %+v, they were %+v", after, c)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	if ok, err := d.Read(new(Record)); ok || err == nil {
		t.Errorf("a closed device gives %t, %v", ok, err)
	}
}

// TestPcapGone: an interface that vanishes is an error, after the packets that
// came before.
func TestPcapGone(t *testing.T) {
	veth(t)
	d := openPcap(t, "right", LiveOptions{Filter: &Filter{program: gamePort}})
	sendUDP(t, 10, 100, "10.7.0.2:2302")
	waitDevices([]device{d}, time.Second)
	ipTool(t, "link", "del", "right")
	var rec Record
	packets := 0
	for range 100 {
		ok, err := d.Read(&rec)
		if ok {
			packets++
		}
		if err != nil {
			if packets == 0 || !strings.Contains(err.Error(), "interface") {
				t.Errorf("after %d packets the error is %q", packets, err)
			}
			return
		}
		if !ok {
			waitDevices([]device{d}, 50*time.Millisecond)
		}
	}
	t.Error("the interface is gone and nothing is said")
}

// TestPcapSeveral: a busy interface does not wait for one that has nothing.
func TestPcapSeveral(t *testing.T) {
	veth(t)
	idle := openPcap(t, "lo", LiveOptions{Delay: 200 * time.Millisecond, Filter: &Filter{program: gamePort}})
	busy := openPcap(t, "right", LiveOptions{Filter: &Filter{program: gamePort}})
	sendUDP(t, 1000, 100, "10.7.0.2:2302")
	var rec Record
	for n := 0; n < 1000; {
		if ok, err := idle.Read(&rec); ok || err != nil {
			t.Fatal(ok, err)
		}
		ok, err := busy.Read(&rec)
		if err != nil {
			t.Fatal(err)
		}
		if ok {
			n++
		} else {
			waitDevices([]device{idle, busy}, time.Minute)
		}
	}
}

func TestPcapRefuses(t *testing.T) {
	ownNetwork(t)
	told := errors.New("told")
	for _, c := range []struct {
		name   string
		filter LinkFilter
		want   string
	}{
		{"nothing7", nil, "there is no network interface \"nothing7\"; 'dpdissect interfaces' lists them"},
		{"lo", func(LinkType) ([]bpf.Instruction, error) { return nil, told }, "lo: told"},
		{"lo", func(LinkType) ([]bpf.Instruction, error) {
			return []bpf.Instruction{bpf.LoadConstant{Dst: bpf.RegA, Val: 1}}, nil
		}, "lo: the capture filter is refused: "},
		{"lo", func(LinkType) ([]bpf.Instruction, error) { return nil, nil }, "lo: the capture filter is refused: "},
	} {
		d, err := openDevice(c.name, &LiveOptions{Filter: &Filter{program: c.filter}})
		if err == nil {
			d.Close()
			t.Errorf("%s is opened in spite of %q", c.name, c.want)
		} else if !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("the error is %q, want %q", err, c.want)
		}
	}
}

func TestPcapExplains(t *testing.T) {
	for says, want := range map[string]string{
		saysDenied:        "eth7: this user may not capture: ",
		saysPromiscDenied: "eth7: this user may not capture: ",
		saysNoDevice:      "there is no network interface \"eth7\"",
		saysDown:          "eth7 is down",
		"Error: odd":      "eth7: can't be opened: Error: odd",
	} {
		if got := explainActivation("eth7", activationError(errors.New(says))).Error(); !strings.HasPrefix(got, want) {
			t.Errorf("%q is told as %q, want %q", says, got, want)
		}
	}
}
