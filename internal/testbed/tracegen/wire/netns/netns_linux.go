package netns

import (
	"fmt"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"golang.org/x/sys/unix"
)

// count makes names differ within a process, its id between processes.
var count atomic.Int32

// Pair makes two namespaces whose interfaces veth0 are the ends of a cable, with
// addresses, all up. mtu 0 is the system's; below
// 1280 there is no IPv6. The test is skipped where that can't be.
func Pair(t testing.TB, mtu int) [2]*Namespace {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("network namespaces need root")
	}
	if _, err := exec.LookPath("ip"); err != nil {
		t.Skip("network namespaces need the program ip (package iproute2)")
	}
	var pair [2]*Namespace
	id := fmt.Sprintf("dpw%d-%d", os.Getpid(), count.Add(1))
	for i := range pair {
		pair[i] = &Namespace{Name: fmt.Sprintf("%s%c", id, 'a'+i), Device: "veth0",
			Addr: netip.AddrFrom4([4]byte{198, 18, 0, byte(1 + i)}), Addr6: netip.MustParseAddr(fmt.Sprintf("fd12:8::%d", 1+i))}
		pair[i].path = "/run/netns/" + pair[i].Name
		if out, err := ip("netns", "add", pair[i].Name); err != nil {
			t.Skipf("no network namespaces here: %s", out)
		}
		// Its interfaces go with it.
		t.Cleanup(func() { _, _ = ip("netns", "delete", pair[i].Name) })
	}
	steps := []string{"link add veth0 netns " + pair[0].Name + " type veth peer name veth0 netns " + pair[1].Name}
	for _, n := range pair {
		steps = append(steps, n.steps(mtu)...)
	}
	for _, s := range steps {
		if out, err := ip(strings.Fields(s)...); err != nil {
			t.Fatalf("ip %s: %v: %s", s, err, out)
		}
	}
	return pair
}

// steps are the arguments of ip that bring a namespace up. No address of IPv6 but
// the one given is made, so that nothing is sent that no test asked for.
func (n *Namespace) steps(mtu int) []string {
	in := "-n " + n.Name + " "
	out := []string{in + "link set lo up", in + "link set veth0 addrgenmode none"}
	if mtu > 0 {
		out = append(out, fmt.Sprint(in, "link set veth0 mtu ", mtu))
	}
	out = append(out, fmt.Sprint(in, "addr add ", n.Addr, "/24 dev veth0"))
	if mtu == 0 || mtu >= 1280 { // the least of IPv6
		out = append(out, fmt.Sprint(in, "-6 addr add ", n.Addr6, "/64 dev veth0 nodad"))
	}
	return append(out, in+"link set veth0 up")
}

func ip(args ...string) (string, error) {
	out, err := exec.Command("ip", args...).CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

// Do runs f within. What f opens stays within; goroutines f starts do not run there.
func (n *Namespace) Do(f func() error) error {
	runtime.LockOSThread()
	home, err := os.Open(fmt.Sprintf("/proc/self/task/%d/ns/net", unix.Gettid()))
	if err != nil {
		runtime.UnlockOSThread()
		return err
	}
	defer home.Close()
	there, err := os.Open(n.path)
	if err != nil {
		runtime.UnlockOSThread()
		return err
	}
	defer there.Close()
	if err := unix.Setns(int(there.Fd()), unix.CLONE_NEWNET); err != nil {
		runtime.UnlockOSThread()
		return err
	}
	defer func() {
		// A thread that does not come home stays locked and ends with its goroutine.
		if unix.Setns(int(home.Fd()), unix.CLONE_NEWNET) == nil {
			runtime.UnlockOSThread()
		}
	}()
	return f()
}

// Listen opens a UDP socket within; it is a wire.Listener.
func (n *Namespace) Listen(addr netip.AddrPort) (c *net.UDPConn, err error) {
	err = n.Do(func() (err error) {
		c, err = net.ListenUDP("udp", net.UDPAddrFromAddrPort(addr))
		return err
	})
	return c, err
}

// Dial opens a connected UDP socket within, as wire.FloodConfig.Dial does.
func (n *Namespace) Dial(from, to netip.AddrPort) (c *net.UDPConn, err error) {
	err = n.Do(func() (err error) {
		c, err = net.DialUDP("udp", net.UDPAddrFromAddrPort(from), net.UDPAddrFromAddrPort(to))
		return err
	})
	return c, err
}
