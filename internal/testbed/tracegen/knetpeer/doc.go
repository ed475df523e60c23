// Package knetpeer is endpoints of kNet over UDP at work on a simulated network,
// in both dialects. They are written from the texts to be watched, not to be
// fast:
//
//	library   what the C++ library does (juj/kNet 715850d): a connect datagram,
//	          reliable messages with numbers of their own, which travel again under
//	          new PacketIDs, no order
//	page      what the page "kNet Transport over UDP" says: a handshake, reliable
//	          datagrams that are sent again, messages that depend on others
//
// Each datagram carries a Note of what it is.
package knetpeer
