package lab

import (
	"time"

	"github.com/dpdissect/dpdissect/knet"
)

// knetValues come close to the characteristic values, and keep them; and break what
// depends on how far the handshake is.
func knetValues() []Mutant {
	syn := func(t *knetTalk) { t.say(0, false, knet.Control(knet.ConnectSyn, []byte("me"))) }
	return []Mutant{
		{Rule: "KN-SM-REFUSE-ONCE", Name: "refuses each of five attempts", Near: true, As: "knet:spec", Steps: knetBegun(func(t *knetTalk) {
			for range 5 {
				syn(t)
				t.end(1, knet.DisconnectAck)
				t.pause(100 * time.Millisecond)
			}
		})},
		{Rule: "KN-CV-INITRATE", Name: "sends twelve a second", Near: true, As: "knet:spec", Steps: knetExchange(func(t *knetTalk) { t.chat(40) })},
		{Rule: "KN-CV-PINGINT", Name: "pings every 15 s", Near: true, As: "knet:spec", Steps: knetExchange(func(t *knetTalk) {
			for range 3 {
				t.pause(13 * time.Second)
				t.ping(0)
				t.ping(1)
			}
		})},
		{Rule: "KN-CV-RESEND", Name: "sends again after 2 s", Near: true, As: "knet:spec", Steps: knetExchange(func(t *knetTalk) { t.sendAgain(1, 2*time.Second) })},
		{Rule: "KN-CV-MAXSEND", Name: "sends 50 times", Near: true, As: "knet:spec", Steps: knetExchange(func(t *knetTalk) { t.sendAgain(49, 2*time.Second) })},
		{Rule: "KN-CV-LOST", Name: "goes on for 12 s without hearing anything", Near: true, As: "knet:spec", Steps: knetExchange(func(t *knetTalk) {
			for range 12 {
				t.say(0, false, knetApp("hello?"))
				t.pause(time.Second)
			}
		})},
		{Rule: "KN-CV-CONNTO", Name: "goes on when the answer came after 9 s", Near: true, As: "knet:spec", Steps: knetBegun(func(t *knetTalk) {
			syn(t)
			t.say(1, false, knet.Control(knet.ConnectSynAck, nil))
			t.pause(9 * time.Second)
			t.say(0, true, knet.Control(knet.ConnectAck, nil))
			t.chat(4)
		})},
		{Rule: "KN-CV-DISCTO", Name: "says Disconnect for 5 s", Near: true, As: "knet:spec", Steps: knetBegun(func(t *knetTalk) {
			t.open()
			t.chat(12)
			for range 6 {
				t.end(0, knet.Disconnect)
				t.pause(time.Second)
			}
			t.next[1]++ // the first answer is lost
			t.end(1, knet.DisconnectAck)
		})},
		{Rule: "KN-RT-PONG-ONCE", Name: "replies twice", Near: true, As: "knet:spec", Steps: knetExchange(func(t *knetTalk) {
			t.ping(0)
			t.say(1, false, pagePing(knet.PingReply, t.pings[0]))
		})},
		{Rule: "KN-CL-STATE", Name: "says Disconnect before it is answered", As: "knet:spec", Steps: knetBegun(func(t *knetTalk) {
			syn(t)
			t.put(0, true, false, []knet.Dependency{}, knet.Control(knet.Disconnect, nil))
			t.end(1, knet.DisconnectAck)
			t.pause(200 * time.Millisecond)
		})},
	}
}

// sendAgain has the client send a reliable datagram again, that nobody acknowledges
// before.
func (t *knetTalk) sendAgain(times int, every time.Duration) {
	t.say(0, true, knetApp("lost"))
	again := t.steps[len(t.steps)-1].Payload
	id := t.next[0] - 1
	t.owed[1] = t.owed[1][:len(t.owed[1])-1]
	for range times {
		t.chat(1)
		t.raw(0, false, again)
		t.pause(every)
	}
	t.say(1, false, knet.Acknowledge(knet.Spec, knet.IDsFromZero, knet.Ack{PacketID: id}))
}
