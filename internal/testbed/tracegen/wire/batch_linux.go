package wire

import (
	"errors"
	"net"

	"golang.org/x/net/ipv4"
	"golang.org/x/sys/unix"
)

// A batch sends many datagrams with one system call.
type batch struct {
	conn     *ipv4.PacketConn // it asks nothing of IPv4 to send
	payloads [batchSize][]byte
	messages [batchSize]ipv4.Message
}

func newBatch(conn *net.UDPConn, size int) *batch {
	b := &batch{conn: ipv4.NewPacketConn(conn), payloads: payloads(size)}
	for i := range b.messages {
		b.messages[i].Buffers = [][]byte{b.payloads[i]}
	}
	return b
}

// send sends n datagrams, the first with the number first, and gives how many the
// system took.
func (b *batch) send(first, n int) (sent int, err error) {
	for i := range n {
		number(b.payloads[i], first+i)
	}
	sent, err = b.conn.WriteBatch(b.messages[:n], 0)
	if errors.Is(err, unix.ECONNREFUSED) || errors.Is(err, unix.ENOBUFS) {
		return max(sent, 0), nil
	}
	return max(sent, 0), err
}
