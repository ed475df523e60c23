//go:build !linux

package wire

import "net"

// enlarge asks for a receive buffer, of which the system allows what it will.
func enlarge(c *net.UDPConn, size int) { _ = c.SetReadBuffer(size) }

// identify has nothing to do: packets have an identification.
func identify(*net.UDPConn) {}
