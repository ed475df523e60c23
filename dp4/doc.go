// Package dp4 decodes and encodes DirectPlay 4 Reliable as MC-DPL4R
// describes it, together with the neighbour it shares its UDP ports with: the
// messages of the DirectPlay 4 core (MC-DPL4CS), which find and join sessions.
//
// A frame begins with the indexes of two players, then one flag byte tells its
// type:
//
//	ACK clear              data frame
//	ACK set, EXT clear     ACK
//	ACK set, EXT set       NACK
//
// In front of the indexes some service providers put 20 bytes of their own: the
// size of the datagram, a token and a socket address. Both forms are read.
// Byte order is little-endian throughout. The text draws the extended flags of
// a NACK without saying which bit is the least significant; the length of the
// frame settles it (AMB-DP4-05).
//
// Not covered: the bodies of core messages (MC-DPL4CS), which are named by
// their command.
package dp4
