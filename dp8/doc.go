// Package dp8 decodes and encodes DirectPlay 8 Reliable as MC-DPL8R
// describes it, together with the neighbours that share its UDP ports: host
// enumeration (MC-DPLHP) and NAT path tests (MC-DPLNAT).
//
// Frames, by their first byte:
//
//	even, 0x80 or 0x88   command frame: CONNECT, CONNECTED, CONNECTED_SIGNED, HARD_DISCONNECT, SACK
//	odd                  data frame
//	zero                 not DirectPlay 8: a neighbour
//
// Byte order is little-endian throughout. What the wire alone cannot tell, the
// version and whether frames are signed, comes in as Params.
//
// Not covered: the content of voice messages (MC-DPLVP) and the bodies of core
// messages (MC-DPL8CS); the latter are named by their type.
package dp8
