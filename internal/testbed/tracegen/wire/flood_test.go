package wire

import (
	"context"
	"net"
	"testing"
	"time"
)

// TestFlood counts a flood at its receiver: numbers rise, none comes twice.
func TestFlood(t *testing.T) {
	to, err := Listen(loopback)
	if err != nil {
		t.Fatal(err)
	}
	defer to.Close()
	enlarge(to, receiveBuffer)
	const packets, size = 5000, 100
	got := make(chan int)
	go countFlood(t, to, size, got)
	f, err := Flood(context.Background(), FloodConfig{From: loopback, To: to.LocalAddr().(*net.UDPAddr).AddrPort(), Packets: packets, PerSecond: 20000, Size: size})
	if err != nil {
		t.Fatal(err)
	}
	if f.Packets != packets || f.Bytes != packets*size {
		t.Errorf("sent %d packets, %d bytes", f.Packets, f.Bytes)
	}
	if f.Seconds < 0.2 {
		t.Errorf("took %.3f s: faster than asked for", f.Seconds)
	}
	_ = to.SetReadDeadline(time.Now().Add(time.Minute))
	if n := <-got; n != packets {
		t.Errorf("%d packets arrived, want %d", n, packets)
	}
}

// countFlood counts until the last number or the deadline.
func countFlood(t *testing.T, c *net.UDPConn, size int, got chan<- int) {
	n, last := 0, int64(-1)
	buf := make([]byte, 2*size)
	for last < 4999 {
		k, err := c.Read(buf)
		if err != nil {
			break
		}
		num, ok := FloodNumber(buf[:k])
		if !ok || k != size || int64(num) <= last {
			t.Errorf("%d bytes with number %d (%v) behind %d", k, num, ok, last)
			break
		}
		last = int64(num)
		n++
	}
	got <- n
}

// TestFloodNobody floods a port on which nobody listens.
func TestFloodNobody(t *testing.T) {
	c, err := Listen(loopback)
	if err != nil {
		t.Fatal(err)
	}
	to := c.LocalAddr().(*net.UDPAddr).AddrPort()
	c.Close()
	f, err := Flood(context.Background(), FloodConfig{From: loopback, To: to, Packets: 500, Size: FloodHead})
	if err != nil || f.Packets != 500 {
		t.Errorf("%d packets, %v", f.Packets, err)
	}
}

func TestFloodSizes(t *testing.T) {
	for _, size := range []int{0, FloodHead - 1, 65508} {
		if _, err := Flood(context.Background(), FloodConfig{From: loopback, To: loopback, Size: size}); err == nil {
			t.Errorf("a payload of %d bytes is no error", size)
		}
	}
	if _, ok := FloodNumber([]byte(floodMark)); ok {
		t.Error("a payload without number has one")
	}
}
