package wire

import (
	"context"
	"net/netip"
	"testing"
	"time"

	"github.com/dpdissect/dpdissect/internal/testbed/tracegen"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/sim"
)

// TestLoad lets connections of all protocols come and go, and looks whether the
// totals agree with each other.
func TestLoad(t *testing.T) {
	t.Parallel()
	kinds := tracegen.TalkProtocols()
	const pairs = 5
	c := LoadConfig{Kinds: kinds, Addr: netip.MustParseAddr("127.0.0.1"), Pairs: pairs, Duration: 5 * time.Second, Churn: 2500 * time.Millisecond,
		Vanish: 0.2, Seed: 7, Path: sim.Path{Near: sim.Segment{Loss: 0.02}, Far: sim.Segment{Loss: 0.02}}}
	got, err := Load(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	if got.LostBySystem > 0 || got.Strays > 0 {
		t.Fatalf("the system lost %d datagrams, %d are not ours: this machine is too busy", got.LostBySystem, got.Strays)
	}
	if n := pairs * len(kinds); got.All.Opened < 2*n || got.Peak < n {
		t.Errorf("%d conversations, %d at a time: want more than %d", got.All.Opened, got.Peak, n)
	}
	for kind, s := range got.Kinds {
		s.check(t, kind)
	}
	got.All.check(t, "all")
	if got.All.LostBefore == 0 || got.All.Retries == 0 {
		t.Errorf("lost %d before the wire, %d retries", got.All.LostBefore, got.All.Retries)
	}
	for _, end := range []string{Closed, Cut} {
		if got.All.Ends[end] == 0 {
			t.Errorf("none ended as %q: %v", end, got.All.Ends)
		}
	}
}

func (s *Sum) check(t *testing.T, kind string) {
	t.Helper()
	ends := 0
	for _, n := range s.Ends {
		ends += n
	}
	if ends != s.Opened || s.Established > s.Opened || s.Established < s.Opened*3/4 {
		t.Errorf("%s: %d opened, %d established, ends %v", kind, s.Opened, s.Established, s.Ends)
	}
	if s.Sent != s.Datagrams+s.LostBefore || s.LostAfter == 0 {
		t.Errorf("%s: %d sent, %d on the wire, lost %d before and %d behind it", kind, s.Sent, s.Datagrams, s.LostBefore, s.LostAfter)
	}
	if s.Messages < 5*s.Opened || s.Bytes < s.MessageBytes || s.Acks == 0 || s.DataFrames == 0 {
		t.Errorf("%s: %+v", kind, s)
	}
}

// TestLoadStops ends a load early, with what is true until then. On a busy machine its
// clock stood still for a part of the second.
func TestLoadStops(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	c := LoadConfig{Kinds: []string{"hazel-v01"}, Addr: netip.MustParseAddr("127.0.0.1"), Pairs: 2, Duration: time.Hour}
	got, err := Load(ctx, c)
	if err != nil {
		t.Fatal(err)
	}
	if got.Seconds+got.Still < 0.9 || got.Seconds > 300 || got.All.Ends[Cut] != got.All.Opened {
		t.Errorf("%+v", got)
	}
}

func TestLoadErrors(t *testing.T) {
	good := LoadConfig{Kinds: []string{"dp8"}, Addr: netip.MustParseAddr("127.0.0.1"), Pairs: 1, Duration: time.Second}
	for what, spoil := range map[string]func(c *LoadConfig){
		"no kinds":        func(c *LoadConfig) { c.Kinds = nil },
		"no pairs":        func(c *LoadConfig) { c.Pairs = 0 },
		"no duration":     func(c *LoadConfig) { c.Duration = 0 },
		"unknown kind":    func(c *LoadConfig) { c.Kinds = []string{"dp9"} },
		"no address":      func(c *LoadConfig) { c.Addr = netip.Addr{} },
		"any address":     func(c *LoadConfig) { c.Addr = netip.IPv4Unspecified() },
		"not our address": func(c *LoadConfig) { c.Addr = netip.MustParseAddr("192.0.2.1") },
	} {
		c := good
		spoil(&c)
		if _, err := Load(context.Background(), c); err == nil {
			t.Errorf("%s is no error", what)
		}
	}
}
