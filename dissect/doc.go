// Package dissect holds what every protocol package shares: the row of a field
// table, the reader that decodes and records a field in one call, the tree of
// what was read, the error that says where reading stopped, the datagram that
// comes in and the frame that goes out.
//
// It uses the standard library alone, knows no protocol and reads no file. The
// arrows of the project point here: see docs/architecture.md.
package dissect
