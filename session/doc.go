// Package session follows connections: it finds out which protocol an address
// pair speaks, and judges, for every protocol with the same rules, what is a
// retry, a copy, a gap or a loss and where it happened. It names no protocol:
// protocol packages unwrap their numbers and hand over facts, this package
// alone draws conclusions from them.
//
// Time comes in with the packets; nothing here looks at a clock. Every list is
// capped by a named constant, so memory follows the number of live connections
// and never the length of a capture.
package session
