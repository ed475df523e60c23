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
		nearPage("KN-CL-AFTER-DISC", "answers a Disconnect that crossed its own", func(t *knetTalk) {
			t.chat(2)
			t.end(0, knet.Disconnect)
			t.end(1, knet.Disconnect)
			t.end(0, knet.DisconnectAck)
			t.end(1, knet.DisconnectAck)
			t.steps = append(t.steps, Step{From: 0, After: 3 * time.Second, Payload: page(0, false, knet.Control(knet.ConnectSyn, []byte("again")))})
			t.next = [2]uint32{1, 0}
			t.say(1, false, knet.Control(knet.ConnectSynAck, nil))
			t.say(0, true, knet.Control(knet.ConnectAck, nil))
		}),
		{Rule: "KN-CL-AFTER-ACK", Name: "goes on after DisconnectAck", As: "knet:spec", Steps: knetAfter(knet.DisconnectAck)},
		nearPage("KN-CL-AFTER-ACK", "ends with it"),
		{Rule: "KN-CL-AFTER-DISC", Name: "goes on after Disconnect of the library", On: knetLibSession,
			Tamper: knetOneMore(0, knet.Disconnect, func(id uint32) []byte { return lib(id, knetApp("x")) })},
		{Rule: "KN-CL-AFTER-DISC", Name: "leaves all as it is", On: knetLibSession, Near: true},
		onPage("KN-CL-DISCACK-UNSOL", "says DisconnectAck in the middle", func(t *knetTalk) {
			t.put(0, true, false, []knet.Dependency{}, knet.Control(knet.DisconnectAck, nil))
		}),
		nearPage("KN-CL-DISCACK-UNSOL", "says it at the end"),
		onPage("KN-CL-DISCACK", "goes on after three Disconnects", func(t *knetTalk) {
			for range 3 {
				t.end(0, knet.Disconnect)
				t.pause(time.Second)
			}
			for range 5 {
				t.say(1, false, knetApp("still here"))
				t.pause(500 * time.Millisecond)
			}
		}).also("KN-CL-AFTER-DISC"),
		nearPage("KN-CL-DISCACK", "answers the first"),
		onPage("KN-CV-DISCTO", "says Disconnect for 20 s", func(t *knetTalk) {
			for range 11 {
				t.end(0, knet.Disconnect)
				t.pause(2 * time.Second)
			}
		}).also("KN-CL-AFTER-DISC"),
		nearPage("KN-CL-STATE", "says it at the end"),
	}
}

// knetHandshakes break the rules of the handshake.
func knetHandshakes() []Mutant {
	return []Mutant{
		onPage("KN-SM-ROLE", "is a server and says ConnectSyn", func(t *knetTalk) { t.wrong(1, false, knet.Control(knet.ConnectSyn, nil)) }),
		onPage("KN-SM-ROLE", "is a server and says ConnectAck", func(t *knetTalk) { t.wrong(1, true, knet.Control(knet.ConnectAck, nil)) }),
		onPage("KN-SM-ROLE", "is a client and says ConnectSynAck", func(t *knetTalk) { t.wrong(0, false, knet.Control(knet.ConnectSynAck, nil)) }),
		nearPage("KN-SM-ROLE", "says ConnectSyn twice", func(t *knetTalk) {}),
		onPage("KN-SM-SYNACK-UNSOL", "says ConnectSynAck in the middle", func(t *knetTalk) {
			t.chat(6)
			t.wrong(1, false, knet.Control(knet.ConnectSynAck, nil))
		}),
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
		nearPage("KN-SM-PENDING", "waits for the answer"),
		nearPage("KN-SM-CONFIRM", "confirms with what it has to say"),
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
		onPage("KN-DG-ID-UNIQUE", "sends other content under an old PacketID", func(t *knetTalk) { t.raw(0, true, page(3, false, knetApp("other"))) }),
		onPage("KN-DG-ID-UNIQUE", "steps back and goes on with other contents", func(t *knetTalk) {
			t.chat(20)
			t.next[0] -= 20
			for i := range 20 {
				t.wrong(0, true, knetApp(fmt.Sprint("once more ", i)))
				t.acks(1)
			}
		}),
		nearPage("KN-DG-ID-UNIQUE", "sends a reliable datagram again", func(t *knetTalk) {
			t.say(0, true, knetApp("lost"))
			again := t.steps[len(t.steps)-1].Payload
			t.chat(3)
			t.raw(0, false, again)
		}),
		onPage("KN-DG-ID-BACK", "comes to a PacketID long after others", func(t *knetTalk) {
			skipped := t.next[0]
			t.next[0]++
			t.chat(30)
			t.raw(0, true, page(skipped, false, knetApp("late")))
		}),
		nearPage("KN-DG-ID-BACK", "is overtaken", func(t *knetTalk) {
			t.say(0, false, knetApp("overtaken"))
			t.say(0, false, knetApp("overtaking"))
			n := len(t.steps)
			t.steps[n-1], t.steps[n-2] = t.steps[n-2], t.steps[n-1]
		}),
		onPage("KN-DG-ID-INC", "counts by two", func(t *knetTalk) {
			for i := range 120 {
				t.next[0]++
				t.put(0, i == 0, true, nil, knetApp("even"))
				t.acks(1)
			}
		}),
		nearPage("KN-DG-ID-INC", "counts by one", func(t *knetTalk) {
			for range 60 {
				t.say(0, true, knetApp("even"))
				t.acks(1)
			}
		}),
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
