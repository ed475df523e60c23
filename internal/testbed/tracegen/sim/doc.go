// Package sim is a small network in simulated time: hosts on two sides of a
// capture point, lossy paths between them, and IP packets with true headers and
// checksums. It knows no protocol above UDP. Everything in it follows from a
// seed; no wall clock is read.
//
//	host ── near segment ── capture point ── far segment ── host
//
// Each segment loses, doubles, delays and overtakes on its own, per direction,
// so the capture point may lie anywhere on the path.
package sim
