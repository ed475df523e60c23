// Package note is what the endpoints of a trace say of the datagrams they send.
// It names no protocol: from the notes, and from what the network did with each
// datagram, the truthWatch of package tracegen counts the truth.
//
//	Conn     one connection, told once
//	Note     one datagram: what it counts as, its number, what it acknowledges
//	Message  what an application handed over, and the Parts that carry it
//
// Numbers in notes do not wrap: an endpoint keeps 64-bit counters and puts their
// low bits on the wire. -1 means that there is none.
package note
