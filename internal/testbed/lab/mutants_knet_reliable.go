package lab

import (
	"slices"
	"time"

	"github.com/dpdissect/dpdissect/knet"
)

// knetReliable break the rules of acknowledgements, pings and flow control.
func knetReliable() []Mutant {
	return slices.Concat(knetAckMutants(), knetResendMutants(), knetPingMutants(), knetSilenceMutants(), knetRateMutants())
}

// knetAckMutants break the rules of what may be acknowledged, and how often.
func knetAckMutants() []Mutant {
	return []Mutant{
		onPage("KN-RD-ACK-KNOWN", "acknowledges what nobody sent", func(t *knetTalk) { t.wrong(0, false, pageAck(900)) }),
		onPage("KN-RD-ACK-KNOWN", "acknowledges ten ahead", func(t *knetTalk) {
			t.wrong(0, false, pageAck(t.next[1]+9))
			t.chat(1)
			t.ping(1)
			t.ping(1)
		}),
		onPage("KN-RD-ACK-KNOWN", "acknowledges what would come before the first", func(t *knetTalk) { t.wrong(0, false, pageAck(knet.PacketIDMask-600)) }),
		nearPage("KN-RD-ACK-KNOWN", "acknowledges the latest"),
		{Rule: "KN-RD-ACK-KNOWN", Name: "acknowledges what nobody sent of the library", On: knetLibSession, Tamper: knetInsert(func(uint32) []byte {
			return lib(55, knet.Acknowledge(knet.Reference, knet.IDsFromOne, knet.Ack{PacketID: 900}))
		}, true)},
		onPage("KN-RM-IDMAP", "acknowledges by the other map", func(t *knetTalk) {
			id := t.say(1, true, knetApp("reliable"))
			t.wrong(0, false, knet.Acknowledge(knet.Spec, knet.IDsFromOne, knet.Ack{PacketID: id}))
		}).also("KN-RM-FLOW-LEN"), // of little more than that the map is taken for both sides'
		nearPage("KN-RM-IDMAP", "says something with id 4", func(t *knetTalk) {
			t.say(0, false, knet.Message{ID: knet.Num(4), Body: []byte("welcome")})
		}),
		onPage("KN-RD-ACK-UNREL", "acknowledges an unreliable datagram", func(t *knetTalk) {
			id := t.say(1, false, knetApp("unreliable"))
			t.wrong(0, false, pageAck(id))
		}),
		nearPage("KN-RD-ACK-UNREL", "acknowledges reliable ones"),
		{Rule: "KN-RD-ACK-UNREL", Name: "puts the bits of acknowledgements into the word first", On: "knet/acks-word-first-page", Near: true},
		{Rule: "KN-RD-ACK-KNOWN", Name: "puts the bits of acknowledgements into the word first", On: "knet/acks-word-first-page", Near: true},
		onPage("KN-RD-ACK-DUP", "acknowledges a datagram ten times", func(t *knetTalk) {
			id := t.say(1, true, knetApp("reliable"))
			for range 10 {
				t.wrong(0, false, pageAck(id))
			}
		}),
		nearPage("KN-RD-ACK-DUP", "acknowledges twice", func(t *knetTalk) {
			id := t.say(1, true, knetApp("reliable"))
			t.say(0, false, pageAck(id))
		}),
	}
}

// knetResendMutants break the rules of what must be acknowledged, and of sending again.
func knetResendMutants() []Mutant {
	return []Mutant{
		onPage("KN-RD-RESEND", "never sends a datagram again", func(t *knetTalk) {
			t.wrong(0, true, knetApp("unheard"))
			t.owed[1] = nil
			t.lively(8)
		}).also("KN-RD-ACKED"), // neither side did what it had to
		nearPage("KN-RD-RESEND", "sends a datagram again", func(t *knetTalk) {
			t.say(0, true, knetApp("unheard"))
			again := t.steps[len(t.steps)-1].Payload
			id := t.next[0] - 1
			t.owed[1] = nil
			t.lively(2)
			t.raw(0, false, again)
			t.owed[1] = append(t.owed[1], id)
			t.lively(7)
		}),
		onPage("KN-RD-ACKED", "never acknowledges a datagram", func(t *knetTalk) {
			t.wrong(0, true, knetApp("unheard"))
			t.owed[1] = nil
			t.lively(8)
		}).also("KN-RD-RESEND"),
		onPage("KN-RD-ACKED", "acknowledges nothing", func(t *knetTalk) {
			for range 40 {
				t.say(0, true, knetApp("unheard"))
				t.owed[1] = nil
				t.pause(500 * time.Millisecond)
				t.ping(0)
			}
		}).also("KN-RD-RESEND"),
		onPage("KN-RD-ACKED", "acknowledges no copy", resentFor(16, false)).also("KN-RD-NORESEND"),
		nearPage("KN-RD-ACKED", "acknowledges each copy", resentFor(16, true)),
		nearPage("KN-RD-ACKED", "acknowledges late", func(t *knetTalk) {
			id := t.say(0, true, knetApp("unheard"))
			t.owed[1] = nil
			t.lively(2)
			t.owed[1] = []uint32{id}
			t.acks(1)
			t.lively(7)
		}),
		onPage("KN-RD-NORESEND", "sends again what was acknowledged", func(t *knetTalk) {
			id := t.say(0, true, knetApp("acknowledged"))
			again := t.steps[len(t.steps)-1].Payload
			t.owed[1] = nil
			t.say(1, true, pageAck(id), knetApp("with it"))
			t.acks(0)
			t.chat(2)
			t.pause(2 * time.Second)
			t.raw(0, true, again)
			t.say(1, false, pageAck(id))
		}),
		nearPage("KN-RD-NORESEND", "sends again what was acknowledged before it was sent", func(t *knetTalk) {
			for range 6 {
				t.wrong(1, false, pageAck(t.next[0]))
				t.say(0, true, knetApp("acknowledged"))
				again := t.steps[len(t.steps)-1].Payload
				t.owed[1] = nil
				t.chat(1)
				t.pause(2 * time.Second)
				t.raw(0, false, again)
			}
		}).also("KN-RD-ACK-KNOWN", "KN-RD-ACKED"),
		nearPage("KN-RD-NORESEND", "sends again what was not", func(t *knetTalk) {
			id := t.say(0, true, knetApp("acknowledged"))
			again := t.steps[len(t.steps)-1].Payload
			t.owed[1] = nil
			t.chat(2)
			t.pause(2 * time.Second)
			t.raw(0, true, again)
			t.say(1, false, pageAck(id))
		}),
		onPage("KN-CV-RESEND", "sends again after 200 ms", func(t *knetTalk) {
			t.say(0, true, knetApp("impatient"))
			again := t.steps[len(t.steps)-1].Payload
			t.pause(160 * time.Millisecond)
			t.raw(0, true, again)
			t.acks(1)
		}),
		onPage("KN-CV-MAXSEND", "sends 60 times", func(t *knetTalk) {
			t.say(0, true, knetApp("stubborn"))
			again := t.steps[len(t.steps)-1].Payload
			t.owed[1] = nil
			for range 59 {
				t.raw(0, true, again)
				t.pause(2 * time.Second)
				t.chat(1)
			}
		}),
	}
}

// knetPingMutants break the rules of pings and their replies.
func knetPingMutants() []Mutant {
	return []Mutant{
		onPage("KN-RT-ID-INC", "asks under an id out of order", func(t *knetTalk) {
			t.chat(2)
			t.wrong(0, false, pagePing(knet.PingRequest, 99))
			t.say(1, false, pagePong(99))
		}),
		nearPage("KN-RT-ID-INC", "counts", func(t *knetTalk) { t.chat(8) }),
		onPage("KN-RT-PONG-MATCH", "replies to nothing", func(t *knetTalk) { t.wrong(1, false, pagePong(200)) }),
		nearPage("KN-RT-PONG-MATCH", "replies twice", func(t *knetTalk) {
			t.ping(0)
			t.say(1, false, pagePong(t.pings[0]))
		}),
		onPage("KN-RT-PONG-ONCE", "replies three times", func(t *knetTalk) {
			t.ping(0)
			t.say(1, false, pagePong(t.pings[0]))
			t.wrong(1, false, pagePong(t.pings[0]))
		}),
		onPage("KN-RT-PONG", "replies to none of ten", func(t *knetTalk) {
			for range 10 {
				t.pings[0]++
				t.say(0, false, pagePing(knet.PingRequest, t.pings[0]))
				t.chat(1)
				t.pause(time.Second)
			}
		}),
		nearPage("KN-RT-PONG", "replies to the third", func(t *knetTalk) {
			for i := range 10 {
				t.pings[0]++
				t.say(0, false, pagePing(knet.PingRequest, t.pings[0]))
				if i%3 == 2 {
					t.say(1, false, pagePong(t.pings[0]))
				}
				t.chat(1)
			}
		}),
	}
}

// knetSilenceMutants break the rules of how long a side may say or hear nothing.
func knetSilenceMutants() []Mutant {
	return []Mutant{
		onPage("KN-RT-KEEPALIVE", "is silent for 40 s", func(t *knetTalk) { t.pause(40 * time.Second); t.chat(1) }),
		nearPage("KN-RT-KEEPALIVE", "is silent for 14 s", func(t *knetTalk) { t.pause(14 * time.Second); t.chat(1) }),
		onPage("KN-CV-PINGINT", "never pings", func(t *knetTalk) {
			for range 40 {
				t.say(0, true, knetApp("no ping"))
				t.acks(1)
				t.pause(time.Second)
			}
		}),
		onPage("KN-CV-LOST", "goes on without hearing anything for a minute", func(t *knetTalk) {
			for range 60 {
				t.say(0, false, knetApp("hello?"))
				t.pause(time.Second)
			}
		}),
	}
}

// knetRateMutants break the rules of how many datagrams a second may leave.
func knetRateMutants() []Mutant {
	return []Mutant{
		onPage("KN-CV-INITRATE", "sends 60 in its first second", func(t *knetTalk) {
			for range 60 {
				t.say(0, false, knetApp("hurry"))
				t.steps[len(t.steps)-1].After = 15 * time.Millisecond
			}
		}),
		onPage("KN-FC-HONOR", "sends four times as fast as asked", asksFor(20, 800, 12*time.Millisecond)),
		nearPage("KN-FC-HONOR", "sends as fast as asked", asksFor(20, 200, 50*time.Millisecond)),
	}
}

// pageAck acknowledges one datagram.
func pageAck(id uint32) knet.Message {
	return knet.Acknowledge(knet.Spec, knet.IDsFromZero, knet.Ack{PacketID: id})
}

// pagePong replies to a ping.
func pagePong(id uint8) knet.Message { return pagePing(knet.PingReply, id) }

// resentFor has the client send a datagram again and again that was acknowledged once,
// for the acknowledgement was lost.
func resentFor(times int, acked bool) knetPart {
	return func(t *knetTalk) {
		id := t.say(0, true, knetApp("acknowledged"))
		again := t.steps[len(t.steps)-1]
		again.Fault = true
		t.acks(1)
		for range times {
			t.chat(2)
			t.pause(2 * time.Second)
			t.steps = append(t.steps, again)
			if acked {
				t.say(1, false, pageAck(id))
			}
		}
	}
}

// lively chats n times, with two seconds after each.
func (t *knetTalk) lively(n int) {
	for range n {
		t.chat(4)
		t.pause(2 * time.Second)
	}
}

// asksFor has the server ask for a rate, and the client send at another.
func asksFor(rate uint16, n int, every time.Duration) knetPart {
	return func(t *knetTalk) {
		t.say(1, true, knet.FlowControl(knet.IDsFromZero, rate))
		t.acks(0)
		for i := range n {
			t.put(0, i > 0, false, nil, knetApp("data"))
			t.steps[len(t.steps)-1].After = every
			if i%100 == 99 {
				t.ping(1)
			}
		}
	}
}
