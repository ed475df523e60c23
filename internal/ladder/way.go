package ladder

import (
	"fmt"
	"strings"

	"github.com/dpdissect/dpdissect/internal/compare"
)

// A Way is how a datagram went from one of two capture points to the other.
type Way struct {
	compare.Passage
	Right  bool      // it goes from the lifeline of point 1 to that of point 2
	Clocks [2]string // when it was captured at each point, for people, by the clock there
	Begin  int64     // when it left the lifeline of its first point, on the axis, ns since 1970
	End    int64     // when it arrived at the other one, or would have

	remarks []remark
}

// queueStep is how much longer a way must be to be another one, ns.
const queueStep = 50e6

// plain reports a datagram that arrived as it was sent, once.
func (w *Way) plain() bool {
	return w != nil && w.Fate == compare.Delivered && !w.Altered && !w.Reordered && len(w.Copies[0]) == len(w.Copies[1])
}

// step is about how long it was queued.
func (w *Way) step() int64 {
	if w == nil {
		return 0
	}
	return w.Queue / queueStep
}

// from is the point at whose lifeline it begins.
func (w *Way) from() int {
	if w.Right {
		return compare.Point1
	}
	return compare.Point2
}

// split reports whether its arrow arrives at some time after it left.
func (w *Way) split() bool { return w.Fate == compare.Delivered && w.End > w.Begin }

// tell says what became of it, and what was done to it on its way.
func (w *Way) tell(points [2]*compare.Point) {
	note := func(kind remarkKind, format string, args ...any) {
		w.remarks = append(w.remarks, remark{kind, fmt.Sprintf(format, args...)})
	}
	second := points[1-w.from()].Name
	switch w.Fate {
	case compare.LostBetween:
		note(aboutLoss, "lost on the way")
	case compare.LostBefore:
		note(aboutLoss, "lost before the first point")
	case compare.MissedByFirst:
		note(aboutNote, "missed by the capture of %s", points[w.from()].Name)
	case compare.MissedBySecond:
		note(aboutNote, "arrived, missed by the capture of %s", second)
	case compare.MissedByBoth:
		note(aboutNote, "arrived, missed by both captures")
	case compare.Uncertain:
		note(aboutLoss, "lost, or missed by the capture of %s", w.other(points))
	case compare.Outside:
		note(aboutNote, "outside of what %s captured", w.other(points))
	}
	if w.Altered {
		note(aboutLoss, "arrived with other bytes")
	}
	if w.Reordered {
		note(aboutWords, "arrived after later ones")
	}
	for at, list := range w.Copies {
		if len(list) > 0 {
			note(aboutWords, "again in %s of %s", framesOf(list), points[at].Name)
		}
	}
}

// other names the point that does not have it.
func (w *Way) other(points [2]*compare.Point) string {
	if w.Frames[0] != 0 {
		return points[1].Name
	}
	return points[0].Name
}

// framesOf is "frames 12, 13".
func framesOf(list []uint32) string {
	words := make([]string, len(list))
	for i, f := range list {
		words[i] = fmt.Sprint(f)
	}
	if len(list) == 1 {
		return "frame " + words[0]
	}
	return "frames " + strings.Join(words, ", ")
}

// length says how long it was on its way, "" where that is not known.
func (w *Way) length() string {
	switch {
	case !w.HasDelay:
		return ""
	case w.HasOneWay:
		return fmt.Sprintf("%.1f ms", ms(w.OneWay))
	}
	return fmt.Sprintf("+%.1f ms", ms(w.Queue))
}

// lengths says how long the datagrams of a run were on their way.
func (r *Row) lengths() string {
	if r.Kind != Run {
		return r.Way.length()
	}
	var least, most *Way
	for i := range r.Members {
		if w := r.Members[i].Way; w.HasDelay {
			if least == nil || w.Queue < least.Queue {
				least = w
			}
			if most == nil || w.Queue > most.Queue {
				most = w
			}
		}
	}
	switch {
	case least == nil:
		return ""
	case least.length() == most.length():
		return least.length()
	}
	return strings.TrimSuffix(least.length(), " ms") + "-" + strings.TrimPrefix(most.length(), "+")
}

func ms(ns int64) float64 { return float64(ns) / 1e6 }

// framesAtBoth is "(1071, 1080)", with a dash where a point does not have it.
func (w *Way) framesAtBoth() string {
	var words [2]string
	for at, f := range w.Frames {
		if words[at] = number(f); f == 0 {
			words[at] = "-"
		}
	}
	return "(" + words[0] + ", " + words[1] + ")"
}
