package track

import (
	"fmt"

	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/session/conform"
)

// A carrier is what a data frame carried besides its content: who acknowledges it
// knows that.
type carrier struct {
	num, next int64  // own number; bNRcv, 0 when it can't be relied on
	sacks     uint64 // bit i: next+1+i
	drops     uint64 // bit i: num-1-i
	frame     uint64
	reliable  bool
	used      bool
}

// carriers are the latest data frames of a side, number n at n modulo the length.
type carriers struct {
	ring  []carrier
	drops int64 // highest number that gave up others
}

func (s *carriers) at(num int64) *carrier {
	if len(s.ring) == 0 {
		return nil
	}
	if k := &s.ring[num&int64(len(s.ring)-1)]; k.used && k.num == num {
		return k
	}
	return nil
}

func (s *carriers) drop(num int64) {
	if k := s.at(num); k != nil {
		k.used = false
	}
}

func (s *carriers) clear() {
	for i := range s.ring {
		s.ring[i].used = false
	}
}

// carry enters the data frame at hand, which is no copy. Only a first sending
// counts: whatever is sent later under its number carries what is newer. A send
// mask must be in all sendings.
func (c ackJudge) carry(dir int, num int64, d *dp8.DFrame) {
	s := &c.side[dir].sequence.carried
	if d.Control&dp8.CtlRetry != 0 {
		if k := s.at(num); k != nil {
			k.drops &= c.said.drops
		}
		return
	}
	most := dp8.WindowSize
	if c.wants.LowMemory {
		most /= 2
	}
	k := s.place(num, most)
	k.num, k.next, k.sacks, k.drops, k.frame = num, c.said.next, c.said.mask, c.said.drops, c.fr.Frame
	k.reliable, k.used = d.Command&dp8.Reliable != 0, true
	if k.drops != 0 {
		s.drops = max(s.drops, num)
	}
	if c.said.ahead || c.fr.Err != nil || !c.fr.HasTime {
		k.next, k.sacks = 0, 0
	}
}

// place gives the place of a number, among at most so many.
func (s *carriers) place(num int64, most int) *carrier {
	if s.ring == nil {
		s.ring = make([]carrier, 8)
	}
	for {
		k := &s.ring[num&int64(len(s.ring)-1)]
		if !k.used || k.num == num || len(s.ring) >= most {
			return k
		}
		old := s.ring
		s.ring = make([]carrier, 2*len(old))
		for i := range old {
			if old[i].used {
				s.ring[old[i].num&int64(len(s.ring)-1)] = old[i]
			}
		}
	}
}

// knowledge is how far back carriers are looked at.
const knowledge = 16

// knew reports whether a side that acknowledges all below received knew that its
// own number num was acknowledged: a reliable frame below received, of which the
// first sending was captured, said so. No mask can have passed over that one.
func (c ackJudge) knew(dir int, received, num int64) (by *carrier, selectively bool) {
	s := &c.side[1-dir].sequence.carried
	for q := received - 1; q >= received-knowledge; q-- {
		k := s.at(q)
		if k == nil || !k.reliable || k.next == 0 {
			continue
		}
		if k.next > num {
			return k, false
		}
		if i := num - k.next - 1; i >= 0 && i < 63 && k.sacks>>uint(i)&1 != 0 {
			return k, true
		}
	}
	return nil, false
}

// judgeNeed judges a retry by what its side knew: what is acknowledged is not sent
// again (MC-DPL8R 3.1.5.2.2, 3.1.5.2.3). The header of the retry shows what had
// been received when it was sent.
func (c ackJudge) judgeNeed(dir int, num int64, d *dp8.DFrame) {
	rules := &c.c.Rules
	received, ok := c.received(dir, d.NRcv)
	if !ok || !c.fr.HasTime {
		return
	}
	switch by, selectively := c.knew(dir, received, num); {
	case by == nil && c.prior.known && c.prior.look.Acked:
		rule := r31522Ackedretry
		if cum, ok := c.c.Dir[dir].Window().Cumulative(); ok && num >= cum {
			rule = r31523Noretry
		}
		rules.Unclear(rule, conform.GuardKnew, "retried after its acknowledgement was captured")
	case by == nil:
		rules.Pass(r31522Ackedretry)
		rules.Pass(r31523Noretry)
	case selectively && c.side[1-dir].sequence.odd:
		rules.Unclear(r31523Noretry, conform.GuardKnew, "the masks of the other side may mean something else", by.frame)
	case selectively:
		rules.Broken(r31523Noretry, fmt.Sprintf("%d is retried; the side had received bSeq %d, of which the SACK mask acknowledged it", uint8(num), uint8(by.num)), by.frame)
	default:
		rules.Broken(r31522Ackedretry, fmt.Sprintf("%d is retried; the side had received bSeq %d, which carried bNRcv %d", uint8(num), uint8(by.num), uint8(by.next)), by.frame)
	}
}

// received unwraps a bNRcv of a side; ok is false when nothing is certain of the
// other side.
func (c ackJudge) received(dir int, nrcv uint8) (next int64, ok bool) {
	o := &c.side[1-dir].sequence
	next = near(o.seen, nrcv)
	return next, o.started && next <= o.seen+1 && !c.sequence().silent(1-dir)
}
