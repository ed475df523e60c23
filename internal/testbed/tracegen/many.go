package tracegen

import (
	"bytes"
	"container/heap"
	"encoding/binary"
	"io"

	"github.com/dpdissect/dpdissect/internal/capture"
)

// Where things stand in an Ethernet frame with UDP over IPv4.
const (
	ipAt    = 14
	addrAt  = ipAt + 12
	udpAt   = ipAt + 20
	sumAt   = udpAt + 6
	headers = udpAt + 8
)

// manyKinds are what the connections of Many are of, in turn.
var manyKinds = []string{"none", "dp4", "knet", "hazel", "fast", "full"}

// manySeeds is of how many seeds there are connections of a kind.
const manySeeds = 4

// Many writes a capture of n packets of so many connections, each between a pair of
// addresses of its own: what Big writes, of all protocols. They begin one after the other
// within the time that one of them takes.
func Many(w io.Writer, connections, n int, seed uint64) error {
	out, err := newMany(w)
	if err != nil {
		return err
	}
	var bases [][]capture.Record
	each := max(1, n/connections)
	for i := range min(connections, len(manyKinds)*manySeeds) {
		b, err := records(each, seed+uint64(i/len(manyKinds)), manyKinds[i%len(manyKinds)])
		if err != nil {
			return err
		}
		bases = append(bases, b)
	}
	var all cursors
	for i := range connections {
		base := bases[i%len(bases)]
		length := base[len(base)-1].Time - base[0].Time
		all = append(all, &cursor{base: base, pair: i, shift: epoch - base[0].Time + length*int64(i)/int64(connections)})
	}
	heap.Init(&all)
	for range n {
		if len(all) == 0 {
			break
		}
		c := all[0]
		rec := c.record()
		if err := out.Write(&rec); err != nil {
			return err
		}
		if c.next++; c.next < len(c.base) {
			heap.Fix(&all, 0)
		} else {
			heap.Pop(&all)
		}
	}
	return out.Flush()
}

func newMany(w io.Writer) (*capture.Writer, error) {
	return capture.NewWriter(w, capture.WriterOptions{Format: "pcap", Interfaces: []capture.Interface{{Link: capture.LinkEthernet}}})
}

// records are the packets of a capture of Big.
func records(n int, seed uint64, kind string) (all []capture.Record, err error) {
	var file bytes.Buffer
	if _, err := Big(&file, n, seed, kind); err != nil {
		return nil, err
	}
	rd, err := capture.NewReader(&file)
	for err == nil {
		var rec capture.Record
		if err = rd.Next(&rec); err == nil {
			rec.Data = bytes.Clone(rec.Data)
			all = append(all, rec)
		}
	}
	if err == io.EOF {
		err = nil
	}
	return all, err
}

// A cursor is where a connection stands in the capture it is a copy of.
type cursor struct {
	base  []capture.Record
	next  int
	pair  int
	shift int64 // ns
}

func (c *cursor) time() int64 { return c.base[c.next].Time + c.shift }

// record is the next packet with the addresses of the connection.
func (c *cursor) record() capture.Record {
	rec := c.base[c.next]
	rec.Time = c.time()
	rec.Data = bytes.Clone(rec.Data)
	first := c.base[0].Data
	address(rec.Data, c.pair, !bytes.Equal(rec.Data[addrAt:addrAt+4], first[addrAt:addrAt+4]))
	return rec
}

// address gives a packet the addresses of a pair, and its UDP checksum what follows from
// them, where it has one.
func address(p []byte, pair int, back bool) {
	var addrs [8]byte
	binary.BigEndian.PutUint32(addrs[:], 10<<24|uint32(pair))
	binary.BigEndian.PutUint32(addrs[4:], 172<<24|16<<16|uint32(pair%251))
	if back {
		addrs = [8]byte(append(append([]byte(nil), addrs[4:]...), addrs[:4]...))
	}
	if binary.BigEndian.Uint16(p[udpAt:]) == 0 { // it has no ports yet
		ports := [2]uint16{20000, 30000}
		if back {
			ports = [2]uint16{30000, 20000}
		}
		binary.BigEndian.PutUint16(p[udpAt:], ports[0])
		binary.BigEndian.PutUint16(p[udpAt+2:], ports[1])
	}
	sum := uint32(^binary.BigEndian.Uint16(p[sumAt:]))
	for i := 0; i < len(addrs); i += 2 {
		sum += uint32(^binary.BigEndian.Uint16(p[addrAt+i:])) + uint32(binary.BigEndian.Uint16(addrs[i:]))
	}
	for sum > 0xffff {
		sum = sum>>16 + sum&0xffff
	}
	copy(p[addrAt:], addrs[:])
	if binary.BigEndian.Uint16(p[sumAt:]) == 0 {
		return
	}
	if sum == 0xffff {
		sum = 0 // 0 would say that there is none
	}
	binary.BigEndian.PutUint16(p[sumAt:], ^uint16(sum))
}

// cursors are ordered by the time of their next packet.
type cursors []*cursor

func (l cursors) Len() int { return len(l) }
func (l cursors) Less(i, k int) bool {
	return l[i].time() < l[k].time() || l[i].time() == l[k].time() && l[i].pair < l[k].pair
}
func (l cursors) Swap(i, k int) { l[i], l[k] = l[k], l[i] }
func (l *cursors) Push(x any)   { *l = append(*l, x.(*cursor)) }
func (l *cursors) Pop() any {
	last := len(*l) - 1
	c := (*l)[last]
	*l = (*l)[:last]
	return c
}
