package report

import (
	"io"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dissect/render"
	"github.com/dpdissect/dpdissect/internal/measure"
	"github.com/dpdissect/dpdissect/internal/timeline"
	"github.com/dpdissect/dpdissect/session"
)

// IntervalSchema is the name of the record of an interval.
const IntervalSchema = "dpdissect/interval/1"

// Intervals are those of the connections of a run.
type Intervals struct {
	Conns  []*session.Conn
	Of     func(c *session.Conn, dir dissect.Dir) []*timeline.Interval
	Length int64 // of an interval, ns
}

// each calls f for all intervals: by connection, direction and time.
func (x *Intervals) each(f func(c *session.Conn, dir dissect.Dir, v *timeline.Interval) error) error {
	for _, c := range x.Conns {
		for dir := range dissect.Dirs {
			for _, v := range x.Of(c, dir) {
				if err := f(c, dir, v); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (e *encoder) interval(c *session.Conn, dir dissect.Dir, v *timeline.Interval) {
	e.item()
	e.text("schema", IntervalSchema)
	e.count("connection", uint64(c.ID))
	e.text("direction", "ab"[dir:dir+1])
	e.time("from", v.From)
	e.time("to", v.To)
	for _, i := range measure.InInterval {
		if i != measure.UnneededRetries || measure.ReadsAcks(c) {
			e.count(measure.Table[i].Key, uint64(v.Counts[i]))
		}
	}
	if v.HasInFlight {
		e.count("in_flight_max", uint64(v.InFlight.Numbers))
	}
	e.times(v.Times)
	e.close('}')
}

// WriteIntervalRecords writes a record a line.
func WriteIntervalRecords(w io.Writer, x *Intervals) error {
	var e encoder
	return x.each(func(c *session.Conn, dir dissect.Dir, v *timeline.Interval) error {
		e.b = append(e.b[:0], '[') // in front of an element stands no comma
		e.interval(c, dir, v)
		_, err := w.Write(append(e.b[1:], '\n'))
		return err
	})
}

// WriteIntervalJSON writes one document: an array of the records.
func WriteIntervalJSON(w io.Writer, x *Intervals) error {
	var d render.Document
	var e encoder
	var text []byte
	err := x.each(func(c *session.Conn, dir dissect.Dir, v *timeline.Interval) error {
		e.b = append(e.b[:0], '[')
		e.interval(c, dir, v)
		text = d.AppendRecord(text[:0], e.b[1:])
		_, err := w.Write(text)
		return err
	})
	if err == nil {
		_, err = w.Write(d.AppendEnd(nil))
	}
	return err
}

// intervalColumns are the columns of intervals as CSV, by their paths in the record.
func intervalColumns() []string {
	names := []string{"connection", "direction", "from", "to"}
	for _, i := range measure.InInterval {
		names = append(names, measure.Table[i].Key)
	}
	return append(append(names, "in_flight_max"), timesColumns()...)
}

// WriteIntervalCSV writes a line for each interval.
func WriteIntervalCSV(w io.Writer, x *Intervals) error {
	t := newRecordTable(intervalColumns()...)
	if _, err := w.Write(t.AppendHeader(nil)); err != nil {
		return err
	}
	var e encoder
	var row []byte
	return x.each(func(c *session.Conn, dir dissect.Dir, v *timeline.Interval) error {
		e.b = append(e.b[:0], '[')
		e.interval(c, dir, v)
		row = t.AppendRow(row[:0], e.b[1:])
		_, err := w.Write(row)
		return err
	})
}
