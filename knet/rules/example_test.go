package rules_test

import (
	"fmt"
	"net/netip"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/knet/rules"
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

// A client of the page's dialect opens a connection, and then sends a PingRequest of two bytes.
func ExampleNew() {
	client := dissect.MakeEndpoint(netip.MustParseAddrPort("192.0.2.10:5000"))
	server := dissect.MakeEndpoint(netip.MustParseAddrPort("198.51.100.20:5000"))
	p := rules.New()
	table := session.NewTable(session.Config{Protocols: []*session.Protocol{p}, Sink: sink{},
		Force: []session.Force{{Lo: 5000, Hi: 5000, Protocol: p, Dialect: "spec"}}})
	for i, payload := range []string{
		"\x00\x00\x00\x08\x00\xfd\xff\xff\xffuser",             // ConnectSyn
		"\x00\x00\x00\x04\x00\xfc\xff\xff\xff",                 // ConnectSynAck
		"\x01\x00\x40\x04\x00\xfb\xff\xff\xff",                 // ConnectAck
		"\x01\x00\x00\x08\x00\x03\x01\x00\x00\x00\x00\x00\x00", // PacketAck
		"\x02\x00\x00\x03\x00\x00\x07\x07",                     // PingRequest
	} {
		from, to := client, server
		if i%2 == 1 {
			from, to = to, from
		}
		table.Add(&dissect.Datagram{Frame: uint64(i + 1), Time: int64(i) * 20e6, HasTime: true,
			Src: from, Dst: to, Payload: []byte(payload), Length: len(payload)})
	}
	table.Close(100e6)
	// Output:
	// frame 5 breaks KN-RM-PING-LEN: the PingRequest has 2 bytes, not 1
}
