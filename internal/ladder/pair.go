package ladder

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/internal/compare"
	"github.com/dpdissect/dpdissect/session"
)

// A Pair is the ladder of a connection that was captured at two points: a lifeline a point, by
// the clock of each, and an arrow a datagram. It draws what their comparison says.
type Pair struct {
	Doc      *compare.Document
	Conn     *compare.Connection
	Rows     []Row
	Every    []Row // the same with a row for each datagram
	Filtered bool  // datagrams in between may have been left out

	passages []compare.Passage
}

// NewPair begins the ladder of a connection of a comparison whose document was made.
func NewPair(r *compare.Comparison, d *compare.Document, conn int) (*Pair, error) {
	i := slices.IndexFunc(d.Connections, func(c compare.Connection) bool { return c.ID == conn })
	if i < 0 {
		return nil, fmt.Errorf("connection %d: the captures have no datagram of it there", conn)
	}
	p := &Pair{Doc: d, Conn: &d.Connections[i]}
	r.Passages(conn, func(x *compare.Passage) {
		if len(p.passages) <= MaxFrames {
			p.passages = append(p.passages, *x)
		}
	})
	if len(p.passages) > MaxFrames {
		return nil, TooMany()
	}
	return p, nil
}

// Around leaves the datagrams around a frame of the first point alone, and reports whether it is
// among them.
func (p *Pair) Around(frame uint64) bool {
	i := slices.IndexFunc(p.passages, func(x compare.Passage) bool { return x.Frames[0] == frame })
	if i < 0 {
		return false
	}
	p.passages = p.passages[max(0, i-aroundFrames):min(len(p.passages), i+aroundFrames+1)]
	return true
}

// Moment is a ladder of the datagrams around a moment, at most so many of those nearest to it, of
// the first ones where the moment is 0. It is nil where there are none.
func (p *Pair) Moment(at, before, after int64, most int) *Pair {
	if at == 0 && len(p.passages) > 0 {
		at = p.passages[0].Time
	}
	x := *p
	x.passages = slices.DeleteFunc(slices.Clone(p.passages), func(w compare.Passage) bool { return w.Time < at-before || w.Time > at+after })
	n := len(x.passages)
	if n == 0 {
		return nil
	}
	i, _ := slices.BinarySearchFunc(x.passages, at, func(w compare.Passage, t int64) int { return cmp.Compare(w.Time, t) })
	from := max(0, min(i-most/4, n-most))
	x.passages = x.passages[from:min(n, from+most)]
	return &x
}

// Wants are the frames of a point that are drawn.
func (p *Pair) Wants(point int) map[uint64]bool {
	want := map[uint64]bool{}
	for i := range p.passages {
		if f := p.passages[i].Frames[point]; f != 0 {
			want[f] = true
		}
	}
	return want
}

// Build makes the rows of what the captures say of the datagrams, and of the findings of each.
func (p *Pair) Build(points [2]*Point, findings [2][]session.Finding, focus uint64, all bool) {
	b := &builder{rows: make([]Row, 0, len(p.passages))}
	at := [2]map[uint64]int{{}, {}}
	for i := range p.passages {
		r, shown := p.row(&p.passages[i], points)
		if p.Filtered && !shown {
			continue
		}
		for point, f := range r.Way.Frames {
			if f != 0 {
				at[point][f] = len(b.rows)
			}
		}
		r.Focus = focus != 0 && r.Way.Frames[0] == focus
		b.rows = append(b.rows, r)
	}
	for point := range at {
		b.at = at[point]
		b.putEach(findings[point])
		p.prove(b, point)
	}
	p.notify(b, at)
	b.weave(nil, all, p.Filtered)
	p.Every = slices.DeleteFunc(slices.Clone(b.woven), func(r Row) bool { return r.Kind == Pause })
	if p.Rows = b.woven; !all {
		p.Rows = collapse(b.woven)
	}
}

// row is that of a datagram, and whether it is among those that -Y chooses.
func (p *Pair) row(x *compare.Passage, points [2]*Point) (r Row, shown bool) {
	w := &Way{Passage: *x, Right: x.First == compare.Point1 || x.First < 0 && x.From == 0}
	var known [2]*pointRow
	for at, f := range x.Frames {
		if y := points[at].rows[place{f, x.Parts[at]}]; f != 0 && y != nil {
			known[at], w.Clocks[at], shown = y, y.Clock, shown || y.shown
		}
	}
	r = Row{Label: "not captured", Datagrams: 1}
	for _, y := range []*pointRow{known[1-w.from()], known[w.from()]} {
		if y != nil {
			r = y.Row
		}
	}
	r.Kind, r.From, r.Time, r.Until, r.HasTime, r.Clock, r.Way = Passage, x.From, x.Time, x.Time, x.Time != 0, w.Clocks[w.from()], w
	w.Begin = x.Time
	switch w.End = x.Time; {
	case x.HasOneWay:
		w.End += x.OneWay
	case x.HasDelay:
		w.End += x.Queue
	case x.Fate == compare.MissedByFirst:
		w.Begin -= p.usual(x.From)
	case x.Fate != compare.Delivered:
		w.End += p.usual(x.From)
	}
	w.tell(p.Doc.Points)
	return r, shown
}

// usual is how long datagrams of a side are on their way usually, ns.
func (p *Pair) usual(from dissect.Dir) int64 {
	if d := p.Conn.Directions[sideOf(from)]; d.OneWay != nil {
		return max(0, int64(d.OneWay.P50*1e6))
	}
	return 0
}

// putEach tells broken rules at their frames, each rule once.
func (b *builder) putEach(all []session.Finding) {
	for i := range all {
		f := &all[i]
		at, ok := b.at[f.Frame]
		if !ok || !f.Failed() {
			continue
		}
		if r := &b.rows[at]; !slices.ContainsFunc(r.Findings, func(x Finding) bool { return x.Rule == f.Rule.ID }) {
			r.Findings = append(r.Findings, Finding{f.Rule.ID, f.Severity.String(), f.Message})
		}
	}
}

// prove marks the datagrams that the verdict and what contributed take as proof, by the frames
// of a point.
func (p *Pair) prove(b *builder, point int) {
	b.prove(string(p.Conn.Verdict.Cause), [2][]uint64{p.Conn.Verdict.Frames1, p.Conn.Verdict.Frames2}[point])
	for i := range p.Conn.Contributing {
		x := &p.Conn.Contributing[i]
		b.prove(string(x.Cause), [2][]uint64{x.Frames1, x.Frames2}[point])
	}
}

// notify tells of ICMP notices at the datagrams that they quote: of the point that the notice
// passed first, which is the one that the datagram passed last.
func (p *Pair) notify(b *builder, at [2]map[uint64]int) {
	for _, x := range p.Conn.ICMP {
		for point, f := range [2]uint32{x.Frame1, x.Frame2} {
			i, ok := at[point][uint64(x.FrameOf)]
			if f == 0 || !ok || b.rows[i].Way.from() == point && x.Frame1 != 0 && x.Frame2 != 0 {
				continue
			}
			what := "quotes it"
			if x.Fate == compare.LostBetween.String() {
				what = "quotes it, and was lost between the points itself"
			}
			b.rows[i].Notices = append(b.rows[i].Notices, Notice{Frame: uint64(f), Label: "of " + p.Doc.Points[point].Name + " " + what})
		}
	}
}

// SideName is "a the player 10.0.0.1:2302", as the point has it that what the side sends passes
// first.
func (p *Pair) SideName(dir dissect.Dir) string {
	side := sideOf(dir)
	s, at := side, p.Conn.At[p.lifeline(dir)]
	if at == nil {
		at = p.Conn.At[1-p.lifeline(dir)]
	}
	address := [2]string{at.A, at.B}[dir]
	if name := p.Conn.Side(side); name != address {
		s += " " + name
	}
	return escaped(s + " " + address)
}

// lifeline is the point on whose side a side is drawn.
func (p *Pair) lifeline(dir dissect.Dir) int {
	for d := range dissect.Dirs {
		switch p.Conn.Directions[sideOf(d)].First {
		case 1:
			return int(d ^ dir)
		case 2:
			return 1 - int(d^dir)
		}
	}
	return int(dir)
}

// left is the side that is drawn on the left, where point 1 is.
func (p *Pair) left() dissect.Dir { return dissect.Dir(p.lifeline(0)) }

// title says which connection it is, and how it ended.
func (p *Pair) title() string {
	s := fmt.Sprintf("connection %d", p.Conn.ID)
	if p.Conn.Protocol != "" {
		s += "  " + p.Conn.Protocol
	}
	return s + "  " + p.Conn.Headline()
}
