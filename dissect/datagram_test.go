package dissect

import (
	"net/netip"
	"testing"

	"pgregory.net/rapid"
)

func TestEndpointText(t *testing.T) {
	for in, want := range map[string]string{
		"10.0.0.1:2302":           "10.0.0.1:2302",
		"255.255.255.255:65535":   "255.255.255.255:65535",
		"0.0.0.0:0":               "0.0.0.0:0",
		"[fe80::1]:2302":          "[fe80::1]:2302",
		"[::]:7":                  "[::]:7",
		"[::ffff:10.0.0.1]:2302":  "10.0.0.1:2302",
		"[fe80::1%eth0]:2302":     "[fe80::1]:2302",
		"[64:ff9b::10.0.0.1]:1":   "[64:ff9b::a00:1]:1",
		"[1:0:0:0:0:ffff:a:b]:2":  "[1::ffff:a:b]:2",
		"[::10.0.0.1]:3":          "[::a00:1]:3",
		"[0:0:0:0:fffe:0:a:b]:11": "[::fffe:0:a:b]:11",
	} {
		e := MakeEndpoint(netip.MustParseAddrPort(in))
		if got := e.String(); got != want {
			t.Errorf("%s: %q, want %q", in, got, want)
		}
	}
}

func TestEndpointIsComparable(t *testing.T) {
	a := MakeEndpoint(netip.MustParseAddrPort("10.0.0.1:2302"))
	b := MakeEndpoint(netip.MustParseAddrPort("[::ffff:10.0.0.1]:2302"))
	if a != b || !a.Addr().Is4() {
		t.Errorf("%v and %v are one endpoint", a, b)
	}
}

// TestEndpointTextIsNetips: the short path for IPv4 says what netip says.
func TestEndpointTextIsNetips(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var ip [16]byte
		copy(ip[:], rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "ip"))
		if rapid.Bool().Draw(t, "v4") {
			copy(ip[:], "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\xff\xff")
		}
		e := Endpoint{ip, rapid.Uint16().Draw(t, "port")}
		if got, want := e.String(), netip.AddrPortFrom(e.Addr(), e.Port).String(); got != want {
			t.Fatalf("%q, want %q", got, want)
		}
	})
}

func TestEndpointAppendAllocatesNothing(t *testing.T) {
	e := MakeEndpoint(netip.MustParseAddrPort("10.0.0.1:2302"))
	buf := make([]byte, 0, 64)
	if n := testing.AllocsPerRun(100, func() { buf = e.AppendTo(buf[:0]) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestDatagramCut(t *testing.T) {
	if (&Datagram{Payload: make([]byte, 3), Length: 3}).Cut() || !(&Datagram{Payload: make([]byte, 3), Length: 4}).Cut() {
		t.Error("cut")
	}
}

func TestWords(t *testing.T) {
	w := Retry | UnneededRetry
	if !w.Has(Retry) || !w.Has(w) || w.Has(Retry|Gap) || !w.Has(0) {
		t.Error("has")
	}
	if Malformed != 1<<(len(WordNames)-1) {
		t.Errorf("%d names for the words up to %#x", len(WordNames), Malformed)
	}
	for word, want := range map[Words]string{Retry: "retry", AckOfUncaptured: "ack-of-uncaptured", KeepAlive: "keepalive", Malformed: "malformed"} {
		for i, name := range WordNames {
			if (word == 1<<i) != (name == want) {
				t.Errorf("bit %d is called %q", i, name)
			}
		}
	}
}
