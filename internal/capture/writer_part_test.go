package capture

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
)

var errFull = errors.New("full")

// A disk takes so many bytes and no more.
type disk struct {
	bytes.Buffer
	room   int
	writes []int // sizes
}

func (d *disk) Write(b []byte) (int, error) {
	d.writes = append(d.writes, len(b))
	n := min(len(b), d.room)
	d.room -= n
	d.Buffer.Write(b[:n])
	if n < len(b) {
		return n, errFull
	}
	return n, nil
}

// mixed is packets with and without options, of all sizes modulo 4.
func mixed(n int) (recs []Record) {
	for i := range n {
		r := record(plainV4(make([]byte, i%9)), int64(i))
		r.Outbound, r.HasDrops, r.Drops = i%2 == 0, i%3 == 0, uint64(i)
		if i%5 == 0 {
			r.Comments = []string{strings.Repeat("x", i), "second"}
		}
		recs = append(recs, r)
	}
	return recs
}

// Wherever a disk becomes full, the file cut to what Written says is sound, and has
// as many packets as it says.
func TestWriterFullDisk(t *testing.T) {
	recs := mixed(20)
	for _, o := range []WriterOptions{{Format: "pcap"}, {Format: "pcap", BigEndian: true}, {Format: "pcapng", Comment: "c"}, {Format: "pcapng", BigEndian: true}} {
		whole := file(t, o, recs...)
		for room := range len(whole) {
			for _, buffer := range []int{1, 300, 1 << 16} {
				d := &disk{room: room}
				o.Interfaces, o.Buffer = []Interface{{Link: LinkEthernet}}, buffer
				w, err := NewWriter(d, o)
				if err != nil {
					t.Fatal(err)
				}
				for i := range recs {
					err = w.Write(&recs[i])
				}
				if w.Flush() != errFull || w.Write(&recs[0]) != errFull {
					t.Fatalf("%+v, room for %d: %v", o, room, err)
				}
				size, packets := w.Written()
				if size == 0 {
					continue // not even the header
				}
				got := mustRead(t, d.Bytes()[:size])
				if uint64(len(got)) != packets || !bytes.Equal(d.Bytes()[:size], whole[:size]) {
					t.Fatalf("%+v, room for %d: %d packets in %d bytes, said %d", o, room, len(got), size, packets)
				}
				if next := recs[min(len(got), len(recs)-1)]; room-int(size) > len(next.Data)+100+len(strings.Join(next.Comments, "")) {
					t.Fatalf("%+v: of %d bytes only %d are kept", o, room, size)
				}
			}
		}
	}
}

// What is handed on in one piece are whole records.
func TestWriterWholeRecords(t *testing.T) {
	recs := mixed(200)
	for _, format := range []string{"pcap", "pcapng"} {
		d := &disk{room: 1 << 20}
		w, err := NewWriter(d, WriterOptions{Format: format, Interfaces: []Interface{{Link: LinkEthernet}}, Buffer: 500})
		if err != nil {
			t.Fatal(err)
		}
		for i := range recs {
			if err := w.Write(&recs[i]); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Flush(); err != nil || w.Buffered() != 0 {
			t.Fatal(err)
		}
		if size, packets := w.Written(); size != int64(d.Len()) || packets != 200 || len(d.writes) < 20 {
			t.Errorf("%s: %d bytes, %d packets, %d writes", format, size, packets, len(d.writes))
		}
		at := 0
		for _, n := range d.writes {
			at += n
			if _, _, err := readAll(d.Bytes()[:at]); err != io.EOF {
				t.Fatalf("%s: cut at %d: %v", format, at, err)
			}
		}
	}
}

// blocks takes a pcapng file apart: type and body of each block.
func blocks(order binary.ByteOrder, b []byte) (types []uint32, bodies [][]byte) {
	for len(b) >= minBlock {
		n := order.Uint32(b[4:])
		types, bodies = append(types, order.Uint32(b)), append(bodies, b[8:n-4])
		b = b[n:]
	}
	return types, bodies
}

// options gives the values of options in their order.
func options(order binary.ByteOrder, b []byte) (codes []uint16, values []string) {
	for order.Uint16(b) != optEnd {
		n := int(order.Uint16(b[2:]))
		codes, values = append(codes, order.Uint16(b)), append(values, string(b[4:4+n]))
		b = b[4+(n+3)&^3:]
	}
	return codes, values
}

func TestWriterTexts(t *testing.T) {
	for _, big := range []bool{false, true} {
		var order binary.ByteOrder = binary.LittleEndian
		if big {
			order = binary.BigEndian
		}
		u64 := func(v uint64) string { return string(order.(binary.AppendByteOrder).AppendUint64(nil, v)) }
		stamp := func(v uint64) string {
			a := order.(binary.AppendByteOrder)
			return string(a.AppendUint32(a.AppendUint32(nil, uint32(v>>32)), uint32(v)))
		}
		var b bytes.Buffer
		w, err := NewWriter(&b, WriterOptions{
			Format: "pcapng", BigEndian: big, Nanoseconds: true, Application: "app", Hardware: "hw", OS: "os", Comment: "why",
			Interfaces: []Interface{{Name: "eth0", Link: LinkEthernet, Snaplen: 96, Description: "uplink", Filter: "udp port 1", OS: "Linux"}, {}},
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Statistics(0, Statistics{Start: testTime, End: testTime + 5, Received: 7, Dropped: 2, Filtered: true}); err != nil {
			t.Fatal(err)
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		types, bodies := blocks(order, b.Bytes())
		if !slices.Equal(types, []uint32{blockSection, blockInterface, blockInterface, blockStatistics}) {
			t.Fatal(types)
		}
		for _, c := range []struct {
			block, head int
			codes       []uint16
			values      []string
		}{
			{0, 16, []uint16{1, 2, 3, 4}, []string{"why", "hw", "os", "app"}},
			{1, 8, []uint16{2, 3, 9, 11, 12}, []string{"eth0", "uplink", "\x09", "\x00udp port 1", "Linux"}},
			{2, 8, []uint16{9}, []string{"\x09"}},
			{3, 12, []uint16{2, 3, 4, 5, 6}, []string{stamp(testTime), stamp(testTime + 5), u64(7), u64(2), u64(7)}},
		} {
			if codes, values := options(order, bodies[c.block][c.head:]); !slices.Equal(codes, c.codes) || !slices.Equal(values, c.values) {
				t.Errorf("block %d: options %v %q", c.block, codes, values)
			}
		}
		if string(bodies[3][4:12]) != stamp(testTime+5) {
			t.Errorf("statistics of time % x", bodies[3][4:12])
		}
	}
	long := strings.Repeat("x", 1<<16)
	for _, o := range []WriterOptions{{Comment: long}, {Interfaces: []Interface{{Name: long}}}, {Interfaces: []Interface{{Filter: long[1:]}}}, {Interfaces: []Interface{{OS: long}}}} {
		o.Format = "pcapng"
		if _, err := NewWriter(io.Discard, o); err == nil {
			t.Error("a text of 65536 bytes is accepted")
		}
	}
}
