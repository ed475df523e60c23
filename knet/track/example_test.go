package track_test

import (
	"fmt"
	"net/netip"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/knet/track"
	"github.com/dpdissect/dpdissect/session"
)

// A client and a server of the page's dialect meet, and the client says something.
func ExampleNew() {
	from := dissect.MakeEndpoint(netip.MustParseAddrPort("192.0.2.10:5000"))
	to := dissect.MakeEndpoint(netip.MustParseAddrPort("198.51.100.20:5000"))
	table := session.NewTable(session.Config{Protocols: []*session.Protocol{track.New(nil)}})
	for i, payload := range []string{
		"\x00\x00\x00\x08\x00\xfd\xff\xff\xffuser",             // ConnectSyn
		"\x00\x00\x00\x04\x00\xfc\xff\xff\xff",                 // ConnectSynAck
		"\x01\x00\x40\x04\x00\xfb\xff\xff\xff",                 // ConnectAck
		"\x01\x00\x00\x08\x00\x04\x01\x00\x00\x00\x00\x00\x00", // PacketAck
		"\x02\x00\x40\x06\x00\x1fhello",                        // an application's message
	} {
		table.Add(&dissect.Datagram{Frame: uint64(i + 1), Time: int64(i) * 20e6, HasTime: true,
			Src: from, Dst: to, Payload: []byte(payload), Length: len(payload)})
		from, to = to, from // the other side answers
	}
	table.Close(80e6)
	for _, c := range table.Conns() {
		fmt.Printf("%s, dialect %s, %s\n", c.Protocol.Name, c.Dialect, c.State)
		fmt.Printf("messages: %d, of %d bytes\n", c.Dir[0].Messages, c.Dir[0].MessageBytes)
	}
	// Output:
	// knet, dialect spec, established
	// messages: 1, of 5 bytes
}
