//go:build !linux

package wire

import (
	"errors"
	"net"
	"syscall"
)

// A batch sends datagrams one by one.
type batch struct {
	conn     *net.UDPConn
	payloads [batchSize][]byte
}

func newBatch(conn *net.UDPConn, size int) *batch {
	return &batch{conn: conn, payloads: payloads(size)}
}

// send sends n datagrams, the first with the number first, and gives how many the
// system took.
func (b *batch) send(first, n int) (sent int, err error) {
	for i := range n {
		number(b.payloads[i], first+i)
		_, err := b.conn.Write(b.payloads[i])
		if errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, syscall.ENOBUFS) {
			return i, nil
		}
		if err != nil {
			return i, err
		}
	}
	return n, nil
}
