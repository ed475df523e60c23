package seq

// cycleLength is after how many numbers those of eight bits come round, and cycleLimit how
// many of the latest are remembered.
const (
	cycleLength = 256
	cycleLimit  = 2 * cycleLength
)

// cycles remembers the bytes of the first sendings of the latest numbers of a side whose
// numbers come round soon: a copy may come so late that its number means another one.
// Number n has its place at n modulo cycleLimit, in pages that are made when they are first needed.
type cycles []*[cyclePage]cycleSlot

// cyclePage is how many numbers share a page.
const (
	cyclePage  = 32
	cyclePages = cycleLimit / cyclePage
)

func pageOfCycle(num Num) uint64 { return uint64(num) / cyclePage % cyclePages }

// A cycleSlot holds the upper half of the hash: with the identification that is enough.
type cycleSlot struct {
	hash uint32 `state:"digest"`
	ipid uint16
	num  uint16 // low 14 bits, with cycleUsed and cycleRetried
}

const (
	cycleUsed    = 1 << 14
	cycleRetried = 1 << 15 // retries of the number are among the recent datagrams
)

func cycleSlotOf(s *Sending, num Num) cycleSlot {
	return cycleSlot{uint32(s.Hash >> 32), s.IPID, uint16(num)&(cycleUsed-1) | cycleUsed}
}

// isOf reports whether the slot is of the number.
func (x *cycleSlot) isOf(num Num) bool {
	return x.num&^cycleRetried == uint16(num)&(cycleUsed-1)|cycleUsed
}

// place is the place of a number, nil where there is none yet.
func (c cycles) place(num Num) *cycleSlot {
	if len(c) == 0 {
		return nil
	}
	page := c[pageOfCycle(num)]
	if page == nil {
		return nil
	}
	return &page[uint64(num)%cyclePage]
}

// keep remembers the first sending of a number.
func (c *cycles) keep(s *Sending) {
	x := c.room(s.Num)
	retried := x.isOf(s.Num) && x.num&cycleRetried != 0
	*x = cycleSlotOf(s, s.Num)
	if retried {
		x.num |= cycleRetried
	}
}

// keepRetry notes that a retry is among the recent datagrams.
func (c *cycles) keepRetry(s *Sending) {
	x := c.room(s.Num)
	if !x.isOf(s.Num) {
		*x = cycleSlotOf(&Sending{}, s.Num)
	}
	x.num |= cycleRetried
}

// room is the place of a number, to be written on.
func (c *cycles) room(num Num) *cycleSlot {
	if x := c.place(num); x != nil {
		return x
	}
	if len(*c) == 0 {
		*c = make(cycles, cyclePages)
	}
	(*c)[pageOfCycle(num)] = new([cyclePage]cycleSlot)
	return c.place(num)
}

// knows reports a sending with the bytes of the one remembered under its number.
func (c cycles) knows(s *Sending) bool {
	x := c.place(s.Num)
	return x != nil && x.isOf(s.Num) && x.hash == uint32(s.Hash>>32)
}

// isCopy reports whether the sending is the one remembered under its number, seen again.
func (c cycles) isCopy(s *Sending) bool {
	return c.knows(s) && (s.IPID != 0 && c.place(s.Num).ipid == s.IPID || s.Exact || s.Outdated)
}

// hasBefore reports whether a sending is a copy, by its identification, of the first one a
// cycle or two before; retried says that it may be one of a retry of that time.
func (c cycles) hasBefore(s *Sending) (copied, retried bool) {
	for num := s.Num - cycleLength; num >= s.Num-cycleLimit; num -= cycleLength {
		x := c.place(num)
		if x == nil || x.ipid != s.IPID && x.num < cycleRetried || !x.isOf(num) {
			continue
		}
		copied = copied || x.ipid == s.IPID && x.hash == uint32(s.Hash>>32)
		retried = retried || x.num >= cycleRetried
	}
	return copied, retried
}

// repeats reports a sending with the bytes of one a cycle or two before.
func (c cycles) repeats(s *Sending) bool {
	at := *s
	for at.Num = s.Num - cycleLength; at.Num >= s.Num-cycleLimit; at.Num -= cycleLength {
		if c.knows(&at) {
			return true
		}
	}
	return false
}
