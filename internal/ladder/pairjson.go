package ladder

import (
	"io"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/internal/compare"
)

// pairDocument is the ladder of a pair as JSON.
type pairDocument struct {
	Schema     string          `json:"schema"`
	Connection int             `json:"connection"`
	Protocol   string          `json:"protocol"`
	A          side            `json:"a"`
	B          side            `json:"b"`
	Points     [2]pairPoint    `json:"points"`
	First      map[string]int  `json:"first_points"`
	Clock      compare.Clock   `json:"clock"`
	Verdict    compare.Verdict `json:"verdict"`
	Rows       []any           `json:"rows"`
}

type pairPoint struct {
	Name text   `json:"name"`
	Near string `json:"near,omitempty"`
}

// wayRecord is what a row of a pair has beside the others.
type wayRecord struct {
	Fate      string   `json:"fate,omitempty"`
	Frame1    uint64   `json:"frame_1,omitempty"`
	Frame2    uint64   `json:"frame_2,omitempty"`
	Frames1   []uint64 `json:"frames_1,omitempty"`
	Frames2   []uint64 `json:"frames_2,omitempty"`
	Time1     string   `json:"time_1,omitempty"`
	Time2     string   `json:"time_2,omitempty"`
	Copies1   []uint32 `json:"copies_1,omitempty"`
	Copies2   []uint32 `json:"copies_2,omitempty"`
	OneWay    *float64 `json:"one_way_ms,omitempty"`
	OneWayMax *float64 `json:"one_way_max_ms,omitempty"`
	Queue     *float64 `json:"queue_ms,omitempty"`
	QueueMax  *float64 `json:"queue_max_ms,omitempty"`
	Altered   bool     `json:"altered,omitempty"`
	Reordered bool     `json:"reordered,omitempty"`
}

// WritePairJSON writes the ladder of a pair as one document.
func WritePairJSON(w io.Writer, p *Pair) error {
	side := func(dir dissect.Dir) side {
		at := p.Conn.At[p.lifeline(dir)]
		if at == nil {
			at = p.Conn.At[1-p.lifeline(dir)]
		}
		return side{Address: [2]string{at.A, at.B}[dir]}
	}
	d := &pairDocument{Schema: Schema, Connection: p.Conn.ID, Protocol: p.Conn.Protocol, A: side(0), B: side(1), First: map[string]int{},
		Clock: p.Doc.Clock, Verdict: p.Conn.Verdict, Rows: make([]any, 0, len(p.Rows))}
	for at, x := range p.Doc.Points {
		d.Points[at] = pairPoint{text(x.Name), x.Near}
	}
	for dir, x := range p.Conn.Directions {
		if x.First != 0 {
			d.First[dir] = x.First
		}
	}
	for i := range p.Rows {
		d.Rows = append(d.Rows, p.Rows[i].record())
	}
	return writeIndented(w, d)
}

// recordWay puts what a row of a pair has into its record.
func (r *Row) recordWay(x *record) {
	w := r.Way
	if w == nil {
		return
	}
	x.Frame, x.Frames, x.Type = 0, nil, text(r.Type)
	if r.Kind == Run {
		for i := range r.Members {
			m := r.Members[i].Way
			x.Frames1, x.Frames2 = append(x.Frames1, m.Frames[0]), append(x.Frames2, m.Frames[1])
			x.span(m)
		}
		x.Fate = w.Fate.String()
		return
	}
	x.Fate, x.Frame1, x.Frame2, x.Copies1, x.Copies2, x.Altered, x.Reordered = w.Fate.String(), w.Frames[0], w.Frames[1], w.Copies[0], w.Copies[1], w.Altered, w.Reordered
	for at, s := range []*string{&x.Time1, &x.Time2} {
		if w.Times[at] != 0 {
			*s = stamp(w.Times[at])
		}
	}
	x.span(w)
	x.OneWayMax, x.QueueMax = nil, nil
}

// span makes the least and the most of delays include those of a way.
func (x *wayRecord) span(w *Way) {
	add := func(least, most **float64, ns int64) {
		n := float64((ns+500)/1000) / 1000
		if *least == nil || n < **least {
			*least = &n
		}
		if *most == nil || n > **most {
			*most = &n
		}
	}
	if w.HasDelay {
		add(&x.Queue, &x.QueueMax, w.Queue)
	}
	if w.HasOneWay {
		add(&x.OneWay, &x.OneWayMax, w.OneWay)
	}
}
