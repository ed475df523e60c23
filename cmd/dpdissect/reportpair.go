package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/dpdissect/dpdissect/dissect/stable"
	"github.com/dpdissect/dpdissect/internal/compare"
	"github.com/dpdissect/dpdissect/internal/exit"
	"github.com/dpdissect/dpdissect/internal/htmlreport"
	"github.com/dpdissect/dpdissect/internal/ladder"
	"github.com/dpdissect/dpdissect/internal/outfile"
	"github.com/dpdissect/dpdissect/internal/report"
	"github.com/dpdissect/dpdissect/session"
)

// A pairReport is what a page says of two captures of one session.
type pairReport struct {
	r       *compare.Comparison
	choice  compare.Choice
	doc     *compare.Document
	moments []pairMoment
}

// A pairMoment is a stretch of time of a connection that the page draws datagram by datagram.
type pairMoment struct {
	Connection int    `json:"connection"`
	Title      string `json:"title"`
	SVG        string `json:"svg"`

	at    int64
	drawn *ladder.Pair
}

// What a page shows of moments.
const (
	momentBefore    = 300 * int64(time.Millisecond)
	momentAfter     = 700 * int64(time.Millisecond)
	momentDatagrams = 40
	loudQueueMS     = 20 // of which the longest is a moment
)

// runPair writes the page of two captures of one session.
func (c *reportCommand) runPair(cmd *cobra.Command, points []pointFiles) error {
	if err := c.pairOnly("a report"); err != nil {
		return err
	}
	if c.redact {
		return exit.Usagef("--redact is for one capture: 'dpdissect redact' makes captures that one may publish")
	}
	display := c.display
	c.display = "" // it chooses connections of the first capture, not what is paired
	return c.readPair(cmd, points, false, func(out *destination, _ *outfile.Guard, r *compare.Comparison) error {
		if out.screen.terminal && c.output == "" {
			return exit.Usagef("a report is an HTML page: give -o FILE")
		}
		c.display = display
		c.both = &pairReport{r: r, choice: c.spanOf()}
		r.Choose(c.both.choice)
		c.both.doc = r.Document(report.CaptureRecords)
		if err := c.alike(); err != nil {
			return err
		}
		if err := c.drawMoments(cmd, points); err != nil {
			return err
		}
		c.title = cmp.Or(c.title, points[0].name+" and "+points[1].name)
		err := c.one(cmd, points[0].files)
		if exit.Told(err) {
			return nil // the comparison told it, too
		}
		return err
	})
}

// alike makes --connection, which is a number of the comparison, that of the first capture.
func (c *reportCommand) alike() error {
	if !c.connection.Given {
		return nil
	}
	d, id := c.both.doc, int(c.connection.ID)
	d.Connections = slices.DeleteFunc(d.Connections, func(x compare.Connection) bool { return x.ID != id })
	if len(d.Connections) == 0 || d.Connections[0].At[0] == nil || d.Connections[0].At[0].Connection == nil {
		return exit.Usagef("--connection %d: the first capture has no such connection; 'dpdissect compare' lists them", id)
	}
	c.connection.ID = uint64(*d.Connections[0].At[0].Connection)
	return nil
}

// drawMoments draws the moments that count of the connections with most to tell.
func (c *reportCommand) drawMoments(cmd *cobra.Command, points []pointFiles) error {
	b := c.both
	order := make([]*compare.Connection, 0, len(b.doc.Connections))
	for i := range b.doc.Connections {
		order = append(order, &b.doc.Connections[i])
	}
	stable.Sort(order, func(x, y *compare.Connection) int { return cmp.Compare(troubled(y), troubled(x)) })
	var all []*ladder.Pair
	for _, x := range order[:min(len(order), reportLadders)] {
		whole, err := ladder.NewPair(b.r, b.doc, x.ID)
		if err != nil {
			continue // it has too many datagrams
		}
		for _, m := range momentsOf(b.doc, x) {
			if m.drawn = whole.Moment(m.at, momentBefore, momentAfter, momentDatagrams); m.drawn != nil {
				b.moments, all = append(b.moments, m), append(all, m.drawn)
			}
		}
	}
	if len(all) == 0 {
		return nil
	}
	if err := c.fillPair(cmd, points, all, 0, true); err != nil {
		return err
	}
	for i := range b.moments {
		var svg bytes.Buffer
		if err := ladder.WritePairPart(&svg, b.moments[i].drawn); err != nil {
			return err
		}
		b.moments[i].SVG = svg.String()
	}
	return nil
}

// troubled is how much there is to tell of a connection.
func troubled(x *compare.Connection) (n float64) {
	if x.Grave() {
		n += 1e9
	}
	for _, d := range x.Directions {
		n += float64(d.Fates[compare.LostBetween.String()])
		if d.Queue != nil {
			n += d.Queue.Max / 10
		}
	}
	return n
}

// momentsOf are those of a connection: its end, the longest losses and queues, and where a clock
// was set. Of one with none it is the beginning.
func momentsOf(d *compare.Document, x *compare.Connection) (all []pairMoment) {
	add := func(at, title string) {
		t, err := time.Parse(time.RFC3339Nano, at)
		near := func(m pairMoment) bool { return abs64(m.at-t.UnixNano()) < momentBefore }
		if err == nil && !slices.ContainsFunc(all, near) {
			all = append(all, pairMoment{Connection: x.ID, Title: title, at: t.UnixNano()})
		}
	}
	if x.Grave() {
		add(x.Verdict.Time, "how it ended")
	}
	for _, side := range []string{"a", "b"} {
		to := x.Side(map[string]string{"a": "b", "b": "a"}[side])
		if l := x.Directions[side].Longest(); l != nil {
			add(l.From, fmt.Sprintf("the longest run of losses to %s: %d", to, l.Datagrams))
		}
		if q := x.Directions[side].Queue; q != nil && q.Max > loudQueueMS {
			add(q.Time, fmt.Sprintf("the longest queue to %s: %.0f ms", to, q.Max))
		}
	}
	for i := range d.Clock.Steps {
		add(d.Clock.Steps[i].Time, "a clock was set")
	}
	if len(all) == 0 {
		all = []pairMoment{{Connection: x.ID, Title: "the beginning"}}
	}
	return all
}

func abs64(n int64) int64 { return max(n, -n) }

// pairConnection is what the page says of a connection of both captures.
type pairConnection struct {
	ID        int      `json:"id"`
	Of        *int     `json:"of,omitempty"`      // its number in the first capture
	Swapped   bool     `json:"swapped,omitempty"` // side a is b there
	Who       string   `json:"who"`
	Line      string   `json:"line"`
	Sides     []string `json:"sides"`
	Quiet     bool     `json:"quiet,omitempty"`
	Sentences []string `json:"sentences"`
}

// put puts what both captures show into the page. Over time it is that of the connections that
// are drawn.
func (b *pairReport) put(p *htmlreport.Report, worst []*session.Conn) error {
	if b == nil {
		return nil
	}
	drawn := map[int]*session.Conn{}
	for _, conn := range worst {
		drawn[conn.ID] = conn
	}
	var list []pairConnection
	shown := map[int]bool{}
	for i := range b.doc.Connections {
		x := &b.doc.Connections[i]
		y := pairConnection{ID: x.ID, Who: x.Who(), Line: x.Headline(), Sides: []string{x.Side("a"), x.Side("b")}, Quiet: x.Quiet(), Sentences: report.ComparedConnection(b.doc, x)}
		if at := x.At[0]; at != nil && at.Connection != nil {
			y.Of = at.Connection
			if conn := drawn[*at.Connection]; conn != nil {
				y.Swapped, shown[x.ID] = conn.A.String() != at.A, true
			}
		}
		list = append(list, y)
	}
	b.overTime(shown)
	var err error
	if p.Compare, err = report.AppendCompare(nil, b.doc); err != nil {
		return err
	}
	p.Pair, err = json.Marshal(map[string]any{"points": report.ComparedPoints(b.doc), "clocks": report.ComparedClocks(b.doc), "connections": list, "moments": b.moments})
	return err
}

// mostColumns is into how many intervals the time of both captures is divided at most.
const mostColumns = 300

// overTime adds what happened over time to some connections of the document.
func (b *pairReport) overTime(shown map[int]bool) {
	from, to := b.doc.Common()
	x := b.choice
	for x.Interval = 10e6; x.Interval*mostColumns < to-from; x.Interval *= 2 {
	}
	x.Shown = func(id int) bool { return shown[id] }
	b.r.Choose(x)
	some := b.r.Document(report.CaptureRecords)
	for i := range b.doc.Connections {
		for k := range some.Connections {
			if mine, other := &b.doc.Connections[i], &some.Connections[k]; mine.ID == other.ID {
				for side, d := range other.Directions {
					mine.Directions[side].Intervals = d.Intervals
				}
			}
		}
	}
}
