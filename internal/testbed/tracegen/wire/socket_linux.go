package wire

import (
	"net"

	"golang.org/x/sys/unix"
)

// enlarge asks for a receive buffer: of any size where this process may, else of
// what the system allows to all.
func enlarge(c *net.UDPConn, size int) {
	control(c, func(fd int) {
		if unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, size) != nil {
			_ = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUF, size)
		}
	})
}

// identify asks for an identification in each IPv4 packet: some kernels give none to
// what may not be fragmented.
func identify(c *net.UDPConn) {
	control(c, func(fd int) {
		_ = unix.SetsockoptInt(fd, unix.IPPROTO_IP, unix.IP_MTU_DISCOVER, unix.IP_PMTUDISC_DONT)
	})
}

func control(c *net.UDPConn, f func(fd int)) {
	if raw, err := c.SyscallConn(); err == nil {
		_ = raw.Control(func(fd uintptr) { f(int(fd)) })
	}
}
