package lab

import (
	"fmt"
	"slices"
	"time"

	"github.com/dpdissect/dpdissect/knet"
)

// knetSession break the rules of the handshake, of closing and of PacketIDs.
func knetSession() []Mutant {
	return slices.Concat(knetClosing(), knetHandshakes(), knetPacketIDs())
}

// knetClosing break the rules of closing.
func knetClosing() []Mutant {
	return []Mutant{
		{Rule: "KN-CL-AFTER-DISC", Name: "goes on after Disconnect", As: "knet:spec", Steps: knetAfter(knet.Disconnect)},
		{Rule: "KN-CL-AFTER-DISC", Name: "answers a Disconnect that crossed its own", Near: true, As: "knet:spec", Steps: knetExchange(func(t *knetTalk) {
			t.chat(2)
			t.end(0, knet.Disconnect)
			t.end(1, knet.Disconnect)
			t.end(0, knet.DisconnectAck)
			t.end(1, knet.DisconnectAck)
			t.steps = append(t.steps, Step{From: 0, After: 3 * time.Second, Payload: page(0, false, knet.Control(knet.ConnectSyn, []byte("again")))})
			t.next = [2]uint32{1, 0}
			t.say(1, false, knet.Control(knet.ConnectSynAck, nil))
			t.say(0, true, knet.Control(knet.ConnectAck, nil))
		})},
		{Rule: "KN-CL-AFTER-ACK", Name: "goes on after DisconnectAck", As: "knet:spec", Steps: knetAfter(knet.DisconnectAck)},
		{Rule: "KN-CL-AFTER-ACK", Name: "ends with it", Near: true, As: "knet:spec", Steps: knetExchange()},
		{Rule: "KN-CL-AFTER-DISC", Name: "goes on after Disconnect of the library", On: knetLibSession,
			Tamper: knetOneMore(0, knet.Disconnect, func(id uint32) []byte { return lib(id, knetApp("x")) })},
		{Rule: "KN-CL-AFTER-DISC", Name: "leaves all as it is", On: knetLibSession, Near: true},
		{Rule: "KN-CL-DISCACK-UNSOL", Name: "says DisconnectAck in the middle", As: "knet:spec", Steps: knetExchange(func(t *knetTalk) {
			t.put(0, true, false, []knet.Dependency{}, knet.Control(knet.DisconnectAck, nil))
		})},
		{Rule: "KN-CL-DISCACK-UNSOL", Name: "says it at the end", Near: true, As: "knet:spec", Steps: knetExchange()},
		{Rule: "KN-CL-DISCACK", Name: "goes on after three Disconnects", As: "knet:spec", Also: []string{"KN-CL-AFTER-DISC"}, Steps: knetExchange(func(t *knetTalk) {
			for range 3 {
				t.end(0, knet.Disconnect)
				t.pause(time.Second)
			}
			for range 5 {
				t.say(1, false, knetApp("still here"))
				t.pause(500 * time.Millisecond)
			}
		})},
		{Rule: "KN-CL-DISCACK", Name: "answers the first", Near: true, As: "knet:spec", Steps: knetExchange()},
		{Rule: "KN-CV-DISCTO", Name: "says Disconnect for 20 s", As: "knet:spec", Also: []string{"KN-CL-AFTER-DISC"}, Steps: knetExchange(func(t *knetTalk) {
			for range 11 {
				t.end(0, knet.Disconnect)
				t.pause(2 * time.Second)
			}
		})},
		{Rule: "KN-CL-STATE", Name: "says it at the end", Near: true, As: "knet:spec", Steps: knetExchange()},
	}
}

// knetHandshakes break the rules of the handshake.
func knetHandshakes() []Mutant {
	return []Mutant{
		{Rule: "KN-SM-ROLE", Name: "is a server and says ConnectSyn", As: "knet:spec", Steps: knetExchange(func(t *knetTalk) { t.wrong(1, false, knet.Control(knet.ConnectSyn, nil)) })},
		{Rule: "KN-SM-ROLE", Name: "is a server and says ConnectAck", As: "knet:spec", Steps: knetExchange(func(t *knetTalk) { t.wrong(1, true, knet.Control(knet.ConnectAck, nil)) })},
		{Rule: "KN-SM-ROLE", Name: "is a client and says ConnectSynAck", As: "knet:spec", Steps: knetExchange(func(t *knetTalk) { t.wrong(0, false, knet.Control(knet.ConnectSynAck, nil)) })},
		{Rule: "KN-SM-ROLE", Name: "says ConnectSyn twice", Near: true, As: "knet:spec", Steps: knetExchange(func(t *knetTalk) {})},
		{Rule: "KN-SM-SYNACK-UNSOL", Name: "says ConnectSynAck in the middle", As: "knet:spec", Steps: knetExchange(func(t *knetTalk) {
			t.chat(6)
			t.wrong(1, false, knet.Control(knet.ConnectSynAck, nil))
		})},
		{Rule: "KN-SM-SYNACK-UNSOL", Name: "answers two ConnectSyns", Near: true, As: "knet:spec", Steps: knetBegun(func(t *knetTalk) {
			for range 2 {
				t.say(0, false, knet.Control(knet.ConnectSyn, []byte("me")))
			}
			for range 2 {
				t.say(1, false, knet.Control(knet.ConnectSynAck, nil))
			}
			t.say(0, true, knet.Control(knet.ConnectAck, nil))
			t.chat(8)
			t.close()
		})},
		{Rule: "KN-SM-PENDING", Name: "speaks before it is answered", As: "knet:spec", Steps: knetBegun(knetTooEarly)},
		{Rule: "KN-SM-PENDING", Name: "waits for the answer", Near: true, As: "knet:spec", Steps: knetExchange()},
		{Rule: "KN-SM-CONFIRM", Name: "confirms with what it has to say", Near: true, As: "knet:spec", Steps: knetExchange()},
		{Rule: "KN-SM-PENDING", Name: "speaks behind its ConnectSynAck", As: "knet:spec", Steps: knetBegun(knetEarly(300*time.Millisecond, true))},
		{Rule: "KN-SM-PENDING", Name: "waits for a client that is slow", As: "knet:spec", Steps: knetBegun(knetEarly(900*time.Millisecond, false)), Near: true},
		{Rule: "KN-SM-REFUSE-ONCE", Name: "refuses 20 times", As: "knet:spec", Steps: knetBegun(func(t *knetTalk) {
			t.say(0, false, knet.Control(knet.ConnectSyn, []byte("me")))
			for range 20 {
				t.put(1, true, false, []knet.Dependency{}, knet.Control(knet.DisconnectAck, nil))
			}
		})},
		{Rule: "KN-CV-CONNTO", Name: "goes on when the answer came after 25 s", As: "knet:spec", Steps: knetBegun(func(t *knetTalk) {
			t.say(0, false, knet.Control(knet.ConnectSyn, []byte("me")))
			t.say(1, false, knet.Control(knet.ConnectSynAck, nil))
			t.pause(25 * time.Second)
			t.say(0, true, knet.Control(knet.ConnectAck, nil))
			t.chat(4)
		})},
	}
}

// knetPacketIDs break the rules of PacketIDs.
func knetPacketIDs() []Mutant {
	return []Mutant{
		{Rule: "KN-DG-ID-UNIQUE", Name: "sends other content under an old PacketID", As: "knet:spec", Steps: knetExchange(func(t *knetTalk) { t.raw(0, true, page(3, false, knetApp("other"))) })},
		{Rule: "KN-DG-ID-UNIQUE", Name: "steps back and goes on with other contents", As: "knet:spec", Steps: knetExchange(func(t *knetTalk) {
			t.chat(20)
			t.next[0] -= 20
			for i := range 20 {
				t.wrong(0, true, knetApp(fmt.Sprint("once more ", i)))
				t.acks(1)
			}
		})},
		{Rule: "KN-DG-ID-UNIQUE", Name: "sends a reliable datagram again", Near: true, As: "knet:spec", Steps: knetExchange(func(t *knetTalk) {
			t.say(0, true, knetApp("lost"))
			again := t.steps[len(t.steps)-1].Payload
			t.chat(3)
			t.raw(0, false, again)
		})},
		{Rule: "KN-DG-ID-BACK", Name: "comes to a PacketID long after others", As: "knet:spec", Steps: knetExchange(func(t *knetTalk) {
			skipped := t.next[0]
			t.next[0]++
			t.chat(30)
			t.raw(0, true, page(skipped, false, knetApp("late")))
		})},
		{Rule: "KN-DG-ID-BACK", Name: "is overtaken", Near: true, As: "knet:spec", Steps: knetExchange(func(t *knetTalk) {
			t.say(0, false, knetApp("overtaken"))
			t.say(0, false, knetApp("overtaking"))
			n := len(t.steps)
			t.steps[n-1], t.steps[n-2] = t.steps[n-2], t.steps[n-1]
		})},
		{Rule: "KN-DG-ID-INC", Name: "counts by two", As: "knet:spec", Steps: knetExchange(func(t *knetTalk) {
			for i := range 120 {
				t.next[0]++
				t.put(0, i == 0, true, nil, knetApp("even"))
				t.acks(1)
			}
		})},
		{Rule: "KN-DG-ID-INC", Name: "counts by one", Near: true, As: "knet:spec", Steps: knetExchange(func(t *knetTalk) {
			for range 60 {
				t.say(0, true, knetApp("even"))
				t.acks(1)
			}
		})},
	}
}

// knetAfter goes on after a Disconnect or its answer.
func knetAfter(k knet.Kind) []Step {
	t := &knetTalk{}
	t.open()
	t.chat(6)
	t.end(0, knet.Disconnect)
	if k == knet.DisconnectAck {
		t.end(1, k)
		t.wrong(1, false, knetApp("one more thing"))
	} else {
		t.wrong(0, false, knetApp("one more thing"))
		t.end(1, knet.DisconnectAck)
	}
	return t.steps
}

// knetTooEarly has the client speak before it is answered.
func knetTooEarly(t *knetTalk) {
	t.say(0, false, knet.Control(knet.ConnectSyn, []byte("me")))
	t.wrong(0, false, knetApp("too early"))
	t.say(1, false, knet.Control(knet.ConnectSynAck, nil))
	t.say(0, true, knet.Control(knet.ConnectAck, nil))
	t.chat(12)
	t.close()
}

// knetEarly has the client wait before its ConnectAck; with fault, the server speaks
// before that.
func knetEarly(wait time.Duration, fault bool) knetPart {
	return func(t *knetTalk) {
		t.say(0, false, knet.Control(knet.ConnectSyn, []byte("me")))
		t.say(1, false, knet.Control(knet.ConnectSynAck, nil))
		if fault {
			t.wrong(1, false, knetApp("too early"))
		}
		t.say(0, true, knet.Control(knet.ConnectAck, nil))
		t.steps[len(t.steps)-1].After = wait
		t.acks(1)
		t.chat(12)
		t.close()
	}
}

// knetBegun is a connection from its first datagram.
func knetBegun(begin knetPart) []Step {
	t := &knetTalk{}
	begin(t)
	return t.steps
}
