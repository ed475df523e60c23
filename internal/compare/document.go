package compare

import (
	"maps"
	"math"
	"slices"
	"time"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/explain"
)

// Schema and PassageSchema name the records.
const (
	Schema        = "dpdissect/compare/1"
	PassageSchema = "dpdissect/passage/1"
)

// A Document says what two captures of one session show together.
type Document struct {
	Schema      string       `json:"schema"`
	Points      [2]*Point    `json:"points"`
	SamePoint   bool         `json:"same_point,omitempty"` // nothing lies between them
	Clock       Clock        `json:"clock"`
	NAT         []Mapping    `json:"nat"` // addresses that differ between the points
	Connections []Connection `json:"connections"`
	Other       Other        `json:"other"` // UDP that is not ours

	common span
}

// A Point is one of the captures.
type Point struct {
	Name     string  `json:"name"`
	Captures []any   `json:"captures"`
	Near     string  `json:"near,omitempty"` // client or server
	Missed   uint64  `json:"missed"`         // datagrams that passed it and that it lacks
	Dropped  *uint64 `json:"dropped,omitempty"`
	Poor     []Span  `json:"poor,omitempty"` // near what it missed
}

// A Span is from when to when something was, on the axis.
type Span struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// A Clock is how clock 2 goes by clock 1.
type Clock struct {
	Reference int       `json:"reference"`
	Segments  []Segment `json:"segments"`
	Steps     []Step    `json:"steps"`
	Problem   string    `json:"problem,omitempty"`
}

// A Segment is a stretch in which both clocks go steadily.
type Segment struct {
	From    string   `json:"from"` // on clock 1
	To      string   `json:"to"`
	Offset  *float64 `json:"offset_ms,omitempty"` // clock 2 minus clock 1, at From
	Drift   float64  `json:"drift_ppm"`
	Bound   *float64 `json:"bound_ms,omitempty"`
	AtMost  *float64 `json:"offset_at_most_ms,omitempty"`
	AtLeast *float64 `json:"offset_at_least_ms,omitempty"`
	Pairs   [2]int64 `json:"pairs"` // passing point 1 first, and point 2
}

// A Step is a time at which a clock was set.
type Step struct {
	Time   string    `json:"time"`
	Size   float64   `json:"step_ms"`
	Point  int       `json:"point,omitempty"`
	Frames [2]uint32 `json:"frames"` // of point 1: before and after
}

// A Mapping is an address pair that is another one at the other point.
type Mapping struct {
	Address1  string `json:"address_1"`
	Address2  string `json:"address_2"`
	From      string `json:"from"`
	To        string `json:"to"`
	Datagrams uint64 `json:"datagrams"`
}

// A Connection is what became of what both sides of one sent.
type Connection struct {
	ID           int                   `json:"id"`
	Protocol     string                `json:"protocol,omitempty"`
	At           [2]*At                `json:"at"`
	Directions   map[string]*Direction `json:"directions"`
	Verdict      Verdict               `json:"verdict"`
	Contributing []Contribution        `json:"contributing"`
	ICMP         []ICMP                `json:"icmp,omitempty"`

	told told
}

// At is a connection as one point has it.
type At struct {
	Connection *int   `json:"connection,omitempty"`
	A          string `json:"a"`
	B          string `json:"b"`
	FirstFrame uint32 `json:"first_frame"`
	LastFrame  uint32 `json:"last_frame"`
}

// A Direction is what became of what one side sent.
type Direction struct {
	First     int               `json:"first_point,omitempty"`
	Fates     map[string]uint64 `json:"fates"`
	Copies    uint64            `json:"copies"`
	Altered   uint64            `json:"altered"`
	Reordered uint64            `json:"reordered"`
	OneWay    *OneWay           `json:"one_way_ms,omitempty"`
	Queue     *Queue            `json:"queue_ms,omitempty"`
	Losses    []Loss            `json:"losses,omitempty"`
	Intervals []Interval        `json:"intervals,omitempty"`
}

// OneWay is how long datagrams were on their way from one point to the other.
type OneWay struct {
	Samples int     `json:"samples"`
	Min     float64 `json:"min"`
	P50     float64 `json:"p50"`
	P95     float64 `json:"p95"`
	Max     float64 `json:"max"`
	Bound   float64 `json:"bound_ms"`
}

// A Queue is how much longer than the least they were on their way.
type Queue struct {
	P50    float64 `json:"p50"`
	P95    float64 `json:"p95"`
	Max    float64 `json:"max"`
	Time   string  `json:"time,omitempty"`
	Frame1 uint32  `json:"frame_1"`
	Frame2 uint32  `json:"frame_2"`
}

// A Loss is datagrams lost one after the other.
type Loss struct {
	From      string   `json:"from,omitempty"`
	To        string   `json:"to,omitempty"`
	Datagrams uint64   `json:"datagrams"`
	Frames    []uint32 `json:"frames"` // at the first point, the first ones
}

// An Interval is what became of what was sent in a stretch of time.
type Interval struct {
	From      string  `json:"from"`
	To        string  `json:"to"`
	Sent      uint64  `json:"sent"`
	Delivered uint64  `json:"delivered"`
	Lost      uint64  `json:"lost_between"`
	Copies    uint64  `json:"copies"`
	Reordered uint64  `json:"reordered"`
	OneWay    *OneWay `json:"one_way_ms,omitempty"`
	Queue     *Queue3 `json:"queue_ms,omitempty"`
}

// Queue3 is a queue without its worst moment.
type Queue3 struct {
	P50 float64 `json:"p50"`
	P95 float64 `json:"p95"`
	Max float64 `json:"max"`
}

// A Verdict says how a connection ended, by both captures.
type Verdict struct {
	Cause       explain.Cause     `json:"cause"`
	Side        string            `json:"side,omitempty"`
	Certainty   explain.Certainty `json:"certainty"`
	Time        string            `json:"time,omitempty"`
	Sentence    string            `json:"sentence"`
	WouldRefute string            `json:"would_refute,omitempty"`
	Candidates  []explain.Cause   `json:"candidates,omitempty"`
	Reason      string            `json:"reason,omitempty"`
	Frames1     []uint64          `json:"frames_1"`
	Frames2     []uint64          `json:"frames_2"`
	Alone       []*Alone          `json:"alone"`
	DecidedBy   string            `json:"decided_by,omitempty"`
}

// Alone is what one capture says without the other, nil where it has nothing of a connection.
type Alone struct {
	Cause     explain.Cause     `json:"cause"`
	Side      string            `json:"side,omitempty"`
	Certainty explain.Certainty `json:"certainty"`
}

// A Contribution is what made a connection slow or endangered it, by both captures.
type Contribution struct {
	Cause      explain.Cause      `json:"cause"`
	Side       string             `json:"side,omitempty"`
	Certainty  explain.Certainty  `json:"certainty"`
	Where      string             `json:"where,omitempty"` // before, between or after the points
	Directions []string           `json:"directions"`
	From       string             `json:"from,omitempty"`
	To         string             `json:"to,omitempty"`
	Sentence   string             `json:"sentence"`
	Numbers    map[string]float64 `json:"numbers"`
	Frames1    []uint64           `json:"frames_1"`
	Frames2    []uint64           `json:"frames_2"`
}

// ICMP is a notice that a datagram was not delivered, and what became of the notice.
type ICMP struct {
	Fate    string `json:"fate"`
	Frame1  uint32 `json:"frame_1,omitempty"`
	Frame2  uint32 `json:"frame_2,omitempty"`
	FrameOf uint32 `json:"frame_of"` // of the datagram that it quotes, at the point that captured the notice first
}

// Other is what became of UDP that is of no connection.
type Other struct {
	Directions int               `json:"directions"`
	Fates      map[string]uint64 `json:"fates"`
}

// rfc3339 is the form of times in records.
const rfc3339 = "2006-01-02T15:04:05.000000000Z"

// stamp is a time as records give it, "" for none.
func stamp(ns int64) string {
	if ns == 0 {
		return ""
	}
	return time.Unix(0, ns).UTC().Format(rfc3339)
}

// millis is a time in ms, to the µs.
func millis(ns int64) float64 { return float64((abs(ns)+500)/1000) / 1000 * sign(ns) }

func sign(ns int64) float64 {
	if ns < 0 {
		return -1
	}
	return 1
}

func named(f *[fates]uint64) map[string]uint64 {
	out := map[string]uint64{}
	for i, n := range f {
		if n > 0 {
			out[Fate(i).String()] = n
		}
	}
	return out
}

// Document makes the document. captures gives what records say of the files of a point.
func (r *Comparison) Document(captures func([]capture.Info) []any) *Document {
	other := r.sum()
	d := &Document{Schema: Schema, SamePoint: r.p.same, NAT: []Mapping{}, Connections: []Connection{}}
	for at := range r.p.c {
		d.Points[at] = r.point(at, captures(r.p.c[at].Infos))
	}
	d.Clock = r.clock()
	d.common = r.common()
	d.NAT = r.mappings()
	for _, s := range r.sums {
		if s.conn.shown && s.conn.begun && s.dirs[0].total()+s.dirs[1].total() > 0 {
			d.Connections = append(d.Connections, r.connection(s))
		}
	}
	d.Other = Other{Directions: len(r.other), Fates: named(&other.fates)}
	return d
}

func (r *Comparison) point(at int, captures []any) *Point {
	c := r.p.c[at]
	x := &Point{Name: c.Name, Captures: captures, Near: r.near(at)}
	for i := range c.Infos {
		if c.Infos[i].HasDropped {
			n := c.Infos[i].Dropped
			if x.Dropped != nil {
				n += *x.Dropped
			}
			x.Dropped = &n
		}
	}
	for a, of := range r.p.c {
		for i, f := range of.fate {
			if f == MissedByFirst || f == MissedBySecond {
				if a != at {
					x.Missed++
				}
			}
			_ = i
		}
	}
	for _, u := range r.p.unseen {
		if u.fate == MissedByBoth {
			x.Missed++
		}
	}
	p := &r.p.poor[at]
	for i := range p.from {
		near := int32(max(0, c.indexAt(p.from[i])))
		x.Poor = append(x.Poor, Span{stamp(r.axis(at, near, p.from[i])), stamp(r.axis(at, near, p.to[i]))})
	}
	return x
}

// common is from when to when both captures listened, on the axis.
func (r *Comparison) common() (s span) {
	if r.p.clocks.none {
		return s
	}
	var from, to [2]int64
	for at, c := range r.p.c {
		from[at], to[at] = r.axis(at, 0, c.first), r.axis(at, int32(len(c.list)-1), c.last)
	}
	return span{max(from[0], from[1]), min(to[0], to[1])}
}

// near says at whose side a point is: at that of who opens connections, or at the other.
func (r *Comparison) near(at int) string {
	votes := [2]int{}
	for _, x := range r.p.conns.all {
		l := r.p.lines[x.line]
		for dir := range l.dirs {
			if first := l.dirs[dir].first; first != none && x.side(dir) == 0 {
				votes[first]++
			}
		}
	}
	switch {
	case votes[at] > votes[1-at]:
		return "client"
	case votes[at] < votes[1-at]:
		return "server"
	}
	return ""
}

func (r *Comparison) clock() Clock {
	k := &r.p.clocks
	out := Clock{Reference: r.opts.Reference + 1, Segments: []Segment{}, Steps: []Step{}, Problem: k.problem}
	if k.none {
		out.Problem = "a capture has no times: clocks and delays are not known"
		return out
	}
	for i := range k.segments {
		s := &k.segments[i]
		if s.pairs[0]+s.pairs[1] == 0 {
			continue
		}
		out.Segments = append(out.Segments, r.segment(s))
	}
	for _, s := range k.steps {
		size := s.size
		if r.p.canon == Point2 {
			size = -size
		}
		out.Steps = append(out.Steps, Step{stamp(r.axis(Point1, s.at, r.p.c[0].list[s.at].time)), millis(size), s.point + 1, s.frames})
	}
	return out
}

// segment is the record of a segment, on clock 1 and for clock 2.
func (r *Comparison) segment(s *segment) Segment {
	sign, from, to, pairs := 1.0, s.x0, s.x1, s.pairs
	if r.p.canon == Point2 {
		sign, from, to, pairs = -1, s.x0+s.at(s.x0), s.x1+s.at(s.x1), [2]int64{s.pairs[1], s.pairs[0]}
	}
	o, b := millis(int64(math.Round(sign*s.offset))), millis(int64(s.bound))
	x := Segment{From: stamp(from), To: stamp(to), Drift: math.Round(sign*s.drift*1e9) / 1e3, Pairs: pairs}
	if x.Drift == 0 {
		x.Drift = 0 // no -0
	}
	switch {
	case !s.sided():
		x.Offset, x.Bound = &o, &b
	case pairs[0] > 0:
		x.AtMost = &o
	default:
		x.AtLeast = &o
	}
	return x
}

// mappings are the address pairs that differ between the points.
func (r *Comparison) mappings() []Mapping {
	out := []Mapping{}
	for _, m := range r.p.nat {
		x, y := r.p.c[0].pairs[m.pairs[0]], r.p.c[1].pairs[m.pairs[1]]
		a, b := [2]string{x.lo.String(), x.hi.String()}, [2]string{y.lo.String(), y.hi.String()}
		if m.swaps {
			b[0], b[1] = b[1], b[0]
		}
		var n uint64
		var from, to int64
		for k, v := range r.p.votes2 {
			if r.p.c[0].flows[k[0]].pair == m.pairs[0] && r.p.c[1].flows[k[1]].pair == m.pairs[1] {
				n += uint64(v)
			}
		}
		for i, f := range r.p.c[1].flows {
			list := r.p.byFlow[1][i]
			if f.pair != m.pairs[1] || len(list) == 0 {
				continue
			}
			t0, t1 := r.axis(1, list[0], r.p.c[1].list[list[0]].time), r.axis(1, list[len(list)-1], r.p.c[1].list[list[len(list)-1]].time)
			if from == 0 || t0 < from {
				from = t0
			}
			to = max(to, t1)
		}
		for side := range a {
			if a[side] != b[side] {
				out = append(out, Mapping{a[side], b[side], stamp(from), stamp(to), n})
			}
		}
	}
	return out
}

func (r *Comparison) connection(s *sum) Connection {
	x := Connection{ID: s.conn.id, Directions: map[string]*Direction{}, Contributing: []Contribution{}}
	for at := range r.p.c {
		x.At[at] = r.at(s.conn, at)
		if c := r.p.main(s.conn, at); c != nil && x.Protocol == "" {
			x.Protocol = c.Protocol.Name
		}
	}
	for dir := range s.dirs {
		x.Directions["ab"[dir:dir+1]] = r.direction(s.conn, dissect.Dir(dir), &s.dirs[dir])
	}
	r.tell(&x, s)
	x.ICMP = r.icmp(s.conn)
	r.judge(&x, s)
	return x
}

// at is a connection as one point has it, nil where it has nothing of it.
func (r *Comparison) at(k *conn, at int) *At {
	if k.frames[at][0] == 0 {
		return nil
	}
	x := &At{FirstFrame: k.frames[at][0], LastFrame: k.frames[at][1]}
	if c := r.p.main(k, at); c != nil {
		x.Connection = &c.ID
	}
	for i := range r.p.c[at].flows {
		f := &r.p.c[at].flows[i]
		if r.p.conns.byFlow[at][i] != int32(k.id) || r.p.main(k, at) != nil && f.conn == none {
			continue
		}
		if m := r.p.main(k, at); m != nil && r.p.c[at].Conns[f.conn] != m {
			continue
		}
		if x.A, x.B = f.src.String(), f.dst.String(); k.side(int(r.p.conns.dirs[at][i])) == 1 {
			x.A, x.B = x.B, x.A
		}
		break
	}
	return x
}

func (r *Comparison) direction(k *conn, dir dissect.Dir, d *dirSum) *Direction {
	x := &Direction{Fates: named(&d.fates), Copies: d.copies, Altered: d.altered, Reordered: d.reordered}
	l := r.p.lines[k.line]
	way := int(dir)
	if k.flip {
		way = 1 - way
	}
	if f := l.dirs[way].first; f != none {
		x.First = f + 1
	}
	if len(d.delays) > 0 {
		if d.truly {
			x.OneWay = r.oneWay(d.delays)
			if d.parts != nil { // quantiles leave no order
				x.OneWay = r.oneWay(slices.Clone(d.delays))
			}
		}
		x.Queue = queueOf(d)
	}
	for _, n := range r.runs(k, way) {
		x.Losses = append(x.Losses, Loss{stamp(n.from), stamp(n.to), n.datagrams, n.frames})
	}
	x.Intervals = r.intervals(d)
	return x
}

// queueOf is by how much the delays of a side are more than the least, and where they were
// longest. The delays are changed.
func queueOf(d *dirSum) *Queue {
	var worst slowest
	for _, z := range d.slowest {
		if z.most >= z.least && z.most-z.least >= worst.most-worst.least {
			worst = z
		}
	}
	_, p50, p95, most := quantiles(queues(d.delays, d.parts, d.slowest))
	return &Queue{millis(p50), millis(p95), millis(most), stamp(worst.time), worst.frames[0], worst.frames[1]}
}

// intervals are what a side sent over time.
func (r *Comparison) intervals(d *dirSum) (out []Interval) {
	for _, at := range slices.Sorted(maps.Keys(d.intervals)) {
		v := d.intervals[at]
		x := Interval{From: stamp(at * r.opts.Interval), To: stamp((at + 1) * r.opts.Interval), Sent: v.sent, Delivered: v.delivered, Lost: v.lost, Copies: v.copies, Reordered: v.reordered}
		if len(v.delays) > 0 {
			if d.truly {
				x.OneWay = r.oneWay(slices.Clone(v.delays))
			}
			_, p50, p95, most := quantiles(queues(v.delays, v.parts, d.slowest))
			x.Queue = &Queue3{millis(p50), millis(p95), millis(most)}
		}
		out = append(out, x)
	}
	return out
}

func (r *Comparison) oneWay(delays []int64) *OneWay {
	least, p50, p95, most := quantiles(delays)
	return &OneWay{len(delays), millis(least), millis(p50), millis(p95), millis(most), millis(r.p.clocks.bound())}
}

// bound is the widest bound of the offsets.
func (k *clocks) bound() (ns int64) {
	for i := range k.segments {
		ns = max(ns, int64(k.segments[i].bound))
	}
	return ns
}

// names are what the sides of a connection are called.
func (r *Comparison) names(k *conn, at [2]*At) (names [2]string) {
	for point := range at {
		c := r.p.main(k, point)
		if c == nil {
			continue
		}
		for dir := range dissect.Dirs {
			side := dir
			if at[point] != nil && c.A.String() != at[point].A {
				side = dir.Other()
			}
			if names[side] == "" {
				names[side] = role(c.Roles[dir])
			}
		}
	}
	for side := range names {
		if names[side] == "" {
			for _, x := range at {
				if x != nil && names[side] == "" {
					names[side] = []string{x.A, x.B}[side]
				}
			}
		}
	}
	return names
}

// role is what people call a side with a role.
func role(name string) string {
	switch name {
	case "":
		return ""
	case "client", "connector":
		return "player"
	}
	return "server"
}
