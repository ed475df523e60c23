package track_test

import (
	"fmt"
	"net/netip"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/hazel/track"
	"github.com/dpdissect/dpdissect/session"
)

// A client says Hello, then a reliable message, and the server acknowledges both. Which
// release the sides run is learned from what they send.
func ExampleNew() {
	from := dissect.MakeEndpoint(netip.MustParseAddrPort("192.0.2.10:22023"))
	to := dissect.MakeEndpoint(netip.MustParseAddrPort("198.51.100.20:22023"))
	table := session.NewTable(session.Config{Protocols: []*session.Protocol{track.New(nil)}})
	for i, payload := range []string{
		"\x08\x00\x01\x00me", // Hello
		"\x0a\x00\x01\xff",   // Acknowledgement
		"\x01\x00\x02hello",  // Reliable
		"\x0a\x00\x02\xff",   // Acknowledgement
	} {
		table.Add(&dissect.Datagram{Frame: uint64(i + 1), Time: int64(i) * 20e6, HasTime: true,
			Src: from, Dst: to, Payload: []byte(payload), Length: len(payload)})
		from, to = to, from // the other side answers
	}
	table.Close(60e6)
	for _, c := range table.Conns() {
		fmt.Printf("%s, release %s, %s\n", c.Protocol.Name, c.Dialect, c.State)
		fmt.Printf("messages: %d, answered within %d ms\n", c.Dir[0].Messages, c.Dir[0].RTT().Max/1e6)
	}
	// Output:
	// hazel, release current, established
	// messages: 1, answered within 20 ms
}
