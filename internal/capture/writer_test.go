package capture

import (
	"bytes"
	"slices"
	"testing"

	"github.com/google/gopacket"
)

func TestWriterRoundTrip(t *testing.T) {
	recs := []Record{
		{Data: plainV4(hello), WireLen: 900, Time: 1700000000_123456789, HasTime: true, Link: LinkEthernet},
		{Data: []byte{1, 2, 3}, WireLen: 3, Time: 0, HasTime: true, Link: LinkEthernet},
		{Data: nil, WireLen: 0, Time: 4294967295_999999999, HasTime: true, Link: LinkEthernet},
	}
	for _, o := range []WriterOptions{
		{Format: "pcap"}, {Format: "pcap", Nanoseconds: true}, {Format: "pcap", BigEndian: true}, {Format: "pcap", Nanoseconds: true, BigEndian: true},
		{Format: "pcapng"}, {Format: "pcapng", Nanoseconds: true}, {Format: "pcapng", BigEndian: true}, {Format: "pcapng", Nanoseconds: true, BigEndian: true},
	} {
		got := mustRead(t, file(t, o, recs...))
		if len(got) != len(recs) {
			t.Fatalf("%+v: %d packets", o, len(got))
		}
		for i, g := range got {
			want := recs[i].Time
			if !o.Nanoseconds {
				want -= want % 1000
			}
			if g.Time != want || g.WireLen != recs[i].WireLen || !bytes.Equal(g.Data, recs[i].Data) {
				t.Errorf("%+v packet %d: %+v", o, i, g)
			}
		}
	}
}

func TestWriterPcapngDetails(t *testing.T) {
	for _, big := range []bool{false, true} {
		var b bytes.Buffer
		w, err := NewWriter(&b, WriterOptions{Format: "pcapng", BigEndian: big, Application: "dpdissect", Interfaces: []Interface{{Name: "lo", Link: LinkNull, Snaplen: 100}}})
		if err != nil {
			t.Fatal(err)
		}
		eth, err := w.AddInterface(Interface{Name: "eth0", Link: LinkEthernet})
		if err != nil || eth != 1 {
			t.Fatal(eth, err)
		}
		r := record(plainV4(hello), 0)
		r.Interface, r.Comments, r.Outbound, r.HasDrops, r.Drops = eth, []string{"eins", "zwei"}, true, true, 5
		untimed := Record{Data: []byte{2, 0, 0, 0}, WireLen: 4}
		for _, rec := range []*Record{&r, &untimed} {
			if err := w.Write(rec); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Statistics(eth, Statistics{Start: testTime, End: testTime, Received: 10, Dropped: 3}); err != nil {
			t.Fatal(err)
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		got, rd, _ := readAll(b.Bytes())
		if len(got) != 2 || !slices.Equal(got[0].Comments, r.Comments) || !got[0].Outbound || !got[0].HasDrops || got[0].Drops != 5 || got[0].Interface != 1 ||
			got[0].Link != LinkEthernet || got[1].HasTime || got[1].Link != LinkNull {
			t.Errorf("%+v", got)
		}
		if n, ok := rd.Dropped(); n != 3 || !ok {
			t.Errorf("dropped %d", n)
		}
	}
}

func TestWriterRefuses(t *testing.T) {
	eth := []Interface{{Link: LinkEthernet}}
	for _, o := range []WriterOptions{{}, {Format: "pcap"}, {Format: "pcap", Interfaces: append(eth, eth...)}, {Format: "pcapng", Interfaces: []Interface{{Link: 1 << 16}}}} {
		if _, err := NewWriter(&bytes.Buffer{}, o); err == nil {
			t.Errorf("%+v is accepted", o)
		}
	}
	for format, recs := range map[string][]Record{
		"pcap": {{}, {HasTime: true, Time: -1}, {HasTime: true, Time: 1 << 62}},
		"pcapng": {{HasTime: true, Time: -1}, {Interface: 1, HasTime: true}, {Interface: -1}, {HasTime: true, Comments: []string{string(make([]byte, 70000))}},
			{HasTime: true, Data: make([]byte, MaxPacket+1)}, {Data: []byte{1}, WireLen: 2}},
	} {
		w, err := NewWriter(&bytes.Buffer{}, WriterOptions{Format: format, Interfaces: eth})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range recs {
			if w.Write(&r) == nil {
				t.Errorf("%s: %+v is accepted", format, r)
			}
		}
	}
}

// The reader as gopacket uses it: packets in memory of their own.
func TestPacketDataSource(t *testing.T) {
	var src gopacket.PacketDataSource
	src, err := NewReader(bytes.NewReader(file(t, WriterOptions{Format: "pcapng"}, record(plainV4(hello), 0), record(plainV6(hello), 1))))
	if err != nil {
		t.Fatal(err)
	}
	first, ci, err := src.ReadPacketData()
	if err != nil || ci.Length != len(first) || ci.CaptureLength != len(first) || ci.Timestamp.UnixNano() != testTime || ci.AncillaryData[0] != LinkEthernet {
		t.Errorf("%+v, %v", ci, err)
	}
	if _, _, err = src.ReadPacketData(); err != nil || !bytes.Equal(first, plainV4(hello)) {
		t.Error("the first packet did not stay")
	}
	if _, _, err = src.ReadPacketData(); err == nil || err.Error() != "EOF" {
		t.Error(err)
	}
}
