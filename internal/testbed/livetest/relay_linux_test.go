package livetest

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/sim"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/wire"
)

// TestRelay loses datagrams between the ends: what is found live is what the file
// says and what the relay did, on either of its legs.
func TestRelay(t *testing.T) {
	for leg := range 2 {
		t.Run(fmt.Sprint("leg", leg), func(t *testing.T) {
			pair := place(t)
			stamps(t, pair[0])
			var talks []wire.Config
			var ports []string
			for i, kind := range []string{"dp8", "dp8-full", "dp4", "knet", "hazel"} {
				c := relayed(kind, uint64(201+10*leg+i), leg)
				port := uint16(41000 + i)
				c.A, c.B = netip.AddrPortFrom(local, 0), netip.AddrPortFrom(local, 0)
				*[]*netip.AddrPort{&c.A, &c.B}[leg] = netip.AddrPortFrom(local, port)
				ports = append(ports, fmt.Sprint("udp port ", port))
				c.Listen = [2]wire.Listener{pair[0].Listen, pair[0].Listen}
				c.Relay.Listen = pair[0].Listen
				talks = append(talks, c)
			}
			r := observe(t, pair[0], "lo", strings.Join(ports, " or "), func() []*wire.Truth { return playAll(t, talks...) })
			r.sameAsFile(t)
			r.asIsTrue(t)
			r.lossFound(t, leg)
		})
	}
}

// relayed is a connection through a relay that loses 4%.
func relayed(kind string, seed uint64, leg int) wire.Config {
	c := chat(kind, seed)
	loses := sim.Segment{Delay: 10 * time.Millisecond, Jitter: time.Millisecond, Loss: 0.04}
	c.Paths, c.Limit = [2]sim.Path{}, 8*time.Second
	c.Relay = &wire.Relay{A: netip.AddrPortFrom(local, 0), B: netip.AddrPortFrom(local, 0), Leg: leg, From: [2]sim.Segment{loses, loses}}
	return c
}

// lossFound checks that there was loss to be found, and that some of it was: the
// numbers themselves are held to the truth already.
func (r *seen) lossFound(t *testing.T, leg int) {
	t.Helper()
	d := readDocument(t, r.live["analyze"])
	dropped, retries, proven := 0, 0, 0
	for _, x := range r.truths {
		c := d.of(t, x)
		for _, dir := range c.Directions {
			retries += dir.Retries
			proven += dir.Lost.Before + dir.Lost.After
		}
		for side, s := range x.Sides {
			dropped += s.Dropped
			r.retriesSent(t, c, x, side, leg)
		}
	}
	t.Logf("the relay dropped %d datagrams; %d retries seen, %d losses proven", dropped, retries, proven)
	if dropped == 0 || retries == 0 || proven == 0 || proven > dropped {
		t.Errorf("%d losses were proven and %d retries seen of %d datagrams dropped", proven, retries, dropped)
	}
}

// retriesSent checks on the leg of the sender, where everything it sends is seen, that
// as many datagrams were found to be retries as it sent again. Reference kNet counts
// messages.
func (r *seen) retriesSent(t *testing.T, c *connection, x *wire.Truth, side, leg int) {
	t.Helper()
	if side != leg || c.Protocol == "knet" {
		return
	}
	again := 0
	for _, p := range x.Sides[side].Datagrams {
		if p.Retry {
			again++
		}
	}
	from := []netip.AddrPort{x.A, x.B}[side].String()
	dir := "a"
	if c.B.Address == from {
		dir = "b"
	}
	if got := c.Directions[dir].Retries; got != again {
		t.Errorf("%s: %d retries from %s, it sent %d again", nameOf(x), got, from, again)
	}
}
