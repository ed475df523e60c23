package compare

import (
	"encoding/csv"
	"io"
	"strconv"
)

// WriteCSV writes a row for each direction of each connection. Columns are named by their path
// in JSON.
func WriteCSV(w io.Writer, d *Document) error {
	out := csv.NewWriter(w)
	head := []string{"id", "protocol", "direction", "first_point"}
	for f := Delivered; f < fates; f++ {
		head = append(head, "fates."+f.String())
	}
	head = append(head, "copies", "altered", "reordered", "one_way_ms.samples", "one_way_ms.min", "one_way_ms.p50", "one_way_ms.p95", "one_way_ms.max", "one_way_ms.bound_ms",
		"queue_ms.p50", "queue_ms.p95", "queue_ms.max", "queue_ms.time", "verdict.cause", "verdict.side", "verdict.certainty")
	if err := out.Write(head); err != nil {
		return err
	}
	for i := range d.Connections {
		for _, side := range []string{"a", "b"} {
			if err := out.Write(d.Connections[i].row(side)); err != nil {
				return err
			}
		}
	}
	out.Flush()
	return out.Error()
}

// row is that of one direction.
func (x *Connection) row(side string) []string {
	d := x.Directions[side]
	row := []string{strconv.Itoa(x.ID), x.Protocol, side, ""}
	if d.First > 0 {
		row[3] = strconv.Itoa(d.First)
	}
	number := func(n uint64) { row = append(row, strconv.FormatUint(n, 10)) }
	for f := Delivered; f < fates; f++ {
		number(d.Fates[f.String()])
	}
	number(d.Copies)
	number(d.Altered)
	number(d.Reordered)
	ms := func(known bool, list ...float64) {
		for _, v := range list {
			if !known {
				row = append(row, "")
				continue
			}
			row = append(row, strconv.FormatFloat(v, 'f', -1, 64))
		}
	}
	var o OneWay
	if d.OneWay != nil {
		o = *d.OneWay
	}
	ms(d.OneWay != nil, float64(o.Samples), o.Min, o.P50, o.P95, o.Max, o.Bound)
	var q Queue
	if d.Queue != nil {
		q = *d.Queue
	}
	ms(d.Queue != nil, q.P50, q.P95, q.Max)
	return append(row, q.Time, string(x.Verdict.Cause), x.Verdict.Side, string(x.Verdict.Certainty))
}

// WritePassageCSV writes a row for each datagram.
func (r *Comparison) WritePassageCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	least := r.leastDelays()
	err := out.Write([]string{"connection", "direction", "fate", "time", "frame_1", "frame_2", "time_1", "time_2", "copies_1", "copies_2", "one_way_ms", "queue_ms", "altered", "reordered", "length", "type", "summary"})
	r.inOrder(func(x *passage) {
		if err == nil && r.shows(x) {
			err = out.Write(r.passageRow(x, least))
		}
	})
	out.Flush()
	if err == nil {
		err = out.Error()
	}
	return err
}

func (r *Comparison) passageRow(x *passage, least map[stretch]int64) []string {
	row := make([]string, 17)
	if dir, ok := x.direction(); ok {
		row[0], row[1] = strconv.Itoa(x.conn.id), "ab"[dir:dir+1]
	}
	row[2], row[3] = x.fate.String(), stamp(x.time)
	for at, i := range x.at {
		if i == none {
			continue
		}
		d := &r.p.c[at].list[i]
		row[4+at] = strconv.Itoa(int(d.frame))
		if d.bits&timed != 0 {
			row[6+at] = stamp(d.time)
		}
		if n := len(r.p.copies[at][i]); n > 0 {
			row[8+at] = strconv.Itoa(n)
		}
		if d.bits&altered != 0 {
			row[12] = "true"
		}
		if d.bits&reordered != 0 {
			row[13] = "true"
		}
		row[14] = strconv.Itoa(int(d.length))
		if w := r.p.c[at].words; w != nil && row[15] == "" {
			kind, summary := w.of(int(i))
			row[15], row[16] = kind, string(summary)
		}
	}
	if y := x.beyond; y != nil {
		row[4+y.point], row[14] = strconv.Itoa(int(y.frame)), strconv.Itoa(int(y.length))
		if y.timed {
			row[6+y.point] = stamp(y.at)
		}
	}
	if x.timed {
		if x.truly {
			row[10] = string(appendMillis(nil, x.delay))
		}
		row[11] = string(appendMillis(nil, x.delay-least[r.stretch(x)]))
	}
	return row
}
