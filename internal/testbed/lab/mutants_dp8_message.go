package lab

import (
	"time"

	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/sim"
)

// dp8Message break the rules of message boundaries.
func dp8Message() []Mutant {
	meet := func() *talk { return newTalk().meet().turns(2) }
	return []Mutant{
		{Rule: "DP8-3.1.5.2.6-NEW-AFTER-END", Name: "clears NEW", On: "dp8/unsigned-clean",
			Tamper: firstShot(func(x *shot) bool { return x.plain() && x.clear(dp8.NewMsg) })},
		{Rule: "DP8-3.1.5.2.6-NEW-AFTER-END", Name: "splits a message", Near: true, On: "dp8/large-message"},
		{Rule: "DP8-3.1.5.2.6-END-BEFORE-NEW", Name: "begins a message in the middle of another", On: "dp8/large-message",
			Tamper: firstShot(func(x *shot) bool {
				if !x.middle() || x.Seq < 30 {
					return false
				}
				x.d.Command |= dp8.NewMsg
				return true
			})},
		{Rule: "DP8-3.1.5.2.6-END-BEFORE-NEW", Name: "a KeepAlive between two parts",
			Steps: meet().part(0, dp8.NewMsg, 600).wrong().keepAlive(connector).part(0, dp8.EndMsg, 600).turns(2).steps},
		{Rule: "DP8-3.1.5.2.6-END-BEFORE-NEW", Name: "a KeepAlive between two messages", Near: true,
			Steps: meet().part(0, dp8.NewMsg, 600).part(0, dp8.EndMsg, 600).keepAlive(connector).turns(2).steps},
		{Rule: "DP8-3.1.4.4-ORDER", Name: "sends a part first long after the next one", On: "dp8/large-message", Tamper: lateShot(40),
			Also: []string{"DP8-3.1.5.2.1-INC"}},
		{Rule: "DP8-3.1.4.4-ORDER", Name: "sends a part again", Near: true, On: "dp8/large-message"},
		{Rule: "DP8-3.1.4.4-SMALL", Name: "splits 20 bytes",
			Steps: meet().part(0, dp8.NewMsg, 10).wrong().part(0, dp8.EndMsg, 10).turns(2).steps},
		{Rule: "DP8-3.1.4.4-SMALL", Name: "splits 400 bytes after a frame of 450",
			Steps: meet().part(0, dp8.NewMsg|dp8.EndMsg, 450).part(0, dp8.NewMsg, 200).wrong().part(0, dp8.EndMsg, 200).turns(2).steps},
		{Rule: "DP8-3.1.4.4-SMALL", Name: "splits 400 bytes", Near: true,
			Steps: meet().part(0, dp8.NewMsg, 200).part(0, dp8.EndMsg, 200).turns(2).steps},
		{Rule: "DP8-3.1.4.4-SMALL", Name: "splits 600 bytes", Near: true,
			Steps: meet().part(0, dp8.NewMsg, 300).part(0, dp8.EndMsg, 300).turns(2).steps},
		{Rule: "DP8-3.1.4.4-FILL", Name: "a small part in the middle",
			Steps: meet().part(0, dp8.NewMsg, 1200).wrong().part(0, 0, 10).part(0, dp8.EndMsg, 1200).turns(2).steps},
		{Rule: "DP8-3.1.4.4-FILL", Name: "a small part at the end", Near: true,
			Steps: meet().part(0, dp8.NewMsg, 1200).part(0, 0, 1190).part(0, dp8.EndMsg, 5).turns(2).steps},
		{Rule: "DP8-3.1.4.4-PROPS", Name: "a part that is not sequential", On: "dp8/large-message",
			Tamper: firstShot(func(x *shot) bool { return x.middle() && x.Seq > 20 && x.clear(dp8.Sequential) })},
		{Rule: "DP8-3.1.4.4-PROPS", Name: "POLL on some parts", Near: true, On: "dp8/large-message"},
		{Rule: "DP8-3.1.5.2.6-OPEN", Name: "a message that does not end within a minute", Steps: meet().endless(8).steps},
		{Rule: "DP8-3.1.5.2.6-OPEN", Name: "a message of a minute less", Near: true,
			Steps: meet().endless(3).part(0, dp8.EndMsg, 1200).turns(2).steps},
	}
}

// clear clears flags.
func (x *shot) clear(c dp8.Command) bool {
	x.d.Command &^= c
	return true
}

// endless sends parts ten seconds apart.
func (t *talk) endless(n int) *talk {
	t.part(0, dp8.NewMsg, 1200)
	for range n {
		t.wait(10*time.Second).part(0, 0, 1200).sack(1)
	}
	return t
}

// lateShot holds a part back until others have long passed, and its retries too.
func lateShot(seq int64) func() func(*sim.Datagram) []sim.Tampered {
	return eachShot(func() func(*shot) bool {
		return func(x *shot) bool {
			if !x.IsData() || x.Side != 0 || x.Seq != seq {
				return false
			}
			if x.Retry {
				x.lost = true
				return false
			}
			x.after = 100 * time.Millisecond
			return true
		}
	})
}
