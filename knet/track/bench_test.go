package track_test

import (
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dissect/dissecttest"
	"github.com/dpdissect/dpdissect/internal/testbed/sessiontest"
	"github.com/dpdissect/dpdissect/knet"
	"github.com/dpdissect/dpdissect/knet/rules"
	"github.com/dpdissect/dpdissect/session"
)

// BenchmarkDecode decodes a datagram with one message, typed.
func BenchmarkDecode(b *testing.B) {
	for _, c := range []struct {
		name, hex string
	}{
		{"Data", "430000 0000 0910001E6162636465666768"},
		{"PacketAck", "840000 08200403000000000000"},
	} {
		payload := dissecttest.Unhex(b, c.hex)
		b.Run(c.name, func(b *testing.B) {
			var d knet.Datagram
			b.ReportAllocs()
			for b.Loop() {
				_ = d.Decode(payload, knet.Params{Dialect: knet.Reference, IDs: knet.IDsFromOne}, nil)
			}
		})
	}
}

// BenchmarkTrack follows a connection that sends data one way and is acknowledged.
func BenchmarkTrack(b *testing.B) {
	tab := session.NewTable(session.Config{Protocols: []*session.Protocol{rules.New()}, Force: sessiontest.Force(rules.New(), "reference")})
	d := dissect.Datagram{HasTime: true, Time: 1e15}
	data := knet.Datagram{Dialect: knet.Reference, Reliable: true, Messages: []knet.Message{{Bits: knet.MessageReliable, ID: knet.Num(30), Body: make([]byte, 100)}}}
	acks := knet.Datagram{Dialect: knet.Reference, Messages: []knet.Message{{}}}
	var buf []byte
	send := func(from dissect.Dir, x *knet.Datagram) {
		buf = x.Append(buf[:0])
		d.Frame++
		d.Time += 1e6
		d.Src, d.Dst, d.Payload, d.Length, d.IPID = hosts[from], hosts[from.Other()], buf, len(buf), uint16(d.Frame)
		tab.Add(&d)
	}
	b.ReportAllocs()
	body := make([]byte, 0, 16)
	for i := range b.N {
		n := uint32(i)
		if i%10 == 9 {
			a := knet.Ack{PacketID: (n - 9) & knet.PacketIDMask, Bits: 1<<8 - 1}
			body = a.Append(body[:0], knet.Reference)
			acks.PacketID = n
			acks.Messages[0] = knet.Message{ID: knet.Num(4), Body: body}
			send(1, &acks)
		} else {
			data.PacketID, data.Base.Value = n, n
			send(0, &data)
		}
	}
}
