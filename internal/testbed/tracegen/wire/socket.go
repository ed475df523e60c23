package wire

import (
	"fmt"
	"hash/maphash"
	"net"
	"net/netip"
	"time"
)

// A Listener opens a UDP socket; tests open theirs in other network namespaces.
type Listener func(addr netip.AddrPort) (*net.UDPConn, error)

// Listen opens a UDP socket here. Port 0 is any that is free.
func Listen(addr netip.AddrPort) (*net.UDPConn, error) {
	return net.ListenUDP("udp", net.UDPAddrFromAddrPort(addr))
}

// receiveBuffer is what the system should keep for a socket until it is read.
const receiveBuffer = 4 << 20

// A socket is one address of an end or of a relay.
type socket struct {
	conn *net.UDPConn
	addr netip.AddrPort
	done chan struct{} // closed when its reader ended
}

// open opens a socket on an address that can be written to, and reads it into the
// loop. Datagrams are at most room bytes.
func (l *loop) open(listen Listener, addr netip.AddrPort, room int) (*socket, error) {
	if listen == nil {
		listen = Listen
	}
	if !addr.Addr().IsValid() || addr.Addr().IsUnspecified() {
		return nil, fmt.Errorf("listening on %v: name one address of this machine", addr)
	}
	conn, err := listen(addr)
	if err != nil {
		return nil, err
	}
	enlarge(conn, receiveBuffer)
	identify(conn)
	s := &socket{conn: conn, addr: conn.LocalAddr().(*net.UDPAddr).AddrPort(), done: make(chan struct{})}
	s.addr = netip.AddrPortFrom(s.addr.Addr().Unmap(), s.addr.Port())
	go l.read(s, make([]byte, room))
	return s, nil
}

// read receives until the socket is closed.
func (l *loop) read(s *socket, buf []byte) {
	defer close(s.done)
	for {
		n, from, err := s.conn.ReadFromUDPAddrPort(buf)
		if err != nil {
			// Closed, or an ICMP error of something sent before.
			if isClosed(err) {
				return
			}
			time.Sleep(time.Millisecond)
			continue
		}
		from = netip.AddrPortFrom(from.Addr().Unmap(), from.Port())
		l.in.put(arrival{at: l.elapsed(), on: s, from: from, print: printOf(buf[:n])})
	}
}

// close ends the reader, too.
func (s *socket) close() {
	s.conn.Close()
	<-s.done
}

// A print tells a datagram from others on their way.
type print struct {
	size int
	sum  uint64
}

var printSeed = maphash.MakeSeed()

func printOf(b []byte) print { return print{len(b), maphash.Bytes(printSeed, b)} }
