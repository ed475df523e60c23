// Package dp8peer is an endpoint of DirectPlay 8 Reliable that behaves as
// MC-DPL8R says, made to produce traffic whose truth is known: handshakes with
// and without signing, the 64-packet window, delayed and selective
// acknowledgements, send masks, retries, coalescence, large messages,
// KeepAlives, and the three ways a connection ends.
//
// An endpoint acts only on the bytes that reach it. Beside every datagram it
// sends it leaves a Note that says what the datagram is, in unwrapped numbers;
// the notes are the truth a capture is judged by and never influence a peer.
package dp8peer
