package lab

import (
	"fmt"
	"time"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp8"
)

const (
	clean      = "dp8/unsigned-clean"
	lossyTrace = "dp8/unsigned-lossy"
)

// fine is a session that breaks nothing and evaluates the rule.
func fine(rule, on string) Mutant {
	return Mutant{Rule: rule, Name: "leaves all of " + on + " as it is", Near: true, On: on}
}

func chatting() *talk { return newTalk().meet().chat(8) }

// dp8Sequence break the rules of numbers and of the window.
func dp8Sequence() []Mutant {
	begin := newTalk().connect().answer().confirm().keepAlive(listener).lose(connector, 1)
	begin.bad(func(*dp8.Frame) {}).data(connector).times(30, func(i int) {
		begin.data(connector).wait(60 * ms).says(report{by: listener, fewer: uint8(3 + i), mask: 1<<(i+2) - 1})
	})
	early := newTalk().connect().answer().confirm().broken(func(d *dp8.DFrame) { d.NRcv = 9 }).keepAlive(listener).keepAlive(connector).chat(4)
	lower := func() *talk { // 7 is passed over
		t := chatting().lose(connector, 1).data(connector).says(report{by: listener, fewer: 2, mask: 1}).data(connector).says(report{by: listener, fewer: 3, mask: 3})
		return t
	}
	flood := func(inFlight int) *talk {
		t := newTalk().meet()
		t.times(inFlight, func(int) { t.wait(1 * ms).data(connector) })
		return t.times(12, func(int) {
			t.wait(25 * ms).says(report{by: listener, fewer: uint8(inFlight - 8)})
			t.times(8, func(i int) { t.wait(1 * ms).data(connector) })
		})
	}
	burst := func(inFlight int) *talk { // all at once, over a path of 200 ms
		t := newTalk().connect().wait(100 * ms).answer().wait(100 * ms).confirm().wait(200 * ms).keepAlive(listener).wait(100 * ms).keepAlive(connector)
		t.times(12, func(int) { t.wait(30 * ms).data(connector).wait(200 * ms).sack(listener) })
		t.wait(200 * ms).data(connector)
		return t.times(inFlight-1, func(int) { t.wait(0).data(connector) })
	}
	atOnce := burst(90)
	markAll(atOnce.steps, 0, 12+64)
	excess := flood(90)
	markAll(excess.steps, 0, 64)
	return []Mutant{
		begin.breaks("DP8-3.1.5.2.1-START", "begins at 1"),
		fine("DP8-3.1.5.2.1-START", clean),
		early.breaks("DP8-3.1.5.2.2-START", "acknowledges before anything came"),
		fine("DP8-3.1.5.2.2-START", clean),
		lower().wait(400*ms).broken(unmark).again(retry{by: connector, back: 3}).says(report{by: listener}).chat(3).breaks("DP8-3.1.5.2.1-INC", "sends a number it passed over", "DP8-2.2.2-RETRYBIT"),
		chatting().wait(40*ms).broken(func(d *dp8.DFrame) { d.Seq += 20 }).data(connector).lose(connector, 255).wait(150*ms).data(connector).data(listener).chat(5).breaks("DP8-3.1.5.2.1-INC", "steps ahead once"),
		chatting().wait(40*ms).broken(func(d *dp8.DFrame) { d.Control, d.Payload = 0, []byte("something else") }).again(retry{by: connector, back: 4}).chat(3).breaks("DP8-3.1.5.2.1-INC", "new content under an old number", "DP8-3.1.5.2.1-REUSE",
			"DP8-3.1.5.2.2-MAX", "DP8-3.1.5.2.2-START"), // without the first content, the second seems acknowledged before it is sent
		lower().send(listener, sacks(3, 3)).wait(8*ms).broken(unmark).again(retry{by: connector, back: 3}).says(report{by: listener}).chat(3).breaks("DP8-3.1.5.2.1-INC", "sends a number it passed over, soon, and acknowledges more by it"),
		lower().wait(8*ms).again(retry{by: connector, back: 3, change: unmark}).says(report{by: listener}).chat(3).nearly("DP8-3.1.5.2.1-INC", "is overtaken"),
		chatting().data(connector).wait(300*ms).broken(says("hello, again")).again(retry{by: connector, back: 1}).says(report{by: listener}).chat(3).breaks("DP8-3.1.5.2.1-REUSE", "retries other content"),
		chatting().data(connector).wait(300*ms).again(retry{by: connector, back: 1}).says(report{by: listener}).chat(3).nearly("DP8-3.1.5.2.1-REUSE", "retries"),
		excess.breaks("DP8-3.1.5.2.1-RANGE", "has 90 in flight", "DP8-2.2.1.5-NSEQ"),
		chatting().wait(40*ms).broken(func(d *dp8.DFrame) { d.Seq += 64 }).data(connector).lose(connector, 255).wait(150*ms).data(connector).data(listener).chat(5).breaks("DP8-3.1.5.2.1-RANGE", "steps beyond the window once"),
		flood(56).nearly("DP8-3.1.5.2.1-RANGE", "has 64 in flight"),
		atOnce.wait(200*ms).says(report{by: listener, fewer: 26}).wait(200*ms).data(connector).sack(listener).chat(2).breaks("DP8-3.1.5.2.1-RANGE", "sends 90 at once"),
		burst(64).wait(200*ms).sack(listener).chat(4).nearly("DP8-3.1.5.2.1-RANGE", "sends 64 at once"),
		initial().breaks("DP8-3.1.4.4-CC-INIT", "fills the window at once"),
		fine("DP8-3.1.4.4-CC-INIT", "dp8/full-signed-rotation"),
		losing(64).breaks("DP8-3.1.4.4-CC-LOSS", "keeps the window full"),
		losing(20).nearly("DP8-3.1.4.4-CC-LOSS", "loses with little in flight"),
	}
}

// markAll marks the frames a side sends after the first n as faults.
func markAll(steps []Step, side dissect.Dir, n int) {
	for i := range steps {
		if steps[i].From == side {
			if n--; n < 0 {
				steps[i].Fault = true
			}
		}
	}
}

// initial fills the window before an answer can come.
func initial() *talk {
	t := newTalk().meet()
	t.times(60, func(i int) {
		t.wait(0 * ms).data(connector)
	})
	t.wait(35 * ms).says(report{by: listener, fewer: 30})
	t.wait(1 * ms).says(report{by: listener})
	return t.data(listener).wait(45 * ms).sack(connector).chat(10)
}

// losing loses a frame again and again.
func losing(inFlight int) *talk {
	t := newTalk().meet()
	t.times(inFlight-1, func(int) { t.wait(3 * ms).data(connector) })
	for range 26 {
		t.wait(60 * ms).bad(func(*dp8.Frame) {}).again(retry{by: connector, back: uint8(inFlight - 1)})
		t.says(report{by: listener, fewer: uint8(inFlight - 2)}).data(connector)
	}
	return t
}

// dp8Ack break the rules of acknowledgements and masks.
func dp8Ack() []Mutant {
	more := func(n uint8) func(d *dp8.DFrame) { return func(d *dp8.DFrame) { d.NRcv += n } }
	carried := func(mask uint64) *talk { // 2 in flight, and a data frame says what came of them
		t := chatting().data(connector).data(connector).send(listener, sacks(2, mask)).data(connector)
		return t.wait(250 * ms)
	}
	given := func() *talk { return chatting().send(connector, unreliable) }
	stuck := func(still bool) *talk {
		t := chatting().send(connector, unreliable).send(connector, drops(1)).wait(60 * ms)
		if still {
			return t.bad(func(*dp8.Frame) {}).says(report{by: listener, fewer: 2, mask: 1}).chat(4)
		}
		return t.says(report{by: listener}).chat(4)
	}
	return []Mutant{
		chatting().wait(150*ms).broken(func(d *dp8.DFrame) { d.NRcv -= 2 }).data(connector).chat(4).breaks("DP8-3.1.5.2.2-MONO", "goes back"),
		fine("DP8-3.1.5.2.2-MONO", clean),
		fine("DP8-3.1.5.2.2-MONO", lossyTrace),
		chatting().broken(more(30)).data(connector).chat(6).breaks("DP8-3.1.5.2.2-MAX", "acknowledges 30 numbers not sent"),
		chatting().broken(more(90)).data(connector).chat(6).breaks("DP8-3.1.5.2.2-MAX", "acknowledges far beyond the window"),
		chatting().bad(func(f *dp8.Frame) { f.SACK.NRcv += 12 }).sack(connector).wait(200*ms).sack(listener).chat(6).breaks("DP8-3.1.5.2.2-MAX", "acknowledges what bNSeq contradicts"),
		fine("DP8-3.1.5.2.2-MAX", lossyTrace),
		chatting().broken(more(1)).data(connector).wait(200*ms).data(listener).data(connector).chat(4).breaks("DP8-3.1.5.2.2-GAPACK", "acknowledges the next number before it is sent"),
		fine("DP8-3.1.5.2.2-GAPACK", lossyTrace),
		shifted(30, 1).breaks("DP8-3.1.5.2.3-BASE", "bit i is bNRcv + i"),
		gap().bad(func(*dp8.Frame) {}).says(report{by: listener, fewer: 2, mask: 2}).wait(150*ms).data(connector).data(listener).again(retry{by: connector, back: 3}).says(report{by: listener}).chat(3).breaks("DP8-3.1.5.2.3-BASE", "names the next number, which is not sent yet"),
		overtaking().nearly("DP8-3.1.5.2.3-BASE", "names a number that is captured a little later"),
		shifted(30, 0).nearly("DP8-3.1.5.2.3-BASE", "bit i is bNRcv + 1 + i"),
		gap().bad(func(*dp8.Frame) {}).says(report{by: listener, fewer: 2, mask: 1<<28 | 1}).wait(200*ms).data(connector).data(connector).chat(1).breaks("DP8-3.1.5.2.3-UNSENT", "names a number far ahead"),
		gap().says(report{by: listener, fewer: 2, mask: 1}).wait(200*ms).again(retry{by: connector, back: 2}).says(report{by: listener}).chat(3).nearly("DP8-3.1.5.2.3-UNSENT", "names what came"),
		gap().bad(func(*dp8.Frame) {}).says(report{by: listener, fewer: 2, mask: 1<<63 | 1}).chat(1).breaks("DP8-3.1.5.2.3-BIT63", "sets the last bit"),
		gap().says(report{by: listener, fewer: 2, mask: 1}).chat(1).nearly("DP8-3.1.5.2.3-BIT63", "sets the first bit"),
		gap().data(connector).data(connector).says(report{by: listener, fewer: 4, mask: 7}).bad(func(*dp8.Frame) {}).says(report{by: listener, fewer: 4, mask: 5}).breaks("DP8-3.1.5.2.3-RENEGE", "takes an acknowledgement back"),
		gap().data(connector).data(connector).says(report{by: listener, fewer: 4, mask: 5}).says(report{by: listener, fewer: 4, mask: 7}).nearly("DP8-3.1.5.2.3-RENEGE", "adds one"),
		carried(1).bad(func(*dp8.Frame) {}).again(retry{by: connector, back: 2}).breaks("DP8-3.1.5.2.3-NORETRY", "retries what the mask names"),
		carried(1).again(retry{by: connector, back: 3}).nearly("DP8-3.1.5.2.3-NORETRY", "retries what it does not"),
		chatting().wait(200*ms).bad(func(*dp8.Frame) {}).again(retry{by: connector, back: 3}).chat(2).breaks("DP8-3.1.5.2.2-ACKEDRETRY", "retries an acknowledged number"),
		chatting().data(connector).wait(200*ms).again(retry{by: connector, back: 1}).says(report{by: listener}).chat(2).nearly("DP8-3.1.5.2.2-ACKEDRETRY", "retries another one"),
		given().data(connector).broken(drops(1)).data(connector).chat(2).breaks("DP8-3.1.5.2.4-RELIABLE", "gives a reliable number up"),
		given().data(connector).send(connector, drops(2)).chat(2).nearly("DP8-3.1.5.2.4-RELIABLE", "gives an unreliable number up"),
		given().data(connector).data(connector).data(connector).wait(300*ms).broken(drops(1<<3)).again(retry{by: connector, back: 1}).chat(1).breaks("DP8-3.1.5.2.4-BASE", "counts from the next number in a retry"),
		given().data(connector).data(connector).data(connector).wait(300*ms).again(retry{by: connector, back: 1, change: drops(1 << 2)}).chat(1).nearly("DP8-3.1.5.2.4-BASE", "counts from the number of the retry"),
		newTalk().meet().broken(drops(1<<10)).data(connector).chat(2).breaks("DP8-3.1.5.2.4-UNSENT", "names a number before the first"),
		newTalk().meet().send(connector, unreliable).send(connector, drops(1)).chat(2).nearly("DP8-3.1.5.2.4-UNSENT", "names the number before"),
		given().data(listener).wait(30*ms).data(connector).wait(200*ms).broken(drops(2)).data(connector).chat(1).breaks("DP8-3.1.5.2.4-ACKED", "gives an acknowledged number up"),
		given().send(connector, drops(1)).chat(1).nearly("DP8-3.1.5.2.4-ACKED", "gives the last number up"),
		stuck(true).breaks("DP8-3.1.5.2.4-ADVANCE", "waits for what was given up"),
		fine("DP8-3.1.5.2.4-ADVANCE", "dp8/unreliable"),
	}
}

// gap has one number missing, and the next arrived.
func gap() *talk { return chatting().lose(connector, 1).data(connector) }

// overtaking names a number whose frame is captured after the mask, while the two before it are missing.
func overtaking() *talk {
	t := chatting().data(connector).data(connector).lose(connector, 1).says(report{by: listener, fewer: 3, mask: 2})
	t.seq[connector]--
	t.wait(25 * ms).data(connector).wait(200 * ms).again(retry{by: connector, back: 3}).says(report{by: listener, fewer: 2, mask: 1})
	return t.again(retry{by: connector, back: 2}).says(report{by: listener}).chat(3)
}

// shifted answers that with so many masks, whose bits are shifted.
func shifted(masks, shift int) *talk {
	t := gap()
	return t.times(masks, func(i int) {
		t.data(connector)
		if shift > 0 {
			t.bad(func(*dp8.Frame) {})
		}
		t.says(report{by: listener, fewer: uint8(3 + i), mask: (1<<(i+2) - 1) << shift})
	})
}

// dp8Waits break rules of what must follow.
func dp8Waits() []Mutant {
	waiting := func(kind func(*dp8.DFrame), change func(t *talk, i int)) *talk {
		t := chatting().send(connector, kind)
		return t.times(40, func(i int) {
			t.wait(500 * ms)
			change(t, i)
			t.send(connector, says(fmt.Sprintf("number %d of all", i))).says(report{by: listener, fewer: uint8(2 + i), mask: 1<<(i+1) - 1})
		})
	}
	nothing := func(*talk, int) {}
	polls := func(after time.Duration) *talk {
		t := chatting()
		return t.times(20, func(int) {
			t.wait(100*ms).send(connector, func(d *dp8.DFrame) { d.Command |= dp8.Poll }).wait(after).sack(listener)
		})
	}
	slow := polls(400 * ms)
	markAll(slow.steps, 1, 10)
	lazy := func(after time.Duration) *talk {
		t := chatting()
		return t.times(30, func(int) { t.wait(100 * ms).data(connector).wait(after).sack(listener) })
	}
	return []Mutant{
		waiting(unreliable, nothing).breaks("DP8-3.1.6.5-UNREL-MASK", "never names what is lost"),
		fine("DP8-3.1.6.5-UNREL-MASK", "dp8/unreliable"),
		waiting(asIs, nothing).breaks("DP8-3.1.6.5-RETRYMISSING", "never retries"),
		waiting(asIs, func(t *talk, i int) {
			if i%4 == 3 {
				t.again(retry{by: connector, back: uint8(1 + i)})
			}
		}).nearly("DP8-3.1.6.5-RETRYMISSING", "retries in vain"),
		renumbered(nothing).breaks("DP8-3.1.6.5-SEQKEPT", "sends it under a new number"),
		renumbered(func(t *talk, i int) {
			if i%6 == 5 {
				t.again(retry{by: connector, back: uint8(1 + i), change: says("number 3 of all")})
			}
		}).nearly("DP8-3.1.6.5-SEQKEPT", "says the same again, and retries it too"),
		aliveAndStuck(nothing).breaks("DP8-3.1.6.6-KA-RETRY", "never retries a KeepAlive"),
		aliveAndStuck(func(t *talk, i int) {
			if i%6 == 5 {
				t.again(retry{by: connector, back: uint8(1 + i), change: func(d *dp8.DFrame) {
					d.Control, d.KeepAlive, d.SessionID, d.Payload = d.Control|dp8.CtlKeepAlive, true, talkID, nil
				}})
			}
		}).nearly("DP8-3.1.6.6-KA-RETRY", "retries a KeepAlive in vain"),
		slow.breaks("DP8-2.2.1.5-POLLACK", "answers POLL late"),
		polls(30*ms).nearly("DP8-2.2.1.5-POLLACK", "answers POLL"),
		hides().breaks("DP8-3.1.5.2.1-SACKINFO", "never tells what came behind a gap"),
		gaps(30*ms).nearly("DP8-3.1.5.2.1-SACKINFO", "tells what came behind a gap"),
		gaps(300*ms).breaks("DP8-3.1.2.2-ACKDELAY-OOO", "reports gaps late"),
		gaps(30*ms).nearly("DP8-3.1.2.2-ACKDELAY-OOO", "reports gaps"),
		repeats(400*ms).breaks("DP8-3.1.5.2.1-OOR-SACK", "answers repetitions late"),
		repeats(30*ms).nearly("DP8-3.1.5.2.1-OOR-SACK", "answers repetitions"),
		maskRetries(900*ms).breaks("DP8-3.1.5.2.3-FAST", "does not hurry"),
		maskRetries(40*ms).nearly("DP8-3.1.5.2.3-FAST", "hurries"),
		lazy(500*ms).breaks("DP8-3.1.2.2-ACKDELAY", "acknowledges late"),
		lazy(90*ms).nearly("DP8-3.1.2.2-ACKDELAY", "acknowledges in time"),
	}
}

// aliveAndStuck is a KeepAlive that never arrives.
func aliveAndStuck(between func(t *talk, i int)) *talk {
	t := chatting().bad(func(*dp8.Frame) {}).keepAlive(connector)
	return t.times(40, func(i int) {
		between(t.wait(500*ms), i)
		t.data(connector).says(report{by: listener, fewer: uint8(2 + i), mask: 1<<(i+1) - 1})
	})
}

// renumbered sends what never arrived under a new number.
func renumbered(between func(t *talk, i int)) *talk {
	t := chatting().send(connector, says("number 3 of all")) // lost
	return t.times(40, func(i int) {
		between(t.wait(250*ms), i)
		if i == 3 {
			t.bad(func(*dp8.Frame) {})
		}
		t.send(connector, says(fmt.Sprintf("number %d of all", i))).says(report{by: listener, fewer: uint8(2 + i), mask: 1<<(i+1) - 1})
	})
}

// gaps are frames that come before the one sent before them.
func gaps(after time.Duration) *talk {
	t := chatting()
	return t.times(26, func(int) {
		t.wait(80*ms).lose(connector, 1).data(connector).wait(after).says(report{by: listener, fewer: 2, mask: 1})
		t.wait(150 * ms).again(retry{by: connector, back: 2}).says(report{by: listener})
	})
}

// hides are gaps whose far side is acknowledged only when they are filled.
func hides() *talk {
	t := chatting()
	return t.times(26, func(int) {
		t.wait(80*ms).lose(connector, 1).data(connector).wait(30 * ms).says(report{by: listener, fewer: 2}).wait(150 * ms).says(report{by: listener, fewer: 2})
		t.wait(150 * ms).again(retry{by: connector, back: 2}).bad(func(*dp8.Frame) {}).says(report{by: listener})
	})
}

// repeats are retries of what had arrived.
func repeats(after time.Duration) *talk {
	t := chatting()
	return t.times(26, func(int) {
		t.wait(80 * ms).data(connector).says(report{by: listener}).wait(200 * ms).again(retry{by: connector, back: 1}).wait(after).says(report{by: listener})
	})
}

// maskRetries are retries that a mask asks for.
func maskRetries(after time.Duration) *talk {
	t := chatting()
	return t.times(26, func(int) {
		t.wait(80 * ms).data(connector).data(connector).wait(25 * ms).says(report{by: listener, fewer: 2, mask: 1})
		t.wait(after).again(retry{by: connector, back: 2}).wait(25 * ms).says(report{by: listener})
	})
}
