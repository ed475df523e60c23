// Package tracegen makes captures whose truth is known: a small network with
// endpoints that behave as the protocols' texts say. One scenario makes one
// capture and proves one thing. The same seed makes the same bytes.
//
//	sim        the network, the capture point, IP packets
//	note       what an endpoint says of each datagram it sends
//	dp8peer    endpoints of DirectPlay 8 Reliable
//	dp4peer    endpoints of DirectPlay 4 Reliable
//	knetpeer   endpoints of kNet, of the page and of the library
//	hazelpeer  endpoints of Hazel, release by release
//	wire       the same endpoints over real sockets, in real time
//	here       scenarios, traffic, forgers, and the truthWatch that counts the truth
//
// The truthWatch names no protocol: it counts from notes and from the fate of the
// datagrams. What one protocol alone has, such as signatures, is an extension.
package tracegen
