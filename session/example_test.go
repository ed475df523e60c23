package session_test

import (
	"fmt"
	"net/netip"
	"time"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp8/track"
	"github.com/dpdissect/dpdissect/session"
)

// A capture of a few datagrams is followed: a handshake, then a message that is sent
// twice and acknowledged. These packages read no captures: the datagrams come from
// whatever does.
func Example() {
	a := dissect.MakeEndpoint(netip.MustParseAddrPort("192.0.2.10:2302"))
	b := dissect.MakeEndpoint(netip.MustParseAddrPort("198.51.100.20:2302"))
	table := session.NewTable(session.Config{Protocols: []*session.Protocol{track.New(track.Options{}, nil)}})
	for i, x := range []struct {
		src, dst dissect.Endpoint
		payload  string
	}{
		{a, b, "\x88\x01\x00\x00\x06\x00\x01\x00\xc6\xae\xc9\x79\x9d\x36\x67\x23"}, // CONNECT
		{b, a, "\x88\x02\x00\x00\x06\x00\x01\x00\xc6\xae\xc9\x79\xe1\xdf\x04\x00"}, // CONNECTED
		{a, b, "\x80\x02\x01\x00\x06\x00\x01\x00\xc6\xae\xc9\x79\xaf\x36\x67\x23"}, // CONNECTED
		{a, b, "\x3f\x02\x00\x00\xc6\xae\xc9\x79"},                                 // KeepAlive
		{b, a, "\x3f\x02\x00\x01\xc6\xae\xc9\x79"},                                 // KeepAlive
		{a, b, "\x37\x00\x01\x01hello"},                                            // a message
		{a, b, "\x37\x01\x01\x01hello"},                                            // its retry
		{b, a, "\x80\x06\x01\x01\x01\x02\x00\x00\x9d\xe2\x04\x00"},                 // SACK
	} {
		at := time.Duration(i) * 100 * time.Millisecond
		table.Add(&dissect.Datagram{Frame: uint64(i + 1), Time: int64(at), HasTime: true,
			Src: x.src, Dst: x.dst, Payload: []byte(x.payload), Length: len(x.payload)})
	}
	table.Close(int64(700 * time.Millisecond))
	for _, c := range table.Conns() {
		fmt.Printf("%s %s, recognised by %s: %s and %s\n", c.Protocol.Name, c.State, c.DetectedBy, c.A, c.B)
		fmt.Printf("a sent %d frames, %d of them again\n", c.Dir[0].Frames, c.Dir[0].Retries)
	}
	// Output:
	// dp8 established, recognised by handshake: 192.0.2.10:2302 and 198.51.100.20:2302
	// a sent 5 frames, 1 of them again
}
