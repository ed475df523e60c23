package lab

import (
	"time"

	"github.com/dpdissect/dpdissect/hazel"
)

const ms = time.Millisecond

// hazelDelivery break the rules of reliable delivery.
func hazelDelivery() []Mutant {
	page, now := hazel.Spec, hazel.Current
	spec := "hazel:spec"
	return []Mutant{
		{Rule: "HZ-REL-ACK", Name: "never acknowledges one", As: spec, Steps: unansweredPacket(page, 4, 0)},
		{Rule: "HZ-REL-ACK", Name: "never acknowledges one of a slow sender", As: spec, Steps: slowly(4, 0)},
		{Rule: "HZ-REL-ACK", Name: "acknowledges the fourth copy of a slow sender", Near: true, As: spec, Steps: slowly(4, 4)},
		{Rule: "HZ-REL-ACK", Name: "acknowledges the last copy", Near: true, As: spec, Steps: unansweredPacket(page, 4, 4)},
		{Rule: "HZ-REL-ACK-DUP", Name: "acknowledges first copies alone", As: spec, Steps: doubled(0), Also: []string{"HZ-REL-NORESEND"}},
		{Rule: "HZ-REL-ACK-DUP", Name: "acknowledges most copies", Near: true, As: spec, Steps: doubled(4), Also: []string{"HZ-REL-NORESEND"}},
		{Rule: "HZ-REL-ACK-DUP", Name: "acknowledges a packet once, and never again", As: spec, Steps: acksOnce(page, 0)},
		{Rule: "HZ-REL-ACK-DUP", Name: "acknowledges a packet of today once", As: "hazel:current", Steps: acksOnce(now, 0)},
		{Rule: "HZ-REL-ACK-DUP", Name: "acknowledges the third resend of what it has", Near: true, As: spec, Steps: acksOnce(page, 3)},
		{Rule: "HZ-REL-ACK-KNOWN", Name: "acknowledges what was never sent", As: spec, Steps: talkHazel(page).chat(20).ack(1, 500).fault().chat(20).bye()},
		{Rule: "HZ-REL-ACK-KNOWN", Name: "acknowledges what lies before the first", As: spec, Steps: talkHazel(page).chat(20).ack(1, 60000).fault().chat(20).bye()},
		{Rule: "HZ-REL-ACK-KNOWN", Name: "names one far away", On: "hazel/clean-current", Tamper: hazelExtra(1, 30, 0x0A, 0x40, 0, 0xff)},
		{Rule: "HZ-REL-ACK-KNOWN", Name: "acknowledges the highest", Near: true, As: spec, Steps: talkHazel(page).chat(20).ack(1, 21).chat(20).bye()},
		{Rule: "HZ-REL-ACK-KNOWN", Name: "acknowledges the next ID, one ahead all along", As: spec, Steps: acksAhead(18)},
		{Rule: "HZ-REL-ACK-KNOWN", Name: "acknowledges three IDs, captured later, that the capture may have missed", Near: true, As: spec, Steps: acksAhead(3)},
		{Rule: "HZ-REL-ACK-SURPLUS", Name: "acknowledges one packet five times", As: spec, Steps: acksOf(5)},
		{Rule: "HZ-REL-ACK-SURPLUS", Name: "acknowledges a packet and its copy", Near: true, As: spec, Steps: acksOf(2)},
		{Rule: "HZ-REL-ACK-HISTORY", Name: "acknowledges what was lost", Steps: falseHistory(0xff)},
		{Rule: "HZ-REL-ACK-HISTORY", Name: "denies what was lost", Near: true, Steps: falseHistory(0xfe)},
		{Rule: "HZ-REL-ACK-HISTORY-LOSS", Name: "ignores histories", Steps: denials(false)},
		{Rule: "HZ-REL-ACK-HISTORY-LOSS", Name: "sends again what histories deny", Near: true, Steps: denials(true)},
		{Rule: "HZ-REL-RESEND", Name: "never sends again", As: spec, Steps: forgetful(false)},
		{Rule: "HZ-REL-RESEND", Name: "never sends one again that histories deny", Also: []string{"HZ-REL-ACK-HISTORY-LOSS"}, As: "hazel:current", Steps: denied(false)},
		{Rule: "HZ-REL-RESEND", Name: "sends one again that histories deny", Near: true, As: "hazel:current", Steps: denied(true)},
		{Rule: "HZ-REL-RESEND", Name: "sends again once", Near: true, As: spec, Steps: forgetful(true)},
		{Rule: "HZ-REL-RESEND-SAME", Name: "sends other bytes", As: spec, Steps: talkHazel(page).chat(20).pause(200*ms).reliable(0, 19, "changed").fault().chat(20).bye()},
		{Rule: "HZ-REL-RESEND-SAME", Name: "changes one bit of what is not acknowledged", As: spec, Also: []string{"HZ-REL-ID-UNIQUE"},
			Steps: talkHazel(page).chat(20).unanswered(0).pause(170*ms).reliable(0, 22, "chattes").fault().ack(1, 22).chat(20).bye()},
		{Rule: "HZ-REL-RESEND-SAME", Name: "sends the same", Near: true, As: spec, Steps: talkHazel(page).chat(20).unanswered(0).pause(170*ms).reliable(0, 22, "chatter").ack(1, 22).chat(20).bye()},
		{Rule: "HZ-REL-BACKOFF", Name: "does not double", As: spec, Steps: resends(page, 200, 200, 200)},
		{Rule: "HZ-REL-BACKOFF", Name: "does not double in 0.1", As: "hazel:0.1", Steps: resends(hazel.V01, 200, 200, 200)},
		{Rule: "HZ-REL-BACKOFF", Name: "grows by half", As: spec, Steps: resends(page, 400, 600, 900)},
		{Rule: "HZ-REL-BACKOFF", Name: "doubles", Near: true, As: spec, Steps: resends(page, 200, 400, 800)},
		{Rule: "HZ-REL-BACKOFF", Name: "grows by half as in 2018", Near: true, As: "hazel:0.1", Steps: resends(hazel.V01, 200, 300, 450)},
		{Rule: "HZ-REL-NORESEND", Name: "ignores acknowledgements of one packet", As: spec, Steps: stubborn(6)},
		{Rule: "HZ-REL-NORESEND", Name: "ignores acknowledgements, and says little else", As: spec, Steps: stubbornly(8)},
		// Where the capture misses all that is sent first, what comes looks first, long after its acknowledgement.
		{Rule: "HZ-REL-NORESEND", Name: "sends all again long after it was acknowledged", As: spec, Steps: resendsAcked(1)},
		{Rule: "HZ-REL-NORESEND", Name: "sends every other packet again long after", As: spec, Steps: resendsAcked(2)},
		{Rule: "HZ-REL-NORESEND", Name: "loses every tenth acknowledgement", Near: true, As: spec, Steps: resendsAcked(10)},
		{Rule: "HZ-REL-NORESEND", Name: "sends again what was not acknowledged yet", Near: true, As: spec, Steps: stubborn(1)},
		{Rule: "HZ-REL-EARLY", Name: "does not wait for an answer", As: spec, Steps: earlyHazel(2 * ms)},
		{Rule: "HZ-REL-EARLY", Name: "waits a little longer", Near: true, As: spec, Steps: earlyHazel(40 * ms)},
		{Rule: "HZ-REL-GIVEUP", Name: "never gives up", As: spec, Steps: undying(40), Also: []string{"HZ-REL-ACK"}},
		{Rule: "HZ-REL-GIVEUP", Name: "gives up late", Near: true, As: spec, Steps: undying(8), Also: []string{"HZ-REL-ACK"}},
		{Rule: "HZ-REL-ID-UNIQUE", Name: "uses an outstanding ID for another packet", As: spec, Also: []string{"HZ-REL-RESEND-SAME"},
			Steps: talkHazel(page).chat(20).unanswered(0).reliable(0, 22, "something else").fault().ack(1, 22).chat(20).bye()},
		{Rule: "HZ-REL-ID-UNIQUE", Name: "uses an outstanding ID for another packet, a second and more later", As: spec, Also: []string{"HZ-REL-RESEND-SAME"},
			Steps: talkHazel(page).chat(20).unanswered(0).pause(1500*ms).reliable(0, 22, "something else").fault().ack(1, 22).chat(20).bye()},
		{Rule: "HZ-REL-ID-UNIQUE", Name: "uses the next one", Near: true, As: spec, Steps: talkHazel(page).chat(20).unanswered(0).unanswered(0).ack(1, 22).ack(1, 23).
			pause(100*ms).reliable(0, 22, "chatter").chat(20).bye()},
		{Rule: "HZ-REL-ID-SEQ", Name: "steps back behind the first", As: "hazel:current", Steps: talkHazel(now).chat(20).reliable(0, 65500, "x").fault().chat(20).bye()},
		{Rule: "HZ-REL-ID-SEQ", Name: "leaves out some", Near: true, As: spec, Steps: gappy()},
		{Rule: "HZ-REL-ID-DENSITY", Name: "runs away from a packet it sends in vain", As: spec, Steps: runaway(34)},
		{Rule: "HZ-REL-ID-DENSITY", Name: "stops at 32,000", Near: true, As: spec, Steps: runaway(32)},
		{Rule: "HZ-REL-ID-FIRST", Name: "begins with 4000", As: "hazel:0.1", Steps: firstID(4000)},
		{Rule: "HZ-REL-ID-FIRST", Name: "begins with 0", Near: true, As: "hazel:current", Steps: talkHazel(now).chat(10).bye()},
	}
}

// unansweredPacket sends one packet some times, among others that are acknowledged; the
// one numbered answered, if any, is acknowledged, too.
func unansweredPacket(d hazel.Dialect, times, answered int) []Step {
	t := talkHazel(d).chat(45)
	id, gap := t.next[0], 4
	t.next[0]++
	for i := range times {
		t.reliable(0, id, "chatter")
		if i == 0 && answered == 0 {
			t.fault()
		}
		if i+1 == answered {
			t.ack(1, id)
		}
		t.chat(gap)
		gap *= 2
	}
	return t.chat(40).bye()
}

// slowly is unansweredPacket with few other packets.
func slowly(times, answered int) []Step {
	t := talkHazel(hazel.Spec).chat(8)
	id := t.next[0]
	t.next[0]++
	for i := range times {
		t.pause(170*ms<<i).reliable(0, id, "chatter")
		if i == 0 && answered == 0 {
			t.fault()
		}
		if i+1 == answered {
			t.ack(1, id)
		}
		if i > 0 {
			t.chat(1)
		}
	}
	for range 40 {
		t.pause(150 * ms).chat(1)
	}
	return t.bye()
}

// doubled sends 25 packets twice; every so many copies are not acknowledged, with
// 0 all.
func doubled(skip int) []Step {
	t := talkHazel(hazel.Spec).chat(40)
	for i := range 25 {
		t.says(0)
		id := t.next[0] - 1
		t.pause(170*ms).reliable(0, id, "chatter")
		if skip == 0 {
			t.fault()
		} else if i%skip != 0 {
			t.ack(1, id)
		}
		t.chat(3)
	}
	return t.bye()
}

// acksAhead has the server acknowledge packets by the IDs after theirs, n times.
func acksAhead(n int) []Step {
	t := talkHazel(hazel.Spec).chat(20)
	for range n {
		t.unanswered(0).ack(1, t.next[0]).fault().pause(600 * ms).says(1)
	}
	return t.chat(20).bye()
}

func acksOf(n int) []Step {
	t := talkHazel(hazel.Spec).chat(10).unanswered(0)
	for i := range n {
		t.ack(1, t.next[0]-1)
		if i == 4 {
			t.fault()
		}
	}
	return t.chat(10).bye()
}

// denials reports six packets missing in one history after the other.
func denials(resent bool) []Step {
	t := talkHazel(hazel.Current).chat(30)
	for range 8 {
		lost := t.next[0]
		t.unanswered(0).fault()
		for i := range 8 {
			t.recent = ^uint8(1 << i)
			t.says(0)
			t.recent = 0xff
			t.says(1)
		}
		if resent {
			t.reliable(0, lost, "chatter").ack(1, lost)
		}
		t.chat(12)
	}
	return t.chat(100).bye()
}

// denied is denials of one packet, in a second and more.
func denied(resent bool) []Step {
	t := talkHazel(hazel.Current).chat(30)
	lost := t.next[0]
	t.unanswered(0).fault()
	for i := range 8 {
		t.recent = ^uint8(1 << i)
		t.pause(200 * ms).says(0)
		t.recent = 0xff
		t.says(1)
	}
	if resent {
		t.reliable(0, lost, "chatter").ack(1, lost)
	}
	return t.chat(100).bye()
}

// falseHistory loses eight packets on the way to the capture point. Of each the
// next acknowledgement has the history given.
func falseHistory(recent uint8) []Step {
	t := talkHazel(hazel.Current).chat(40)
	for range 8 {
		lost := t.next[0]
		t.next[0]++
		t.recent = recent
		t.says(0).fault()
		t.recent = 0xff
		t.pause(150*ms).reliable(0, lost, "chatter").ack(1, lost).chat(12)
	}
	return t.bye()
}

// forgetful loses the acknowledgement of every tenth packet.
func forgetful(resent bool) []Step {
	t := talkHazel(hazel.Spec).chat(60)
	for range 12 {
		lost := t.next[0]
		t.unanswered(0).fault()
		if resent {
			t.pause(200*ms).reliable(0, lost, "chatter").ack(1, lost)
		}
		t.chat(9)
	}
	return t.chat(90).bye()
}

// resends sends one packet again after each of the gaps; the last one is
// acknowledged.
func resends(d hazel.Dialect, gaps ...int) []Step {
	t := talkHazel(d).chat(20).unanswered(0)
	id := t.next[0] - 1
	for i, gap := range gaps {
		t.pause(time.Duration(gap)*ms-hazelPace).reliable(0, id, "chatter")
		if i > 0 {
			t.fault()
		}
	}
	return t.ack(1, id).chat(30).bye()
}

// stubborn sends a packet again that was acknowledged n times.
func stubborn(n int) []Step {
	t := talkHazel(hazel.Spec).chat(10).unanswered(0)
	id := t.next[0] - 1
	for i := range n {
		t.chat(4).reliable(0, id, "chatter")
		if i >= 4 {
			t.fault()
		}
		t.ack(1, id)
	}
	return t.chat(20).reliable(0, id, "chatter").ack(1, id).chat(10).bye()
}

// stubbornly is stubborn with one other packet in between.
func stubbornly(n int) []Step {
	t := talkHazel(hazel.Spec).chat(10).unanswered(0)
	id := t.next[0] - 1
	t.ack(1, id)
	for i := range n {
		t.pause(350*ms).says(0).reliable(0, id, "chatter")
		if i >= 3 {
			t.fault()
		}
		t.ack(1, id)
	}
	return t.chat(20).bye()
}

// earlyHazel sends 25 packets again after a time.
func earlyHazel(after time.Duration) []Step {
	t := talkHazel(hazel.Spec).chat(300)
	for range 25 {
		t.unanswered(0)
		id := t.next[0] - 1
		t.pause(after-hazelPace).reliable(0, id, "chatter").fault().ack(1, id).ack(1, id).chat(1)
	}
	return t.bye()
}

// undying sends a packet that is unanswered n times, a second apart.
func undying(n int) []Step {
	t := talkHazel(hazel.Spec).chat(10).unanswered(0)
	id := t.next[0] - 1
	for range n {
		t.chat(8).reliable(0, id, "chatter").chat(1)
		for range 2 {
			t.fault()
			t.chat(1)
		}
	}
	for i := range t.steps {
		t.steps[i].Fault = t.steps[i].From == 0
	}
	return t.bye()
}

// runaway goes on by n thousand ids, most of which the capture misses, while a
// packet is unanswered.
func runaway(n int) []Step {
	t := talkHazel(hazel.Spec).chat(10).unanswered(0)
	id := t.next[0] - 1
	t.pause(170*ms).reliable(0, id, "chatter")
	for i := range n {
		t.next[0] = id + uint16(1000*(i+1))
		if t.says(0); i == 32 {
			t.steps[len(t.steps)-2].Fault = true
		}
	}
	return t.bye()
}

func gappy() []Step {
	t := talkHazel(hazel.Spec)
	for range 10 {
		t.chat(3)
		t.next[0] += 2
	}
	return t.bye()
}

func firstID(id uint16) []Step {
	t := &hazelTalk{d: hazel.V01, next: [2]uint16{id, 1}}
	t.next[0]++
	t.send(0, hazelPace, &hazel.Frame{Type: hazel.Hello, ID: id, HasVersion: true, Data: []byte("player")}).fault()
	return t.ack(1, id).chat(10).bye()
}

// acksOnce sends a packet again six times, though it was acknowledged; the resend numbered
// answered, if any, is acknowledged, too.
func acksOnce(d hazel.Dialect, answered int) []Step {
	t := talkHazel(d).chat(45).says(0)
	id, gap := t.next[0]-1, 4
	for i := range 6 {
		t.reliable(0, id, "chatter")
		switch {
		case i+1 == answered:
			return t.ack(1, id).chat(40).bye()
		case i == 0 && answered == 0:
			t.fault()
		}
		t.chat(gap)
		gap *= 2
	}
	return t.chat(10).bye()
}

// resendsAcked sends every so many packets again, 400 ms after they were acknowledged.
func resendsAcked(each int) []Step {
	t := talkHazel(hazel.Spec).chat(20)
	for i := range 60 {
		t.says(0)
		if i%each == 0 {
			id := t.next[0] - 1
			if t.pause(400*ms).reliable(0, id, "chatter"); each < 3 {
				t.fault()
			}
			t.ack(1, id)
		}
		t.says(1)
	}
	id := t.next[0]
	return t.unanswered(0).pause(200*ms).reliable(0, id, "chatter").ack(1, id).chat(2).bye()
}
