// Package session follows connections: it finds out which protocol an address
// pair speaks, hands its datagrams to the protocol's session, and tells a sink
// what comes of them. It names no protocol. What is a retry, a copy, a gap or a
// loss is judged in session/seq; rules and their guards are in session/conform,
// and an Evaluation ends every opportunity of a rule in one verdict.
//
// Time comes in with the packets; nothing here looks at a clock. Every list is
// capped by a named constant, so memory follows the number of live connections
// and never the length of a capture.
package session
