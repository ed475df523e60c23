package rules_test

import (
	"fmt"
	"net/netip"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/hazel/rules"
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

// A client says Hello and then sends a datagram whose type has reserved bits.
func ExampleNew() {
	client := dissect.MakeEndpoint(netip.MustParseAddrPort("192.0.2.10:50000"))
	server := dissect.MakeEndpoint(netip.MustParseAddrPort("198.51.100.20:22023"))
	p := rules.New()
	table := session.NewTable(session.Config{Protocols: []*session.Protocol{p}, Sink: sink{},
		Force: []session.Force{{Lo: 22023, Hi: 22023, Protocol: p}}})
	for i, payload := range []string{"\x08\x00\x01\x00me", "\x41\x00\x02hello"} {
		table.Add(&dissect.Datagram{Frame: uint64(i + 1), Time: int64(i) * 20e6, HasTime: true,
			Src: client, Dst: server, Payload: []byte(payload), Length: len(payload)})
	}
	table.Close(60e6)
	// Output:
	// frame 2 breaks HZ-HDR-RESERVED-HI: Type is 41: reserved bits 40 are set
}
