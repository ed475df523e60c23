package capture

import (
	"math"
	"math/bits"
)

// second is one second in nanoseconds.
const second = 1_000_000_000

// A clock turns the time stamps of one interface into nanoseconds, exactly: in
// 128 bits, rounding down, for any resolution a file can state.
type clock struct {
	exp    uint8 // units of 10^-exp or 2^-exp seconds
	binary bool
	offset int64  // if_tsoffset, seconds
	mul    uint64 // nanoseconds a unit; 0 when that is no whole number or offset is set
	limit  uint64 // greatest stamp for which mul does not overflow
}

// newClock is for an if_tsresol of the given value (6 when there is none) and an
// if_tsoffset in seconds.
func newClock(tsresol uint8, offset int64) clock {
	c := clock{exp: tsresol & 0x7f, binary: tsresol&0x80 != 0, offset: offset}
	if !c.binary && c.exp <= 9 && offset == 0 {
		c.mul = pow10(9 - c.exp)
		c.limit = math.MaxInt64 / c.mul
	}
	return c
}

// nanos is the time of a stamp in nanoseconds since 1970; false when it does not
// fit, that is beyond the years 1678 to 2262.
func (c *clock) nanos(stamp uint64) (int64, bool) {
	if c.mul != 0 && stamp <= c.limit {
		return int64(stamp * c.mul), true
	}
	return c.slow(stamp)
}

func (c *clock) slow(stamp uint64) (int64, bool) {
	sec, ns := c.split(stamp)
	if sec > math.MaxInt64 {
		return 0, false
	}
	total := int64(sec) + c.offset
	if c.offset > 0 && total < int64(sec) {
		return 0, false
	}
	// One second short of the limits, so that adding ns can't overflow.
	if total >= math.MaxInt64/second || total < math.MinInt64/second {
		return 0, false
	}
	return total*second + int64(ns), true
}

// split gives whole seconds and nanoseconds below a second.
func (c *clock) split(stamp uint64) (sec, ns uint64) {
	switch {
	case c.binary && c.exp < 64:
		hi, lo := bits.Mul64(stamp&(1<<c.exp-1), 1e9)
		return stamp >> c.exp, shr128(hi, lo, c.exp)
	case c.binary:
		hi, lo := bits.Mul64(stamp, 1e9)
		return 0, shr128(hi, lo, c.exp)
	case c.exp <= 9:
		unit := pow10(c.exp)
		return stamp / unit, stamp % unit * pow10(9-c.exp)
	case c.exp <= 19:
		unit := pow10(c.exp)
		return stamp / unit, stamp % unit / pow10(c.exp-9)
	case c.exp <= 28: // 2^64 units are less than a second
		return 0, stamp / pow10(c.exp-9)
	}
	return 0, 0 // 2^64 units of 10^-29 s are less than a nanosecond
}

// shr128 is the low 64 bits of hi:lo >> n.
func shr128(hi, lo uint64, n uint8) uint64 {
	if n >= 64 {
		return hi >> (n - 64)
	}
	return hi<<(64-n) | lo>>n
}

// pow10 is 10^n for n up to 19.
func pow10(n uint8) uint64 {
	p := uint64(1)
	for range n {
		p *= 10
	}
	return p
}
