package filter

import (
	"fmt"
	"time"

	"github.com/dpdissect/dpdissect/dissect"
)

// dayLayouts are those of a time of the day; both take fractions of the seconds they have.
var dayLayouts = [...]string{"15:04:05", "15:04"}

// timeOfDay reads a time of the day, in nanoseconds since midnight.
func timeOfDay(a *atom) (int64, bool) {
	for _, layout := range dayLayouts {
		if t, err := time.Parse(layout, a.Text); err == nil && a.Kind != tokChar {
			return int64(t.Sub(time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC))), true
		}
	}
	return 0, false
}

// parseTimeOfDay is timeOfDay for the classes.
func parseTimeOfDay(_ *notation, a *atom) (interval[int64], string) {
	v, ok := timeOfDay(a)
	if !ok {
		return interval[int64]{}, fmt.Sprintf(`%s is not a time of the day such as "12:00:00.5"`, a.Text)
	}
	return point(v), ""
}

// inDay gives the operand that a constant is compared with: where it is a time of the day,
// that is the time since midnight before the first packet, in the zone of the set.
func (c *compiler) inDay(o *operand, a *atom) *operand {
	if o.class != classTime {
		return o
	}
	if _, ok := timeOfDay(a); !ok {
		return o
	}
	day := *o
	day.class = classTimeOfDay
	zone := c.set.Zone
	if zone == nil {
		zone = time.UTC
	}
	day.ints = one(func(fr *dissect.Frame, t Times) (int64, bool) {
		first := time.Unix(0, fr.Time-t.Relative).In(zone)
		midnight := time.Date(first.Year(), first.Month(), first.Day(), 0, 0, 0, 0, zone)
		return fr.Time - midnight.UnixNano(), fr.HasTime
	})
	return &day
}
