package lab

import (
	"time"

	"github.com/dpdissect/dpdissect/knet"
)

// knetOrder break the rules of dependencies and of knetTransfers.
func knetOrder() []Mutant {
	depends := func(delta, index uint16) []knet.Dependency { return []knet.Dependency{{Delta: delta, Index: index}} }
	return []Mutant{
		{Rule: "KN-IO-PAST", Name: "depends on what is before the first datagram", As: "knet:spec", Steps: knetExchange(func(t *knetTalk) {
			t.put(0, true, false, depends(300, 0), knetCoded(knetApp("x"), 1))
		})},
		{Rule: "KN-IO-PAST", Name: "depends on the first datagram of all", Near: true, As: "knet:spec", Steps: knetExchange(func(t *knetTalk) {
			t.put(0, false, false, depends(uint16(t.next[0]-1), 0), knetCoded(knetApp("x"), 1))
		})},
		{Rule: "KN-IO-REL-ON-UNREL", Name: "is reliable and depends on what is not", As: "knet:spec", Steps: knetExchange(func(t *knetTalk) {
			t.say(0, false, knetApp("unreliable"))
			t.put(0, true, true, depends(0, 0), knetCoded(knetApp("x"), 1))
			t.acks(1)
		})},
		{Rule: "KN-IO-REL-ON-UNREL", Name: "is unreliable and depends on what is not", Near: true, As: "knet:spec", Steps: knetExchange(func(t *knetTalk) {
			t.say(0, false, knetApp("unreliable"))
			t.put(0, false, false, depends(0, 0), knetCoded(knetApp("x"), 1))
		})},
		{Rule: "KN-IO-INDEX", Name: "depends on the fifth of two messages", As: "knet:spec", Steps: knetExchange(func(t *knetTalk) {
			t.say(0, false, knetApp("one"), knetApp("two"))
			t.put(0, true, false, depends(0, 4), knetCoded(knetApp("x"), 1))
		})},
		{Rule: "KN-IO-INDEX", Name: "depends on the second of two messages", Near: true, As: "knet:spec", Steps: knetExchange(func(t *knetTalk) {
			t.say(0, false, knetApp("one"), knetApp("two"))
			t.put(0, false, false, depends(0, 1), knetCoded(knetApp("x"), 1))
		})},
		{Rule: "KN-FR-START-ONCE", Name: "begins a transfer twice", As: "knet:spec", Also: []string{"KN-FR-ID-REUSE"}, Steps: knetExchange(func(t *knetTalk) {
			t.say(0, true, knetStart(3, 4, "one"), knetLater(3, 1, "two"))
			t.acks(1)
			t.wrong(0, true, knetStart(3, 5, "other"))
			t.acks(1)
		})},
		{Rule: "KN-FR-START-ONCE", Name: "begins it again when it is over", Near: true, As: "knet:spec", Steps: knetExchange(knetTransfers)},
		{Rule: "KN-FR-NUM-UNIQUE", Name: "sends two contents of a fragment", As: "knet:spec", Steps: knetExchange(func(t *knetTalk) {
			t.say(0, true, knetStart(3, 4, "one"), knetLater(3, 1, "two"))
			t.acks(1)
			t.wrong(0, true, knetLater(3, 1, "other"))
			t.acks(1)
		})},
		{Rule: "KN-FR-NUM-UNIQUE", Name: "sends each fragment once", Near: true, As: "knet:spec", Steps: knetExchange(knetTransfers)},
		{Rule: "KN-FR-ID-REUSE", Name: "uses an id again before all is acknowledged", As: "knet:spec", Steps: knetExchange(func(t *knetTalk) {
			t.say(0, true, knetStart(3, 2, "one"), knetLater(3, 1, "two"))
			t.wrong(0, true, knetStart(3, 2, "three"), knetLater(3, 1, "four"))
			t.say(0, false, knetApp("meanwhile"))
			t.pause(200 * time.Millisecond)
			t.acks(1)
		})},
		{Rule: "KN-FR-ID-REUSE", Name: "uses an id again when all is acknowledged", Near: true, As: "knet:spec", Steps: knetExchange(knetTransfers)},
		{Rule: "KN-FR-ID-REUSE", Name: "uses an id again, and then sends the first transfer again", As: "knet:spec", Steps: knetExchange(func(t *knetTalk) {
			t.say(0, true, knetStart(3, 2, "one"), knetLater(3, 1, "two"))
			again := t.steps[len(t.steps)-1].Payload
			id := t.next[0] - 1
			t.owed[1] = nil
			t.chat(2)
			t.wrong(0, true, knetStart(3, 2, "three"), knetLater(3, 1, "four"))
			t.acks(1)
			t.pause(2 * time.Second)
			t.raw(0, false, again)
			t.owed[1] = append(t.owed[1], id)
			t.acks(1)
		})},
		{Rule: "KN-FR-ID-REUSE", Name: "sends a transfer again before it uses the id again", Near: true, As: "knet:spec", Steps: knetExchange(func(t *knetTalk) {
			t.say(0, true, knetStart(3, 2, "one"), knetLater(3, 1, "two"))
			again := t.steps[len(t.steps)-1].Payload
			id := t.next[0] - 1
			t.owed[1] = nil
			t.chat(2)
			t.pause(2 * time.Second)
			t.raw(0, false, again)
			t.owed[1] = append(t.owed[1], id)
			t.acks(1)
			t.say(0, true, knetStart(3, 2, "three"), knetLater(3, 1, "four"))
			t.acks(1)
		})},
		{Rule: "KN-FR-COMPLETE", Name: "sends three of four fragments", As: "knet:spec", Steps: knetExchange(func(t *knetTalk) {
			t.wrong(0, true, knetStart(3, 4, "one"), knetLater(3, 1, "two"), knetLater(3, 3, "four"))
			t.acks(1)
		})},
		{Rule: "KN-FR-COMPLETE", Name: "sends all", Near: true, As: "knet:spec", Steps: knetExchange(knetTransfers)},
		{Rule: "KN-MB-FRAGNUM", Name: "goes on behind the last fragment", As: "knet:spec", Steps: knetExchange(func(t *knetTalk) {
			t.say(0, true, knetStart(3, 3, "one"), knetLater(3, 1, "two"))
			t.acks(1)
			t.wrong(0, true, knetLater(3, 3, "four"))
			t.acks(1)
			t.say(0, true, knetLater(3, 2, "three"))
			t.acks(1)
		})},
		{Rule: "KN-MB-FRAGNUM", Name: "sends the last one first", Near: true, As: "knet:spec", Steps: knetExchange(func(t *knetTalk) {
			t.say(0, true, knetLater(3, 2, "three"))
			t.acks(1)
			t.say(0, true, knetStart(3, 3, "one"), knetLater(3, 1, "two"))
			t.acks(1)
		})},
	}
}

// knetTransfers are three, under one id.
func knetTransfers(t *knetTalk) {
	for _, text := range []string{"a", "b", "c"} {
		t.say(0, true, knetStart(3, 2, text), knetLater(3, 1, text+text))
		t.acks(1)
	}
}
