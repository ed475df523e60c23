package wire

import (
	"net"

	"golang.org/x/sys/unix"
)

// enlarge asks for a receive buffer: of any size where this process may, else of
// what the system allows to all.
func enlarge(c *net.UDPConn, size int) {
	raw, err := c.SyscallConn()
	if err != nil {
		return
	}
	_ = raw.Control(func(fd uintptr) {
		if unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, size) != nil {
			_ = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_RCVBUF, size)
		}
	})
}
