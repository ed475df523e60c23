package lab

import "github.com/dpdissect/dpdissect/knet"

// knetReserved break the rules of reserved messages.
func knetReserved() []Mutant { return knetMutantsOf(knetReservedCases()) }

func knetReservedCases() []knetCase {
	ack := func(k uint32) knet.Message {
		return knet.Acknowledge(knet.Spec, knet.IDsFromZero, knet.Ack{PacketID: k})
	}
	libAck := func(k uint32) knet.Message {
		return knet.Acknowledge(knet.Reference, knet.IDsFromOne, knet.Ack{PacketID: k})
	}
	bye := knet.Control(knet.Disconnect, nil)
	one := func(m knet.Message) func(uint32) []byte { return func(id uint32) []byte { return page(id, false, m) } }
	sure := func(m knet.Message) func(uint32) []byte { return func(id uint32) []byte { return page(id, true, m) } }
	two := func(m knet.Message) func(uint32) []byte { return func(id uint32) []byte { return lib(id, m) } }
	fragment := func(m knet.Message) knet.Message {
		m.Bits, m.FragmentCount, m.TransferID = knet.Fragment|knet.FragmentStart, knet.Num(2), 77
		return m
	}
	return []knetCase{
		{rule: "KN-RM-PING-LEN", name: "sends a PingRequest without id", fault: one(pageControl(knet.PingRequest))},
		{rule: "KN-RM-PING-LEN", name: "sends a PingRequest of 2 bytes", fault: one(pageControl(knet.PingRequest, 1, 2))},
		{rule: "KN-RM-PING-LEN", name: "sends a PingRequest of the library without id", lib: true, fault: two(libControl(knet.PingRequest))},
		{rule: "KN-RM-PONG-LEN", name: "sends a PingReply of 2 bytes", fault: one(pageControl(knet.PingReply, 1, 2))},
		{rule: "KN-RM-PONG-LEN", name: "sends a PingReply of the library of 2 bytes", lib: true, fault: two(libControl(knet.PingReply, 1, 2))},
		{rule: "KN-RM-FLOW-LEN", name: "asks for a rate in one byte", fault: sure(pageControl(knet.FlowControlRequest, 9)),
			near: sure(knet.FlowControl(knet.IDsFromZero, 500))},
		{rule: "KN-RM-FLOW-LEN", name: "asks for a rate in three bytes", fault: sure(pageControl(knet.FlowControlRequest, 9, 0, 0)),
			near: sure(knet.FlowControl(knet.IDsFromZero, 500))},
		{rule: "KN-RM-ACK-LEN", name: "acknowledges in 3 bytes", fault: one(pageControl(knet.PacketAck, 1, 0, 0))},
		{rule: "KN-RM-ACK-LEN", name: "acknowledges in 9 bytes", fault: one(pageControl(knet.PacketAck, 1, 0, 0, 0, 0, 0, 0, 0, 0))},
		{rule: "KN-RM-ACK-LEN", name: "acknowledges in 3 bytes of the library", lib: true, fault: two(libControl(knet.PacketAck, 1, 0, 0))},
		{rule: "KN-RM-DISC-LEN", name: "says Disconnect with 4 bytes", fault: func(id uint32) []byte {
			return pageOn(id, false, nil, knet.Control(knet.Disconnect, []byte("gone")))
		}},
		{rule: "KN-RM-DISC-LEN", name: "says Disconnect of the library with 4 bytes", lib: true,
			fault: two(knetFlags(knet.Control(knet.Disconnect, []byte("gone")), knet.MessageReliable))},
		{rule: "KN-RM-DISCACK-LEN", name: "says DisconnectAck with a byte", fault: func(id uint32) []byte {
			return pageOn(id, false, nil, knet.Control(knet.DisconnectAck, []byte("x")))
		}},
		{rule: "KN-RM-CONNACK-LEN", name: "says ConnectAck with a byte", fault: sure(knet.Control(knet.ConnectAck, []byte("x")))},
		{rule: "KN-RM-PING-REL", name: "pings reliable", fault: sure(pagePing(knet.PingRequest, 99))},
		{rule: "KN-RM-PING-REL", name: "pings reliable like no library", lib: true, fault: two(knetFlags(libControl(knet.PingRequest, 99), knet.MessageReliable))},
		{rule: "KN-RM-PONG-REL", name: "replies reliable", fault: sure(pagePing(knet.PingReply, 1))},
		{rule: "KN-RM-ACK-REL", name: "acknowledges reliable", also: []string{"KN-RD-ACK-UNREL"}, fault: sure(ack(1)),
			near: func(id uint32) []byte { return page(id, false, ack(1)) }},
		{rule: "KN-RM-ACK-REL", name: "acknowledges reliable like no library", lib: true, fault: two(knetFlags(libAck(1), knet.MessageReliable)),
			near: func(id uint32) []byte { return lib(id, libAck(1), knetFlags(knetApp("x"), knet.MessageReliable)) }},
		{rule: "KN-RM-FLOW-REL", name: "asks for a rate unreliable", fault: one(knet.FlowControl(knet.IDsFromZero, 500)),
			near: sure(knet.FlowControl(knet.IDsFromZero, 500))},
		{rule: "KN-RM-CONNACK-REL", name: "says ConnectAck unreliable", fault: one(knet.Control(knet.ConnectAck, nil))},
		{rule: "KN-RM-SYN-REL", name: "says ConnectSyn reliable", fault: sure(knet.Control(knet.ConnectSyn, nil))},
		{rule: "KN-RM-DISC-REL", name: "says Disconnect reliable", fault: func(id uint32) []byte { return pageOn(id, true, nil, bye) }},
		{rule: "KN-RM-DISC-ORDER", name: "says Disconnect without InOrder", fault: one(bye)},
		{rule: "KN-RM-PLAIN-ORDER", name: "orders a PingRequest", fault: func(id uint32) []byte {
			return pageOn(id, false, on(2), knetCoded(pagePing(knet.PingRequest, 99), 2))
		}},
		{rule: "KN-RM-NOFRAG", name: "fragments a ConnectSyn", fault: sure(fragment(knet.Control(knet.ConnectSyn, []byte("x"))))},
		{rule: "KN-RM-NOFRAG", name: "fragments a PingRequest", fault: sure(fragment(pagePing(knet.PingRequest, 9)))},
		{rule: "KN-RM-NOFRAG", name: "fragments a Disconnect of the library", lib: true, fault: two(knetFlags(fragment(knet.Control(knet.Disconnect, []byte("x"))), knet.MessageReliable))},
		{rule: "KN-FC-RANGE", name: "asks for 0", fault: sure(knet.FlowControl(knet.IDsFromZero, 0)), near: sure(knet.FlowControl(knet.IDsFromZero, 5))},
		{rule: "KN-RD-ACK-SPAN", name: "sets the upper bits", lib: true, fault: two(libAck(1 | 1<<22))},
	}
}
