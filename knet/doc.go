// Package knet decodes and encodes kNet over UDP, in two dialects:
//
//	spec        the page "kNet Transport over UDP"
//	reference   what the public C++ library sends (juj/kNet, commit 715850d)
//
// The first three bytes of a datagram hold two flags and the PacketID; the
// dialects differ in where the flags stand and in what follows. Then come
// messages until the datagram ends. All numbers are little-endian.
//
//	spec        flags in the third byte; with InOrder, two arrays that say what the messages depend on
//	reference   flags in the first byte; with Reliable, the smallest reliable message number
//
// The connect datagram of reference is no kNet datagram: eight zero bytes, or
// whatever the application supplies. Which dialect a connection speaks and which
// ids its control messages have comes in as Params; Decode without them guesses.
package knet
