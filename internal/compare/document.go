package compare

import (
	"time"

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
