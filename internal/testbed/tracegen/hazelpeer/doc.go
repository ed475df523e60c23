// Package hazelpeer has endpoints of Hazel UDP-RUDP that behave as the releases
// of the library did: types, ids, timers, keep-alives, history bits and how a
// connection ends. They run on package sim and tell the truthWatch with notes.
//
//	Config  one release's habits; releases.go has them by date
//	Node    a socket: a client, or a listener with a peer for each client
//	Peer    one end of one connection
package hazelpeer
