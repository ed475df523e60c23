package track

import (
	"slices"

	"github.com/dpdissect/dpdissect/hazel"
	"github.com/dpdissect/dpdissect/session/seq"
)

// awaitedKept is how many numbers of the other side, captured again or late, are
// looked for in every history: what was acknowledged before belongs to the next
// acknowledgement, too.
const awaitedKept = 8

// A LastAck is the latest acknowledgement of a side that has a history.
type LastAck struct {
	Num    seq.Num // of the other side
	Recent uint8   // its history
	At     int64   // ns
	Any    bool    // there was one
}

// lastAcks is what a side acknowledged last.
type lastAcks struct {
	LastAck
	seen    [8]uint32 // the last ones as they stand on the wire, to tell repetitions
	n       int
	awaited []seq.Num // awaitedKept at most
}

// await notes a number that the next acknowledgement of it belongs to.
func (l *lastAcks) await(num seq.Num) {
	if len(l.awaited) == awaitedKept {
		l.awaited = append(l.awaited[:0], l.awaited[1:]...)
	}
	l.awaited = append(l.awaited, num)
}

// told gives the history bits of the numbers that are waited for, and forgets
// those: the history before num tells of them, or num itself does.
func (l *lastAcks) told(num seq.Num, recent uint8) (bits uint8) {
	left := l.awaited[:0]
	for _, x := range l.awaited {
		bit := uint8(0)
		if back := num - 1 - x; back >= 0 && back < 8 {
			bit = recent & (1 << uint(back))
		}
		if bits |= bit; bit == 0 && x != num {
			left = append(left, x)
		}
	}
	l.awaited = left
	return bits
}

// repeats remembers an acknowledgement, and reports whether one of the last ones said the same. What
// is news repeats none.
func (l *lastAcks) repeats(f *hazel.Frame, news bool) bool {
	v := 1<<31 | uint32(f.ID)<<9 | uint32(f.Recent)<<1
	if f.HasRecent {
		v |= 1
	}
	if !news && slices.Contains(l.seen[:], v) {
		return true
	}
	l.seen[l.n%len(l.seen)] = v
	l.n++
	return false
}

// fresh gives the history bits that the acknowledgement before did not tell, and
// those of numbers that are waited for.
func (l *lastAcks) fresh(num seq.Num, recent uint8) uint8 {
	known := uint8(0)
	if step := num - l.Num; l.Any && step >= 1 && step <= 8 {
		known = l.Recent<<uint(step) | 1<<uint(step-1)
	}
	fresh := recent &^ known
	if len(l.awaited) > 0 {
		fresh |= l.told(num, recent)
	}
	return fresh
}
