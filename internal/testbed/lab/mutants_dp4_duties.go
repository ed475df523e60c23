package lab

import (
	"slices"
	"time"

	"github.com/dpdissect/dpdissect/dp4"
	"github.com/dpdissect/dpdissect/session/conform"
)

// dp4Duties break the rules of what receivers and senders must do.
func dp4Duties() []Mutant {
	windows := conform.Profile{Windows: true}
	return slices.Concat([]Mutant{
		{Rule: "DP4-3.1.5.2-CONTIG", Name: "puts a packet of another message between two parts", On: "dp4/parts-lossy",
			Tamper: dp4Nth(5, dp4Middle, func(f *dp4.Frame) { f.MessageID++ })},
		dp4RangeMutant(),
		dp4RangeNear(),
		{Rule: "DP4-3.1.5.2-SAK-PRODUCT-RETRY", Name: "sends again without SAK", On: "dp4/windows-lossy", Profile: windows,
			Tamper: dp4Nth(2, dp4Retry, func(f *dp4.Frame) { f.Flags &^= dp4.SAK })},
		{Rule: "DP4-3.1.5.2-SAK-PRODUCT-RETRY", Name: "sends again with SAK", On: "dp4/windows-lossy", Profile: windows, Near: true},
		{Rule: "DP4-3.1.5.2-SAK-PRODUCT-24", Name: "sends 30 packets without SAK", Profile: windows, Steps: dp4Exchange(silentSAK(30, 10*time.Millisecond))},
		{Rule: "DP4-3.1.5.2-SAK-PRODUCT-24", Name: "sends 24 packets without SAK", Profile: windows, Near: true, Steps: dp4Exchange(silentSAK(24, time.Millisecond))},
		{Rule: "DP4-3.1.5.2-SAK-PRODUCT-50MS", Name: "asks after 400 ms", Profile: windows, Steps: longer(silentSAK(20, 20*time.Millisecond))},
		{Rule: "DP4-3.1.5.2-SAK-PRODUCT-50MS", Name: "asks after 20 ms", Profile: windows, Near: true, Steps: longer(silentSAK(20, time.Millisecond))},
		{Rule: "DP4-3.1.5.3-RETX", Name: "does not send again what is reported missing", Steps: dp4Exchange(neglect), Also: []string{"DP4-2.2.2-MSGID-WINDOW"}},
		{Rule: "DP4-1.3-ENVELOPE", Name: "wraps a search for sessions", On: "dp4/windows-clean",
			Tamper: dp4Nth(20, dp4By(1, dp4Single), func(f *dp4.Frame) { f.Data = []byte("play\x02\x00\x0e\x00 and so on") })},
	},
		dp4Answers(),
		dp4Keeps("dp4/parts-lossy", "DP4-3.1.5.2-CONTIG"), dp4Keeps("dp4/windows-clean", "DP4-1.3-ENVELOPE"),
		dp4Keeps("dp4/nacks-lsb-first", "DP4-3.1.5.3-RETX", "DP4-3.1.5.2-NACK-OOO"),
		dp4Keeps("dp4/copies-disorder", "DP4-3.1.5.2-SAK", "DP4-3.1.5.2-REACK"), dp4Keeps("dp4/windows-clean", "DP4-3.1.5.2-FINAL-ACK"))
}

// silentSAK sends packets without SAK.
func silentSAK(n int, every time.Duration) func(t *dp4Talk) {
	return func(t *dp4Talk) {
		for range n {
			t.say(0, every, dp4Whole|dp4.RLY)
		}
		t.ack(1, 40*time.Millisecond)
	}
}

// neglect goes on with messages that are not reliable and does not send again what
// is reported missing.
func neglect(t *dp4Talk) {
	lost := t.next[0]
	t.say(0, 20*time.Millisecond, dp4Whole|dp4.RLY)
	for range 12 {
		for range 4 {
			t.say(0, 60*time.Millisecond, dp4Whole)
		}
		t.reply(1, 25*time.Millisecond, t.nack(1, lost))
	}
}

// longer is a connection that goes on for long before something happens.
func longer(then func(t *dp4Talk)) []Step {
	t := newDP4Talk(150)
	then(t)
	return t.end()
}
