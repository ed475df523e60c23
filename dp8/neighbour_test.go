package dp8

import (
	"encoding/binary"
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dissect/dissecttest"
)

func TestNeighbour(t *testing.T) {
	const (
		query    = "00 02 34 12 02"
		queryFor = "00 02 34 12 01 A0 7B FE EB 8D 62 D2 11 AE 0F 00 60 97 B0 14 11"
		resolver = "00 06 F1 D5 3C 16 51 BA"
		resolved = "00 07 F1 D5 3C 16 51 BA 7D 22 AD 87 F9 2B"
		test     = "00 05 C1 D0 B8 82 DD 92 9C E9 AF F9"
	)
	for _, tt := range []struct {
		name, bytes string
		a, b        uint16
		proto       *dissect.Protocol
		strong      bool
	}{
		{"query to the enumeration port", query, 40000, 6073, DPLHP, false},
		{"query to a game", query, 2302, 50000, DPLHP, false},
		{"query, last usual port", query, 50000, 2400, DPLHP, false},
		{"query, other ports", query, 50000, 2401, nil, false},
		{"query, below the usual ports", query, 50000, 2301, nil, false},
		{"query from a server's port", query, 2302, 69, nil, false},
		{"query for an application", queryFor, 2302, 2303, DPLHP, false},
		{"query for an application, cut", "00 02 34 12 01 A0 7B", 2302, 2303, nil, false},
		{"query of type 0", "00 02 34 12 00 01 02", 2302, 2303, nil, false},
		{"resolver query", resolver, 2302, 2506, DPLNAT, false},
		{"resolver query, other ports", resolver, 50000, 2506, nil, false},
		{"resolver query, seven bytes", "00 06 F1 D5 3C 16 51", 2302, 2506, nil, false},
		{"resolver response to its port", resolved, 2506, 2302, DPLNAT, true},
		{"resolver response, the NAT changed the port", resolved, 2506, 2310, DPLNAT, false},
		{"resolver response, other ports", resolved, 2506, 50000, nil, false},
		{"resolver response, too long", resolved + "00", 2506, 2302, nil, false},
		{"resolver response, multicast address", "00 07 00 00 00 00 00 00 E1 00 00 01 9C 40", 40000, 40001, nil, false},
		{"resolver response, port by chance, address 0", "00 07 00 00 00 00 00 00 00 00 00 01 9C 40", 40000, 40001, nil, false},
		{"path test", test, 2302, 2302, DPLNAT, false},
		{"path test, other ports", test, 50000, 50001, nil, false},
		{"path test, thirteen bytes", test + "00", 2302, 2302, nil, false},
		{"empty", "", 6073, 6073, nil, false},
		{"zeros", "00 00 00 00 00 00 00 00", 6073, 6073, nil, false},
		{"DirectPlay 8 itself", "88 01 00 00 06 00 01 00 C6 AE C9 79 9D 36 67 23", 6073, 6073, nil, false},

		// DNS from an old system's port 2302, identifiers 2, 3, 5 and 6.
		{"DNS query 2", "00 02 01 00 00 01 00 00 00 00 00 00 03 77 77 77 00 00 01 00 01", 2302, 53, nil, false},
		{"DNS query 2 on a usual port", "00 02 01 00 00 01 00 00 00 00 00 00 03 77 77 77 00 00 01 00 01", 2302, 5353, nil, false},
		{"DNS refusal 5", "00 05 81 85 00 01 00 00 00 00 00 00", 2302, 5353, nil, false},
		{"DNS query 6", "00 06 01 00 00 01 00 00 00 00 00 00 03 77 77 77 00 00 01 00 01", 2302, 5353, nil, false},
		{"DNS query 3", "00 03 01 00 00 01 00 00 00 00 00 00 03 77 77 77 00 00 01 00 01", 2302, 5353, nil, false},
		// TFTP between two ephemeral ports.
		{"TFTP data", "00 03 00 01 00 00 00 00 00 00 00 00 00 00 00 00", 2302, 40000, nil, false},
		{"TFTP acknowledgement", "00 04 00 01", 2302, 40000, nil, false},
		{"TFTP error", "00 05 00 01 6E 6F 74 20 68 65 72 00", 2302, 40000, nil, false},
		{"TFTP OACK", "00 06 62 6C 6B 73 69 7A 65 00 31 34 32 38 00", 2302, 40000, nil, false},
		{"TFTP write request", "00 02 61 62 63 00 6F 63 74 65 74 00", 2302, 69, nil, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, ports := range [][2]uint16{{tt.a, tt.b}, {tt.b, tt.a}} {
				proto, strong := Neighbour(dissecttest.Unhex(t, tt.bytes), ports)
				if proto != tt.proto || strong != tt.strong {
					t.Errorf("ports %v: %v %v", ports, proto, strong)
				}
			}
		})
	}
}

func TestNeighbourEnumResponse(t *testing.T) {
	for i, s := range hpSamples()[2:] {
		if proto, strong := Neighbour(s, [2]uint16{50000, 50001}); proto != DPLHP || !strong {
			t.Errorf("response %d: %v %v", i, proto, strong)
		}
	}
	s := hpSamples()[3]
	if proto, _ := Neighbour(s[:100], [2]uint16{50000, 50001}); proto != nil {
		t.Error("a cut response on other ports was taken")
	}
	if proto, strong := Neighbour(s[:100], [2]uint16{2302, 50001}); proto != DPLHP || strong {
		t.Errorf("a cut response on a usual port: %v %v", proto, strong)
	}
	binary.LittleEndian.PutUint32(s[12:], 0x51)
	if proto, _ := Neighbour(s, [2]uint16{2302, 50001}); proto != nil {
		t.Error("a description of another size was taken")
	}
}

func TestNeighbourAllocatesNothing(t *testing.T) {
	for _, p := range []*dissect.Protocol{DPLHP, DPLNAT} {
		for _, s := range p.Samples() {
			if got, _ := Neighbour(s, [2]uint16{6073, 2302}); got != p {
				t.Errorf("% x: %v", s, got)
			}
			if n := testing.AllocsPerRun(20, func() { Neighbour(s, [2]uint16{6073, 2302}) }); n != 0 {
				t.Errorf("% x: %v allocations", s, n)
			}
			if len(AppendNeighbourSummary(nil, s)) < 10 {
				t.Errorf("% x: no summary", s)
			}
		}
	}
}

func BenchmarkNeighbour(bench *testing.B) {
	for name, payload := range map[string][]byte{"not": dissecttest.Unhex(bench, "3d000503014142434445"), "response": hpSamples()[3]} {
		bench.Run(name, func(bench *testing.B) {
			bench.ReportAllocs()
			for bench.Loop() {
				Neighbour(payload, [2]uint16{2302, 2302})
			}
		})
	}
}
