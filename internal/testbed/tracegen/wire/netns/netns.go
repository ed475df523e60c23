// Package netns is network namespaces for tests: two, joined by a cable, removed
// when the test ends. It needs Linux, root and the program ip; elsewhere tests that
// ask for them are skipped.
package netns

import "net/netip"

// A Namespace is one end of a cable.
type Namespace struct {
	Name   string     // for "ip netns exec"
	Device string     // the interface's name within
	Addr   netip.Addr // IPv4
	Addr6  netip.Addr
	path   string
}
