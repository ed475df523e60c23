package track_test

import (
	"fmt"
	"net/netip"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp8/track"
	"github.com/dpdissect/dpdissect/session"
)

// The handshake of MC-DPL8R 4.1, and its first KeepAlive. track.Options take the secrets of
// signed connections, where the capture does not show the handshake.
func ExampleNew() {
	from := dissect.MakeEndpoint(netip.MustParseAddrPort("192.0.2.10:2302"))
	to := dissect.MakeEndpoint(netip.MustParseAddrPort("198.51.100.20:2302"))
	table := session.NewTable(session.Config{Protocols: []*session.Protocol{track.New(track.Options{}, nil)}})
	for i, payload := range []string{
		"\x88\x01\x00\x00\x06\x00\x01\x00\xc6\xae\xc9\x79\x9d\x36\x67\x23", // CONNECT
		"\x88\x02\x00\x00\x06\x00\x01\x00\xc6\xae\xc9\x79\xe1\xdf\x04\x00", // CONNECTED
		"\x80\x02\x01\x00\x06\x00\x01\x00\xc6\xae\xc9\x79\x9d\x36\x67\x23", // CONNECTED
		"\x3f\x02\x00\x00\xc6\xae\xc9\x79",                                 // KeepAlive
	} {
		table.Add(&dissect.Datagram{Frame: uint64(i + 1), Time: int64(i) * 20e6, HasTime: true,
			Src: from, Dst: to, Payload: []byte(payload), Length: len(payload)})
		from, to = to, from // the other side answers
	}
	table.Close(60e6)
	for _, c := range table.Conns() {
		fmt.Printf("%s %d.%d, %s, signing: %s\n", c.Protocol.Name, c.Version>>16, c.Version&0xffff, c.State, c.Signing)
		fmt.Printf("%s %s, %s %s\n", c.Roles[0], c.A, c.Roles[1], c.B)
	}
	// Output:
	// dp8 1.6, established, signing: none
	// connector 192.0.2.10:2302, listener 198.51.100.20:2302
}
