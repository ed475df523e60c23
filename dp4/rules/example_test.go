package rules_test

import (
	"fmt"
	"net/netip"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp4/rules"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/seq"
)

// A sink prints what is found.
type sink struct{}

func (sink) Frame(*dissect.Frame, *session.Conn) {}
func (sink) Acked(seq.Position, uint64)          {}
func (sink) Message(*session.Message)            {}
func (sink) Finding(f *session.Finding) {
	if f.Failed() {
		fmt.Printf("frame %d breaks %s: %s\n", f.Frame, f.Rule.ID, f.Message)
	}
}

// A player sets a flag that was never implemented.
func ExampleNew() {
	from := dissect.MakeEndpoint(netip.MustParseAddrPort("192.0.2.10:2350"))
	to := dissect.MakeEndpoint(netip.MustParseAddrPort("198.51.100.20:2350"))
	table := session.NewTable(session.Config{Protocols: []*session.Protocol{rules.New()}, Sink: sink{}})
	for i, payload := range []string{
		"\x01\x02\x3d\x01\x01\x00hello",                            // DATA
		"\x02\x01\x02\x01\x01\x00\x09\x00\x00\x00\x28\x00\x00\x00", // ACK
		"\x01\x02\x3d\x02\x02\x00world",                            // DATA
		"\x02\x01\x02\x02\x02\x00\x12\x00\x00\x00\x50\x00\x00\x00", // ACK
		"\x01\x02\x7d\x03\x03\x00again",                            // DATA with BIG
	} {
		table.Add(&dissect.Datagram{Frame: uint64(i + 1), Time: int64(i) * 20e6, HasTime: true,
			Src: from, Dst: to, Payload: []byte(payload), Length: len(payload)})
		from, to = to, from // the other side answers
	}
	table.Close(100e6)
	// Output:
	// frame 5 breaks DP4-2.2.2-BIG: flags 0x7d: BIG is set
}
