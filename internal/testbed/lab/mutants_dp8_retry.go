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
			t.wait(millis(50)).data(0).wait(after).bad(func(*dp8.Frame) {}).again(0, 1, asIs).wait(millis(30)).says(1, 0, 0)
		}
		return t
	}
	// Nothing else is sent, so that nothing is named: the other side says where it is.
	series := func(gaps ...int) *talk {
		t := chatting().chat(160).data(0)
		for range 16 {
			t.wait(millis(60)).says(1, 1, 0)
		}
		for i, gap := range gaps {
			for gap > 1000 {
				gap -= 500
				t.wait(millis(500)).says(1, 1, 0)
			}
			if i == len(gaps)-1 {
				t.bad(func(*dp8.Frame) {})
			}
			t.wait(millis(gap)).again(0, 1, asIs)
		}
		return t
	}
	return []Mutant{
		chatting().data(0).wait(millis(300)).broken(stale).again(0, 1, asIs).says(1, 0, 0).chat(3).breaks("DP8-3.1.6.5-HDRLATEST", "retries with an old bNRcv"),
		chatting().data(0).wait(millis(300)).again(0, 1, asIs).says(1, 0, 0).chat(3).nearly("DP8-3.1.6.5-HDRLATEST", "retries with the latest"),
		soonRetries(5, true).breaks("DP8-3.1.6.5-HDRLATEST", "never renews the header of retries, soon sent"),
		soonRetries(5, false).nearly("DP8-3.1.6.5-HDRLATEST", "renews the header of retries, soon sent"),
		chatting().data(0).wait(millis(300)).again(0, 1, asIs).says(1, 0, 0).chat(3).nearly("DP8-2.2.2-RETRYFIRST", "marks what was sent before"),
		chatting().data(0).wait(millis(300)).broken(func(d *dp8.DFrame) { d.Command ^= dp8.Sequential }).again(0, 1, asIs).says(1, 0, 0).chat(3).breaks("DP8-3.1.6.5-FLAGSKEPT", "changes a flag"),
		chatting().data(0).wait(millis(300)).again(0, 1, func(d *dp8.DFrame) { d.Command |= dp8.Poll }).says(1, 0, 0).chat(3).nearly("DP8-3.1.6.5-FLAGSKEPT", "changes POLL"),
		chatting().send(0, unreliable).wait(millis(300)).broken(unreliable).again(0, 1, asIs).says(1, 0, 0).chat(3).breaks("DP8-3.1.6.5-UNREL-RETRY", "retries an unreliable frame"),
		chatting().send(0, unreliable).data(0).wait(millis(300)).again(0, 1, asIs).says(1, 0, 0).chat(3).nearly("DP8-3.1.6.5-UNREL-RETRY", "retries a reliable one"),
		pair().wait(millis(300)).bad(func(*dp8.Frame) {}).both(0, true, "reliable", "at once").says(1, 0, 0).chat(3).breaks("DP8-3.1.6.5-COALRETRY", "retries the unreliable part too"),
		pair().wait(millis(300)).both(0, true, "reliable").says(1, 0, 0).chat(3).nearly("DP8-3.1.6.5-COALRETRY", "retries the reliable part"),
		pair().wait(millis(300)).bad(func(*dp8.Frame) {}).both(0, true, "reliably").says(1, 0, 0).chat(3).breaks("DP8-3.1.6.5-COALRETRY-SOLO", "changes the part"),
		pair().wait(millis(300)).both(0, true, "reliable").says(1, 0, 0).chat(3).nearly("DP8-3.1.6.5-COALRETRY-SOLO", "keeps the part"),
		quick(millis(5)).breaks("DP8-3.1.2.5-FIRST", "retries before an answer can come"),
		quick(millis(200)).nearly("DP8-3.1.2.5-FIRST", "retries after the round trip"),
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

// soonRetries sends so many retries, each 70 ms after a frame with a later header: with that, or an old one.
func soonRetries(n int, old bool) *talk {
	t := chatting()
	return t.times(n, func(int) {
		t.data(0).data(1).sack(0).wait(millis(70))
		if old {
			t.broken(func(d *dp8.DFrame) { d.NRcv-- })
		}
		t.again(0, 1, asIs).wait(millis(40)).says(1, 0, 0).wait(millis(100))
	})
}

// hopeless goes on although a number was retried ten times, unanswered or not.
func hopeless(answers int) *talk {
	t := chatting().data(0)
	for i := range 10 {
		t.wait(millis(300)).again(0, 1+uint8(i), asIs).data(0).says(1, 2+uint8(i), 1<<(i+1)-1)
	}
	if answers > 0 {
		return t.says(1, 0, 0).chat(30)
	}
	for i := range 30 {
		t.wait(millis(500)).bad(func(*dp8.Frame) {}).data(0).says(1, 12+uint8(i), 1<<(i+11)-1)
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
	failed, went := connects(6, millis(300)).breaks("DP8-3.1.6.1-FAILED", "goes on after the last retry", "DP8-3.1.2.1-CONNMAX"), connects(4, millis(300)).nearly("DP8-3.1.6.1-FAILED", "is answered in time")
	failed.Profile, went.Profile, failed.Steps = few, few, unmarked(failed.Steps)
	quiet := func(d time.Duration) *talk {
		return chatting().says(1, 0, 0).wait(d).bad(func(*dp8.Frame) {}).data(0).data(1).sack(0).chat(4)
	}
	alive := chatting()
	alive.times(6, func(int) { alive.wait(second).bad(func(*dp8.Frame) {}).keepAlive(0).chat(2) })
	return []Mutant{
		connects(5, millis(50)).breaks("DP8-3.1.2.1-CONNRETRY", "sends CONNECT every 50 ms"),
		connects(5, millis(400)).nearly("DP8-3.1.2.1-CONNRETRY", "sends CONNECT every 400 ms"),
		connects(17, millis(400)).breaks("DP8-3.1.2.1-CONNMAX", "retries 16 times"),
		connects(15, millis(400)).nearly("DP8-3.1.2.1-CONNMAX", "retries 14 times"),
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
