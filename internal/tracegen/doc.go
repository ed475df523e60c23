// Package tracegen makes captures whose truth is known: a small network with
// endpoints that behave as the protocols' texts say. One scenario makes one
// capture and proves one thing. The same seed makes the same bytes.
//
//	sim      the network, the capture point, IP packets
//	dp8peer  endpoints of DirectPlay 8 Reliable
//	here     scenarios, traffic, forgers, and the ledger that counts the truth
package tracegen
