package wire

import (
	"context"
	"encoding/binary"
	"fmt"
	"net"
	"net/netip"
	"time"
)

// FloodConfig says what Flood sends.
type FloodConfig struct {
	From, To  netip.AddrPort // From may have port 0
	Packets   int
	PerSecond int // 0: as fast as the system takes them
	Size      int // bytes of a payload, at least FloodHead
	// Dial opens a connected socket; nil: here.
	Dial func(from, to netip.AddrPort) (*net.UDPConn, error)
}

// Flooded is what Flood sent.
type Flooded struct {
	From      netip.AddrPort `json:"from"`
	Packets   int            `json:"packets"`
	Bytes     int            `json:"bytes"` // of payloads
	Seconds   float64        `json:"seconds"`
	PerSecond float64        `json:"per_second"`
}

// FloodHead is what each payload of a flood begins with: a mark, which is of none of
// the protocols, and the running number from 0 in 8 bytes, big endian.
const FloodHead = 8 + len(floodMark)

const floodMark = "flood of numbers"

// FloodNumber is the number in the payload of a flood.
func FloodNumber(payload []byte) (n uint64, ok bool) {
	if len(payload) < FloodHead || string(payload[:len(floodMark)]) != floodMark {
		return 0, false
	}
	return binary.BigEndian.Uint64(payload[len(floodMark):]), true
}

// Dial opens a connected UDP socket here.
func Dial(from, to netip.AddrPort) (*net.UDPConn, error) {
	return net.DialUDP("udp", net.UDPAddrFromAddrPort(from), net.UDPAddrFromAddrPort(to))
}

// Flood sends numbered datagrams at a steady rate, which it keeps to within 0.1% from
// below: who needs a rate asks for a little more. That nobody listens there is no
// error, nor is a full queue: what the system did not take is sent again.
func Flood(ctx context.Context, c FloodConfig) (Flooded, error) {
	if c.Size < FloodHead || c.Size > 65507 {
		return Flooded{}, fmt.Errorf("payloads of %d bytes: want %d to 65507", c.Size, FloodHead)
	}
	dial := c.Dial
	if dial == nil {
		dial = Dial
	}
	conn, err := dial(c.From, c.To)
	if err != nil {
		return Flooded{}, err
	}
	defer conn.Close()
	out := Flooded{From: conn.LocalAddr().(*net.UDPAddr).AddrPort()}
	b := newBatch(conn, c.Size)
	start := time.Now()
	for out.Packets < c.Packets && err == nil {
		n := min(due(&c, time.Since(start))-out.Packets, len(b.payloads))
		if n <= 0 {
			err = nap(ctx)
			continue
		}
		var sent int
		sent, err = b.send(out.Packets, n)
		out.Packets += sent
		if err == nil {
			err = ctx.Err()
		}
	}
	out.Bytes = out.Packets * c.Size
	out.Seconds = time.Since(start).Seconds()
	out.PerSecond = float64(out.Packets) / out.Seconds
	return out, err
}

// due counts the datagrams that should have been sent by now.
func due(c *FloodConfig, elapsed time.Duration) int {
	if c.PerSecond <= 0 {
		return c.Packets
	}
	return min(c.Packets, int(elapsed.Seconds()*float64(c.PerSecond))+1)
}

// nap waits until some more are due.
func nap(ctx context.Context) error {
	time.Sleep(200 * time.Microsecond)
	return ctx.Err()
}

// batchSize is the number of datagrams that go to the system at once where it can do that.
const batchSize = 64

// payloads makes the payloads of a batch.
func payloads(size int) (all [batchSize][]byte) {
	for i := range all {
		all[i] = make([]byte, size)
		copy(all[i], floodMark)
	}
	return all
}

// number writes the running number into a payload.
func number(payload []byte, n int) {
	binary.BigEndian.PutUint64(payload[len(floodMark):], uint64(n))
}
