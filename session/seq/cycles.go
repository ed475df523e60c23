package seq

// cycleLength is after how many numbers those of eight bits come round, and cycleLimit how
// many of the latest are remembered.
const (
	cycleLength = 256
	cycleLimit  = 2 * cycleLength
)

// cycles remembers the bytes of the first sendings of the latest numbers of a side whose
// numbers come round soon: a copy may come so late that its number means another one.
// Number n has its place at n modulo the length, which doubles up to cycleLimit.
type cycles []cycleSlot

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

func (c cycles) place(num Num) *cycleSlot { return &c[num&Num(len(c)-1)] }

// keep remembers the first sending of a number.
func (c *cycles) keep(s *Sending) {
	x := c.room(s.Num)
	retried := x.num & cycleRetried
	if !x.isOf(s.Num) {
		retried = 0
	}
	*x = cycleSlotOf(s, s.Num)
	x.num |= retried
}

// keepRetry notes that a retry is among the recent datagrams.
func (c *cycles) keepRetry(s *Sending) {
	x := c.room(s.Num)
	if !x.isOf(s.Num) {
		*x = cycleSlotOf(&Sending{}, s.Num)
	}
	x.num |= cycleRetried
}

// room is the place of a number. Another one goes when there is no more room to be had.
func (c *cycles) room(num Num) *cycleSlot {
	for len(*c) == 0 || len(*c) < cycleLimit && !c.fits(num) {
		c.grow()
	}
	return c.place(num)
}

// fits reports whether the place of a number is that of no other one.
func (c cycles) fits(num Num) bool {
	x := c.place(num)
	return x.num == 0 || x.isOf(num)
}

func (c *cycles) grow() {
	old := *c
	*c = make(cycles, max(32, 2*len(old)))
	for _, x := range old {
		if x.num != 0 {
			*c.place(Num(x.num)) = x
		}
	}
}

// knows reports a sending with the bytes of the one remembered under its number.
func (c cycles) knows(s *Sending) bool {
	if len(c) == 0 {
		return false
	}
	x := c.place(s.Num)
	return x.isOf(s.Num) && x.hash == uint32(s.Hash>>32)
}

// isCopy reports whether the sending is the one remembered under its number, seen again.
func (c cycles) isCopy(s *Sending) bool {
	return c.knows(s) && (s.IPID != 0 && c.place(s.Num).ipid == s.IPID || s.Exact || s.Outdated)
}

// mayHaveBefore reports whether hasBefore has anything to look at: where the numbers a cycle or two
// before stand, there is the identification of the sending, or a retry.
func (c cycles) mayHaveBefore(s *Sending) bool {
	if len(c) == 0 {
		return false
	}
	one, two := c.place(s.Num-cycleLength), c.place(s.Num-2*cycleLength)
	return one.ipid == s.IPID || two.ipid == s.IPID || (one.num|two.num)&cycleRetried != 0
}

// hasBefore reports whether a sending is a copy, by its identification, of the first one a
// cycle or two before; retried says that it may be one of a retry of that time.
func (c cycles) hasBefore(s *Sending) (copied, retried bool) {
	for num := s.Num - cycleLength; num >= s.Num-cycleLimit; num -= cycleLength {
		if x := c.place(num); x.isOf(num) {
			copied = copied || x.ipid == s.IPID && x.hash == uint32(s.Hash>>32)
			retried = retried || x.num >= cycleRetried
		}
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
