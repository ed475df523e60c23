package session

import (
	"cmp"
	"slices"

	"github.com/dpdissect/dpdissect/dissect"
)

// A clock makes times that never run backwards of those of a capture, whose clock
// may be set, by seconds or by years, and whose packets may have overtaken each
// other. Everything behind Table.Add sees its times alone, so no duration between
// two packets is negative, and none overflows.
type clock struct {
	now   int64 // time of the latest packet, ns
	shift int64 // added to the times of the capture since it was last set back

	odd    int   // packets left that may show that the last step back was late packets, no set clock
	before int64 // shift before it
	peak   int64 // latest time of the capture before it

	shifts []shift // of frames, ascending, one for each change
}

// A shift is what was added to the times of frames from one on.
type shift struct {
	frame uint64
	by    int64
}

const (
	// clockSet is by how much time must run backwards to have been set, in ns. What
	// is less are packets that overtook each other.
	clockSet = 100e6

	// oddPackets is how many packets may come late, one behind the other, before the
	// clock is taken to have been set back.
	oddPackets = 16

	// lastTime is the latest time a clock shows, in ns: the year 2116. Two times and
	// any interval added to one of them do not overflow.
	lastTime = 1 << 62

	// maxShifts is of how many changes it is remembered which frames they concern.
	maxShifts = 1024
)

// set gives a datagram the clock's time and notes by how much it differs from the
// capture's. One without a time has that of the one before it.
func (c *clock) set(d *dissect.Datagram) {
	if !d.HasTime {
		d.Time, d.Shift = c.now, 0
		return
	}
	stamp := d.Time
	d.Time = c.at(stamp)
	if d.Shift = d.Time - stamp; d.Shift != c.latest() {
		c.note(d.Frame, d.Shift)
	}
}

// wants reports whether set would change a datagram: almost never.
func (c *clock) wants(d *dissect.Datagram) bool {
	return c.shift|int64(len(c.shifts)) != 0 || uint64(d.Time) > lastTime || d.Time < c.now
}

// at is the time of a packet of the capture.
func (c *clock) at(stamp int64) int64 {
	if c.odd > 0 {
		if c.odd--; stamp >= c.peak {
			c.shift, c.odd = c.before, 0 // the packets in between were late
		}
	}
	t := c.shifted(stamp)
	if back := c.now - t; back > clockSet {
		if c.odd == 0 {
			c.odd, c.before, c.peak = oddPackets, c.shift, c.now-c.shift
		}
		c.shift += back
	}
	c.now = max(c.now, t)
	return c.now
}

// shifted adds the shift, within the clock's limits.
func (c *clock) shifted(stamp int64) int64 {
	return min(max(0, min(max(stamp, -lastTime), lastTime)+min(max(c.shift, -lastTime), lastTime)), lastTime)
}

// LaterOf gives how far a capture has come, in ns, whose latest time was end when a packet of time
// next comes: the later of the two, or next where the clock was set back.
func LaterOf(end, next int64) int64 {
	if end-next > clockSet && next > 0 {
		return next
	}
	return max(end, next)
}

func (c *clock) latest() int64 {
	if n := len(c.shifts); n > 0 {
		return c.shifts[n-1].by
	}
	return 0
}

func (c *clock) note(frame uint64, by int64) {
	if len(c.shifts) == maxShifts {
		c.shifts = slices.Delete(c.shifts, 0, maxShifts/2)
	}
	c.shifts = append(c.shifts, shift{frame, by})
}

// stamp is the time of the capture of a frame that has a time of the clock.
func (c *clock) stamp(frame uint64, t int64) int64 {
	if len(c.shifts) == 0 {
		return t
	}
	i, ok := slices.BinarySearchFunc(c.shifts, frame, func(s shift, f uint64) int { return cmp.Compare(s.frame, f) })
	if !ok {
		i--
	}
	if i < 0 {
		return t
	}
	return t - c.shifts[i].by
}
