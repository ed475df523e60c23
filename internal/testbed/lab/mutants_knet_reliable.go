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
		{Rule: "KN-RD-ACK-KNOWN", Name: "acknowledges what nobody sent", As: "knet:spec", Steps: knetExchange(func(t *knetTalk) { t.wrong(0, false, pageAck(900)) })},
		{Rule: "KN-RD-ACK-KNOWN", Name: "acknowledges ten ahead", As: "knet:spec", Steps: knetExchange(func(t *knetTalk) {
			t.wrong(0, false, pageAck(t.next[1]+9))
			t.chat(1)
			t.ping(1)
			t.ping(1)
		})},
		{Rule: "KN-RD-ACK-KNOWN", Name: "acknowledges what would come before the first", As: "knet:spec", Steps: knetExchange(func(t *knetTalk) { t.wrong(0, false, pageAck(knet.PacketIDMask-600)) })},
		{Rule: "KN-RD-ACK-KNOWN", Name: "acknowledges the latest", Near: true, As: "knet:spec", Steps: knetExchange()},
		{Rule: "KN-RD-ACK-KNOWN", Name: "acknowledges what nobody sent of the library", On: knetLibSession, Tamper: knetInsert(func(uint32) []byte {
			return lib(55, knet.Acknowledge(knet.Reference, knet.IDsFromOne, knet.Ack{PacketID: 900}))
		}, true)},
		{Rule: "KN-RM-IDMAP", Name: "acknowledges by the other map", As: "knet:spec", Also: []string{"KN-RM-FLOW-LEN"}, Steps: knetExchange(func(t *knetTalk) {
			id := t.say(1, true, knetApp("reliable"))
			t.wrong(0, false, knet.Acknowledge(knet.Spec, knet.IDsFromOne, knet.Ack{PacketID: id}))
		})}, // of little more than that the map is taken for both sides'
		{Rule: "KN-RM-IDMAP", Name: "says something with id 4", Near: true, As: "knet:spec", Steps: knetExchange(func(t *knetTalk) {
			t.say(0, false, knet.Message{ID: knet.Num(4), Body: []byte("welcome")})
		})},
		{Rule: "KN-RD-ACK-UNREL", Name: "acknowledges an unreliable datagram", As: "knet:spec", Steps: knetExchange(func(t *knetTalk) {
			id := t.say(1, false, knetApp("unreliable"))
			t.wrong(0, false, pageAck(id))
		})},
		{Rule: "KN-RD-ACK-UNREL", Name: "acknowledges reliable ones", Near: true, As: "knet:spec", Steps: knetExchange()},
		{Rule: "KN-RD-ACK-UNREL", Name: "puts the bits of acknowledgements into the word first", On: "knet/acks-word-first-page", Near: true},
		{Rule: "KN-RD-ACK-KNOWN", Name: "puts the bits of acknowledgements into the word first", On: "knet/acks-word-first-page", Near: true},
		{Rule: "KN-RD-ACK-DUP", Name: "acknowledges a datagram ten times", As: "knet:spec", Steps: knetExchange(func(t *knetTalk) {
			id := t.say(1, true, knetApp("reliable"))
			for range 10 {
				t.wrong(0, false, pageAck(id))
			}
		})},
		{Rule: "KN-RD-ACK-DUP", Name: "acknowledges twice", Near: true, As: "knet:spec", Steps: knetExchange(func(t *knetTalk) {
			id := t.say(1, true, knetApp("reliable"))
			t.say(0, false, pageAck(id))
		})},
	}
}

// knetResendMutants break the rules of what must be acknowledged, and of sending again.
func knetResendMutants() []Mutant {
	return []Mutant{
		{Rule: "KN-RD-RESEND", Name: "never sends a datagram again", As: "knet:spec", Also: []string{"KN-RD-ACKED"}, Steps: knetExchange(func(t *knetTalk) {
			t.wrong(0, true, knetApp("unheard"))
			t.owed[1] = nil
			t.lively(8)
		})}, // neither side did what it had to
		{Rule: "KN-RD-RESEND", Name: "sends a datagram again", Near: true, As: "knet:spec", Steps: knetExchange(func(t *knetTalk) {
			t.say(0, true, knetApp("unheard"))
			again := t.steps[len(t.steps)-1].Payload
			id := t.next[0] - 1
			t.owed[1] = nil
			t.lively(2)
			t.raw(0, false, again)
			t.owed[1] = append(t.owed[1], id)
			t.lively(7)
		})},
		{Rule: "KN-RD-ACKED", Name: "never acknowledges a datagram", As: "knet:spec", Also: []string{"KN-RD-RESEND"}, Steps: knetExchange(func(t *knetTalk) {
			t.wrong(0, true, knetApp("unheard"))
			t.owed[1] = nil
			t.lively(8)
		})},
		{Rule: "KN-RD-ACKED", Name: "acknowledges nothing", As: "knet:spec", Also: []string{"KN-RD-RESEND"}, Steps: knetExchange(func(t *knetTalk) {
			for range 40 {
				t.say(0, true, knetApp("unheard"))
				t.owed[1] = nil
				t.pause(500 * time.Millisecond)
				t.ping(0)
			}
		})},
		{Rule: "KN-RD-ACKED", Name: "acknowledges no copy", As: "knet:spec", Also: []string{"KN-RD-NORESEND"}, Steps: knetExchange(resentFor(16, false))},
		{Rule: "KN-RD-ACKED", Name: "acknowledges each copy", Near: true, As: "knet:spec", Steps: knetExchange(resentFor(16, true))},
		{Rule: "KN-RD-ACKED", Name: "acknowledges late", Near: true, As: "knet:spec", Steps: knetExchange(func(t *knetTalk) {
			id := t.say(0, true, knetApp("unheard"))
			t.owed[1] = nil
			t.lively(2)
			t.owed[1] = []uint32{id}
			t.acks(1)
			t.lively(7)
		})},
		{Rule: "KN-RD-NORESEND", Name: "sends again what was acknowledged", As: "knet:spec", Steps: knetExchange(func(t *knetTalk) {
			id := t.say(0, true, knetApp("acknowledged"))
			again := t.steps[len(t.steps)-1].Payload
			t.owed[1] = nil
			t.say(1, true, pageAck(id), knetApp("with it"))
			t.acks(0)
			t.chat(2)
			t.pause(2 * time.Second)
			t.raw(0, true, again)
			t.say(1, false, pageAck(id))
		})},
		{Rule: "KN-RD-NORESEND", Name: "sends again what was acknowledged before it was sent", Near: true, As: "knet:spec", Also: []string{"KN-RD-ACK-KNOWN", "KN-RD-ACKED"}, Steps: knetExchange(func(t *knetTalk) {
			for range 6 {
				t.wrong(1, false, pageAck(t.next[0]))
				t.say(0, true, knetApp("acknowledged"))
				again := t.steps[len(t.steps)-1].Payload
				t.owed[1] = nil
				t.chat(1)
				t.pause(2 * time.Second)
				t.raw(0, false, again)
			}
		})},
		{Rule: "KN-RD-NORESEND", Name: "sends again what was not", Near: true, As: "knet:spec", Steps: knetExchange(func(t *knetTalk) {
			id := t.say(0, true, knetApp("acknowledged"))
			again := t.steps[len(t.steps)-1].Payload
			t.owed[1] = nil
			t.chat(2)
			t.pause(2 * time.Second)
			t.raw(0, true, again)
			t.say(1, false, pageAck(id))
		})},
		{Rule: "KN-CV-RESEND", Name: "sends again after 200 ms", As: "knet:spec", Steps: knetExchange(func(t *knetTalk) {
			t.say(0, true, knetApp("impatient"))
			again := t.steps[len(t.steps)-1].Payload
			t.pause(160 * time.Millisecond)
			t.raw(0, true, again)
			t.acks(1)
		})},
		{Rule: "KN-CV-MAXSEND", Name: "sends 60 times", As: "knet:spec", Steps: knetExchange(func(t *knetTalk) {
			t.say(0, true, knetApp("stubborn"))
			again := t.steps[len(t.steps)-1].Payload
			t.owed[1] = nil
			for range 59 {
				t.raw(0, true, again)
				t.pause(2 * time.Second)
				t.chat(1)
			}
		})},
	}
}

// knetPingMutants break the rules of pings and their replies.
func knetPingMutants() []Mutant {
	return []Mutant{
		{Rule: "KN-RT-ID-INC", Name: "asks under an id out of order", As: "knet:spec", Steps: knetExchange(func(t *knetTalk) {
			t.chat(2)
			t.wrong(0, false, pagePing(knet.PingRequest, 99))
			t.say(1, false, pagePong(99))
		})},
		{Rule: "KN-RT-ID-INC", Name: "counts", Near: true, As: "knet:spec", Steps: knetExchange(func(t *knetTalk) { t.chat(8) })},
		{Rule: "KN-RT-PONG-MATCH", Name: "replies to nothing", As: "knet:spec", Steps: knetExchange(func(t *knetTalk) { t.wrong(1, false, pagePong(200)) })},
		{Rule: "KN-RT-PONG-MATCH", Name: "replies twice", Near: true, As: "knet:spec", Steps: knetExchange(func(t *knetTalk) {
			t.ping(0)
			t.say(1, false, pagePong(t.pings[0]))
		})},
		{Rule: "KN-RT-PONG-ONCE", Name: "replies three times", As: "knet:spec", Steps: knetExchange(func(t *knetTalk) {
			t.ping(0)
			t.say(1, false, pagePong(t.pings[0]))
			t.wrong(1, false, pagePong(t.pings[0]))
		})},
		{Rule: "KN-RT-PONG", Name: "replies to none of ten", As: "knet:spec", Steps: knetExchange(func(t *knetTalk) {
			for range 10 {
				t.pings[0]++
				t.say(0, false, pagePing(knet.PingRequest, t.pings[0]))
				t.chat(1)
				t.pause(time.Second)
			}
		})},
		{Rule: "KN-RT-PONG", Name: "replies to the third", Near: true, As: "knet:spec", Steps: knetExchange(func(t *knetTalk) {
			for i := range 10 {
				t.pings[0]++
				t.say(0, false, pagePing(knet.PingRequest, t.pings[0]))
				if i%3 == 2 {
					t.say(1, false, pagePong(t.pings[0]))
				}
				t.chat(1)
			}
		})},
	}
}

// knetSilenceMutants break the rules of how long a side may say or hear nothing.
func knetSilenceMutants() []Mutant {
	return []Mutant{
		{Rule: "KN-RT-KEEPALIVE", Name: "is silent for 40 s", As: "knet:spec", Steps: knetExchange(func(t *knetTalk) { t.pause(40 * time.Second); t.chat(1) })},
		{Rule: "KN-RT-KEEPALIVE", Name: "is silent for 14 s", Near: true, As: "knet:spec", Steps: knetExchange(func(t *knetTalk) { t.pause(14 * time.Second); t.chat(1) })},
		{Rule: "KN-CV-PINGINT", Name: "never pings", As: "knet:spec", Steps: knetExchange(func(t *knetTalk) {
			for range 40 {
				t.say(0, true, knetApp("no ping"))
				t.acks(1)
				t.pause(time.Second)
			}
		})},
		{Rule: "KN-CV-LOST", Name: "goes on without hearing anything for a minute", As: "knet:spec", Steps: knetExchange(func(t *knetTalk) {
			for range 60 {
				t.say(0, false, knetApp("hello?"))
				t.pause(time.Second)
			}
		})},
	}
}

// knetRateMutants break the rules of how many datagrams a second may leave.
func knetRateMutants() []Mutant {
	return []Mutant{
		{Rule: "KN-CV-INITRATE", Name: "sends 60 in its first second", As: "knet:spec", Steps: knetExchange(func(t *knetTalk) {
			for range 60 {
				t.say(0, false, knetApp("hurry"))
				t.steps[len(t.steps)-1].After = 15 * time.Millisecond
			}
		})},
		{Rule: "KN-FC-HONOR", Name: "sends four times as fast as asked", As: "knet:spec", Steps: knetExchange(asksFor(20, 800, 12*time.Millisecond))},
		{Rule: "KN-FC-HONOR", Name: "sends as fast as asked", Near: true, As: "knet:spec", Steps: knetExchange(asksFor(20, 200, 50*time.Millisecond))},
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
