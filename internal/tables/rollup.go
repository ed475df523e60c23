package tables

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/internal/measure"
	"github.com/dpdissect/dpdissect/internal/timeline"
	"github.com/dpdissect/dpdissect/session"
)

// A rollup sums intervals up over all connections of a protocol and of a role of the sender, by
// minutes. What is known of a minute later than its row is in the next one.
type rollup struct {
	sums    map[rollupKey]*rollupSum
	counted map[*session.Conn]counted
	cut     map[*session.Conn]bool // the end of the capture ended them, and nothing else
	rolled  int64                  // minutes up to it are written, in ns
}

// counted is what a connection was counted as.
type counted struct{ begun, ended bool }

type rollupKey struct {
	from           int64
	protocol, role string
}

type rollupSum struct {
	open, begun, ended int64
	counts             measure.Values
	cells              timeline.Cells
}

func (r *rollup) init() {
	r.sums, r.counted, r.rolled = map[rollupKey]*rollupSum{}, map[*session.Conn]counted{}, math.MinInt64
	r.cut = map[*session.Conn]bool{}
}

// minuteOf is the beginning of the minute of a time that is not written yet.
func (r *rollup) minuteOf(at int64) int64 {
	rest := at % minute
	if rest < 0 {
		rest += minute
	}
	return max(at-rest, r.rolled)
}

func (r *rollup) sum(from int64, c *session.Conn, dir dissect.Dir) *rollupSum {
	k := rollupKey{from, c.Protocol.Name, c.Roles[dir]}
	s := r.sums[k]
	if s == nil {
		s = new(rollupSum)
		r.sums[k] = s
	}
	return s
}

// add adds an interval of a side.
func (r *rollup) add(c *session.Conn, dir dissect.Dir, v *timeline.Interval) {
	s := r.sum(r.minuteOf(v.From), c, dir)
	for _, i := range measure.InInterval {
		s.counts[i] += v.Counts[i]
	}
	s.cells.Add(v.Cells)
}

// writeUntil writes the minutes that end at a time or before, in ns.
func (r *rollup) writeUntil(e *Engine, all []*session.Conn, end int64) {
	if !e.has("rollup") {
		return
	}
	for _, from := range r.minutes() {
		if from+minute > end {
			return
		}
		r.write(e, all, from)
	}
	r.rolled = max(r.rolled, end-end%minute)
}

// minutes are those in which something happened, and those after them: a connection may be open
// then.
func (r *rollup) minutes() (list []int64) {
	for k := range r.sums {
		list = append(list, k.from, max(k.from, k.from+minute))
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// write writes a minute.
func (r *rollup) write(e *Engine, all []*session.Conn, from int64) {
	for _, c := range all {
		if c.HasTime {
			r.count(c, from, from+minute)
		}
	}
	var keys []rollupKey
	for k := range r.sums {
		if k.from == from {
			keys = append(keys, k)
		}
	}
	for _, k := range keys {
		e.writeRollup(&k, r.sums[k])
		delete(r.sums, k)
	}
	r.rolled = from + minute
}

// count counts a connection in a minute, in the row of the role of a.
func (r *rollup) count(c *session.Conn, from, to int64) {
	x := r.counted[c]
	if x.ended || c.FirstStamp >= to {
		return
	}
	ended := c.Closed() && c.LastStamp < to
	if !x.begun || c.LastStamp >= from || ended {
		s := r.sum(from, c, 0)
		if !x.begun {
			s.begun++
		}
		if c.LastStamp >= from {
			s.open++
		}
		if ended && !r.cut[c] {
			s.ended++
		}
	}
	r.counted[c] = counted{true, ended}
}

func (k *rollupKey) bytes(dst []byte) []byte {
	dst = append(append(append(append(dst, k.protocol...), 0), k.role...), 0)
	return appendOrdered(dst, k.from)
}

// appendOrdered appends a number so that bytes are in the order of numbers.
func appendOrdered(dst []byte, n int64) []byte {
	return binary.BigEndian.AppendUint64(dst, uint64(n)^1<<63)
}
