package knet

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dissect/dissecttest"
)

var (
	library   = Params{Dialect: Reference, IDs: IDsFromOne}
	oldLib    = Params{Dialect: Reference, IDs: IDsFromZero}
	page      = Params{Dialect: Spec, IDs: IDsFromZero}
	pageLater = Params{Dialect: Spec, IDs: IDsFromOne}
	anyLib    = Params{Dialect: Reference}
	anyPage   = Params{Dialect: Spec}
)

// Each row is a datagram, how it is read, and the tree that comes of it.
func TestKNet_DatagramByteFormat(t *testing.T) {
	for _, c := range []struct {
		name, hex string
		p         Params
		want      string
	}{
		// What the library sends.
		{"two PingRequests", "81 00 00 02 20 01 01 02 20 01 02", library,
			"packet_id=1 in_order messages{ length=2 in_order id=1 name=PingRequest ping_id=1 } messages{ length=2 in_order id=1 name=PingRequest ping_id=2 }"},
		{"reliable message", "C3 00 00 00 00 0B 30 00 14 00 00 00 00 70 77 7E 85 8C 93", library,
			"packet_id=3 in_order reliable reliable_base=0 messages{ length=11 in_order reliable reliable_delta=0 reliable_number=0 id=20 data=0000000070777e858c93 }"},
		{"PacketAck of one", "84 00 00 08 20 04 03 00 00 00 00 00 00", library,
			"packet_id=4 in_order messages{ length=8 in_order id=4 name=PacketAck ack_packet_id=3 ack_bits=0 acked=[3] }"},
		{"PacketAck of four", "8F 00 00 08 20 04 12 00 00 07 00 00 00", library,
			"packet_id=15 in_order messages{ length=8 in_order id=4 name=PacketAck ack_packet_id=18 ack_bits=7 acked=[18 19 20 21] }"},
		{"unreliable, PacketID 64", "00 01 00 09 00 1F BA 43 0F 00 B1 B8 BF C6", library,
			"packet_id=64 messages{ length=9 id=31 data=ba430f00b1b8bfc6 }"},
		{"base 32767", "4D FF 01 FF 7F 02 10 00 1E 61", library,
			"packet_id=32717 reliable reliable_base=32767 messages{ length=2 reliable reliable_delta=0 reliable_number=32767 id=30 data=61 }"},
		{"base of four bytes", "6F FD FF 30 F8 FF FF 01 10 00 1F", library,
			"packet_id=4194159 reliable reliable_base=2147481648 messages{ length=1 reliable reliable_delta=0 reliable_number=2147481648 id=31 }"},
		{"delta of two bytes", "7A 16 00 0C 02 01 10 00 2A 01 10 A7 01 2A", library,
			"packet_id=1466 reliable reliable_base=524 messages{ length=1 reliable reliable_delta=0 reliable_number=524 id=42 } messages{ length=1 reliable reliable_delta=167 reliable_number=691 id=42 }"},
		{"PacketID 0 behind the wrap", "40 00 00 8C 7F 01 10 00 1E", library,
			"packet_id=0 reliable reliable_base=32652 messages{ length=1 reliable reliable_delta=0 reliable_number=32652 id=30 }"},
		{"PacketAck across the wrap", "92 FF FF 08 20 04 FE FF 3F 03 00 00 00", library,
			"packet_id=4194258 in_order messages{ length=8 in_order id=4 name=PacketAck ack_packet_id=4194302 ack_bits=3 acked=[4194302 4194303 0] }"},
		{"PacketAck whose PacketID has more than 22 bits", "12 00 00 08 20 04 01 00 40 01 00 00 00", library,
			"packet_id=18 messages{ length=8 in_order id=4 name=PacketAck ack_packet_id=4194305 ack_bits=1 acked=[2] }"},
		{"FlowControlRequest", "43 00 00 00 00 03 30 00 03 00 00", library,
			"packet_id=3 reliable reliable_base=0 messages{ length=3 in_order reliable reliable_delta=0 reliable_number=0 id=3 name=FlowControlRequest rate=0 }"},
		{"Disconnect", "D8 00 00 17 00 04 30 00 FF FF FF FF", library,
			"packet_id=24 in_order reliable reliable_base=23 messages{ length=4 in_order reliable reliable_delta=0 reliable_number=23 id=1073741823 name=Disconnect }"},
		{"DisconnectAck", "92 00 00 04 20 FE FF FF FF", library,
			"packet_id=18 in_order messages{ length=4 in_order id=1073741822 name=DisconnectAck }"},
		{"first and later fragment", "52 00 00 07 00 03 D0 00 10 01 63 61 62 02 50 03 01 04 63 64", library,
			"packet_id=18 reliable reliable_base=7 messages{ length=3 fragment_start fragment reliable reliable_delta=0 reliable_number=7 fragment_count=16 transfer_id=1 id=99 data=6162 } " +
				"messages{ length=2 fragment reliable reliable_delta=3 reliable_number=10 transfer_id=1 fragment_number=4 data=6364 }"},
		{"no handshake in the library", "02 00 00 04 00 FD FF FF FF", library, "packet_id=2 messages{ length=4 id=1073741821 }"},
		{"the unused bit", "02 00 00 01 08 07", library, "packet_id=2 messages{ length=1 unused_bit id=7 }"},
		{"no messages", "02 00 00", library, "packet_id=2"},
		{"PingRequest before 2011", "02 00 00 02 00 00 07", oldLib, "packet_id=2 messages{ length=2 id=0 name=PingRequest ping_id=7 }"},
		{"PingReply before 2011", "02 00 00 02 00 01 07", oldLib, "packet_id=2 messages{ length=2 id=1 name=PingReply ping_id=7 }"},
		{"a PingRequest of two bytes is ignored", "02 00 00 03 00 01 07 08", library, "packet_id=2 messages{ length=3 id=1 name=PingRequest data=0708 }"},
		// What the page says.
		{"ConnectSyn", "00 00 00 08 00 FD FF FF FF 75 73 65 72", page, "packet_id=0 messages{ length=8 in_order_code=0 id=1073741821 name=ConnectSyn data=75736572 }"},
		{"ConnectSynAck", "00 00 00 04 00 FC FF FF FF", page, "packet_id=0 messages{ length=4 in_order_code=0 id=1073741820 name=ConnectSynAck }"},
		{"ConnectAck", "01 00 40 04 00 FB FF FF FF", page, "packet_id=1 reliable messages{ length=4 in_order_code=0 id=1073741819 name=ConnectAck }"},
		{"PingRequest, ids from 0", "02 00 00 02 00 00 07", page, "packet_id=2 messages{ length=2 in_order_code=0 id=0 name=PingRequest ping_id=7 }"},
		{"PingRequest, ids from 1", "02 00 00 02 00 01 07", pageLater, "packet_id=2 messages{ length=2 in_order_code=0 id=1 name=PingRequest ping_id=7 }"},
		{"PacketAck", "03 00 00 08 00 03 01 00 40 01 00 00 00", page, "packet_id=3 messages{ length=8 in_order_code=0 id=3 name=PacketAck ack_packet_id=1 ack_bits=5 acked=[1 2 4] }"},
		{"PacketAck of 35", "03 00 00 08 00 03 01 00 C0 FF FF FF FF", page, "packet_id=3 messages{ length=8 in_order_code=0 id=3 name=PacketAck ack_packet_id=1 ack_bits=17179869183 " +
			"acked=[1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35] }"},
		{"dependency", "04 00 C0 01 02 00 03 08 64 78 79", page,
			"packet_id=4 in_order reliable in_order_delta_count=1 dependencies{ delta=2 packet_id=1 message_index=0 } depends_on=[1] " +
				"messages{ length=3 in_order_code=1 depends_on=[1] depends_on_messages=[0] id=100 data=7879 }"},
		{"Disconnect of the page", "09 00 80 00 04 00 FF FF FF FF", page, "packet_id=9 in_order in_order_delta_count=0 messages{ length=4 in_order_code=0 id=1073741823 name=Disconnect }"},
		{"codes 5, 6 and 7", "0A 00 80 06 00 01 02 03 04 81 01 00 00 00 00 00 03 01 28 64 01 30 05 64 01 38 02 00 05 64", page,
			"packet_id=10 in_order in_order_delta_count=6 dependencies{ delta=0 packet_id=9 message_index=0 } dependencies{ delta=1 packet_id=8 message_index=0 } " +
				"dependencies{ delta=2 packet_id=7 message_index=0 } dependencies{ delta=3 packet_id=6 message_index=0 } dependencies{ delta=4 packet_id=5 message_index=0 } " +
				"dependencies{ delta=129 packet_id=4194184 message_index=3 } depends_on=[9 8 7 6 5 4194184] " +
				"messages{ length=1 in_order_code=5 depends_on=[5] depends_on_messages=[0] id=100 } " +
				"messages{ length=1 in_order_code=6 in_order_index=5 depends_on=[4194184] depends_on_messages=[3] id=100 } " +
				"messages{ length=1 in_order_code=7 in_order_index_count=2 in_order_indexes=0005 depends_on=[9 4194184] depends_on_messages=[0 3] id=100 }"},
		{"a code and an index that name nothing", "0A 00 80 01 00 00 01 10 64 01 30 09 64", page,
			"packet_id=10 in_order in_order_delta_count=1 dependencies{ delta=0 packet_id=9 message_index=0 } depends_on=[9] " +
				"messages{ length=1 in_order_code=2 depends_on=[] depends_on_messages=[] id=100 } messages{ length=1 in_order_code=6 in_order_index=9 depends_on=[] depends_on_messages=[] id=100 }"},
		{"fragments of the page", "07 00 40 03 80 09 02 64 61 62 00 40 02 01", page,
			"packet_id=7 reliable messages{ length=3 fragment_start in_order_code=0 fragment_count=9 transfer_id=2 id=100 data=6162 } messages{ length=0 fragment in_order_code=0 transfer_id=2 fragment_number=1 }"},
		// Ids where the map is not known: the size tells.
		{"FlowControlRequest by size", "02 00 00 03 00 02 C8 00", anyPage, "packet_id=2 messages{ length=3 in_order_code=0 id=2 name=FlowControlRequest rate=200 }"},
		{"PingReply by size", "02 00 00 02 00 02 07", anyPage, "packet_id=2 messages{ length=2 in_order_code=0 id=2 name=PingReply ping_id=7 }"},
		{"id 1 on the page", "02 00 00 02 00 01 07", anyPage, "packet_id=2 messages{ length=2 in_order_code=0 id=1 name=PingReply ping_id=7 }"},
		{"id 1 in the library", "02 00 00 02 00 01 07", anyLib, "packet_id=2 messages{ length=2 id=1 name=PingRequest ping_id=7 }"},
		{"no size of a control message", "02 00 00 05 00 04 61 62 63 64", anyLib, "packet_id=2 messages{ length=5 id=4 data=61626364 }"},
	} {
		payload := dissecttest.Unhex(t, c.hex)
		var tree dissect.Tree
		tree.Reset(payload)
		var d Datagram
		err := d.Decode(payload, c.p, &tree)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		got := text(&tree)
		if got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.name, got, c.want)
		}
		mustDecode(t, payload, c.p)
	}
}

func TestKNet_Malformed(t *testing.T) {
	for _, c := range []struct {
		name, hex string
		p         Params
		want      string
	}{
		{"two bytes", "05 00", library, "knet.packet_id at byte 0: truncated: want 3 bytes, have 2 (" + datagramFormat + ")"},
		{"no base", "43 00 00", library, "knet.reliable_base at byte 3: truncated: want 2 bytes, have 0 (" + libraryRead + ")"},
		{"half a base", "43 00 00 05 80", library, "knet.reliable_base at byte 3: truncated: want 4 bytes, have 2 (" + libraryRead + ")"},
		{"a byte behind the last message", "05 00 00 01 00 07 00", library, "knet.messages.length at byte 6: truncated: want 2 bytes, have 1 (" + messageFormat + ")"},
		{"length past the end", "05 00 00 05 00 07 61", library, "knet.messages.data at byte 6: truncated: want 4 bytes, have 1 (" + contentFormat + ")"},
		{"length 0", "05 00 00 00 00", library, "knet.messages.id at byte 5: runs past the content of the message (" + contentFormat + ")"},
		{"length 0, page", "05 00 00 00 00", page, "knet.messages.id at byte 5: runs past the content of the message (" + contentFormat + ")"},
		{"an id longer than the content", "05 00 00 01 00 F7 FF FF FF", library, "knet.messages.id at byte 5: runs past the content of the message (" + contentFormat + ")"},
		{"no delta", "45 00 00 00 00 01 10", library, "knet.messages.reliable_delta at byte 7: truncated: want 1 byte, have 0 (" + libraryRead + ")"},
		{"one fragment", "45 00 00 00 00 01 D0 00 01 01 07", library, "knet.messages.fragment_count at byte 8: a transfer of less than 2 fragments (" + fragments + ")"},
		{"a fragment without content", "45 00 00 00 00 00 50 00 01 01", library, "knet.messages.length at byte 10: a message without content (" + messageFormat + ")"},
		{"PacketAck of three bytes", "05 00 00 04 00 04 01 00 00", library, "knet.messages.ack_packet_id at byte 6: a PacketAck has 7 bytes (" + reserved + ")"},
		{"deltas that don't fit", "05 00 80 09 01 02 03", page, "knet.dependencies.delta at byte 7: truncated: want 1 byte, have 0 (" + datagramFormat + ")"},
		{"indexes that don't fit", "05 00 80 02 01 02 03", page, "knet.dependencies.message_index at byte 7: truncated: want 1 byte, have 0 (" + datagramFormat + ")"},
	} {
		var d Datagram
		var tree dissect.Tree
		payload := dissecttest.Unhex(t, c.hex)
		tree.Reset(payload)
		err := d.Decode(payload, c.p, &tree)
		if err == nil || err.Error() != c.want {
			t.Errorf("%s:\ngot  %v\nwant %s", c.name, err, c.want)
		}
	}
}

// Structure alone says the same as decoding, and decoding without a tree the same
// as with one.
func TestShapeAgreesWithDecode(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	samples := Samples()
	accepted := [3]int{}
	var quiet, shown Datagram
	var tree dissect.Tree
	for range 100_000 {
		b := append([]byte(nil), samples[rnd.IntN(len(samples))]...)
		for range rnd.IntN(4) {
			switch i := rnd.IntN(len(b)); rnd.IntN(4) {
			case 0:
				b = b[:max(i, 1)]
			case 1:
				b = append(b, byte(rnd.Uint32()))
			default:
				b[i] = byte(rnd.Uint32())
			}
		}
		for _, dialect := range []Dialect{Reference, Spec} {
			p := Params{Dialect: dialect, IDs: IDMap(rnd.IntN(3))}
			err := quiet.Decode(b, p, nil)
			tree.Reset(b)
			if err2 := shown.Decode(b, p, &tree); (err == nil) != (err2 == nil) || err == nil && !same(&quiet, &shown) {
				t.Fatalf("%v: % x:\n%v %+v\n%v %+v", p, b, err, quiet.Messages, err2, shown.Messages)
			}
			p.IDs = IDsUnknown
			var d Datagram
			err = d.Decode(b, p, nil)
			s := ShapeOf(b, dialect)
			if (err == nil) != s.OK || err == nil && s.Messages != len(d.Messages) {
				t.Fatalf("%v: % x: %v, %+v", dialect, b, err, s)
			}
			if s.OK {
				accepted[dialect]++
			}
		}
	}
	if accepted[Reference] < 1000 || accepted[Spec] < 1000 {
		t.Errorf("%v accepted: too few to prove anything", accepted)
	}
}

// same compares what two decoders made of a datagram.
func same(a, b *Datagram) bool {
	if a.PacketID != b.PacketID || a.InOrder != b.InOrder || a.Reliable != b.Reliable || a.Base != b.Base || a.Depends != b.Depends || len(a.Messages) != len(b.Messages) {
		return false
	}
	for i := range a.Messages {
		x, y := a.Messages[i], b.Messages[i]
		if x.Kind != PingRequest && x.Kind != PingReply {
			x.PingID, y.PingID = 0, 0
		}
		if x.Kind != FlowControlRequest {
			x.Rate, y.Rate = 0, 0
		}
		if x.Kind != PacketAck {
			x.Ack, y.Ack = Ack{}, Ack{}
		}
		if !bytes.Equal(x.Body, y.Body) || !bytes.Equal(x.Indexes, y.Indexes) {
			return false
		}
		x.Body, y.Body, x.Indexes, y.Indexes = nil, nil, nil, nil
		if fmt.Sprint(x) != fmt.Sprint(y) {
			return false
		}
	}
	return true
}

func TestGuess(t *testing.T) {
	for _, c := range []struct {
		hex  string
		want Dialect
	}{
		{"C3 00 00 00 00 0B 30 00 14 00 00 00 00 70 77 7E 85 8C 93", Reference},
		{"00 01 00 09 00 1F BA 43 0F 00 B1 B8 BF C6", Reference},
		{"00 00 00 08 00 FD FF FF FF 75 73 65 72", Spec},
		{"01 00 40 04 00 FB FF FF FF", Spec},
		{"04 00 C0 01 02 00 03 08 64 78 79", Spec},
		{"2A 00 40 03 00 02 C8 00", Spec},
		{"02 00 00 02 00 01 07", Reference},
		{"00 00 00 08 00 FD", DialectUnknown},
		{"D8 00 00 17 00 04", Reference},
		{"09 00 80 00 04 00 FF", Spec},
	} {
		if got := Guess(dissecttest.Unhex(t, c.hex)); got != c.want {
			t.Errorf("%s: %q, want %q", c.hex, got, c.want)
		}
	}
}

func TestConnectDatagram(t *testing.T) {
	for _, c := range []struct {
		hex  string
		want bool
	}{{"00 00 00 00 00 00 00 00", true}, {"00 00 00 00 00 00 00 00 00", false}, {"00 00 00 00 00 00 00 01", false}, {"", false}} {
		if got := IsConnect(dissecttest.Unhex(t, c.hex)); got != c.want {
			t.Errorf("%q: %v", c.hex, got)
		}
	}
	var d Datagram
	if err := d.DecodeConnect([]byte("hello"), nil); err != nil || d.Type != TypeConnect || string(d.Append(nil)) != "hello" {
		t.Errorf("%+v, %v", d, err)
	}
	if err := d.DecodeConnect(nil, nil); err == nil {
		t.Error("an empty datagram is accepted")
	}
}

// What a program makes is what a decoder reads.
func TestMakers(t *testing.T) {
	for _, c := range []struct {
		d    Datagram
		p    Params
		want string
	}{
		{Datagram{Dialect: Reference, PacketID: 1, InOrder: true, Messages: []Message{Ping(PingRequest, IDsFromOne, 1)}}, library, "DATAGRAM id=1 PingRequest(1)"},
		{Datagram{Dialect: Spec, PacketID: 70, Messages: []Message{Ping(PingReply, IDsFromZero, 200), FlowControl(IDsFromZero, 20)}}, page, "DATAGRAM id=70 PingReply(200) FlowControlRequest rate=20"},
		{Datagram{Dialect: Spec, PacketID: 70, Messages: []Message{Acknowledge(Spec, IDsFromZero, Ack{PacketID: 4194303, Bits: 1<<33 | 3})}}, page, "DATAGRAM id=70 PacketAck 4194303-1,33"},
		{Datagram{Dialect: Spec, PacketID: 70, Messages: []Message{Acknowledge(Spec, IDsFromZero, Ack{PacketID: 7, Bits: 1<<33 | 5, WordFirst: true})}},
			Params{Dialect: Spec, IDs: IDsFromZero, WordFirst: true}, "DATAGRAM id=70 PacketAck 7-8,10,41"},
		{Datagram{Dialect: Reference, PacketID: 70, Messages: []Message{Acknowledge(Reference, IDsFromOne, Ack{PacketID: 9})}}, library, "DATAGRAM id=70 PacketAck 9"},
		{Datagram{Dialect: Spec, PacketID: 5, Messages: []Message{Control(ConnectSyn, []byte("me"))}}, page, "DATAGRAM id=5 ConnectSyn len=2"},
		{Datagram{Dialect: Spec, PacketID: 5, InOrder: true, Messages: []Message{Control(DisconnectAck, nil)}}, page, "DATAGRAM id=5 in-order DisconnectAck"},
	} {
		payload := c.d.Append(nil)
		d, _ := mustDecode(t, payload, c.p)
		if got := string(AppendSummary(nil, d)); got != c.want {
			t.Errorf("% x: %s, want %s", payload, got, c.want)
		}
	}
	d := Datagram{Dialect: Spec, PacketID: 9, Reliable: true}
	d.Depend(Dependency{Delta: 3}, Dependency{Delta: 200, Index: 2})
	m := Message{ID: Num(100), Body: []byte("x")}
	m.SetCode(2)
	d.Messages = []Message{m}
	got, _ := mustDecode(t, d.Append(nil), page)
	if s := string(AppendSummary(nil, got)); s != "DATAGRAM id=9 reliable in-order after=5,4194112 msg 100 len=1" {
		t.Error(s)
	}
}

func TestSamplesAreValid(t *testing.T) {
	if n := len(Samples()); n != len(sampleHex) {
		t.Fatalf("%d of %d samples are hex", n, len(sampleHex))
	}
	specs := 0
	for i, s := range Samples() {
		if Guess(s) == Spec {
			specs++
		} else if i > 17 {
			t.Errorf("sample %d is read as %v", i, Guess(s))
		}
	}
	if specs < 10 {
		t.Errorf("%d samples of the page", specs)
	}
	Samples()[0][0] = 1 // callers may change what they get
	if Samples()[0][0] != 0 {
		t.Error("samples are shared")
	}
}
