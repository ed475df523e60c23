// Package wire plays the endpoints of package tracegen over real UDP sockets, in
// real time, so that captures of them can be tested where the truth is known.
//
//	Play   one connection, with the whole truth of a trace
//	Load   many that come and go, with totals
//	Flood  numbered datagrams as fast as asked for
//	netns  network namespaces for tests
//
// Endpoints have a simulated clock; here it follows the real one. All of a run is
// of one goroutine, but for the readers of the sockets. Whatever is sent is known
// until it is received, so that the receiving end gets the very datagram the
// truthWatch watches once its bytes have come over the socket.
//
// # What the network does
//
// Without a relay, the segments of a path stand on both sides of the wire: what the
// near one loses is never sent, what the far one loses was sent and captured, and
// its receiver does not look at it. The capture sees one pair of addresses.
//
// Timers are those of the protocols. On a wire without any delay an endpoint that
// waits two round trips (hazel-v01) gives up when the machine pauses for some
// milliseconds: give such a path a delay.
//
// A relay is two more sockets, each the other side's address for one end. Then the
// wire has two legs, and a capture of all of it two pairs of addresses: A and
// Truth.RelayA, Truth.RelayB and B. The truth is that of one leg, Relay.Leg. A test
// captures that leg alone when it filters the port of the end that stands on it,
// "udp port N" with the port of Truth.A for leg 0, of Truth.B for leg 1.
//
// # What a capture must regard
//
// On loopback a packet socket sees a datagram leave and arrive; one of both counts.
// Checksums of what never left the machine may be left to hardware that is not
// there. Times in the truth (round trips) are those of this process, some ten
// microseconds off those of the kernel.
//
// What a segment before the capture doubles is sent twice, and IPv4 gives each its
// own identification: what the protocol itself does not tell apart is a retry to any
// reader, and the truth counts it as one. Copies with one identification, and losses
// of IP fragments, are for traces in simulated time.
package wire
