// Package hazel decodes and encodes Hazel UDP-RUDP: the protocol of the
// page of that name in the documentation of Hazel-Networking, and every format
// the library released before and after it.
//
// A datagram is one byte of type and what the type says:
//
//	None             00 | data
//	Reliable         01 | id:16 | data
//	Hello            08 | id:16 | version:8 | data
//	Disconnect       09 | data
//	Acknowledgement  0A | id:16 | recent:8 (from 2020-04)
//	Ping             0C | id:16 (from 2018-12)
//	fragments        02, 0B: see fragment.go
//
// Headers are big-endian, the messages that applications put into payloads since
// 2018-07 are little-endian. Releases differ in type values, lengths and
// fragments; Dialect names them. The two ends of a connection may run different
// releases, so what is learned is learned of each side.
//
// Hazel over DTLS is followed by the headers of its records. The announcement of
// games in the local network and the DTLS of others are neighbours: shown, but
// no connection.
//
// Not covered: the two formats of 2016-04, which have no name, and the content
// of application messages; those of Among Us are named by their tags, two levels
// deep, with the ids they begin with (game.go).
package hazel
