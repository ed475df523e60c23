package wire

import (
	"context"
	"errors"
	"net/netip"
	"testing"
	"time"

	"github.com/dpdissect/dpdissect/internal/testbed/tracegen"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/sim"
)

// TestVanish lets a client fall silent: its server gives up.
func TestVanish(t *testing.T) {
	t.Parallel()
	talk := tracegen.Talk{Kind: "hazel", Traffic: [2]tracegen.Traffic{tracegen.SmallTalk(40), tracegen.SmallTalk(40)},
		Until: 700 * time.Millisecond, Vanish: true}
	truth, err := Play(context.Background(), Config{Talk: talk, A: loopback, B: loopback, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if state := truth.Connections[0].State; !truth.Over || state != "timed-out" {
		t.Errorf("over: %v, state %q", truth.Over, state)
	}
	if truth.Said[1] {
		t.Error("what the server said last was acknowledged by nobody")
	}
}

// TestUntil ends a connection that has much more to say.
func TestUntil(t *testing.T) {
	t.Parallel()
	for _, kind := range tracegen.TalkProtocols() {
		talk := tracegen.Talk{Kind: kind, Traffic: [2]tracegen.Traffic{tracegen.SmallTalk(40), tracegen.SmallTalk(40)}, Until: time.Second}
		truth, err := Play(context.Background(), Config{Talk: talk, A: loopback, B: loopback, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		if truth.Said != [2]bool{true, true} || !truth.Over {
			t.Errorf("%s: said %v, over %v", kind, truth.Said, truth.Over)
		}
		for i, s := range truth.Sides {
			if s.Sent < 20 || s.Sent > 400 {
				t.Errorf("%s: side %d sent %d datagrams in a second", kind, i, s.Sent)
			}
		}
	}
}

// TestLimit ends a connection before its end.
func TestLimit(t *testing.T) {
	t.Parallel()
	truth, err := Play(context.Background(), Config{Talk: chat("dp8"), A: loopback, B: loopback, Seed: 1, Limit: 200 * time.Millisecond})
	if err != nil || truth.Over || truth.Sides[0].Sent == 0 {
		t.Errorf("%+v, %v", truth, err)
	}
}

func TestCancel(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	if _, err := Play(ctx, Config{Talk: chat("dp8"), A: loopback, B: loopback}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
}

func TestPlayErrors(t *testing.T) {
	for what, spoil := range map[string]func(c *Config){
		"an unknown kind":   func(c *Config) { c.Talk.Kind = "dp9" },
		"no address":        func(c *Config) { c.B = netip.AddrPort{} },
		"not our address":   func(c *Config) { c.A = netip.MustParseAddrPort("192.0.2.1:0") },
		"a relay and paths": func(c *Config) { c.Relay, c.Paths[1].Far.Loss = &Relay{A: loopback, B: loopback}, 0.1 },
		"a third leg":       func(c *Config) { c.Relay = &Relay{A: loopback, B: loopback, Leg: 2} },
		"a relay nowhere":   func(c *Config) { c.Relay = &Relay{A: loopback} },
		"a full wire": func(c *Config) {
			c.MTU, c.Talk = 400, tracegen.Talk{Kind: "hazel", Traffic: [2]tracegen.Traffic{{N: 1, Min: 70000, Max: 70000, Reliable: 1, Every: time.Millisecond}}}
		},
	} {
		c := Config{Talk: chat("dp8"), A: loopback, B: loopback, Paths: [2]sim.Path{}}
		spoil(&c)
		if _, err := Play(context.Background(), c); err == nil {
			t.Errorf("%s: no error", what)
		}
	}
}
