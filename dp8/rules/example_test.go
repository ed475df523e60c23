package rules_test

import (
	"fmt"
	"net/netip"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp8/rules"
	"github.com/dpdissect/dpdissect/dp8/track"
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

// Behind the handshake of MC-DPL8R 4.1 and its KeepAlives, a side sends a message that is not reliable, and then
// sends it again.
func ExampleNew() {
	a := dissect.MakeEndpoint(netip.MustParseAddrPort("192.0.2.10:2302"))
	b := dissect.MakeEndpoint(netip.MustParseAddrPort("198.51.100.20:2302"))
	table := session.NewTable(session.Config{Protocols: []*session.Protocol{rules.New(track.Options{})}, Sink: sink{}})
	for i, x := range []struct {
		from, to dissect.Endpoint
		payload  string
	}{
		{a, b, "\x88\x01\x00\x00\x06\x00\x01\x00\xc6\xae\xc9\x79\x9d\x36\x67\x23"}, // CONNECT
		{b, a, "\x88\x02\x00\x00\x06\x00\x01\x00\xc6\xae\xc9\x79\xe1\xdf\x04\x00"}, // CONNECTED
		{a, b, "\x80\x02\x01\x00\x06\x00\x01\x00\xc6\xae\xc9\x79\xaf\x36\x67\x23"}, // CONNECTED
		{a, b, "\x3f\x02\x00\x00\xc6\xae\xc9\x79"},                                 // KeepAlive
		{b, a, "\x3f\x02\x00\x01\xc6\xae\xc9\x79"},                                 // KeepAlive
		{a, b, "\x35\x00\x01\x01hello"},                                            // a message
		{a, b, "\x35\x01\x01\x01hello"},                                            // its retry
	} {
		table.Add(&dissect.Datagram{Frame: uint64(i + 1), Time: int64(i) * 100e6, HasTime: true,
			Src: x.from, Dst: x.to, Payload: []byte(x.payload), Length: len(x.payload)})
	}
	table.Close(1e9)
	// Output:
	// frame 7 breaks DP8-3.1.6.5-UNREL-RETRY: 1 is retried although it is not reliable
}
