package config

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"
)

// many is a configuration with n names of addresses and some of networks.
func many(tb testing.TB, n int) *Namer {
	var b strings.Builder
	b.WriteString("names:\n  10.0.0.0/8: inside\n  10.0.0.0/16: room\n")
	for i := range n {
		fmt.Fprintf(&b, "  10.1.%d.%d: player %d\n", i/250, i%250+1, i)
	}
	c, err := Read("c.yaml", []byte(b.String()), checks)
	if err != nil {
		tb.Fatal(err)
	}
	return c.Namer()
}

// TestNamerForgets: what is remembered is bounded, and forgetting changes no name.
func TestNamerForgets(t *testing.T) {
	names := many(t, 100)
	for i := range 2*mostKnown + 7 {
		a := netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, byte(i >> 8), byte(i)}), uint16(i>>16+1))
		if got := names.NameOf(a); !strings.HasPrefix(got, "room:") {
			t.Fatalf("%s is %q", a, got)
		}
		if len(names.known) > mostKnown {
			t.Fatalf("%d are remembered", len(names.known))
		}
	}
	if got := names.NameOf(netip.MustParseAddrPort("10.1.0.7:9")); got != "player 6:9" {
		t.Errorf("%q", got)
	}
}

// TestFirstName: of two names for one address the first counts, that of the project's file.
func TestFirstName(t *testing.T) {
	var files [2]*Config
	for i := range files {
		c, err := Read("c.yaml", fmt.Appendf(nil, "names: {10.0.0.1: of %d, 10.0.0.2:5: port of %d, 10.9.0.0/16: net of %d}", i, i, i), checks)
		if err != nil {
			t.Fatal(err)
		}
		files[i] = c
	}
	names := files[1].Over(files[0]).Namer()
	for a, want := range map[string]string{"10.0.0.1:4": "of 1:4", "10.0.0.2:5": "port of 1", "10.9.8.7:6": "net of 1:6"} {
		if got := names.NameOf(netip.MustParseAddrPort(a)); got != want {
			t.Errorf("%s is %q, want %q", a, got, want)
		}
	}
}

func BenchmarkNameOf(b *testing.B) {
	names := many(b, 100)
	a := netip.MustParseAddrPort("10.1.0.99:2302")
	for b.Loop() {
		names.NameOf(a)
	}
}
