package knet

import (
	"reflect"
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dissect/dissecttest"
)

// sameAsGeneral compares the short way of decoding with the general one, which
// must say the same wherever the short one says anything.
func sameAsGeneral(t *testing.T, b, before []byte) (usual bool) {
	t.Helper()
	for _, p := range []Params{{Dialect: Reference, IDs: IDsUnknown}, {Dialect: Reference, IDs: IDsFromOne}, {Dialect: Reference, IDs: IDsFromZero}, {Dialect: Spec, IDs: IDsUnknown}, {Dialect: Spec, IDs: IDsFromOne}, {Dialect: Spec, IDs: IDsFromZero}} {
		short, general := Datagram{Messages: make([]Message, 0, 64)}, Datagram{}
		_, _ = short.decodeAll(before, p, nil), general.decodeAll(before, p, nil)
		if !short.decodeUsual(b, p) {
			continue
		}
		usual = true
		if err := general.decodeAll(b, p, nil); err != nil {
			t.Fatalf("%x, %v: read, but %v", b, p, err)
		}
		for i := range general.Messages {
			x, y := &short.Messages[i], &general.Messages[i]
			if x.PingID, x.Rate, x.Ack = meaning(x); !reflect.DeepEqual([]any{x.PingID, x.Rate, x.Ack}, anyMeaning(y)) {
				t.Fatalf("%x, %v: message %d: %+v, want %+v", b, p, i, x, y)
			}
			y.PingID, y.Rate, y.Ack = meaning(y)
			if len(x.Body) == 0 && len(y.Body) == 0 {
				x.Body, y.Body = nil, nil
			}
		}
		if len(short.Messages)+len(general.Messages) == 0 {
			short.Messages, general.Messages = nil, nil
		}
		if !reflect.DeepEqual(short, general) {
			t.Fatalf("%x, %v:\n%+v, want\n%+v", b, p, short, general)
		}
	}
	return usual
}

// meaning is what a control message says; of others these fields say nothing.
func meaning(m *Message) (ping uint8, rate uint16, a Ack) {
	switch {
	case BodySize[m.Kind] != len(m.Body):
	case m.Kind == PingRequest || m.Kind == PingReply:
		ping = m.PingID
	case m.Kind == FlowControlRequest:
		rate = m.Rate
	case m.Kind == PacketAck:
		a = m.Ack
	}
	return ping, rate, a
}

func anyMeaning(m *Message) []any {
	ping, rate, a := meaning(m)
	return []any{ping, rate, a}
}

// TestDecodeUsual: of the samples, edited and cut at random, the short way reads what the general one does.
func TestDecodeUsual(t *testing.T) { dissecttest.ShortWay(t, Samples(), sameAsGeneral) }

// TestDecodeUsualIds: what most applications number their messages with is read the short way,
// up to the last id of two bytes.
func TestDecodeUsualIds(t *testing.T) {
	for id, short := range map[string]bool{"05": true, "7f": true, "8001": true, "ff7f": true, "ff80": false, "8000": false} {
		b := dissecttest.Unhex(t, "050000 0500 "+id+" 010101010101")[:10]
		d := Datagram{Messages: make([]Message, 0, 4)}
		if got := d.decodeUsual(b, Params{Dialect: Spec, IDs: IDsFromZero}); got != short || got && !d.Plain {
			t.Errorf("id %s: %v, plain %v, want %v", id, got, d.Plain, short)
		}
	}
}

func FuzzDecodeUsual(f *testing.F) {
	for _, s := range Samples() {
		f.Add(s, s)
	}
	f.Fuzz(func(t *testing.T, b, before []byte) {
		if len(b) <= 400 && len(before) <= 400 {
			sameAsGeneral(t, b, before)
		}
	})
}

// TestPlain: both ways of decoding say alike which datagrams are nothing but data, and a tree changes nothing of that; one
// without messages is none.
func TestPlain(t *testing.T) {
	for bytes, plain := range map[string]bool{
		"000000 0500 05 01020304":          true,
		"000000 0800 a0b80100 01020304":    true,  // an id of four bytes
		"000000 0500 01 01020304":          false, // may be a control message
		"000000 0500 8500 010203":          false, // an id of more bytes than it needs
		"000000 0900 8500 0000 0102030405": false,
		"400000 0080 0100":                 false, // no message
	} {
		b := dissecttest.Unhex(t, bytes)
		for _, tree := range []*dissect.Tree{nil, {Data: b}} {
			d := Datagram{Messages: make([]Message, 0, 4)}
			if err := d.Decode(b, Params{Dialect: Reference, IDs: IDsFromOne}, tree); err != nil || d.Plain != plain {
				t.Errorf("%s: plain %v, want %v (%v)", bytes, d.Plain, plain, err)
			}
		}
	}
}
