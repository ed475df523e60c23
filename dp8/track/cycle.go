package track

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session"
)

// cycles is for how many numbers a cycle remembers: twice round.
const cycles = 512

// A cycle remembers the datagrams of numbers long past, number n at n modulo its
// length: a copy that comes so late that its number has come round again is still
// known.
type cycle []cycleMark

// A cycleMark holds the marks of the first sending of a number and of the latest.
type cycleMark struct {
	num          uint32 // its low bits
	first, again uint32
}

// markOf tells a datagram from any other by its bytes and its IPv4 identification;
// without that copies can't be told from frames that repeat themselves.
func markOf(hash uint64, id uint16) uint32 {
	if id == 0 {
		return 0
	}
	h := hash ^ uint64(id)*0x9E3779B97F4A7C15
	return uint32(h ^ h>>32)
}

// note enters a sending.
func (y cycle) note(num int64, hash uint64, id uint16) {
	if y == nil {
		return
	}
	m, mark := &y[num&(cycles-1)], markOf(hash, id)
	if m.num != uint32(num) || m.first == 0 {
		m.num, m.first = uint32(num), mark
	}
	m.again = mark
}

// has reports a datagram that carried the number one cycle before.
func (y cycle) has(num int64, hash uint64, id uint16) bool {
	if y == nil || id == 0 {
		return false
	}
	m, mark := &y[(num-256)&(cycles-1)], markOf(hash, id)
	return m.num == uint32(num-256) && (m.first == mark || m.again == mark)
}

// lateCopy reports whether the data frame at hand is a copy, made by the network, of
// one sent a whole cycle of numbers ago: it says nothing new.
func (c *conn) lateCopy(dir int, num int64) bool {
	m := &c.side[dir].history
	if m.cycle == nil || !m.cycle.has(num, c.sent.Hash, c.fr.IPID) {
		return false
	}
	c.c.Dir[dir].Duplicates++
	c.fr.Words |= dissect.Duplicate
	return true
}

// hurry notes, where little is to be kept, that the side sends so many numbers within
// the time in which copies come that more must be remembered from then on.
func (c *conn) hurry(dir int, num int64) {
	m := &c.side[dir].history
	if c.fr.Time-m.markedAt >= session.LowMemoryTime || num < m.marked {
		m.marked, m.markedAt = num, c.fr.Time
	}
	if num-m.marked >= fewRecent/2 {
		m.hasty = true
		c.side[dir].recent.widen()
	}
}

// startCycle is called when numbers begin to be forgotten.
func (m *history) startCycle() {
	m.cycle = make(cycle, cycles)
	for i := range m.ring {
		if f := &m.ring[i]; f.used {
			m.cycle.note(f.num, f.hash, f.ipid)
			m.cycle.note(f.num, f.lastHash, f.lastIPID)
		}
	}
}
