package lab

import (
	"time"

	"github.com/dpdissect/dpdissect/dp4"
)

// dp4Answers do not answer at once, or not at all, what asks for it.
func dp4Answers() []Mutant {
	return []Mutant{
		{Rule: "DP4-3.1.5.2-SAK", Name: "answers no SAK", Steps: dp4Unanswered(manyAnswers, dp4Asks)},
		{Rule: "DP4-3.1.5.2-SAK", Name: "answers all but one SAK", Near: true, Steps: dp4Unanswered(1, dp4Asks)},
		{Rule: "DP4-3.1.5.2-SAK", Name: "answers after 90 ms", Near: true, Steps: dp4Slow(90 * time.Millisecond)},
		{Rule: "DP4-3.1.5.2-FINAL-ACK", Name: "answers no last part", Steps: dp4Unanswered(manyAnswers, dp4Parted)},
		{Rule: "DP4-3.1.5.2-FINAL-ACK", Name: "answers last parts at once", Near: true, Steps: dp4Answered(dp4Parted)},
		{Rule: "DP4-3.1.5.2-REACK", Name: "answers no message it has", Steps: dp4Unanswered(manyAnswers, dp4Again)},
		{Rule: "DP4-3.1.5.2-REACK", Name: "answers once more", Near: true, Steps: dp4Answered(dp4Again)},
	}
}

// manyAnswers cannot all have been missed.
const manyAnswers = 30

func dp4Asks(t *dp4Talk) *Step   { return t.say(0, 60*time.Millisecond, dp4Whole|dp4.RLY|dp4.SAK) }
func dp4Parted(t *dp4Talk) *Step { return t.parts(0, 60*time.Millisecond) }

// dp4Again sends a message, which is acknowledged, once more.
func dp4Again(t *dp4Talk) *Step {
	t.say(0, 60*time.Millisecond, dp4Whole|dp4.RLY|dp4.SAK)
	t.ack(1, 25*time.Millisecond)
	return t.again(0, 90*time.Millisecond)
}

// dp4Unanswered lets side 1 answer another message long after what asks.
func dp4Unanswered(n int, ask func(t *dp4Talk) *Step) []Step {
	t := newDP4Talk(60)
	for range n {
		ask(t).Fault = n == manyAnswers
		t.say(0, 300*time.Millisecond, dp4Whole|dp4.RLY)
		t.ack(1, 25*time.Millisecond)
	}
	return t.end()
}

// dp4Answered lets it answer at once.
func dp4Answered(ask func(t *dp4Talk) *Step) []Step {
	t := newDP4Talk(60)
	for range manyAnswers {
		ask(t)
		t.ack(1, 25*time.Millisecond)
		t.say(0, 300*time.Millisecond, dp4Whole|dp4.RLY)
		t.ack(1, 25*time.Millisecond)
	}
	return t.end()
}

// dp4Slow lets it answer late, but not too late.
func dp4Slow(after time.Duration) []Step {
	t := newDP4Talk(60)
	for range manyAnswers {
		dp4Asks(t)
		t.ack(1, after)
	}
	return t.end()
}
