package render

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
)

// TestNameColumns: names of letters that take two columns, or several bytes, keep the
// columns of lines; what a terminal would act on is escaped.
func TestNameColumns(t *testing.T) {
	wide := func(s string) (n int) {
		for _, r := range s {
			if n++; r > 0x2e80 {
				n++
			}
		}
		return n
	}
	names := map[uint16]string{1: "日本語サーバー", 2: "Ärger", 3: "plain", 4: "\x1b[31m\u202e"}
	s := NewSummary(Palette{})
	s.Width = wide
	s.Names = func(e dissect.Endpoint) string { return names[e.Port] }
	at := func(port uint16) dissect.Endpoint {
		return dissect.MakeEndpoint(netip.AddrPortFrom(netip.MustParseAddr("10.0.0.1"), port))
	}
	line := func(src, dst uint16) string {
		fr := &dissect.Frame{Datagram: &dissect.Datagram{Frame: 1, Src: at(src), Dst: at(dst)}, Protocol: "udp"}
		return string(s.AppendLine(nil, fr, new(Clock)))
	}
	line(4, 4) // the widest
	var arrows, protocols []int
	for _, ports := range [][2]uint16{{1, 2}, {2, 3}, {3, 1}, {4, 4}, {5, 1}} {
		l := line(ports[0], ports[1])
		before, afterRun, _ := strings.Cut(l, " → ")
		end, _, _ := strings.Cut(afterRun, " UDP ")
		arrows, protocols = append(arrows, wide(before)), append(protocols, wide(end))
		if strings.ContainsAny(l, "\x1b\u202e") {
			t.Errorf("%q", l)
		}
	}
	for i := range arrows {
		if arrows[i] != arrows[0] || protocols[i] != protocols[0] {
			t.Fatalf("columns of the arrow %v, of what is behind %v", arrows, protocols)
		}
	}
	s.Width = nil
	if got := s.columns([]byte("Ärger")); got != 5 {
		t.Errorf("without a width %d columns", got)
	}
}

// TestNamesOfManyEndpoints: names are remembered in places that endpoints share. Each keeps
// its own: else the line of one host would show the name of another.
func TestNamesOfManyEndpoints(t *testing.T) {
	s := NewSummary(Palette{})
	s.Names = func(e dissect.Endpoint) string { return "host-" + e.String() }
	for range 2 {
		for _, addr := range []string{"10.0.1.2:7", "10.0.2.1:7", "10.0.3.0:7", "10.0.1.2:7"} { // all in one place
			e := dissect.MakeEndpoint(netip.MustParseAddrPort(addr))
			if got := s.of(&e).text; string(got) != "host-"+addr {
				t.Errorf("%s is shown as %s", addr, got)
			}
		}
	}
}
