package dissect

import (
	"math"
	"net/netip"
	"strconv"
	"testing"

)

func TestNumbersAgreeWithStrconv(t *testing.T) {
	check := func(v uint64) {
		if got := string(AppendUint(nil, v)); got != strconv.FormatUint(v, 10) {
			t.Fatalf("%d: %s", v, got)
		}
	}
	for v := range uint64(1_002_000) {
		check(v)
	}
	check(math.MaxUint64)
}

func TestEndpointsAgreeWithNetip(t *testing.T) {
	for _, s := range []string{"0.0.0.0:0", "255.255.255.255:65535", "10.1.200.30:80", "[::1]:1", "[fe80::1234]:2302", "[::ffff:1.2.3.4]:9"} {
		want := netip.MustParseAddrPort(s)
		e := MakeEndpoint(want)
		if want = netip.AddrPortFrom(want.Addr().Unmap(), want.Port()); e.String() != want.String() {
			t.Errorf("%s: %s", want, e)
		}
	}
}
