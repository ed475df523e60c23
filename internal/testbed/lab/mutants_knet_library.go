package lab

import (
	"time"

	"github.com/dpdissect/dpdissect/knet"
)

// knetLibrary break rules as the library would: its messages have numbers and travel
// again in other datagrams.
func knetLibrary() []Mutant {
	return []Mutant{
		{Rule: "KN-RD-NORESEND", Name: "sends a message again whose acknowledgement it has acknowledged", As: "knet:reference", Steps: libExchange(libAgain(func(t *libTalk) {
			t.say(1, false, append(t.owes(1), t.told(1, "with it"))...)
			t.acks(0)
		}, true))},
		{Rule: "KN-RD-NORESEND", Name: "sends a message again that was acknowledged with a ping it replied to", As: "knet:reference", Steps: libExchange(libAgain(func(t *libTalk) {
			t.pings[1]++
			t.say(1, false, append(t.owes(1), libControl(knet.PingRequest, t.pings[1]))...)
			t.say(0, false, libControl(knet.PingReply, t.pings[1]))
		}, true))},
		{Rule: "KN-RD-NORESEND", Name: "sends a message again that was not acknowledged", Near: true, As: "knet:reference", Steps: libExchange(libAgain(func(t *libTalk) { t.owed[1] = nil }, false))},
		{Rule: "KN-RD-ACKED", Name: "acknowledges nothing", As: "knet:reference", Steps: libExchange(func(t *libTalk) {
			t.mute[1] = true
			t.lively(26)
			t.mute[1] = false
		})},
		{Rule: "KN-RD-ACKED", Name: "acknowledges all that came, later", Near: true, As: "knet:reference", Steps: libExchange()},
		{Rule: "KN-CV-ACKDELAY", Name: "acknowledges after 500 ms", As: "knet:reference", Steps: libExchange(acksAfter(500 * time.Millisecond))},
		{Rule: "KN-CV-ACKDELAY", Name: "acknowledges after 60 ms", Near: true, As: "knet:reference", Steps: libExchange(acksAfter(60 * time.Millisecond))},
		{Rule: "KN-RT-PONG", Name: "replies after two seconds", As: "knet:reference", Steps: libExchange(repliesAfter(2 * time.Second))},
		{Rule: "KN-RT-PONG", Name: "replies after 200 ms", Near: true, As: "knet:reference", Steps: libExchange(repliesAfter(200 * time.Millisecond))},
		{Rule: "KN-FR-ID-REUSE", Name: "uses an id again, and then sends the first transfer again", As: "knet:reference", Steps: libExchange(func(t *libTalk) {
			one := t.transfer(1, 2, "one", "two")
			t.say(0, false, one...)
			t.owed[1] = nil
			t.chat(2)
			t.say(0, true, t.transfer(1, 2, "three", "four")...)
			t.acks(1)
			t.pause(5 * time.Second)
			t.say(0, false, one...)
			t.acks(1)
		})},
		{Rule: "KN-FR-ID-REUSE", Name: "uses an id again when all is acknowledged", Near: true, As: "knet:reference", Steps: libExchange(func(t *libTalk) {
			for _, text := range []string{"a", "b", "c"} {
				t.say(0, false, t.transfer(1, 2, text, text+text)...)
				t.acks(1)
			}
		})},
		{Rule: "KN-MB-FRAGNUM", Name: "goes on behind the last fragment", As: "knet:reference", Steps: libExchange(func(t *libTalk) {
			all := t.transfer(1, 3, "one", "two", "three", "four")
			t.say(0, false, all[:3]...)
			t.acks(1)
			t.say(0, true, all[3:]...)
			t.acks(1)
		})},
		{Rule: "KN-MB-FRAGNUM", Name: "ends with the last fragment", Near: true, As: "knet:reference", Steps: libExchange(func(t *libTalk) {
			all := t.transfer(1, 4, "one", "two", "three", "four")
			t.say(0, false, all[:3]...)
			t.acks(1)
			t.say(0, false, all[3:]...)
			t.acks(1)
		})},
		{Rule: "KN-DG-ID-UNIQUE", Name: "sends a reliable message again with other content", As: "knet:reference", Steps: libExchange(func(t *libTalk) {
			m := t.told(0, "the first content")
			t.say(0, false, m)
			t.owed[1] = nil
			t.lively(2)
			m.Body = []byte("the other content")
			t.say(0, true, m)
			t.acks(1)
		})},
		{Rule: "KN-DG-ID-UNIQUE", Name: "sends a reliable message again as it was", Near: true, As: "knet:reference", Steps: libExchange(libAgain(func(t *libTalk) { t.owed[1] = nil }, false))},
	}
}

// acksAfter has the server acknowledge some time after a message, for half a minute.
func acksAfter(d time.Duration) func(t *libTalk) {
	return func(t *libTalk) {
		for i := range 32 {
			t.say(0, false, t.told(0, "when is it acknowledged?"))
			t.pause(time.Second - d)
			t.say(1, i > 20, t.owes(1)...)
			t.steps[len(t.steps)-1].After = d
			t.ping(0)
		}
	}
}

// repliesAfter has the server reply some time after a PingRequest, and acknowledge what
// comes meanwhile.
func repliesAfter(d time.Duration) func(t *libTalk) {
	return func(t *libTalk) {
		for i := range 8 {
			t.pings[0]++
			t.say(0, false, libControl(knet.PingRequest, t.pings[0]))
			t.say(0, false, t.told(0, "sent behind it"))
			t.acks(1)
			t.say(1, i > 2, libControl(knet.PingReply, t.pings[0]))
			t.steps[len(t.steps)-1].After = d
			t.chat(1)
			t.pause(3 * time.Second)
		}
	}
}

// libAgain has the client send a message, what happens with it, and then send it again.
func libAgain(meanwhile func(t *libTalk), fault bool) func(t *libTalk) {
	return func(t *libTalk) {
		m := t.told(0, "said once more")
		t.say(0, false, m)
		meanwhile(t)
		t.lively(2)
		t.say(0, fault, m)
		t.pause(time.Second)
		t.acks(1)
	}
}
