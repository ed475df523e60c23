package capture

import (
	"bytes"
	"encoding/binary"
	"slices"
	"testing"
)

func ngBlock(o binary.AppendByteOrder, typ uint32, body []byte) []byte {
	body = pad(bytes.Clone(body))
	n := uint32(len(body) + minBlock)
	return o.AppendUint32(append(o.AppendUint32(o.AppendUint32(nil, typ), n), body...), n)
}

func ngSection(o binary.AppendByteOrder, major uint16) []byte {
	b := o.AppendUint16(o.AppendUint16(o.AppendUint32(nil, sectionMagic), major), 0)
	return ngBlock(o, blockSection, o.AppendUint64(b, 1<<64-1))
}

func ngIface(o binary.AppendByteOrder, link uint16, snaplen uint32, options ...[]byte) []byte {
	b := o.AppendUint32(o.AppendUint16(o.AppendUint16(nil, link), 0), snaplen)
	return append(b, cat(options...)...)
}

func ngPacket(o binary.AppendByteOrder, iface uint32, stamp uint64, caplen, wire uint32, data []byte) []byte {
	b := o.AppendUint32(nil, iface)
	b = o.AppendUint32(o.AppendUint32(b, uint32(stamp>>32)), uint32(stamp))
	b = o.AppendUint32(o.AppendUint32(b, caplen), wire)
	return pad(append(b, data...))
}

func ngOption(o binary.AppendByteOrder, code uint16, v []byte) []byte {
	return pad(append(o.AppendUint16(o.AppendUint16(nil, code), uint16(len(v))), v...))
}

func TestPcapngBlocks(t *testing.T) {
	for _, o := range []binary.AppendByteOrder{le, be} {
		data := []byte("abcde")
		end := []byte{0, 0, 0, 0}
		epb := func(iface uint32, stamp uint64, options ...[]byte) []byte {
			return ngBlock(o, blockEnhanced, cat(ngPacket(o, iface, stamp, 5, 9, data), cat(options...)))
		}
		old := cat(o.AppendUint16(o.AppendUint16(nil, 0), 3), ngPacket(o, 0, 7, 5, 9, data)[4:])
		oldUnknown := cat(o.AppendUint16(o.AppendUint16(nil, 0), 0xffff), ngPacket(o, 0, 7, 5, 9, data)[4:])
		stats := func(drops uint64) []byte {
			b := o.AppendUint32(make([]byte, 0), 0)
			return ngBlock(o, blockStatistics, cat(append(b, make([]byte, 8)...), ngOption(o, optIfDrop, o.AppendUint64(nil, drops)), end))
		}
		other := binary.AppendByteOrder(be)
		if o == other {
			other = le
		}
		f := cat(
			ngSection(o, 1),
			ngBlock(o, blockInterface, ngIface(o, 1, 0, ngOption(o, 2, []byte("eth0")), end)),
			ngBlock(o, 4, make([]byte, 20)), ngBlock(o, 10, make([]byte, 12)), ngBlock(o, 0xbad, make([]byte, 12)),
			ngBlock(o, 0x12345, []byte("unknown")), ngBlock(o, 9, []byte("journal")), ngBlock(o, 0x777, nil),
			epb(0, 1_000_002, ngOption(o, optComment, []byte("first")), ngOption(o, optComment, []byte("second\x00")),
				ngOption(o, optFlags, o.AppendUint32(nil, 2)), ngOption(o, optDrops, o.AppendUint64(nil, 1<<40)), end),
			epb(0, 5),
			ngBlock(o, blockSimple, cat(o.AppendUint32(nil, 5), pad(bytes.Clone(data)))),
			ngBlock(o, blockPacket, old), ngBlock(o, blockPacket, oldUnknown),
			ngBlock(o, blockInterface, ngIface(o, 101, 3, ngOption(o, optTsresol, []byte{9}), ngOption(o, optTsoffset, o.AppendUint64(nil, 100)))), // late
			epb(1, 7),
			stats(5), stats(8),
			// A section of the other byte order: interfaces begin again.
			ngSection(other, 1),
			ngBlock(other, blockInterface, ngIface(other, 113, 3)),
			ngBlock(other, blockSimple, cat(other.AppendUint32(nil, 5), pad(bytes.Clone(data[:3])))),
		)
		recs, rd, err := readAll(f)
		if err.Error() != "EOF" || len(recs) != 7 {
			t.Fatalf("%v: %d packets, %v", o, len(recs), err)
		}
		want := []Record{
			{Time: 1_000_002_000, HasTime: true, Outbound: true, HasDrops: true, Drops: 1 << 40, Comments: []string{"first", "second"}, WireLen: 9, Link: 1},
			{Time: 5000, HasTime: true, WireLen: 9, Link: 1},
			{WireLen: 5, Link: 1},
			{Time: 7000, HasTime: true, WireLen: 9, Link: 1, HasDrops: true, Drops: 3},
			{Time: 7000, HasTime: true, WireLen: 9, Link: 1},
			{Time: 100_000_000_007, HasTime: true, WireLen: 9, Link: 101, Interface: 1},
			{WireLen: 5, Link: 113},
		}
		for i, w := range want {
			w.Data = data
			if i == 6 {
				w.Data = data[:3]
			}
			if r := recs[i]; r.Time != w.Time || r.HasTime != w.HasTime || r.Outbound != w.Outbound || r.HasDrops != w.HasDrops || r.Drops != w.Drops ||
				r.WireLen != w.WireLen || r.Link != w.Link || r.Interface != w.Interface || !bytes.Equal(r.Data, w.Data) || !slices.Equal(r.Comments, w.Comments) {
				t.Errorf("%v packet %d: got %+v\nwant %+v", o, i+1, r, w)
			}
		}
		if n, ok := rd.Dropped(); n != 8 || !ok {
			t.Errorf("dropped %d, %v", n, ok)
		}
	}
}

// A block may be longer than what is kept, as long as it is skipped over.
func TestPcapngLongBlockIsSkipped(t *testing.T) {
	f := cat(ngSection(le, 1), ngBlock(le, 0x4242, make([]byte, maxKept+100)), ngBlock(le, blockInterface, ngIface(le, 1, 0)),
		ngBlock(le, blockEnhanced, ngPacket(le, 0, 1, 2, 2, []byte("ab"))))
	if recs := mustRead(t, f); len(recs) != 1 {
		t.Errorf("%d packets", len(recs))
	}
	// A long comment is held: the window grows for it and the packets go on.
	long := bytes.Repeat(ngOption(le, optComment, bytes.Repeat([]byte("x"), 60000)), 30)
	f = cat(f, ngBlock(le, blockEnhanced, cat(ngPacket(le, 0, 1, 2, 2, []byte("ab")), long)), f)
	if recs := mustRead(t, f); len(recs) != 3 || len(recs[1].Comments) != 30 {
		t.Errorf("%d packets", len(recs))
	}
}

func TestClock(t *testing.T) {
	const none = -1 << 63
	for _, c := range []struct {
		tsresol uint8
		offset  int64
		stamp   uint64
		want    int64
	}{
		{6, 0, 1700000000_123456, 1700000000_123456000},
		{9, 0, 1700000000_123456789, 1700000000_123456789},
		{9, 0, 1<<63 + 5, none},
		{9, 0, 1<<63 - 1, 1<<63 - 1},
		{0, 0, 1700000000, 1700000000_000000000},
		{0, 0, 1 << 62, none},
		{3, 0, 1700000000_123, 1700000000_123000000},
		{12, 0, 1700000_123456789_012, 1700000_123456789},
		{15, 0, 18446_744073709551615, 18446_744073709},
		{19, 0, 1<<64 - 1, 1_844674407},
		{20, 0, 1<<64 - 1, 184467440},
		{28, 0, 1<<64 - 1, 1},
		{29, 0, 1<<64 - 1, 0},
		{64, 0, 1<<64 - 1, 0},
		{127, 0, 1<<64 - 1, 0},
		{0x80, 0, 1700000000, 1700000000_000000000},
		{0x80 + 20, 0, 1700000000<<20 + 1<<19, 1700000000_500000000},
		{0x80 + 10, 0, 1<<10 + 1, 1_000976562},
		{0x80 + 63, 0, 3 << 62, 1_500000000},
		{0x80 + 64, 0, 1 << 63, 500000000},
		{0x80 + 65, 0, 1 << 63, 250000000},
		{0x80 + 127, 0, 1<<64 - 1, 0},
		{6, 1700000000, 123456, 1700000000_123456000},
		{6, -5, 1000001, -4_000000000 + 1000},
		{6, -5, 0, -5_000000000},
		{6, 1<<63 - 1, 1, none},
		{6, -1 << 63, 1, none},
		{0, -1 << 40, 1<<40 + 7, 7_000000000},
		{0, 1<<63 - 1, 1<<63 - 1, none},
		{0, 0, 1<<64 - 1, none},
	} {
		clk := newClock(c.tsresol, c.offset)
		got, ok := clk.nanos(c.stamp)
		if !ok {
			got = none
		}
		if got != c.want {
			t.Errorf("tsresol %#x offset %d stamp %d: got %d, want %d", c.tsresol, c.offset, c.stamp, got, c.want)
		}
	}
}
