package lab

import (
	"slices"
	"time"

	"github.com/dpdissect/dpdissect/dp4"
	"github.com/dpdissect/dpdissect/session/conform"
)

// dp4AckMutants break the rules of ACK and NACK frames.
func dp4AckMutants() []Mutant {
	const clean, nacks = "dp4/windows-clean", "dp4/nacks-lsb-first"
	ack := dp4By(2, dp4ACK)
	ms := time.Millisecond
	return slices.Concat([]Mutant{
		{Rule: "DP4-2-NACK-NNACK0", Name: "sends no mask", On: nacks},
		{Rule: "DP4-2-NACK-NNACK0", Name: "sends a mask", Near: true, Steps: dp4Exchange(dp4Masked)},
		{Rule: "DP4-2.2.3-PRODUCT", Name: "reports what is missing", On: nacks, Profile: conform.Profile{Windows: true}},
		{Rule: "DP4-2.2.3-PRODUCT", Name: "sends ACKs alone", Near: true, On: clean, Profile: conform.Profile{Windows: true}},
		{Rule: "DP4-2.2.3-LEN", Name: "has a byte too many", On: nacks,
			Tamper: dp4Nth(2, dp4NACK, func(f *dp4.Frame) { f.Trailing = []byte{1} })},
		{Rule: "DP4-2.2.3-LEN", Name: "lacks a byte of its tick", On: nacks,
			Tamper: dp4Bytes(2, func(f *dp4.Frame) bool { return dp4NACK(f) && f.MaskSize == 0 }, func(p []byte) []byte { return p[:len(p)-1] })},
		{Rule: "DP4-2.2.3-STRAYFLAGS", Name: "sets STA in an ACK", On: clean, Tamper: dp4Nth(9, dp4ACK, func(f *dp4.Frame) { f.Flags |= dp4.STA })},
		{Rule: "DP4-2.2.3-RELIABLE", Name: "reports what is not reliable", On: "dp4/nacks-of-unreliable"},
		{Rule: "DP4-2.2.3-RELIABLE", Name: "reports a part of a message of which it has another", Steps: dp4Exchange(func(t *dp4Talk) { loosePart(t).Fault = true })},
		{Rule: "DP4-2.2.4-LEN", Name: "has two bytes too many", On: clean,
			Tamper: dp4Nth(9, dp4ACK, func(f *dp4.Frame) { f.Trailing = []byte{1, 2} })},
		{Rule: "DP4-2.2.4-LEN", Name: "lacks the last byte", On: clean,
			Tamper: dp4Bytes(9, dp4ACK, func(p []byte) []byte { return p[:len(p)-1] })},
		{Rule: "DP4-2.2.4-SENT", Name: "acknowledges the next packet, one ahead all along", Also: []string{"DP4-2.2.4-SERIAL", "DP4-3.1.5.4-BYTES-MAX"}, Steps: dp4Exchange(oneAhead)},
		{Rule: "DP4-2.2.4-SENT", Name: "acknowledges a packet 45 ms before it is sent", Steps: dp4Exchange(func(t *dp4Talk) { soonSent(t, 45*ms).Fault = true })},
		{Rule: "DP4-2.2.4-SENT", Name: "acknowledges a packet that is captured 20 ms later", Near: true, Steps: dp4Exchange(func(t *dp4Talk) { soonSent(t, 20*ms) })},
		{Rule: "DP4-2.2.4-SENT", Name: "acknowledges what was never sent", On: clean,
			Tamper: dp4Nth(9, ack, func(f *dp4.Frame) { f.Sequence += 30; f.MessageID += 30 })},
		{Rule: "DP4-2.2.4-PAIR", Name: "names another message", On: clean, Tamper: dp4Nth(9, ack, func(f *dp4.Frame) { f.MessageID++ })},
		{Rule: "DP4-2.2.4-PAIR", Name: "answers a sending that was not captured and named another message", Near: true, Steps: dp4Exchange(func(t *dp4Talk) {
			t.say(0, 20*ms, dp4Whole|dp4.RLY|dp4.SAK)
			f := t.answer(1)
			f.MessageID, f.Serial = f.MessageID+1, 1
			t.reply(1, 200*ms, f)
		})},
		{Rule: "DP4-2.2.4-SERIAL", Name: "has a serial that was never sent", On: clean,
			Tamper: dp4Nth(20, ack, func(f *dp4.Frame) { f.Serial += 9 })},
		{Rule: "DP4-2.2.4-CUM", Name: "goes back", Steps: dp4Exchange(func(t *dp4Talk) {
			f := t.answer(1)
			f.Sequence, f.MessageID = f.Sequence-4, f.MessageID-4
			t.reply(1, 10*ms, f).Fault = true
		})},
		{Rule: "DP4-2.2.4-CUM", Name: "names what came again", Near: true, Steps: dp4Exchange(func(t *dp4Talk) { cameAgain(t, 1, 0) })},
		{Rule: "DP4-2.2.4-CUM", Name: "names what a network doubled behind the capture", Near: true, Steps: dp4Exchange(func(t *dp4Talk) { cameAgain(t, 0, 20) })},
		{Rule: "DP4-2.2.4-CUM-GAP", Name: "acknowledges across a reliable packet it lacks", Steps: dp4Exchange(func(t *dp4Talk) { across(t, dp4.RLY).Fault = true })},
		{Rule: "DP4-2.2.4-CUM-GAP", Name: "acknowledges across a packet that is not reliable", Near: true, Steps: dp4Exchange(func(t *dp4Talk) { across(t, 0) })},
		{Rule: "DP4-2.2.3-KNOWN", Name: "reports what was never sent", Steps: dp4Exchange(func(t *dp4Talk) {
			t.reply(1, 10*ms, t.nack(1, t.next[0]+30)).Fault = true
		})},
		{Rule: "DP4-2.2.3-PAIR", Name: "names another message", Steps: dp4Exchange(func(t *dp4Talk) {
			t.say(0, 20*ms, dp4Whole|dp4.RLY)
			f := t.nack(1, t.next[0]-1)
			f.MessageID += 3
			t.reply(1, 10*ms, f).Fault = true
		})},
		{Rule: "DP4-2.2.3-MASK-BEYOND", Name: "has bits for what was never sent", Steps: dp4Exchange(func(t *dp4Talk) {
			t.say(0, 20*ms, dp4Whole|dp4.RLY)
			f := t.nack(1, t.next[0]-1)
			f.ExtFlags, f.MaskSize, f.Mask = 0x20, 1, 0xff
			t.reply(1, 10*ms, f).Fault = true
		})},
		{Rule: "DP4-2.2.3-MASK-LIE", Name: "reports missing what it acknowledged", Steps: dp4Exchange(func(t *dp4Talk) {
			t.reply(1, 10*ms, t.nack(1, t.next[0]-4)).Fault = true
		})},
		{Rule: "DP4-2.2.3-FIRST", Name: "reports a later packet first", Also: []string{"DP4-2.2.4-CUM"}, Steps: dp4Exchange(twoReports)},
		{Rule: "DP4-3.1.5.3-ACK-PRIOR", Name: "reports a later message first", Steps: dp4Exchange(twoReports)},
	},
		dp4Keeps(nacks, "DP4-2.2.3-LEN", "DP4-2.2.3-STRAYFLAGS", "DP4-2.2.3-RELIABLE", "DP4-2.2.3-KNOWN", "DP4-2.2.3-PAIR",
			"DP4-2.2.3-MASK-BEYOND", "DP4-2.2.3-MASK-LIE", "DP4-2.2.3-FIRST", "DP4-3.1.5.3-ACK-PRIOR"),
		dp4Keeps("dp4/windows-lossy", "DP4-2.2.4-LEN", "DP4-2.2.4-SENT", "DP4-2.2.4-PAIR", "DP4-2.2.4-SERIAL", "DP4-2.2.4-CUM"))
}

// loosePart sends a message in three parts, not reliably. The first is acknowledged, the
// second is lost after the capture point and reported missing.
func loosePart(t *dp4Talk) *Step {
	t.say(0, 20*time.Millisecond, dp4.STA|dp4.SAK)
	t.ack(1, 25*time.Millisecond)
	part := *t.last[0]
	part.Flags, part.Sequence, part.Serial = dp4.CMD, part.Sequence+1, 1
	t.bytes[1] -= uint32(len(t.repeat(0, time.Millisecond, &part).Payload) - 2)
	last := part
	last.Flags, last.Sequence, last.Serial = dp4.CMD|dp4.EOM, last.Sequence+1, 2
	t.next[0], t.lag[0] = t.next[0]+2, t.lag[0]+2
	t.repeat(0, time.Millisecond, &last)
	f := t.nack(1, part.Sequence)
	f.MessageID = part.MessageID
	t.reply(1, 25*time.Millisecond, f)
	return &t.steps[len(t.steps)-1]
}

// cameAgain acknowledges a packet by its own numbers, after those of later ones: it was
// sent again so many times, and arrived again with so many bytes.
func cameAgain(t *dp4Talk, transmissions int, bytes uint32) {
	t.say(0, 20*time.Millisecond, dp4Whole|dp4.RLY|dp4.SAK)
	old := *t.last[0]
	for range 3 {
		t.ack(1, 25*time.Millisecond)
		t.say(0, 20*time.Millisecond, dp4Whole|dp4.RLY|dp4.SAK)
	}
	t.ack(1, 25*time.Millisecond)
	latest := t.last[0]
	for range transmissions {
		old.Serial++
		t.repeat(0, time.Millisecond, &old)
	}
	t.last[0], t.bytes[1] = &old, t.bytes[1]+bytes
	t.ack(1, 25*time.Millisecond)
	t.last[0] = latest
}

// twoReports says that a packet is the first missing one, then that an earlier one is.
func twoReports(t *dp4Talk) {
	for range 3 {
		t.say(0, 2*time.Millisecond, dp4Whole|dp4.RLY)
	}
	t.reply(1, 30*time.Millisecond, t.nack(1, t.next[0]-1))
	t.reply(1, 10*time.Millisecond, t.nack(1, t.next[0]-3))
	t.ack(1, 20*time.Millisecond)
}

// dp4Exchange is a connection with something in its middle.
func dp4Exchange(middle func(t *dp4Talk)) []Step {
	t := newDP4Talk(25)
	middle(t)
	return t.end()
}

// oneAhead has side 1 acknowledge packets by the numbers of the next ones.
func oneAhead(t *dp4Talk) {
	for range 60 {
		t.say(0, 150*time.Millisecond, dp4Whole|dp4.RLY|dp4.SAK)
		f := t.answer(1)
		f.MessageID, f.Sequence = f.MessageID+1, f.Sequence+1
		t.reply(1, 25*time.Millisecond, f).Fault = true
	}
}

// soonSent has side 1 acknowledge the next packet, which is captured so much later.
func soonSent(t *dp4Talk, later time.Duration) *Step {
	t.say(0, 20*time.Millisecond, dp4Whole|dp4.RLY|dp4.SAK)
	f := t.answer(1)
	f.MessageID, f.Sequence = f.MessageID+1, f.Sequence+1
	t.reply(1, 25*time.Millisecond, f)
	at := len(t.steps) - 1
	t.say(0, later, dp4Whole|dp4.RLY)
	t.say(0, 20*time.Millisecond, dp4Whole|dp4.RLY|dp4.SAK)
	t.ack(1, 25*time.Millisecond)
	return &t.steps[at]
}

// across lets a packet get lost before the capture; side 1 acknowledges the next one,
// then the packet is sent again.
func across(t *dp4Talk, flags dp4.Flags) *Step {
	lost := t.frame(0, dp4.CMD|dp4Whole|flags)
	lost.MessageID, lost.Sequence, lost.Serial, lost.Data = t.next[0], t.next[0], 1, []byte("at last")
	t.next[0]++
	t.say(0, 20*time.Millisecond, dp4Whole|dp4.RLY|dp4.SAK)
	t.ack(1, 25*time.Millisecond)
	at := len(t.steps) - 1
	t.repeat(0, 300*time.Millisecond, lost)
	if flags&dp4.RLY != 0 {
		t.ack(1, 25*time.Millisecond)
	}
	return &t.steps[at]
}
