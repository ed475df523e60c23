package lab

import (
	"time"

	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/sim"
)

// dp8Close break the rules of the graceful close.
func dp8Close() []Mutant {
	meet := func() *talk { return newTalk().meet().turns(3) }
	const clean = "dp8/unsigned-clean"
	return []Mutant{
		{Rule: "DP8-3.1.4.3-RELIABLE", Name: "END_STREAM that is not reliable", On: clean,
			Tamper: firstShot(func(x *shot) bool { return x.EndStream && x.clear(dp8.Reliable) })},
		{Rule: "DP8-3.1.4.3-RELIABLE", Name: "END_STREAM on data", Near: true, On: "dp8/end-on-data"},
		{Rule: "DP8-3.1.4.3-EMPTY", Name: "END_STREAM on data", On: "dp8/end-on-data"},
		{Rule: "DP8-3.1.4.3-EMPTY", Name: "END_STREAM by itself", Near: true, On: clean},
		{Rule: "DP8-3.1.4.3-LAST", Name: "a new frame behind END_STREAM", On: clean, Tamper: afterEnd(30 * time.Millisecond)},
		{Rule: "DP8-3.1.4.3-LAST", Name: "retries behind END_STREAM", Near: true, Steps: meet().end(0).wait(300 * time.Millisecond).repeat(0).sack(1).end(1).sack(0).steps},
		{Rule: "DP8-3.1.4.3-REPLY", Name: "goes on without answer", Steps: meet().end(0).sack(1).wait(26 * time.Second).wrong().keepAlive(listener).sack(0).wait(time.Second).sack(0).steps},
		{Rule: "DP8-3.1.4.3-REPLY", Name: "answers when all is said", Near: true, Steps: meet().end(0).send(1, says("wait")).sack(0).send(1, says("so")).sack(0).end(1).sack(0).steps},
		{Rule: "DP8-3.1.4.3-KEEPACK", Name: "acknowledges no more", Steps: meet().end(0).sack(1).send(1, says("are you there?")).missesRepeats().steps},
		{Rule: "DP8-3.1.4.3-KEEPACK", Name: "acknowledges what follows", Near: true, Steps: meet().end(0).sack(1).send(1, says("one more")).sack(0).end(1).sack(0).steps},
		{Rule: "DP8-3.1.4.3-TERMINATED", Name: "a KeepAlive of a connection that is over",
			Steps: meet().end(0).end(1).sack(0).sack(1).wait(26 * time.Second).wrong().keepAlive(connector).steps},
		{Rule: "DP8-3.1.4.3-TERMINATED", Name: "a late retry", Near: true, Steps: meet().end(0).end(1).sack(0).sack(1).wait(3 * time.Second).repeat(1).sack(0).steps},
		{Rule: "DP8-3.1.4.3-BEYOND", Name: "acknowledges what follows END_STREAM", Also: []string{"DP8-3.1.4.3-LAST"},
			Steps: meet().end(0).send(0, says("oh, and")).wrong().sack(1).end(1).sack(0).steps},
		{Rule: "DP8-3.1.4.3-BEYOND", Name: "acknowledges END_STREAM", Near: true, On: clean},
		{Rule: "DP8-3.1.4.3-QUEUED", Name: "ends in the middle of a message",
			Steps: meet().part(0, dp8.NewMsg, 1200).wrong().end(0).sack(1).end(1).sack(0).steps},
		{Rule: "DP8-3.1.4.3-QUEUED", Name: "ends behind a message",
			Near: true, Steps: meet().part(0, dp8.NewMsg, 1200).part(0, dp8.EndMsg, 1200).end(0).sack(1).end(1).sack(0).steps},
	}
}

// afterEnd sends one more frame so long after the END_STREAM of side 0.
func afterEnd(after time.Duration) func() func(*sim.Datagram) []sim.Tampered {
	return eachShot(func() func(*shot) bool {
		return func(x *shot) bool {
			if x.EndStream && !x.Retry && x.Side == 0 {
				d := dp8.DFrame{Command: dp8.Data | dp8.Reliable | dp8.Sequential | dp8.NewMsg | dp8.EndMsg, Seq: x.d.Seq + 1, NRcv: x.d.NRcv, Payload: []byte("more")}
				x.extra = []sim.Tampered{{Payload: d.Append(nil), After: after, Fault: true}}
			}
			return false
		}
	})
}

// missesRepeats lets side 1 send its latest frame again and again, which side 0 answers with
// what it said before.
func (t *talk) missesRepeats() *talk {
	before := report{by: 0, fewer: 1}
	t.says(before)
	for range 11 {
		t.wait(200 * time.Millisecond).repeat(1).says(before)
	}
	for i := len(t.steps) - 5; i < len(t.steps); i++ {
		t.steps[i].Fault = t.steps[i].From == 0
	}
	return t
}
