package render

import (
	"math"
	"net/netip"
	"strconv"
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
)

func TestNumbersAgreeWithStrconv(t *testing.T) {
	check := func(v uint64) {
		if got := string(appendDec(nil, v)); got != strconv.FormatUint(v, 10) {
			t.Fatalf("%d: %s", v, got)
		}
	}
	for v := range uint64(1_002_000) {
		check(v)
	}
	check(math.MaxUint64)
}

func TestEndpointsAgree(t *testing.T) {
	for _, s := range []string{"0.0.0.0:0", "255.255.255.255:65535", "10.1.200.30:80", "[::1]:1", "[fe80::1234]:2302", "[::ffff:1.2.3.4]:9"} {
		e := dissect.MakeEndpoint(netip.MustParseAddrPort(s))
		if got := string(appendEndpoint(nil, &e)); got != e.String() {
			t.Errorf("%s: %s", e, got)
		}
	}
}
