package render

import (
	"math"
	"time"

	"github.com/dpdissect/dpdissect/dissect"
)

// A Clock gives the times of packets in one format. It remembers the first
// packet and the previous ones, so every packet of the capture passes through
// Advance in order, shown or not. The zero Clock counts from the first packet.
type Clock struct {
	Format   TimeFormat
	Location *time.Location // of local times; nil is time.Local

	first, captured, shown          int64 // nanoseconds since 1970 UTC
	hasFirst, hasCaptured, hasShown bool

	dates dateCache

	zoneFrom, zoneTo, zoneOffset int64 // the zone's offset holds in [from, to); seconds
}

// Advance notes that a packet went by, after it was printed or passed over.
func (c *Clock) Advance(d *dissect.Datagram, shown bool) {
	if d.HasTime {
		c.AdvanceTime(d.Time, shown)
	}
}

// AdvanceTime is Advance for packets that are no datagram, by nanoseconds since
// 1970.
func (c *Clock) AdvanceTime(ns int64, shown bool) {
	if !c.hasFirst {
		c.first, c.hasFirst = ns, true
	}
	c.captured, c.hasCaptured = ns, true
	if shown {
		c.shown, c.hasShown = ns, true
	}
}

// AppendTime appends the packet's time, or "-" when it has none.
func (c *Clock) AppendTime(dst []byte, d *dissect.Datagram) []byte {
	if !d.HasTime {
		return append(dst, '-')
	}
	digits := c.Format.decimals()
	switch c.Format.style {
	case absolute:
		return appendTimeOfDay(dst, c.local(d.Time), digits)
	case absoluteDate:
		return c.dates.appendDateTime(dst, c.local(d.Time), ' ', digits)
	case delta:
		return appendSeconds(dst, c.sinceCaptured(d), digits)
	case deltaDisplayed:
		return appendSeconds(dst, c.sinceShown(d), digits)
	case epoch:
		return appendSeconds(dst, d.Time, digits)
	case utc:
		return appendTimeOfDay(dst, d.Time, digits)
	case utcDate:
		return c.dates.appendDateTime(dst, d.Time, ' ', digits)
	}
	return appendSeconds(dst, c.sinceFirst(d), digits)
}

func (c *Clock) sinceFirst(d *dissect.Datagram) int64 {
	if !c.hasFirst {
		return 0
	}
	return d.Time - c.first
}

func (c *Clock) sinceCaptured(d *dissect.Datagram) int64 {
	if !c.hasCaptured {
		return 0
	}
	return d.Time - c.captured
}

func (c *Clock) sinceShown(d *dissect.Datagram) int64 {
	if !c.hasShown {
		return 0
	}
	return d.Time - c.shown
}

// local adds the zone's offset to a time. It is looked up again only where it may have changed.
func (c *Clock) local(ns int64) int64 {
	sec := floorDiv(ns, 1e9)
	if sec < c.zoneFrom || sec >= c.zoneTo {
		c.findZone(sec)
	}
	return ns + c.zoneOffset*1e9
}

func (c *Clock) findZone(sec int64) {
	loc := c.Location
	if loc == nil {
		loc = time.Local
	}
	t := time.Unix(sec, 0).In(loc)
	_, offset := t.Zone()
	from, to := t.ZoneBounds()
	c.zoneFrom, c.zoneTo, c.zoneOffset = math.MinInt64, math.MaxInt64, int64(offset)
	if !from.IsZero() {
		c.zoneFrom = from.Unix()
	}
	if !to.IsZero() {
		c.zoneTo = to.Unix()
	}
}
