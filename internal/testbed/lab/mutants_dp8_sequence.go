package lab

import (
	"fmt"

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
	begin := newTalk().connect().answer().confirm().keepAlive(1).lose(0, 1)
	begin.bad(func(*dp8.Frame) {}).data(0).times(30, func(i int) {
		begin.data(0).wait(millis(60)).says(1, uint8(3+i), 1<<(i+2)-1)
	})
	early := newTalk().connect().answer().confirm().broken(func(d *dp8.DFrame) { d.NRcv = 9 }).keepAlive(1).keepAlive(0).chat(4)
	lower := func() *talk { // 7 is passed over
		t := chatting().lose(0, 1).data(0).says(1, 2, 1).data(0).says(1, 3, 3)
		return t
	}
	late := func(d *dp8.DFrame) { d.Control &^= dp8.CtlRetry }
	flood := func(inFlight int) *talk {
		t := newTalk().meet()
		t.times(inFlight, func(int) { t.wait(millis(1)).data(0) })
		return t.times(12, func(int) {
			t.wait(millis(25)).says(1, uint8(inFlight-8), 0)
			t.times(8, func(i int) { t.wait(millis(1)).data(0) })
		})
	}
	burst := func(inFlight int) *talk { // all at once, over a path of 200 ms
		t := newTalk().connect().wait(millis(100)).answer().wait(millis(100)).confirm().wait(millis(200)).keepAlive(1).wait(millis(100)).keepAlive(0)
		t.times(12, func(int) { t.wait(millis(30)).data(0).wait(millis(200)).sack(1) })
		t.wait(millis(200)).data(0)
		return t.times(inFlight-1, func(int) { t.wait(0).data(0) })
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
		lower().wait(millis(400)).broken(late).again(0, 3, asIs).says(1, 0, 0).chat(3).breaks("DP8-3.1.5.2.1-INC", "sends a number it passed over", "DP8-2.2.2-RETRYBIT"),
		chatting().wait(millis(40)).broken(func(d *dp8.DFrame) { d.Seq += 20 }).data(0).lose(0, 255).wait(millis(150)).data(0).data(1).chat(5).breaks("DP8-3.1.5.2.1-INC", "steps ahead once"),
		chatting().wait(millis(40)).broken(func(d *dp8.DFrame) { d.Control, d.Payload = 0, []byte("something else") }).again(0, 4, asIs).chat(3).breaks("DP8-3.1.5.2.1-INC", "new content under an old number", "DP8-3.1.5.2.1-REUSE",
			"DP8-3.1.5.2.2-MAX"), // without the first content, the second seems acknowledged before it is sent
		lower().wait(millis(8)).again(0, 3, late).says(1, 0, 0).chat(3).nearly("DP8-3.1.5.2.1-INC", "is overtaken"),
		chatting().data(0).wait(millis(300)).broken(says("hello, again")).again(0, 1, asIs).says(1, 0, 0).chat(3).breaks("DP8-3.1.5.2.1-REUSE", "retries other content"),
		chatting().data(0).wait(millis(300)).again(0, 1, asIs).says(1, 0, 0).chat(3).nearly("DP8-3.1.5.2.1-REUSE", "retries"),
		excess.breaks("DP8-3.1.5.2.1-RANGE", "has 90 in flight", "DP8-2.2.1.5-NSEQ"),
		chatting().wait(millis(40)).broken(func(d *dp8.DFrame) { d.Seq += 64 }).data(0).lose(0, 255).wait(millis(150)).data(0).data(1).chat(5).breaks("DP8-3.1.5.2.1-RANGE", "steps beyond the window once"),
		flood(56).nearly("DP8-3.1.5.2.1-RANGE", "has 64 in flight"),
		atOnce.wait(millis(200)).says(1, 26, 0).wait(millis(200)).data(0).sack(1).chat(2).breaks("DP8-3.1.5.2.1-RANGE", "sends 90 at once"),
		burst(64).wait(millis(200)).sack(1).chat(4).nearly("DP8-3.1.5.2.1-RANGE", "sends 64 at once"),
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
		t.wait(millis(0)).data(0)
	})
	t.wait(millis(35)).says(1, 30, 0)
	t.wait(millis(1)).says(1, 0, 0)
	return t.data(1).wait(millis(45)).sack(0).chat(10)
}

// losing loses a frame again and again.
func losing(inFlight int) *talk {
	t := newTalk().meet()
	t.times(inFlight-1, func(int) { t.wait(millis(3)).data(0) })
	for range 26 {
		t.wait(millis(60)).bad(func(*dp8.Frame) {}).again(0, uint8(inFlight-1), asIs)
		t.says(1, uint8(inFlight-2), 0).data(0)
	}
	return t
}

// dp8Ack break the rules of acknowledgements and masks.
func dp8Ack() []Mutant {
	more := func(n uint8) func(d *dp8.DFrame) { return func(d *dp8.DFrame) { d.NRcv += n } }
	carried := func(mask uint64) *talk { // 2 in flight, and a data frame says what came of them
		t := chatting().data(0).data(0).send(1, sacks(2, mask)).data(0)
		return t.wait(millis(250))
	}
	given := func() *talk { return chatting().send(0, unreliable) }
	stuck := func(still bool) *talk {
		t := chatting().send(0, unreliable).send(0, drops(1)).wait(millis(60))
		if still {
			return t.bad(func(*dp8.Frame) {}).says(1, 2, 1).chat(4)
		}
		return t.says(1, 0, 0).chat(4)
	}
	return []Mutant{
		chatting().wait(millis(150)).broken(func(d *dp8.DFrame) { d.NRcv -= 2 }).data(0).chat(4).breaks("DP8-3.1.5.2.2-MONO", "goes back"),
		fine("DP8-3.1.5.2.2-MONO", clean),
		fine("DP8-3.1.5.2.2-MONO", lossyTrace),
		chatting().broken(more(30)).data(0).chat(6).breaks("DP8-3.1.5.2.2-MAX", "acknowledges 30 numbers not sent"),
		chatting().broken(more(90)).data(0).chat(6).breaks("DP8-3.1.5.2.2-MAX", "acknowledges far beyond the window"),
		chatting().bad(func(f *dp8.Frame) { f.SACK.NRcv += 12 }).sack(0).wait(millis(200)).sack(1).chat(6).breaks("DP8-3.1.5.2.2-MAX", "acknowledges what bNSeq contradicts"),
		fine("DP8-3.1.5.2.2-MAX", lossyTrace),
		chatting().broken(more(1)).data(0).wait(millis(200)).data(1).data(0).chat(4).breaks("DP8-3.1.5.2.2-GAPACK", "acknowledges the next number before it is sent"),
		fine("DP8-3.1.5.2.2-GAPACK", lossyTrace),
		shifted(30, 1).breaks("DP8-3.1.5.2.3-BASE", "bit i is bNRcv + i"),
		shifted(30, 0).nearly("DP8-3.1.5.2.3-BASE", "bit i is bNRcv + 1 + i"),
		gap().bad(func(*dp8.Frame) {}).says(1, 2, 1<<28|1).wait(millis(200)).data(0).data(0).chat(1).breaks("DP8-3.1.5.2.3-UNSENT", "names a number far ahead"),
		gap().says(1, 2, 1).wait(millis(200)).again(0, 2, asIs).says(1, 0, 0).chat(3).nearly("DP8-3.1.5.2.3-UNSENT", "names what came"),
		gap().bad(func(*dp8.Frame) {}).says(1, 2, 1<<63|1).chat(1).breaks("DP8-3.1.5.2.3-BIT63", "sets the last bit"),
		gap().says(1, 2, 1).chat(1).nearly("DP8-3.1.5.2.3-BIT63", "sets the first bit"),
		gap().data(0).data(0).says(1, 4, 7).bad(func(*dp8.Frame) {}).says(1, 4, 5).breaks("DP8-3.1.5.2.3-RENEGE", "takes an acknowledgement back"),
		gap().data(0).data(0).says(1, 4, 5).says(1, 4, 7).nearly("DP8-3.1.5.2.3-RENEGE", "adds one"),
		carried(1).bad(func(*dp8.Frame) {}).again(0, 2, asIs).breaks("DP8-3.1.5.2.3-NORETRY", "retries what the mask names"),
		carried(1).again(0, 3, asIs).nearly("DP8-3.1.5.2.3-NORETRY", "retries what it does not"),
		chatting().wait(millis(200)).bad(func(*dp8.Frame) {}).again(0, 3, asIs).chat(2).breaks("DP8-3.1.5.2.2-ACKEDRETRY", "retries an acknowledged number"),
		chatting().data(0).wait(millis(200)).again(0, 1, asIs).says(1, 0, 0).chat(2).nearly("DP8-3.1.5.2.2-ACKEDRETRY", "retries another one"),
		given().data(0).broken(drops(1)).data(0).chat(2).breaks("DP8-3.1.5.2.4-RELIABLE", "gives a reliable number up"),
		given().data(0).send(0, drops(2)).chat(2).nearly("DP8-3.1.5.2.4-RELIABLE", "gives an unreliable number up"),
		given().data(0).data(0).data(0).wait(millis(300)).broken(drops(1<<3)).again(0, 1, asIs).chat(1).breaks("DP8-3.1.5.2.4-BASE", "counts from the next number in a retry"),
		given().data(0).data(0).data(0).wait(millis(300)).again(0, 1, drops(1<<2)).chat(1).nearly("DP8-3.1.5.2.4-BASE", "counts from the number of the retry"),
		newTalk().meet().broken(drops(1<<10)).data(0).chat(2).breaks("DP8-3.1.5.2.4-UNSENT", "names a number before the first"),
		newTalk().meet().send(0, unreliable).send(0, drops(1)).chat(2).nearly("DP8-3.1.5.2.4-UNSENT", "names the number before"),
		given().data(1).wait(millis(30)).data(0).wait(millis(200)).broken(drops(2)).data(0).chat(1).breaks("DP8-3.1.5.2.4-ACKED", "gives an acknowledged number up"),
		given().send(0, drops(1)).chat(1).nearly("DP8-3.1.5.2.4-ACKED", "gives the last number up"),
		stuck(true).breaks("DP8-3.1.5.2.4-ADVANCE", "waits for what was given up"),
		fine("DP8-3.1.5.2.4-ADVANCE", "dp8/unreliable"),
	}
}

// gap has one number missing, and the next arrived.
func gap() *talk { return chatting().lose(0, 1).data(0) }

// shifted answers that with so many masks, whose bits are shifted.
func shifted(masks, shift int) *talk {
	t := gap()
	return t.times(masks, func(i int) {
		t.data(0)
		if shift > 0 {
			t.bad(func(*dp8.Frame) {})
		}
		t.says(1, uint8(3+i), (1<<(i+2)-1)<<shift)
	})
}

// dp8Waits break rules of what must follow.
func dp8Waits() []Mutant {
	waiting := func(kind func(*dp8.DFrame), change func(t *talk, i int)) *talk {
		t := chatting().send(0, kind)
		return t.times(40, func(i int) {
			t.wait(millis(500))
			change(t, i)
			t.send(0, says(fmt.Sprintf("number %d of all", i))).says(1, uint8(2+i), 1<<(i+1)-1)
		})
	}
	nothing := func(*talk, int) {}
	polls := func(after int) *talk {
		t := chatting()
		return t.times(20, func(int) {
			t.wait(millis(100)).send(0, func(d *dp8.DFrame) { d.Command |= dp8.Poll }).wait(millis(after)).sack(1)
		})
	}
	slow := polls(400)
	markAll(slow.steps, 1, 10)
	lazy := func(after int) *talk {
		t := chatting()
		return t.times(30, func(int) { t.wait(millis(100)).data(0).wait(millis(after)).sack(1) })
	}
	return []Mutant{
		waiting(unreliable, nothing).breaks("DP8-3.1.6.5-UNREL-MASK", "never names what is lost"),
		fine("DP8-3.1.6.5-UNREL-MASK", "dp8/unreliable"),
		waiting(asIs, nothing).breaks("DP8-3.1.6.5-RETRYMISSING", "never retries"),
		waiting(asIs, func(t *talk, i int) {
			if i%4 == 3 {
				t.again(0, uint8(1+i), asIs)
			}
		}).nearly("DP8-3.1.6.5-RETRYMISSING", "retries in vain"),
		renumbered(nothing).breaks("DP8-3.1.6.5-SEQKEPT", "sends it under a new number"),
		renumbered(func(t *talk, i int) {
			if i%6 == 5 {
				t.again(0, uint8(1+i), says("number 3 of all"))
			}
		}).nearly("DP8-3.1.6.5-SEQKEPT", "says the same again, and retries it too"),
		aliveAndStuck(nothing).breaks("DP8-3.1.6.6-KA-RETRY", "never retries a KeepAlive"),
		aliveAndStuck(func(t *talk, i int) {
			if i%6 == 5 {
				t.again(0, uint8(1+i), func(d *dp8.DFrame) {
					d.Control, d.KeepAlive, d.SessionID, d.Payload = d.Control|dp8.CtlKeepAlive, true, talkID, nil
				})
			}
		}).nearly("DP8-3.1.6.6-KA-RETRY", "retries a KeepAlive in vain"),
		slow.breaks("DP8-2.2.1.5-POLLACK", "answers POLL late"),
		polls(30).nearly("DP8-2.2.1.5-POLLACK", "answers POLL"),
		hides().breaks("DP8-3.1.5.2.1-SACKINFO", "never tells what came behind a gap"),
		gaps(30).nearly("DP8-3.1.5.2.1-SACKINFO", "tells what came behind a gap"),
		gaps(300).breaks("DP8-3.1.2.2-ACKDELAY-OOO", "reports gaps late"),
		gaps(30).nearly("DP8-3.1.2.2-ACKDELAY-OOO", "reports gaps"),
		repeats(400).breaks("DP8-3.1.5.2.1-OOR-SACK", "answers repetitions late"),
		repeats(30).nearly("DP8-3.1.5.2.1-OOR-SACK", "answers repetitions"),
		maskRetries(900).breaks("DP8-3.1.5.2.3-FAST", "does not hurry"),
		maskRetries(40).nearly("DP8-3.1.5.2.3-FAST", "hurries"),
		lazy(500).breaks("DP8-3.1.2.2-ACKDELAY", "acknowledges late"),
		lazy(90).nearly("DP8-3.1.2.2-ACKDELAY", "acknowledges in time"),
	}
}

// aliveAndStuck is a KeepAlive that never arrives.
func aliveAndStuck(between func(t *talk, i int)) *talk {
	t := chatting().bad(func(*dp8.Frame) {}).keepAlive(0)
	return t.times(40, func(i int) { between(t.wait(millis(500)), i); t.data(0).says(1, uint8(2+i), 1<<(i+1)-1) })
}

// renumbered sends what never arrived under a new number.
func renumbered(between func(t *talk, i int)) *talk {
	t := chatting().send(0, says("number 3 of all")) // lost
	return t.times(40, func(i int) {
		between(t.wait(millis(250)), i)
		if i == 3 {
			t.bad(func(*dp8.Frame) {})
		}
		t.send(0, says(fmt.Sprintf("number %d of all", i))).says(1, uint8(2+i), 1<<(i+1)-1)
	})
}

// gaps are frames that come before the one sent before them.
func gaps(after int) *talk {
	t := chatting()
	return t.times(26, func(int) {
		t.wait(millis(80)).lose(0, 1).data(0).wait(millis(after)).says(1, 2, 1)
		t.wait(millis(150)).again(0, 2, asIs).says(1, 0, 0)
	})
}

// hides are gaps whose far side is acknowledged only when they are filled.
func hides() *talk {
	t := chatting()
	return t.times(26, func(int) {
		t.wait(millis(80)).lose(0, 1).data(0).wait(millis(30)).says(1, 2, 0).wait(millis(150)).says(1, 2, 0)
		t.wait(millis(150)).again(0, 2, asIs).bad(func(*dp8.Frame) {}).says(1, 0, 0)
	})
}

// repeats are retries of what had arrived.
func repeats(after int) *talk {
	t := chatting()
	return t.times(26, func(int) {
		t.wait(millis(80)).data(0).says(1, 0, 0).wait(millis(200)).again(0, 1, asIs).wait(millis(after)).says(1, 0, 0)
	})
}

// maskRetries are retries that a mask asks for.
func maskRetries(after int) *talk {
	t := chatting()
	return t.times(26, func(int) {
		t.wait(millis(80)).data(0).data(0).wait(millis(25)).says(1, 2, 1)
		t.wait(millis(after)).again(0, 2, asIs).wait(millis(25)).says(1, 0, 0)
	})
}
