package htmlreport

import (
	"encoding/json"
	"slices"
	"strconv"

	"github.com/dpdissect/dpdissect/internal/measure"
	"github.com/dpdissect/dpdissect/internal/timeline"
	"github.com/dpdissect/dpdissect/session/seq"
)

// A Picture is what is drawn of a connection. Times are ns since 1970, by the capture.
type Picture struct {
	Connection int
	Base       int64 // from which the page counts time
	Sides      [2]Side
}

// A Side is what is drawn of what one side sent.
type Side struct {
	Columns []*timeline.Interval
	Window  int64 // numbers that may be sent from the first unacknowledged one, 0 where nothing is said
	Marks   []timeline.Mark
	Dropped int64  // units of retries and losses that are too many to keep
	Losses  []Loss // proven ones, and those that the capture missed
	Unacked []timeline.Mark
}

// A Loss is a number that was lost.
type Loss struct {
	Time   int64
	Number seq.Num
	Frame  uint64
	Place  seq.LostAt
}

var places = [...]string{seq.BeforeCapture: "before", seq.AfterCapture: "after", seq.NotCaptured: "not-captured"}

var kinds = [...]string{timeline.NeededRetry: "retry", timeline.UnneededRetry: "unneeded-retry", timeline.Closing: "closing"}

func appendPictures(b []byte, r *Report) []byte {
	b = append(b, `{"left_out":`...)
	b = strconv.AppendInt(b, int64(r.LeftOut), 10)
	if r.Unlisted > 0 {
		b = append(b, `,"unlisted":`...)
		b = strconv.AppendInt(b, int64(r.Unlisted), 10)
	}
	b = append(b, `,"connections":[`...)
	for i := range r.Pictures {
		if i > 0 {
			b = append(b, ',')
		}
		b = r.Pictures[i].append(b)
	}
	return append(b, "]}"...)
}

func (p *Picture) append(b []byte) []byte {
	b = append(b, `{"id":`...)
	b = strconv.AppendInt(b, int64(p.Connection), 10)
	b = append(b, `,"base_ms":`...)
	b = appendScaled(b, p.Base, 1e6, 3)
	b = append(b, `,"directions":{`...)
	for i := range p.Sides {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, '"', "ab"[i], '"', ':')
		b = p.Sides[i].append(b, p.Base)
	}
	return append(b, "}}"...)
}

// append writes a side: columns as arrays that a plot takes as they are, nulls where there
// is nothing, and events one by one.
func (s *Side) append(b []byte, base int64) []byte {
	b = append(b, `{"t":[`...)
	for i, v := range s.Columns {
		b = appendScaled(comma(b, i), v.From-base, 1e9, 6)
	}
	for _, c := range columns {
		if c.rare && !c.some(s.Columns) {
			continue
		}
		b = append(b, `],"`...)
		b = append(append(b, c.name...), `":[`...)
		for i, v := range s.Columns {
			if n, ok := c.of(v); ok {
				b = appendScaled(comma(b, i), n, c.unit, c.decimals)
			} else {
				b = append(comma(b, i), "null"...)
			}
		}
	}
	b = append(b, `],"width":`...)
	width := int64(0)
	if n := len(s.Columns); n > 0 {
		width = s.Columns[n-1].To - s.Columns[n-1].From
	}
	b = appendScaled(b, width, 1e9, 9)
	b = append(b, `,"window":`...)
	b = strconv.AppendInt(b, s.Window, 10)
	b = append(b, `,"marks":[`...)
	for i := range s.Marks {
		m := &s.Marks[i]
		b = append(appendScaled(append(comma(b, i), '['), m.Time-base, 1e9, 6), ',')
		b = strconv.AppendInt(b, int64(m.Number), 10)
		b = strconv.AppendUint(append(b, ','), m.Frame, 10)
		b = strconv.AppendInt(append(b, ','), m.N, 10)
		b = append(append(append(b, `,"`...), kinds[m.Kind]...), '"')
		if m.Delay > 0 {
			b = appendScaled(append(b, ','), m.Delay, 1e6, 3)
		}
		b = append(b, ']')
	}
	b = append(b, `],"unacked":[`...)
	for i := range s.Unacked {
		m := &s.Unacked[i]
		b = append(appendScaled(append(comma(b, i), '['), m.Time-base, 1e9, 6), ',')
		b = append(strconv.AppendInt(b, int64(m.Number), 10), ',')
		b = append(strconv.AppendUint(b, m.Frame, 10), ']')
	}
	b = append(b, `],"losses":[`...)
	for i := range s.Losses {
		l := &s.Losses[i]
		b = append(appendScaled(append(comma(b, i), '['), l.Time-base, 1e9, 6), ',')
		b = strconv.AppendInt(b, int64(l.Number), 10)
		b = strconv.AppendUint(append(b, ','), l.Frame, 10)
		b = append(append(append(b, `,"`...), places[l.Place]...), `"]`...)
	}
	b = append(b, `],"dropped":`...)
	return append(strconv.AppendInt(b, s.Dropped, 10), '}')
}

// A column is one array of a side.
type column struct {
	name     string
	unit     int64 // what a value is divided by
	decimals int
	of       func(v *timeline.Interval) (n int64, ok bool)
	rare     bool // it is left out where it has nothing
}

// columns are all arrays of a side: round trips have their shortest and longest, and other
// measures their longest.
var columns = slices.Concat(plain, measured(), []column{
	{name: "bytes", unit: 1, of: func(v *timeline.Interval) (int64, bool) {
		return v.Counts[measure.Bytes], v.Counts[measure.Bytes] > 0
	}},
})

// measured are the columns of what was measured.
func measured() (list []column) {
	add := func(m seq.Measure, part string, of func(r *seq.RTT) int64) {
		list = append(list, column{name: seq.Measures[m].Key + part, unit: 1e6, decimals: 3, rare: m != seq.RoundTrip,
			of: func(v *timeline.Interval) (int64, bool) { r := v.Times(m); return of(&r), r.Samples > 0 }})
	}
	add(seq.RoundTrip, "_min_ms", func(r *seq.RTT) int64 { return r.Min })
	for m := range seq.NMeasures {
		add(m, "_max_ms", func(r *seq.RTT) int64 { return r.Max })
	}
	return list
}

// some reports whether any of the intervals has something.
func (c *column) some(list []*timeline.Interval) bool {
	return slices.ContainsFunc(list, func(v *timeline.Interval) bool { _, ok := c.of(v); return ok })
}

var plain = []column{
	{name: "frame", unit: 1, of: func(v *timeline.Interval) (int64, bool) {
		return int64(drawn(v).Frame), drawn(v).Frame != 0
	}},
	{name: "sent_min", unit: 1, of: func(v *timeline.Interval) (int64, bool) { return drawn(v).Sent.Min, drawn(v).Sent.Some }},
	{name: "sent_max", unit: 1, of: func(v *timeline.Interval) (int64, bool) { return drawn(v).Sent.Max, drawn(v).Sent.Some }},
	{name: "acked_min", unit: 1, of: func(v *timeline.Interval) (int64, bool) { return drawn(v).Acked.Min, drawn(v).Acked.Some }},
	{name: "acked_max", unit: 1, of: func(v *timeline.Interval) (int64, bool) { return drawn(v).Acked.Max, drawn(v).Acked.Some }},
	{name: "sacked_min", unit: 1, of: func(v *timeline.Interval) (int64, bool) { return drawn(v).Sacked.Min, drawn(v).Sacked.Some }},
	{name: "sacked_max", unit: 1, of: func(v *timeline.Interval) (int64, bool) { return drawn(v).Sacked.Max, drawn(v).Sacked.Some }},
	{name: "unreliable_min", unit: 1, of: func(v *timeline.Interval) (int64, bool) {
		return drawn(v).Unreliable.Min, drawn(v).Unreliable.Some
	}},
	{name: "unreliable_max", unit: 1, of: func(v *timeline.Interval) (int64, bool) {
		return drawn(v).Unreliable.Max, drawn(v).Unreliable.Some
	}},
	{name: "delay_min_ms", unit: 1e6, decimals: 3, of: func(v *timeline.Interval) (int64, bool) { return drawn(v).Delay.Min, drawn(v).Delay.Some }},
	{name: "delay_max_ms", unit: 1e6, decimals: 3, of: func(v *timeline.Interval) (int64, bool) { return drawn(v).Delay.Max, drawn(v).Delay.Some }},
	{name: "delay_frame", unit: 1, of: func(v *timeline.Interval) (int64, bool) {
		return int64(drawn(v).Slowest), drawn(v).Slowest != 0
	}},
	{name: "in_flight", unit: 1, of: func(v *timeline.Interval) (int64, bool) { return v.InFlight.Numbers, v.HasInFlight }},
	{name: "in_flight_bytes", unit: 1, of: func(v *timeline.Interval) (int64, bool) { return v.InFlight.Bytes, v.HasInFlight }},
}

var nothing timeline.Drawn

func drawn(v *timeline.Interval) *timeline.Drawn {
	if v.Drawn == nil {
		return &nothing
	}
	return v.Drawn
}

// comma separates elements.
func comma(b []byte, i int) []byte {
	if i > 0 {
		return append(b, ',')
	}
	return b
}

// appendScaled writes n divided by unit, with decimals of which zeros at the end are left
// out.
func appendScaled(b []byte, n, unit int64, decimals int) []byte {
	if unit == 1 {
		return strconv.AppendInt(b, n, 10)
	}
	start := len(b)
	b = strconv.AppendFloat(b, float64(n)/float64(unit), 'f', decimals, 64)
	for len(b) > start && b[len(b)-1] == '0' {
		b = b[:len(b)-1]
	}
	if b[len(b)-1] == '.' {
		b = b[:len(b)-1]
	}
	if string(b[start:]) == "-0" || len(b) == start {
		b = append(b[:start], '0')
	}
	return b
}

// appendMade writes what the page says of itself.
func appendMade(b []byte, r *Report) []byte {
	text, err := json.Marshal(map[string]any{"title": r.shownTitle(), "made": r.Made, "redacted": r.Redacted, "chosen": r.Chosen, "hint": r.Hint, "long_ladders": append([]int{}, r.LongLadders...)})
	if err != nil {
		panic(err) // strings, numbers and bools
	}
	return append(b, text...)
}
