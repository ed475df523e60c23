package main

import (
	"net/netip"
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
)

// TestPseudonyms: addresses are replaced by those of tests, the same by the same, ports stay, and
// what stands for many hosts or for the host itself stays as well.
func TestPseudonyms(t *testing.T) {
	v := (&reportCommand{redact: true}).pseudonyms()
	v.addresses = map[[16]byte][16]byte{}
	for _, x := range [][2]string{
		{"10.0.0.5:2302", "198.18.0.1:2302"}, {"10.0.0.6:1", "198.18.0.2:1"}, {"10.0.0.5:7", "198.18.0.1:7"},
		{"[2a02::5]:2302", "[2001:db8::1]:2302"}, {"[2a02::6]:1", "[2001:db8::2]:1"}, {"[2a02::5]:2", "[2001:db8::1]:2"},
		{"127.0.0.1:9", "127.0.0.1:9"}, {"224.0.0.251:5353", "224.0.0.251:5353"}, {"255.255.255.255:67", "255.255.255.255:67"}, {"[::1]:9", "[::1]:9"}, {"[ff02::1]:9", "[ff02::1]:9"},
	} {
		a := netip.MustParseAddrPort(x[0])
		e := dissect.Endpoint{IP: a.Addr().As16(), Port: a.Port()}
		if v.address(&e); e.String() != x[1] {
			t.Errorf("%s became %s, want %s", x[0], e, x[1])
		}
		if v.realAddress(&e); e.String() != x[0] {
			t.Errorf("%s became %s again, want %s", x[1], e, x[0])
		}
	}
	if a, b, c := v.text("you lost"), v.text("kicked"), v.text("you lost"); a != "text 1" || b != "text 2" || c != a || v.text("") != "" {
		t.Errorf("texts became %q, %q, %q", a, b, c)
	}
}
