package capture

import (
	"errors"
	"net"
	"testing"

	"golang.org/x/sys/unix"
)

// heard are the witnesses at both ends of a cable and at loopback. They are older than
// the captures beside them: the kernel gives a packet to them last.
var heard = map[string]witness{}

// A witness is a packet socket.
type witness int

func listen(t *testing.T, iface string) {
	t.Helper()
	dev, err := net.InterfaceByName(iface)
	if err != nil {
		t.Fatal(err)
	}
	fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC, int(bigEndian(unix.ETH_P_ALL)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(fd) })
	all := &unix.SockaddrLinklayer{Protocol: bigEndian(unix.ETH_P_ALL), Ifindex: dev.Index}
	if err := errors.Join(unix.Bind(fd, all), unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &unix.Timeval{Sec: 120})); err != nil {
		t.Fatal(err)
	}
	heard[iface] = witness(fd)
}

// forget drops what has come.
func (w witness) forget(t *testing.T) {
	t.Helper()
	b := make([]byte, 1)
	for {
		if _, _, err := unix.Recvfrom(int(w), b, unix.MSG_DONTWAIT); err == unix.EAGAIN {
			return
		} else if err != nil && err != unix.EINTR {
			t.Fatal(err)
		}
	}
}

// wait waits for a packet of a size at least: a busy kernel delivers some time after
// it was sent.
func (w witness) wait(t *testing.T, size int) {
	t.Helper()
	b := make([]byte, 1<<16)
	for {
		n, from, err := unix.Recvfrom(int(w), b, 0)
		if err != nil && err != unix.EINTR {
			t.Fatalf("nothing arrived: %v", err)
		}
		if from, ok := from.(*unix.SockaddrLinklayer); ok && n >= size && from.Pkttype != unix.PACKET_OUTGOING {
			return
		}
	}
}
