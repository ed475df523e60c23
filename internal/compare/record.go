package compare

import (
	"io"
	"strconv"

	"github.com/dpdissect/dpdissect/dissect/render"
)

// A Choice says what of a comparison is told.
type Choice struct {
	Reference int   // whose clock's times are told, Point1 or Point2
	Interval  int64 // ns, 0 for none
	From, To  func(first int64) int64
	Shown     func(id int) bool // nil for all connections
}

// Choose makes a choice.
func (r *Comparison) Choose(c Choice) {
	r.opts = Options{Reference: c.Reference, Interval: c.Interval, Span: always()}
	if r.p.clocks.none {
		r.opts.Reference = Point1
		if !r.p.c[0].hasTime {
			r.opts.Reference = Point2
		}
	}
	first := r.begin()
	if c.From != nil {
		r.opts.Span.from = c.From(first)
	}
	if c.To != nil {
		r.opts.Span.to = c.To(first)
	}
	for _, x := range r.p.conns.all {
		x.shown = (c.Shown == nil || c.Shown(x.id)) && r.p.chosen(x)
	}
	r.opts.some = c.Shown != nil || r.p.c[0].Chosen != nil
}

// chosen reports whether one of the analyses chooses a connection.
func (p *pairing) chosen(x *conn) bool {
	if p.c[0].Chosen == nil {
		return true
	}
	for at, c := range p.c {
		for _, i := range x.of[at] {
			if c.Chosen[c.Conns[i]] {
				return true
			}
		}
	}
	return false
}

// begin is the time of the first packet on the axis.
func (r *Comparison) begin() int64 {
	c := r.p.c
	t1, t2 := c[0].first, r.axis(Point2, 0, c[1].first)
	if r.opts.Reference == Point2 {
		t1, t2 = r.axis(Point1, 0, c[0].first), c[1].first
	}
	return min(t1, t2)
}

// writeSize is how much is collected before it is written.
const writeSize = 64 << 10

// WritePassages writes a record for each datagram, in the order of the axis.
func (r *Comparison) WritePassages(w io.Writer) (err error) {
	least := r.leastDelays()
	var b []byte
	r.inOrder(func(x *passage) {
		if !r.shows(x) || err != nil {
			return
		}
		if b = r.record(b, x, least); len(b) >= writeSize {
			_, err = w.Write(b)
			b = b[:0]
		}
	})
	if err == nil {
		_, err = w.Write(b)
	}
	return err
}

// A stretch is a side of a connection between two steps of the clocks.
type stretch struct{ conn, dir, part int }

// leastDelays are the smallest delays, from which queues are told.
func (r *Comparison) leastDelays() map[stretch]int64 {
	least := map[stretch]int64{}
	r.eachCompared(func(x *passage) {
		if !x.timed || !r.shows(x) {
			return
		}
		k := r.stretch(x)
		if d, ok := least[k]; !ok || x.delay < d {
			least[k] = x.delay
		}
	})
	return least
}

func (r *Comparison) stretch(x *passage) stretch {
	k := stretch{none - int(r.otherWay(x)[0]), x.dir, x.part}
	if x.conn != nil {
		k.conn = x.conn.id
	}
	return k
}

// record appends the record of a passage.
func (r *Comparison) record(b []byte, x *passage, least map[stretch]int64) []byte {
	b = append(b, `{"schema":"`+PassageSchema+`"`...)
	if dir, ok := x.direction(); ok {
		b = append(strconv.AppendInt(append(b, `,"connection":`...), int64(x.conn.id), 10), `,"direction":"`...)
		b = append(b, "ab"[dir], '"')
	}
	b = append(append(append(b, `,"fate":"`...), x.fate.String()...), '"')
	if x.time != 0 {
		b = appendTime(b, "time", x.time)
	}
	f := r.frames(x)
	for at, i := range x.at {
		if i != none {
			b = strconv.AppendUint(append(b, frameKeys[at]...), uint64(f[at]), 10)
		}
	}
	for at, i := range x.at {
		if i != none && r.p.c[at].list[i].bits&timed != 0 {
			b = appendTime(b, timeNames[at], r.p.c[at].list[i].time)
		}
	}
	for at, i := range x.at {
		if i != none && len(r.p.copies[at][i]) > 0 {
			b = appendFrames(append(b, copyKeys[at]...), r.p.copies[at][i])
		}
	}
	if y := x.beyond; y != nil {
		b = strconv.AppendUint(append(b, frameKeys[y.point]...), uint64(y.frame), 10)
		if y.timed {
			b = appendTime(b, timeNames[y.point], y.at)
		}
		return append(strconv.AppendUint(append(b, `,"length":`...), uint64(y.length), 10), "}\n"...)
	}
	if x.timed {
		if x.truly {
			b = appendMillis(append(b, `,"one_way_ms":`...), x.delay)
		}
		b = appendMillis(append(b, `,"queue_ms":`...), x.delay-least[r.stretch(x)])
	}
	return append(r.rest(b, x), "}\n"...)
}

var (
	frameKeys = [2]string{`,"frame_1":`, `,"frame_2":`}
	timeNames = [2]string{"time_1", "time_2"}
	copyKeys  = [2]string{`,"copies_1":`, `,"copies_2":`}
)

// rest appends what a record says of the datagram itself.
func (r *Comparison) rest(b []byte, x *passage) []byte {
	at := max(x.way.first, Point1) // its first point tells, where it has it
	if x.at[at] == none {
		at = 1 - at
	}
	i := x.at[at]
	if i == none {
		return append(b, `,"length":0`...)
	}
	c := r.p.c[at]
	d := &c.list[i]
	if d.bits&altered != 0 {
		b = append(b, `,"altered":true,"altered_bytes":[`...)
		for k, n := range r.p.changed[x.at[0]] {
			if k > 0 {
				b = append(b, ',')
			}
			b = strconv.AppendInt(b, int64(n), 10)
		}
		b = append(b, ']')
	}
	if d.bits&reordered != 0 {
		b = append(b, `,"reordered":true`...)
	}
	if part := r.p.partAt(at, i); part != nil && c.mate[i] == none {
		b = strconv.AppendInt(append(b, `,"fragments":[`...), int64(part.came), 10)
		b = append(strconv.AppendInt(append(b, ','), int64(c.pieces[d.frame]), 10), ']')
	}
	b = strconv.AppendUint(append(b, `,"length":`...), uint64(d.length), 10)
	if c.words != nil {
		kind, summary := c.words.of(int(i))
		if kind != "" {
			b = render.AppendJSONString(append(b, `,"type":`...), kind)
		}
		if len(summary) > 0 {
			b = render.AppendJSONString(append(b, `,"summary":`...), summary)
		}
	}
	return b
}

func appendTime(b []byte, key string, ns int64) []byte {
	b = append(append(append(b, `,"`...), key...), `":"`...)
	return append(append(b, stamp(ns)...), '"')
}

func appendFrames(b []byte, list []uint32) []byte {
	b = append(b, '[')
	for i, f := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendUint(b, uint64(f), 10)
	}
	return append(b, ']')
}

func appendMillis(b []byte, ns int64) []byte {
	return strconv.AppendFloat(b, millis(ns), 'f', -1, 64)
}
