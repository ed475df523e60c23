package livetest

import (
	"context"
	"net"
	"net/netip"
	"runtime"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/dpdissect/dpdissect/internal/testbed/tracegen"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/sim"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/wire"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/wire/netns"
)

// kinds are the connections that are played.
var kinds = []string{"dp8", "dp8-plain", "dp8-fast", "dp8-full", "dp4", "knet", "knet-2010", "hazel"}

var local = netip.MustParseAddr("127.0.0.1")

// chat is a connection of about a second and a half, with some messages that take
// several datagrams.
func chat(kind string, seed uint64) wire.Config {
	t := tracegen.Traffic{N: 60, Every: 40 * time.Millisecond, Burst: 3, Together: 0.3, Min: 8, Max: 120,
		Reliable: 0.7, Sequential: 0.8, User: 0.1, Large: []int{3000}}
	way := sim.Path{Near: sim.Segment{Delay: 10 * time.Millisecond}}
	return wire.Config{Talk: tracegen.Talk{Kind: kind, Traffic: [2]tracegen.Traffic{t, t}}, Seed: seed,
		Paths: [2]sim.Path{way, way}, Limit: 20 * time.Second}
}

// between lets a connection be held over the cable, or on the loopback interface of
// the first of two namespaces.
func between(c *wire.Config, pair [2]*netns.Namespace, device string) {
	c.Listen = [2]wire.Listener{pair[0].Listen, pair[1].Listen}
	c.A, c.B = netip.AddrPortFrom(pair[0].Addr, c.A.Port()), netip.AddrPortFrom(pair[1].Addr, c.B.Port())
	c.MTU = 1500
	if device == "lo" {
		c.MTU = 0
		c.Listen[1] = pair[0].Listen
		c.A, c.B = netip.AddrPortFrom(local, c.A.Port()), netip.AddrPortFrom(local, c.B.Port())
	}
}

// playAll holds all connections at once, and gives what is true of each. All that
// is sent is sent on one processor: with several, two sockets of a capture need not
// see packets in the same order.
func playAll(t *testing.T, all ...wire.Config) []*wire.Truth {
	t.Helper()
	truths := make([]*wire.Truth, len(all))
	errs := make([]error, len(all))
	var group sync.WaitGroup
	for i, c := range all {
		group.Go(func() {
			oneProcessor()
			truths[i], errs[i] = wire.Play(context.Background(), c)
		})
	}
	group.Wait()
	for i, err := range errs {
		if err != nil {
			t.Fatalf("%s: %v", all[i].Talk.Kind, err)
		}
		if x := truths[i]; x.Lost > 0 || x.Strays > 0 {
			t.Fatalf("%s: the system lost %d datagrams, %d are not ours: this machine is too busy", all[i].Talk.Kind, x.Lost, x.Strays)
		}
	}
	return truths
}

// oneProcessor binds the goroutine to one processor. Its thread ends with it.
func oneProcessor() {
	runtime.LockOSThread()
	var may, one unix.CPUSet
	if unix.SchedGetaffinity(0, &may) != nil {
		return
	}
	for i := range 1024 {
		if may.IsSet(i) {
			one.Set(i)
			break
		}
	}
	_ = unix.SchedSetaffinity(0, &one)
}

// stamps makes the kernel note the time of each packet when it comes in: without
// somebody who asks for that, each socket of a capture notes one of its own.
func stamps(t *testing.T, n *netns.Namespace) {
	t.Helper()
	c, err := n.Listen(netip.AddrPortFrom(local, 0))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	if err := stamp(c); err != nil {
		t.Fatal(err)
	}
}

func stamp(c *net.UDPConn) error {
	raw, err := c.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	if err := raw.Control(func(fd uintptr) {
		failed = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_TIMESTAMPNS, 1)
	}); err != nil {
		return err
	}
	return failed
}
