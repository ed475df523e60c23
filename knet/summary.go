package knet

import (
	"math/bits"

	"github.com/dpdissect/dpdissect/dissect"
)

// maxListed bounds the messages that a summary names.
const maxListed = 6

// AppendSummary appends one line for people: PacketID and flags, then the
// messages, the first few of many.
//
//	DATAGRAM id=1 PingRequest(1) PingRequest(2)
//	DATAGRAM id=3 reliable base=0 msg 20 #0 len=10
//	DATAGRAM id=15 PacketAck 18-21
//	DATAGRAM id=18 reliable base=7 msg 99 #7 len=318 fragment 0/16 of transfer 1
//	CONNECT len=8
func AppendSummary(dst []byte, d *Datagram) []byte {
	if d.Type == TypeConnect {
		return dissect.AppendNumber(dst, "CONNECT len=", len(d.Connect))
	}
	dst = dissect.AppendNumber(dst, "DATAGRAM id=", d.PacketID)
	if d.Reliable {
		dst = append(dst, " reliable"...)
		if d.Dialect != Spec {
			dst = dissect.AppendNumber(dst, " base=", d.Base.Value)
		}
	}
	if d.Dialect == Spec && d.InOrder {
		dst = d.appendDepends(dst)
	}
	for i := range d.Messages {
		if i == maxListed {
			dst = dissect.AppendNumber(dst, " and ", len(d.Messages)-i)
			return append(dst, " more"...)
		}
		if m := &d.Messages[i]; m.Known() {
			dst = m.appendSummary(append(dst, ' '), d)
		}
	}
	if len(d.Messages) == 0 {
		dst = append(dst, " empty"...)
	}
	return dst
}

// AppendPartialSummary is AppendSummary of a datagram that was perhaps not decoded
// whole: then only what is certainly there is named.
func AppendPartialSummary(dst []byte, d *Datagram, err *dissect.Error) []byte {
	if err != nil && err.Offset < 3 {
		return append(dst, d.Type.String()...)
	}
	return AppendSummary(dst, d)
}

func (d *Datagram) appendDepends(b []byte) []byte {
	b = append(b, " in-order"...)
	for i, x := range d.Dependencies[:d.Depends] {
		if i == maxListed {
			return append(b, ",..."...)
		}
		sep := ","
		if i == 0 {
			sep = " after="
		}
		b = dissect.AppendNumber(b, sep, x.PacketID(d.PacketID))
	}
	return b
}

func (m *Message) appendSummary(b []byte, d *Datagram) []byte {
	switch m.Kind {
	case Application:
		return m.appendData(b, d)
	case PacketAck:
		b = append(b, "PacketAck"...)
		if m.Whole {
			b = m.Ack.appendRuns(b)
		}
		return b
	}
	b = append(b, m.Kind.String()...)
	switch {
	case !m.Whole:
	case (m.Kind == PingRequest || m.Kind == PingReply) && len(m.Body) == 1:
		b = append(dissect.AppendNumber(b, "(", m.PingID), ')')
	case m.Kind == FlowControlRequest && len(m.Body) == 2:
		b = dissect.AppendNumber(b, " rate=", m.Rate)
	case len(m.Body) > 0:
		b = dissect.AppendNumber(b, " len=", len(m.Body))
	}
	return b
}

func (m *Message) appendData(b []byte, d *Datagram) []byte {
	b = append(b, "msg"...)
	if m.HasID() {
		b = dissect.AppendNumber(b, " ", m.ID.Value)
	}
	if d.Dialect != Spec && m.IsReliable() {
		b = dissect.AppendNumber(b, " #", m.Number)
	}
	b = dissect.AppendNumber(b, " len=", len(m.Body))
	if m.IsFragment() {
		b = dissect.AppendNumber(b, " fragment ", m.FragmentNumber.Value)
		if m.IsStart() {
			b = dissect.AppendNumber(b, "/", m.FragmentCount.Value)
		}
		b = dissect.AppendNumber(b, " of transfer ", m.TransferID)
	}
	return b
}

// appendRuns appends the PacketIDs acknowledged, runs joined: " 18-21,24".
func (a *Ack) appendRuns(b []byte) []byte {
	sep := " "
	m, id := a.Bits<<1|1, a.PacketID // bit i acknowledges PacketID+i
	if id > PacketIDMask {
		m &^= 1
	}
	for i := 0; m != 0; {
		skip := bits.TrailingZeros64(m)
		run := bits.TrailingZeros64(^(m >> skip))
		i += skip
		b = dissect.AppendNumber(b, sep, (id+uint32(i))&PacketIDMask)
		if run > 1 {
			b = dissect.AppendNumber(b, "-", (id+uint32(i+run-1))&PacketIDMask)
		}
		i += run
		m = m >> skip >> run
		sep = ","
	}
	return b
}
