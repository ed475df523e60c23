package capfilter

import (
	"encoding/binary"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// inNamespace runs a test on a thread with a network of its own, which goes with
// the thread.
func inNamespace(t *testing.T, setup ...string) {
	if os.Geteuid() != 0 {
		t.Skip("needs root for a network namespace")
	}
	runtime.LockOSThread() // and never unlocked: the thread ends with the test
	if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
		t.Skip("no network namespace: ", err)
	}
	if _, err := exec.LookPath("ip"); err != nil {
		t.Skip("ip is not installed")
	}
	for _, line := range append([]string{"link set lo up"}, setup...) {
		if out, err := exec.Command("ip", strings.Fields(line)...).CombinedOutput(); err != nil {
			t.Skipf("ip %s: %v: %s", line, err, out)
		}
	}
}

// networkOrder is a number as packet sockets want it.
func networkOrder(n uint16) uint16 { return n>>8 | n<<8 }

// packetSocket opens a packet socket on an interface, with a filter.
func packetSocket(t *testing.T, kind int, name string, prog []bpf.Instruction) int {
	fd, err := unix.Socket(unix.AF_PACKET, kind|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(fd) })
	if prog != nil {
		if err := attach(t, fd, prog); err != nil {
			t.Fatal(err)
		}
	}
	i, err := net.InterfaceByName(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.Bind(fd, &unix.SockaddrLinklayer{Protocol: networkOrder(unix.ETH_P_ALL), Ifindex: i.Index}); err != nil {
		t.Fatal(err)
	}
	return fd
}

// received is what a socket has got, at most after some time.
func received(t *testing.T, fd int, wait time.Duration) []packet {
	var all []packet
	for end := time.Now().Add(wait); time.Now().Before(end); {
		buf := make([]byte, 4096)
		n, from, err := unix.Recvfrom(fd, buf, unix.MSG_TRUNC)
		if err != nil {
			time.Sleep(time.Millisecond)
			continue
		}
		ll := from.(*unix.SockaddrLinklayer)
		head := make([]byte, cookedHeader)
		binary.BigEndian.PutUint16(head, networkOrder(ll.Protocol))
		binary.BigEndian.PutUint32(head[4:], uint32(ll.Ifindex))
		binary.BigEndian.PutUint16(head[8:], ll.Hatype)
		head[10] = ll.Pkttype
		all = append(all, packet{append(head, buf[:n]...), n + cookedHeader})
	}
	return all
}

// TestKernelCooked captures on the loopback interface of a namespace, without link
// headers: the kernel selects with the rewritten program what the VM selects with
// the program of Linux cooked v2.
func TestKernelCooked(t *testing.T) {
	inNamespace(t)
	exprs := []string{"udp port 2302", "ip", "ip6", "len = 70 or len = 71", "link[10] = 4", "link[10] = 0 and udp dst port 2303",
		"link[8:2] = 772 and ip6", "host 127.0.0.1 and not udp port 2302", "udp[8] = 0x3f", "greater 80", "link[0:2] = 0x800 and udp[0:2] > 1023"}
	var fds []int
	for _, e := range exprs {
		prog, err := Compile(e, 276)
		if err != nil {
			t.Fatal(err)
		}
		cooked, ok := ForCooked(prog)
		if !ok {
			t.Fatalf("%s can't be rewritten", e)
		}
		fds = append(fds, packetSocket(t, unix.SOCK_DGRAM, "lo", cooked))
	}
	everything := packetSocket(t, unix.SOCK_DGRAM, "lo", nil)
	for i := range 20 {
		sendUDP(t, []string{"127.0.0.1", "::1"}[i%2], 2302+i%3, append([]byte{0x3f * byte(i%3/2)}, make([]byte, 20+i)...))
	}
	all := received(t, everything, 100*time.Millisecond)
	if len(all) < 40 {
		t.Fatalf("only %d packets", len(all))
	}
	for i, e := range exprs {
		prog, _ := Compile(e, 276)
		vm, err := NewVM(prog)
		if err != nil {
			t.Fatal(err)
		}
		want := 0
		for _, p := range all {
			if vm.Match(p.data, p.wire) {
				want++
			}
		}
		if got := len(received(t, fds[i], 5*time.Millisecond)); got != want || want == 0 || want == len(all) {
			t.Errorf("%s: the kernel selects %d of %d, we %d", e, got, len(all), want)
		}
	}
}

// sendUDP sends a datagram to an address of this machine.
func sendUDP(t *testing.T, host string, port int, payload []byte) {
	family, addr := unix.AF_INET, unix.Sockaddr(&unix.SockaddrInet4{Port: port, Addr: [4]byte{127, 0, 0, 1}})
	if host == "::1" {
		family, addr = unix.AF_INET6, &unix.SockaddrInet6{Port: port, Addr: [16]byte{15: 1}}
	}
	fd, err := unix.Socket(family, unix.SOCK_DGRAM, 0)
	if err != nil {
		t.Skip(err)
	}
	defer unix.Close(fd)
	if err := unix.Sendto(fd, payload, 0, addr); err != nil {
		t.Skip(host, ": ", err)
	}
}

// TestKernelTagged sends tagged and untagged frames over a pair of interfaces: the
// kernel takes the tag off, so that a program for tagged packets never sees one.
func TestKernelTagged(t *testing.T) {
	inNamespace(t, "link add capfa type veth peer name capfb", "link set capfa up", "link set capfb up")
	prog, err := Compile("vlan 5 and udp port 2302", ethernet)
	if err != nil {
		t.Fatal(err)
	}
	plain := packetSocket(t, unix.SOCK_RAW, "capfb", prog)
	tagged := packetSocket(t, unix.SOCK_RAW, "capfb", AcceptTagged(prog))
	out := packetSocket(t, unix.SOCK_RAW, "capfa", nil)
	frame := append([]byte{255, 255, 255, 255, 255, 255, 2, 0, 0, 0, 0, 1}, 0x81, 0, 0, 5, 8, 0)
	frame = append(frame, 0x45, 0, 0, 40, 0, 0, 0, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2, 8, 0xfe, 8, 0xfe, 0, 20, 0, 0)
	frame = append(frame, make([]byte, 40)...)
	untagged := append(append([]byte{}, frame[:12]...), frame[16:]...)
	count := func(fd int) (n int) {
		for _, p := range received(t, fd, 50*time.Millisecond) {
			if len(p.data) == cookedHeader+len(untagged) && p.data[cookedHeader+23] == 17 {
				n++
			}
		}
		return n
	}
	// The interfaces may need a moment until frames pass.
	for range 40 {
		for _, f := range [][]byte{frame, untagged} {
			if _, err := unix.Write(out, f); err != nil {
				t.Fatal(err)
			}
		}
		if n := count(plain); n != 0 {
			t.Skipf("the kernel leaves tags in the data here (%d packets)", n)
		}
		if n := count(tagged); n == 1 {
			return
		} else if n != 0 {
			t.Fatalf("%d packets instead of the tagged one", n)
		}
	}
	t.Error("the tagged packet is never selected")
}
