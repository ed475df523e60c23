package explain

import "slices"

// consequences are what else shows while something is wrong: what is sent again, or waits, is
// not what went wrong. A cause is listed after those that it may be a consequence of.
var consequences = []struct {
	cause Cause
	shows []Cause
}{
	{WindowStall, nil},
	{Delay, []Cause{WindowStall, SpuriousRetries}},
	{Reordering, []Cause{SpuriousRetries, Loss}},
	{Loss, []Cause{Delay, WindowStall, SpuriousRetries}},
	{LossBurst, []Cause{Loss, Delay, WindowStall, SpuriousRetries}},
	{Bufferbloat, []Cause{Delay, WindowStall, SpuriousRetries}},
	{LateAcks, []Cause{Delay, WindowStall, SpuriousRetries}},
	{PeerStalled, []Cause{LateAcks, Delay, WindowStall, SpuriousRetries}},
}

// besidesFor, in ns, limits how long after its cause a consequence may begin, and how far before the other
// ends it may be found: what was lost is sent again within that.
const besidesFor = 2e9

// causesFirst lets a cause weigh more than its consequences in the same time: it is as bad as
// what it makes, and it says why.
func causesFirst(all []Contribution) {
	for _, q := range consequences {
		for i := range all {
			x := &all[i]
			if x.Cause != q.cause || x.Certainty == Unsettled {
				continue
			}
			for k := range all {
				if y := &all[k]; slices.Contains(q.shows, y.Cause) && y.weight >= x.weight && y.From <= x.To+besidesFor && max(y.From, y.To) >= x.From-besidesFor {
					x.weight = y.weight * causeOverConsequence
				}
			}
		}
	}
}

// causeOverConsequence is by what a cause weighs more than the heaviest of its consequences.
const causeOverConsequence = 1.01
