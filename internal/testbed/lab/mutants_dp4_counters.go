package lab

import (
	"slices"
	"time"

	"github.com/dpdissect/dpdissect/dp4"
	"github.com/dpdissect/dpdissect/session/conform"
)

// dp4Counters break the rules of initial values, counters and timers.
func dp4Counters() []Mutant {
	const clean = "dp4/windows-clean"
	ack := dp4By(2, dp4ACK)
	start := uint32(0)
	tick := func(of func(ms uint32) uint32) func() func(f *dp4.Frame) bool {
		return func() func(f *dp4.Frame) bool {
			start = 0
			return func(f *dp4.Frame) bool {
				if start == 0 {
					start = f.Tick
				}
				f.Tick = start + of(f.Tick-start)
				return false
			}
		}
	}
	return slices.Concat([]Mutant{
		{Rule: "DP4-3.1.3-SEQ-START", Name: "begins with sequence 0 under the strict text", On: "dp4/first-ids-0", Profile: conform.Profile{Strict: true}},
		{Rule: "DP4-3.1.3-SEQ-START", Name: "begins with sequence 0", Near: true, On: "dp4/first-ids-0"},
		{Rule: "DP4-3.1.3-TICK-RATE", Name: "counts 64 a second", Steps: longTalk(0.064)},
		{Rule: "DP4-3.1.3-TICK-RATE", Name: "counts 64 a second, acknowledging every 3 s", Steps: pausedTalk(1, 100, 3*time.Second, func(t, _ time.Duration) time.Duration { return t * 64 / 1000 })},
		{Rule: "DP4-3.1.3-TICK-RATE", Name: "counts 64 a second and pauses for 9 s", Steps: pausedTalk(50, 2, 9*time.Second, func(t, _ time.Duration) time.Duration { return t * 64 / 1000 })},
		{Rule: "DP4-3.1.3-TICK-RATE", Name: "pauses for 9 s with its peer", Near: true, Steps: pausedTalk(50, 2, 9*time.Second, func(t, gone time.Duration) time.Duration { return t - gone })},
		{Rule: "DP4-3.1.3-TICK-RATE", Name: "pauses for 9 s at the end of the first stretch", Near: true, Steps: pausedTalk(13, 1, 9*time.Second, func(t, gone time.Duration) time.Duration { return t - gone })},
		{Rule: "DP4-3.1.3-TICK-RATE", Name: "pauses for 6 s three times", Near: true, Steps: pausedTalk(40, 3, 6*time.Second, func(t, gone time.Duration) time.Duration { return t - gone })},
		{Rule: "DP4-3.1.3-TICK-RATE", Name: "has its clock set by 9 s", Near: true, Steps: pausedTalk(65, 2, 200*time.Millisecond, func(t, gone time.Duration) time.Duration { return t + 45*gone })},
		{Rule: "DP4-3.1.3-TICK-RATE", Name: "counts 0.5% too fast", Near: true, Steps: longTalk(1.005)},
		{Rule: "DP4-3.1.3-TICK-MONO", Name: "goes back", On: clean, Tamper: dp4Nth(9, ack, func(f *dp4.Frame) { f.Tick -= 5000 })},
		{Rule: "DP4-3.1.3-TICK-MONO", Name: "repeats itself with an older tick", On: clean, Tamper: dp4Also(20, ack, time.Millisecond, func(f *dp4.Frame) { f.Tick -= 3000 })},
		{Rule: "DP4-3.1.3-TICK-MONO", Name: "wraps", Near: true, On: "dp4/wraps"},
		{Rule: "DP4-3.1.3-TICK-CONST", Name: "stands still", On: clean, Tamper: dp4From(0, 1000, ack, tick(func(uint32) uint32 { return 0 })())},
		{Rule: "DP4-3.1.3-TICK-CONST", Name: "moves every 16 ms", Near: true, On: clean, Tamper: dp4From(0, 1000, ack, tick(func(ms uint32) uint32 { return ms &^ 15 })())},
		{Rule: "DP4-3.1.5.4-BYTES-MONO", Name: "goes back", On: clean, Tamper: dp4Nth(9, ack, func(f *dp4.Frame) { f.BytesReceived /= 2 })},
		{Rule: "DP4-3.1.5.4-BYTES-MAX", Name: "counts what was not sent", On: clean, Tamper: dp4Nth(12, ack, func(f *dp4.Frame) { f.BytesReceived += 50000 })},
		{Rule: "DP4-3.1.5.4-BYTES-BASE", Name: "counts the player indexes, too", Steps: countingTalk(2)},
		{Rule: "DP4-3.1.5.4-BYTES-BASE", Name: "counts as the text has it", Near: true, Steps: countingTalk(0)},
		{Rule: "DP4-3.1.5.4-BYTES-ZERO", Name: "has received nothing", On: clean, Tamper: dp4Nth(0, ack, func(f *dp4.Frame) { f.BytesReceived = 0 })},
		{Rule: "DP4-3.1.2-RTO-INIT", Name: "sends again at once", Steps: firstRetry(50 * time.Millisecond)},
		{Rule: "DP4-3.1.5.3-RETX", Name: "sends its first packet again, reported missing", Near: true, Steps: firstReported()},
		{Rule: "DP4-3.1.2-RTO-INIT", Name: "waits a second", Near: true, Steps: firstRetry(time.Second)},
		{Rule: "DP4-3.1.2-RTO", Name: "does not wait for the round trip", Steps: earlyRetries(20*time.Millisecond, 150*time.Millisecond)},
		{Rule: "DP4-3.1.2-RTO", Name: "waits for the round trip", Near: true, Steps: earlyRetries(200*time.Millisecond, 20*time.Millisecond)},
	}, dp4Keeps("dp4/copies-disorder", "DP4-3.1.5.4-BYTES-MONO", "DP4-3.1.5.4-BYTES-MAX", "DP4-3.1.5.4-BYTES-ZERO"))
}

// longTalk takes 20 s; the ticks of side 1 advance at a rate of their own.
func longTalk(rate float64) []Step {
	t := &dp4Talk{next: [2]uint8{1, 1}}
	for range 100 {
		t.say(0, 150*time.Millisecond+37*time.Microsecond, dp4Whole|dp4.RLY|dp4.SAK)
		f := t.answer(1)
		f.BytesReceived, f.Tick = t.bytes[1], 1000+uint32(rate*float64(t.at/time.Millisecond))
		t.send(1, 50*time.Millisecond, f)
	}
	return t.steps
}

// pausedTalk is silent for a while every so many messages, so many times. Side 1 has
// the ticks that a time and the sum of these whiles give.
func pausedTalk(every, times int, pause time.Duration, ticks func(t, gone time.Duration) time.Duration) []Step {
	t, gone := &dp4Talk{next: [2]uint8{1, 1}}, time.Duration(0)
	for i := range 180 {
		after := 150*time.Millisecond + 37*time.Microsecond
		if i > 0 && i%every == 0 && i <= times*every {
			after, gone = after+pause, gone+pause
		}
		t.say(0, after, dp4Whole|dp4.RLY|dp4.SAK)
		f := t.answer(1)
		f.BytesReceived, f.Tick = t.bytes[1], 1000+uint32(ticks(t.at, gone)/time.Millisecond)
		t.send(1, 50*time.Millisecond, f)
	}
	return t.steps
}

// firstRetry sends the first packet twice.
func firstRetry(after time.Duration) []Step {
	t := &dp4Talk{next: [2]uint8{1, 1}}
	t.say(0, 0, dp4Whole|dp4.RLY)
	again := *t.last[0]
	again.Serial = 1
	t.repeat(0, after, &again)
	t.ack(1, 25*time.Millisecond)
	for range 15 {
		t.say(1, 20*time.Millisecond, dp4Whole|dp4.RLY|dp4.SAK)
		t.ack(0, 25*time.Millisecond)
	}
	return t.end()
}

// firstReported sends the first packet again when the second one made the peer report it
// missing.
func firstReported() []Step {
	t := &dp4Talk{next: [2]uint8{1, 1}}
	t.say(0, 0, dp4Whole|dp4.RLY)
	again := *t.last[0]
	again.Serial = 1
	t.say(0, 5*time.Millisecond, dp4Whole|dp4.RLY)
	t.reply(1, 30*time.Millisecond, t.nack(1, 1))
	t.repeat(0, 10*time.Millisecond, &again)
	for range 15 {
		t.ack(1, 25*time.Millisecond)
		t.say(0, 20*time.Millisecond, dp4Whole|dp4.RLY|dp4.SAK)
	}
	return t.end()
}

// earlyRetries sends each of many packets again after a while and has it acknowledged some
// time later.
func earlyRetries(again, later time.Duration) []Step {
	t := newDP4Talk(0)
	for range 150 { // round trips
		t.say(0, 30037*time.Microsecond, dp4Whole|dp4.RLY|dp4.SAK)
		t.ack(1, 150*time.Millisecond)
	}
	for range 25 {
		t.say(0, 30*time.Millisecond, dp4Whole|dp4.RLY|dp4.SAK)
		f := *t.last[0]
		f.Serial++
		t.repeat(0, again, &f)
		t.ack(1, later)
	}
	return t.end()
}

// countingTalk has receivers that count so many bytes more a frame.
func countingTalk(more uint32) []Step {
	t := &dp4Talk{next: [2]uint8{1, 1}}
	for range 40 {
		t.say(0, 20*time.Millisecond, dp4Whole|dp4.RLY|dp4.SAK)
		t.bytes[1] += more
		t.ack(1, 25*time.Millisecond)
		t.say(1, 20*time.Millisecond, dp4Whole|dp4.RLY|dp4.SAK)
		t.bytes[0] += more
		t.ack(0, 25*time.Millisecond)
	}
	return t.steps
}
