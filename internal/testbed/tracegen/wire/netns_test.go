package wire

import (
	"context"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/internal/testbed/tracegen"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/sim"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/wire/netns"
)

// TestNamespaces plays over a cable between two namespaces, in both families, with a
// relay at one end.
func TestNamespaces(t *testing.T) {
	t.Parallel()
	pair := netns.Pair(t, 0)
	cases := []played{{name: "4"}, {name: "6"}, {name: "relay"}}
	for i := range cases {
		c := &cases[i].Config
		c.Talk, c.Seed = chat("hazel"), 18
		c.A, c.B = netip.AddrPortFrom(pair[0].Addr, 0), netip.AddrPortFrom(pair[1].Addr, 0)
		c.Listen = [2]Listener{pair[0].Listen, pair[1].Listen}
	}
	cases[1].A, cases[1].B = netip.AddrPortFrom(pair[0].Addr6, 0), netip.AddrPortFrom(pair[1].Addr6, 0)
	cases[2].Relay = &Relay{A: cases[2].B, B: cases[2].B, Listen: pair[1].Listen, From: [2]sim.Segment{lossy, lossy}}
	together(cases)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			truth := c.complete(t)
			if c.Relay != nil {
				checkRelay(t, truth, 0)
			}
		})
	}
	crossed(t, pair[0], cases...)
}

// crossed checks that the datagrams went over the cable.
func crossed(t *testing.T, n *netns.Namespace, cases ...played) {
	want := 0
	for _, c := range cases {
		if c.truth != nil {
			want += c.truth.Packets
		}
	}
	var out []byte
	err := n.Do(func() (err error) {
		out, err = os.ReadFile("/proc/thread-self/net/dev")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		f := strings.Fields(line)
		if f[0] != n.Device+":" {
			continue
		}
		in, errIn := strconv.Atoi(f[2])
		out, errOut := strconv.Atoi(f[10])
		// Neighbours are asked for, too, the longer it takes the more often.
		if got := in + out; errIn != nil || errOut != nil || got < want || got > want+want/5 {
			t.Errorf("the interface counts %d packets, the truth has %d", got, want)
		}
		return
	}
	t.Errorf("no interface %s in %q", n.Device, out)
}

// TestFragments sends datagrams that are larger than the wire takes at once: the
// truthWatch counts the packets the system makes of them.
func TestFragments(t *testing.T) {
	t.Parallel()
	pair := netns.Pair(t, 600)
	big := tracegen.Traffic{N: 12, Every: 20_000_000, Burst: 1, Min: 900, Max: 1400, Reliable: 1}
	c := played{Config: Config{Talk: tracegen.Talk{Kind: "hazel", Traffic: [2]tracegen.Traffic{big, big}}, Seed: 1, MTU: 600,
		A: netip.AddrPortFrom(pair[0].Addr, 0), B: netip.AddrPortFrom(pair[1].Addr, 0), Listen: [2]Listener{pair[0].Listen, pair[1].Listen}}}
	var err error
	if c.truth, err = Play(context.Background(), c.Config); err != nil {
		t.Fatal(err)
	}
	if c.truth.IPFragments < 24*2 || c.truth.Packets <= c.truth.Datagrams {
		t.Errorf("%d fragments, %d packets, %d datagrams", c.truth.IPFragments, c.truth.Packets, c.truth.Datagrams)
	}
	crossed(t, pair[0], c)
}
