package lab

import (
	"time"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/hazel"
)

// hazelSession break the rules of keepalives and of sessions.
func hazelSession() []Mutant {
	spec, now := "hazel:spec", "hazel:current"
	talk := func() *hazelTalk { return talkHazel(hazel.Spec).chat(20) }
	return []Mutant{
		{Rule: "HZ-KA-SENT", Name: "falls silent once", As: spec, Steps: alive(45 * time.Second)},
		{Rule: "HZ-KA-SENT", Name: "keeps alive in time", Near: true, As: spec, Steps: alive(12 * time.Second)},
		{Rule: "HZ-KA-ACKED", Name: "does not acknowledge Pings", As: now, Steps: pings(30, false)},
		{Rule: "HZ-KA-ACKED", Name: "acknowledges Pings", Near: true, As: now, Steps: pings(12, true)},
		{Rule: "HZ-KA-EARLY", Name: "keeps alive in conversation", As: spec, Steps: restless(100 * ms)},
		{Rule: "HZ-KA-EARLY", Name: "keeps alive in silence", Near: true, As: spec, Steps: restless(10 * time.Second)},
		{Rule: "HZ-KA-DEAD", Name: "pings for ever", As: now, Steps: unackedPings(24)},
		{Rule: "HZ-KA-DEAD", Name: "pings five times", Near: true, As: now, Steps: unackedPings(5)},
		{Rule: "HZ-SES-HELLO-FIRST", Name: "begins with Hello", Near: true, As: spec, Steps: talk().bye()},
		{Rule: "HZ-SES-HELLO-ACK", Name: "speaks and does not acknowledge the Hello", As: now, Steps: unwelcome(false)},
		{Rule: "HZ-SES-HELLO-ACK", Name: "acknowledges all Hellos but the first", Near: true, As: now, Steps: unwelcome(true)},
		{Rule: "HZ-SES-HELLO-AGAIN", Name: "introduces itself again", As: now, Steps: again(hazel.Current, "player one")},
		{Rule: "HZ-SES-HELLO-AGAIN", Name: "keeps alive with Hello", Near: true, As: "hazel:0.1", Steps: again(hazel.V01, "")},
		{Rule: "HZ-SES-DISC-LAST", Name: "sends data behind its Disconnect", As: spec, Steps: append(talk().bye(), Step{From: 0, After: 300 * ms, Payload: []byte{1, 0, 22, 'x'}, Fault: true})},
		{Rule: "HZ-SES-DISC-LAST", Name: "sends unreliable data behind it", As: spec, Steps: append(talk().bye(), Step{From: 0, After: 2 * time.Second, Payload: []byte{0, 'x'}, Fault: true})},
		{Rule: "HZ-SES-DISC-LAST", Name: "acknowledges behind it", Near: true, As: spec,
			Steps: talk().unanswered(1).raw(0, 0, 9).ack(0, 21).steps},
		{Rule: "HZ-SES-DISC-REPLY", Name: "answers with one", Near: true, As: spec, Steps: talk().bye()},
		{Rule: "HZ-SES-DISC-REPLY", Name: "goes on when the other has left", As: spec, Steps: abandoned(5)},
	}
}

// alive keeps alive every 10 s, and once after another time.
func alive(once time.Duration) []Step {
	t := talkHazel(hazel.Spec).chat(8)
	beat := func(after time.Duration) {
		for side := range dissect.Dirs {
			t.pause(after)
			after = 0
			t.send(side, hazelPace, &hazel.Frame{Type: hazel.Hello, ID: t.next[side]})
			t.next[side]++
			t.ack(side.Other(), t.next[side]-1)
		}
	}
	for range 4 {
		beat(10 * time.Second)
	}
	t.pause(once).unanswered(0).fault().ack(1, t.next[0]-1).says(1)
	beat(10 * time.Second)
	return t.chat(20).bye()
}

// pings sends Pings among packets that are acknowledged.
func pings(n int, acked bool) []Step {
	t := talkHazel(hazel.Current).chat(60)
	for range n {
		t.pause(time.Second).ping(0).fault()
		id := t.next[0] - 1
		if t.recent = 0xfe; acked {
			t.recent = 0xff
			t.ack(1, id)
		}
		t.says(0)
		t.recent = 0xff
		t.says(1)
	}
	return t.chat(60).bye()
}

// restless keeps alive a time after it said something.
func restless(after time.Duration) []Step {
	t := talkHazel(hazel.Spec).chat(8)
	for range 6 {
		t.chat(2).pause(after).send(0, 0, &hazel.Frame{Type: hazel.Hello, ID: t.next[0]}).fault()
		t.next[0]++
		t.ack(1, t.next[0]-1)
	}
	return t.chat(8).bye()
}

// unackedPings sends Pings that nobody acknowledges to a side that speaks.
func unackedPings(n int) []Step {
	t := talkHazel(hazel.Current).chat(10).ping(0)
	t.ack(1, t.next[0]-1)
	for range n {
		t.pause(1400*ms).ping(0).fault().raw(1, hazelReply, 0, 1, 0, 5, 'x')
	}
	return t.bye()
}

// unwelcome has a server that answers Hellos with data.
func unwelcome(acked bool) []Step {
	t := &hazelTalk{d: hazel.Current, recent: 0xff}
	t.hello().unanswered(1).fault().ack(0, 0)
	hello := t.steps[0].Payload
	for i := range 6 {
		for range 12 {
			t.says(1)
		}
		t.raw(0, hazelPace, hello...)
		if acked {
			t.ack(1, 0)
		}
		if acked && i == 3 {
			break
		}
	}
	for range 30 {
		t.says(1)
	}
	return t.bye()
}

// again sends a second Hello on a live connection.
func again(d hazel.Dialect, text string) []Step {
	t := talkHazel(d)
	if d == hazel.V01 {
		t.pause(10 * time.Second)
	}
	t.chat(10).send(0, hazelPace, &hazel.Frame{Type: hazel.Hello, ID: t.next[0], HasVersion: true, Data: []byte(text)}).fault()
	t.next[0]++
	return t.ack(1, t.next[0]-1).chat(10).bye()
}

// abandoned goes on after n Disconnects of the other side.
func abandoned(n int) []Step {
	t := talkHazel(hazel.Spec).chat(10)
	for range n {
		t.raw(0, hazelPace, 9)
	}
	for range 30 {
		t.pause(500 * ms).unanswered(1).fault()
	}
	return t.steps
}
