package lab

import (
	"time"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/session/conform"
)

// both sends a reliable and an unreliable text in one frame, or what is left of them.
func (t *talk) both(side dissect.Dir, retry bool, texts ...string) *talk {
	t.parts(side, texts...)
	step := &t.steps[len(t.steps)-1]
	if len(texts) > 1 {
		step.Payload[4+3] &^= dp8.PartReliable // the second header
	}
	if retry {
		step.Payload[1] |= byte(dp8.CtlRetry)
		t.seq[side]--
		step.Payload[2]--
	}
	return t
}

// dp8Retry break the rules of retries.
func dp8Retry() []Mutant {
	pair := func() *talk { return chatting().both(0, false, "reliable", "at once") }
	stale := func(d *dp8.DFrame) { d.NRcv -= 3 }
	quick := func(after time.Duration) *talk {
		t := chatting().chat(140)
		for range 12 {
			t.wait(50 * ms).data(connector).wait(after).bad(func(*dp8.Frame) {}).again(retry{by: connector, back: 1}).wait(30 * ms).says(report{by: listener})
		}
		return t
	}
	// Nothing else is sent, so that nothing is named: the other side says where it is.
	series := func(gaps ...int) *talk {
		t := chatting().chat(160).data(connector)
		for range 16 {
			t.wait(60 * ms).says(report{by: listener, fewer: 1})
		}
		for i, gap := range gaps {
			for gap > 1000 {
				gap -= 500
				t.wait(500 * ms).says(report{by: listener, fewer: 1})
			}
			if i == len(gaps)-1 {
				t.bad(func(*dp8.Frame) {})
			}
			t.wait(time.Duration(gap) * ms).again(retry{by: connector, back: 1})
		}
		return t
	}
	return []Mutant{
		chatting().data(connector).wait(300*ms).broken(stale).again(retry{by: connector, back: 1}).says(report{by: listener}).chat(3).breaks("DP8-3.1.6.5-HDRLATEST", "retries with an old bNRcv"),
		chatting().data(connector).wait(300*ms).again(retry{by: connector, back: 1}).says(report{by: listener}).chat(3).nearly("DP8-3.1.6.5-HDRLATEST", "retries with the latest"),
		soonRetries(5, 70*ms, 100*ms, true).breaks("DP8-3.1.6.5-HDRLATEST", "never renews the header of retries, soon sent"),
		soonRetries(4, 70*ms, 11*second, true).breaks("DP8-3.1.6.5-HDRLATEST", "never renews the header of retries, with long pauses"),
		soonRetries(5, 70*ms, 100*ms, false).nearly("DP8-3.1.6.5-HDRLATEST", "renews the header of retries, soon sent"),
		chatting().data(connector).wait(300*ms).again(retry{by: connector, back: 1}).says(report{by: listener}).chat(3).nearly("DP8-2.2.2-RETRYFIRST", "marks what was sent before"),
		chatting().data(connector).data(listener).wait(10*ms).broken(unmark).again(retry{by: connector, back: 1}).says(report{by: listener}).chat(3).breaks("DP8-2.2.2-RETRYBIT", "soon sends again without RETRY, acknowledging more"),
		chatting().data(connector).wait(10*ms).again(retry{by: connector, back: 1, change: unmark}).wait(300*ms).again(retry{by: connector, back: 1}).says(report{by: listener}).chat(3).nearly("DP8-2.2.2-RETRYBIT", "is doubled by the network"),
		chatting().data(connector).wait(300*ms).broken(func(d *dp8.DFrame) { d.Command ^= dp8.Sequential }).again(retry{by: connector, back: 1}).says(report{by: listener}).chat(3).breaks("DP8-3.1.6.5-FLAGSKEPT", "changes a flag"),
		chatting().data(connector).wait(300*ms).again(retry{by: connector, back: 1, change: func(d *dp8.DFrame) { d.Command |= dp8.Poll }}).says(report{by: listener}).chat(3).nearly("DP8-3.1.6.5-FLAGSKEPT", "changes POLL"),
		chatting().send(connector, unreliable).wait(300*ms).broken(unreliable).again(retry{by: connector, back: 1}).says(report{by: listener}).chat(3).breaks("DP8-3.1.6.5-UNREL-RETRY", "retries an unreliable frame"),
		chatting().send(connector, unreliable).data(connector).wait(300*ms).again(retry{by: connector, back: 1}).says(report{by: listener}).chat(3).nearly("DP8-3.1.6.5-UNREL-RETRY", "retries a reliable one"),
		pair().wait(300*ms).bad(func(*dp8.Frame) {}).both(0, true, "reliable", "at once").says(report{by: listener}).chat(3).breaks("DP8-3.1.6.5-COALRETRY", "retries the unreliable part too"),
		pair().wait(300*ms).both(0, true, "reliable").says(report{by: listener}).chat(3).nearly("DP8-3.1.6.5-COALRETRY", "retries the reliable part"),
		pair().wait(300*ms).bad(func(*dp8.Frame) {}).both(0, true, "reliably").says(report{by: listener}).chat(3).breaks("DP8-3.1.6.5-COALRETRY-SOLO", "changes the part"),
		pair().wait(300*ms).both(0, true, "reliable").says(report{by: listener}).chat(3).nearly("DP8-3.1.6.5-COALRETRY-SOLO", "keeps the part"),
		quick(5*ms).breaks("DP8-3.1.2.5-FIRST", "retries before an answer can come"),
		quick(200*ms).nearly("DP8-3.1.2.5-FIRST", "retries after the round trip"),
		series(1200, 300, 100).breaks("DP8-3.1.2.5-BACKOFF", "retries faster and faster"),
		series(300, 600, 1200).nearly("DP8-3.1.2.5-BACKOFF", "retries slower and slower"),
		series(300, 600, 30000).breaks("DP8-3.1.2.5-CAP", "waits for half a minute"),
		series(300, 600, 1200, 5000).nearly("DP8-3.1.2.5-CAP", "waits for 5 s"),
		series(200, 200, 200, 200, 200, 200, 200, 200, 200, 200, 200).breaks("DP8-3.1.2.5-MAX", "retries 11 times"),
		series(200, 200, 200, 200, 200, 200, 200, 200, 200, 200).nearly("DP8-3.1.2.5-MAX", "retries 10 times"),
		hopeless(0).breaks("DP8-3.1.6.5-LOST", "goes on after the last retry"),
		hopeless(1).nearly("DP8-3.1.6.5-LOST", "goes on when the last retry is answered"),
	}
}

// unmark clears RETRY.
func unmark(d *dp8.DFrame) { d.Control &^= dp8.CtlRetry }

// soonRetries sends so many retries, each so soon after a frame with a later header: with that, or an old
// one. A pause follows each.
func soonRetries(n int, after, pause time.Duration, old bool) *talk {
	t := chatting()
	return t.times(n, func(int) {
		t.data(connector).data(listener).sack(connector).wait(after)
		if old {
			t.broken(func(d *dp8.DFrame) { d.NRcv-- })
		}
		t.again(retry{by: connector, back: 1}).wait(40 * ms).says(report{by: listener}).wait(pause)
	})
}

// hopeless goes on although a number was retried ten times, unanswered or not.
func hopeless(answers int) *talk {
	t := chatting().data(connector)
	for i := range 10 {
		t.wait(300 * ms).again(retry{by: connector, back: 1 + uint8(i)}).data(connector).says(report{by: listener, fewer: 2 + uint8(i), mask: 1<<(i+1) - 1})
	}
	if answers > 0 {
		return t.says(report{by: listener}).chat(30)
	}
	for i := range 30 {
		t.wait(500 * ms).bad(func(*dp8.Frame) {}).data(connector).says(report{by: listener, fewer: 12 + uint8(i), mask: 1<<(i+11) - 1})
	}
	return t
}

// dp8Timer break recommendations of timers.
func dp8Timer() []Mutant {
	connects := func(n int, every time.Duration) *talk {
		t := newTalk()
		for range n {
			t.wait(every).bad(func(*dp8.Frame) {}).connect()
		}
		return t.answer().confirm().alive().chat(4)
	}
	few := conform.Profile{Values: map[string]float64{"CONNMAX": 3}}
	failed, went := connects(6, 300*ms).breaks("DP8-3.1.6.1-FAILED", "goes on after the last retry", "DP8-3.1.2.1-CONNMAX"), connects(4, 300*ms).nearly("DP8-3.1.6.1-FAILED", "is answered in time")
	failed.Profile, went.Profile, failed.Steps = few, few, unmarked(failed.Steps)
	quiet := func(d time.Duration) *talk {
		return chatting().says(report{by: listener}).wait(d).bad(func(*dp8.Frame) {}).data(connector).data(listener).sack(connector).chat(4)
	}
	alive := chatting()
	alive.times(6, func(int) { alive.wait(second).bad(func(*dp8.Frame) {}).keepAlive(connector).chat(2) })
	return []Mutant{
		connects(5, 50*ms).breaks("DP8-3.1.2.1-CONNRETRY", "sends CONNECT every 50 ms"),
		connects(5, 400*ms).nearly("DP8-3.1.2.1-CONNRETRY", "sends CONNECT every 400 ms"),
		connects(17, 400*ms).breaks("DP8-3.1.2.1-CONNMAX", "retries 16 times"),
		connects(15, 400*ms).nearly("DP8-3.1.2.1-CONNMAX", "retries 14 times"),
		failed, went,
		quiet(60*second).breaks("DP8-3.1.2.6-KEEPALIVE", "sends no KeepAlive"),
		fine("DP8-3.1.2.6-KEEPALIVE", "dp8/keepalives"),
		alive.breaks("DP8-3.1.2.6-EARLY", "sends a KeepAlive every second"),
		fine("DP8-3.1.2.6-EARLY", "dp8/keepalives"),
	}
}

func unmarked(steps []Step) []Step {
	for i := range steps {
		steps[i].Fault = false
	}
	return steps
}
