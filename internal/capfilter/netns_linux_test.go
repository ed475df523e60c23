package capfilter

import (
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
func packetSocket(t *testing.T, name string, prog []bpf.Instruction) int {
	fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_NONBLOCK, 0)
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
		n, _, err := unix.Recvfrom(fd, buf, unix.MSG_TRUNC)
		if err != nil {
			time.Sleep(time.Millisecond)
			continue
		}
		all = append(all, packet{buf[:n], n})
	}
	return all
}

// TestKernelTagged sends tagged and untagged frames over a pair of interfaces: the
// kernel takes the tag off, so that a program for tagged packets never sees one.
func TestKernelTagged(t *testing.T) {
	inNamespace(t, "link add capfa type veth peer name capfb", "link set capfa up", "link set capfb up")
	prog, err := Compile("vlan 5 and udp port 2302", ethernet)
	if err != nil {
		t.Fatal(err)
	}
	plain := packetSocket(t, "capfb", prog)
	tagged := packetSocket(t, "capfb", AcceptTagged(prog))
	out := packetSocket(t, "capfa", nil)
	frame := append([]byte{255, 255, 255, 255, 255, 255, 2, 0, 0, 0, 0, 1}, 0x81, 0, 0, 5, 8, 0)
	frame = append(frame, 0x45, 0, 0, 40, 0, 0, 0, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2, 8, 0xfe, 8, 0xfe, 0, 20, 0, 0)
	frame = append(frame, make([]byte, 40)...)
	untagged := append(append([]byte{}, frame[:12]...), frame[16:]...)
	count := func(fd int) (n int) {
		for _, p := range received(t, fd, 50*time.Millisecond) {
			if len(p.data) == len(untagged) && p.data[23] == 17 {
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
