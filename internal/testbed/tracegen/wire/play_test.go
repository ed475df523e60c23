package wire

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/dpdissect/dpdissect/internal/testbed/tracegen"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/sim"
)

var loopback = netip.MustParseAddrPort("127.0.0.1:0")

// chat is a connection of about a second, with some messages that take several
// datagrams.
func chat(kind string) tracegen.Talk {
	t := tracegen.Traffic{N: 60, Every: 30 * time.Millisecond, Burst: 3, Together: 0.3, Min: 8, Max: 120,
		Reliable: 0.7, Sequential: 0.8, User: 0.1, Large: []int{3000}}
	return tracegen.Talk{Kind: kind, Traffic: [2]tracegen.Traffic{t, t}}
}

// lossy loses 5%, doubles 5% and swaps 5% of what each side sends.
var lossy = sim.Segment{Delay: 10 * time.Millisecond, Jitter: time.Millisecond, Loss: 0.05, Dup: 0.05, Late: 0.05, LateBy: 8 * time.Millisecond}

// complete gives the truth of a connection that came to its end, with every
// message that was promised.
func (c *played) complete(t *testing.T) *Truth {
	t.Helper()
	truth := c.truth
	if c.err != nil {
		t.Fatal(c.err)
	}
	if truth.Lost > 0 || truth.Strays > 0 {
		t.Fatalf("the system lost %d datagrams, %d are not ours: this machine is too busy", truth.Lost, truth.Strays)
	}
	if !truth.Over && c.Relay == nil {
		t.Fatal("the conversation did not end") // where an end is lost, it may take the time of giving up
	}
	if truth.Said != [2]bool{true, true} {
		t.Errorf("said: %v: what had to arrive did not", truth.Said)
	}
	if len(truth.Connections) != 1 {
		t.Fatalf("%d connections", len(truth.Connections))
	}
	whole(t, truth)
	return truth
}

// whole checks that every message that was promised arrived, and that all add up.
func whole(t *testing.T, truth *Truth) {
	t.Helper()
	captured := 0
	for i, side := range truth.Sides {
		letter := truth.letter(i)
		d := truth.Connections[0].Directions[letter]
		if d.Undelivered > 0 {
			t.Errorf("%s: %d reliable messages never arrived", letter, d.Undelivered)
		}
		if d.Sent < 60 {
			t.Errorf("%s: %d messages were sent, want 60 or more", letter, d.Sent)
		}
		captured += d.Frames
		if d.Transmissions != side.Sent {
			t.Errorf("%s: the ledger has %d datagrams, the side sent %d", letter, d.Transmissions, side.Sent)
		}
		if d.Lost.Before+d.Lost.After < side.Dropped {
			t.Errorf("%s: the ledger has %d lost datagrams, the network dropped %d", letter, d.Lost.Before+d.Lost.After, side.Dropped)
		}
	}
	if captured != truth.Datagrams {
		t.Errorf("the directions have %d datagrams, the capture %d", captured, truth.Datagrams)
	}
}

// A case is a connection that is played at the same time as others.
type played struct {
	Config
	name  string
	truth *Truth
	err   error
}

// together plays all cases at once: they only wait, whatever the number of cores.
func together(cases []played) {
	var all sync.WaitGroup
	for i := range cases {
		c := &cases[i]
		all.Go(func() { c.truth, c.err = Play(context.Background(), c.Config) })
	}
	all.Wait()
}

// TestPlay plays every kind over a network that only takes its time: on a way of no
// length, who waits for two round trips is too early on a busy machine.
func TestPlay(t *testing.T) {
	t.Parallel()
	way := sim.Path{Near: sim.Segment{Delay: 10 * time.Millisecond}}
	var cases []played
	for _, kind := range tracegen.TalkKinds() {
		cases = append(cases, played{name: kind, Config: Config{Talk: chat(kind), A: loopback, B: loopback, Seed: 1, Paths: [2]sim.Path{way, way}}})
	}
	together(cases)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			truth := c.complete(t)
			for i, s := range truth.Sides {
				if s.Dropped > 0 || s.Doubled > 0 || s.Overtaken > 0 {
					t.Errorf("side %d: %d dropped, %d doubled, %d overtaken of %d", i, s.Dropped, s.Doubled, s.Overtaken, s.Sent)
				}
			}
		})
	}
}

// TestRelay plays each protocol through a relay that loses, captured on either leg.
func TestRelay(t *testing.T) {
	t.Parallel()
	var cases []played
	for _, kind := range []string{"dp8", "dp8-full", "dp4", "dp4-eager", "knet", "knet-spec", "hazel", "hazel-2019"} {
		limit := 40 * time.Second // it takes as long as the unluckiest datagram
		if kind == "knet-spec" {
			limit = 12 * time.Second // its end may be lost, which takes 15 s to be told
		}
		for leg := range 2 {
			cases = append(cases, played{name: fmt.Sprint(kind, "/", leg), Config: Config{Talk: chat(kind), A: loopback, B: loopback, Seed: 1318, Limit: limit,
				Relay: &Relay{A: loopback, B: loopback, Leg: leg, From: [2]sim.Segment{lossy, lossy}}}})
		}
	}
	together(cases)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) { checkRelay(t, c.complete(t), c.Relay.Leg) })
	}
}

// letter names a side of the only connection as its directions are: "a" was captured
// first, which is not A where its first datagram was lost.
func (x *Truth) letter(side int) string {
	first := x.Connections[0].A.Address
	if (first == x.A.String() || first == x.RelayB.String()) == (side == 0) {
		return "a"
	}
	return "b"
}

func checkRelay(t *testing.T, truth *Truth, leg int) {
	t.Helper()
	conn := &truth.Connections[0]
	want := [2]string{truth.A.String(), truth.RelayA.String()}
	if leg == 1 {
		want = [2]string{truth.RelayB.String(), truth.B.String()}
	}
	got := [2]string{conn.A.Address, conn.B.Address}
	if truth.letter(0) == "b" {
		slices.Reverse(got[:])
	}
	if got != want {
		t.Errorf("the capture sees %v, want %v", got, want)
	}
	retries, doubled := 0, 0
	for i, s := range truth.Sides {
		if s.Dropped == 0 {
			t.Errorf("side %d: nothing of %d was dropped", i, s.Sent)
		}
		doubled += s.Doubled
		d := conn.Directions[truth.letter(i)]
		again := 0
		for _, p := range s.Datagrams {
			if p.Retry {
				again++
			}
		}
		retries += again
		if before := i != leg; before && d.Lost.After > 0 || !before && d.Lost.Before > 0 {
			t.Errorf("side %d, leg %d: lost %+v: on the wrong side of the capture", i, leg, d.Lost)
		}
		// Of what is sent on the leg that is captured, the capture has the first transmission.
		// It counts messages where those are what is sent again.
		if i == leg && (again == 0) != (d.Retries == 0) {
			t.Errorf("side %d sent %d datagrams again, the ledger has %d", i, again, d.Retries)
		}
	}
	if retries == 0 || doubled == 0 {
		t.Errorf("%d retries, %d doubled: the relay does nothing", retries, doubled)
	}
}
