package track_test

import (
	"fmt"
	"net/netip"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp4/track"
	"github.com/dpdissect/dpdissect/session"
)

// The protocol has no handshake: a connection is recognised by how two players answer
// each other.
func ExampleNew() {
	from := dissect.MakeEndpoint(netip.MustParseAddrPort("192.0.2.10:2350"))
	to := dissect.MakeEndpoint(netip.MustParseAddrPort("198.51.100.20:2350"))
	table := session.NewTable(session.Config{Protocols: []*session.Protocol{track.New(nil)}})
	for i, payload := range []string{
		"\x01\x02\x3d\x01\x01\x00hello",                            // DATA
		"\x02\x01\x02\x01\x01\x00\x09\x00\x00\x00\x28\x00\x00\x00", // ACK
		"\x01\x02\x3d\x02\x02\x00world",                            // DATA
		"\x02\x01\x02\x02\x02\x00\x12\x00\x00\x00\x50\x00\x00\x00", // ACK
	} {
		table.Add(&dissect.Datagram{Frame: uint64(i + 1), Time: int64(i) * 20e6, HasTime: true,
			Src: from, Dst: to, Payload: []byte(payload), Length: len(payload)})
		from, to = to, from // the other side answers
	}
	table.Close(60e6)
	for _, c := range table.Conns() {
		fmt.Printf("%s, recognised by %s: players %d and %d\n", c.Protocol.Name, c.DetectedBy, c.Players[0], c.Players[1])
		fmt.Printf("%d messages, acknowledged within %d ms\n", c.Dir[0].Messages, c.Dir[0].RTT().Max/1e6)
	}
	// Output:
	// dp4, recognised by behaviour: players 1 and 2
	// 2 messages, acknowledged within 20 ms
}
