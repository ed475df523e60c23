// Package dp4peer has endpoints of DirectPlay 4 Reliable (MC-DPL4R). They run on
// package sim and tell the truthWatch with notes. There is no handshake and no
// close: two players speak once the core of DirectPlay has made them known to
// each other.
//
//	Config  an implementation's habits
//	Node    a socket, with a peer for each pair of players
//	Peer    one end of one pair: sends in send.go and retry.go, receives in recv.go
package dp4peer
