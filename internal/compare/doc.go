// Package compare says what became of each datagram of a session that was captured at two
// points: it pairs the datagrams of both captures, puts both clocks on one axis, and tells
// the fate and the delay of each. What it says of one capture alone is that capture's
// analysis.
package compare
