package htmlreport

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/internal/pipeline"
	"github.com/dpdissect/dpdissect/internal/timeline"
	"github.com/dpdissect/dpdissect/session"
)

const (
	// MostPictures bounds the connections that a page draws.
	MostPictures = 20

	// allColumns is the number of columns that the pictures of a page have together, and mostColumns
	// how many one side has: more than a screen shows.
	allColumns  = 24_000
	mostColumns = 2_000

	// maxLosses is how many lost numbers of a side are drawn.
	maxLosses = 200_000
)

// A Collector spreads over time what some connections send, in a pass of its own: how long
// they last was found in an earlier one.
type Collector struct {
	lengths map[uint64]int64 // of columns, in ns, by the first frame of the connection
	shards  [pipeline.Shards]*timeline.Timeline
	losses  *timeline.Losses
}

// NewCollector makes a Collector for connections that an earlier pass found.
func NewCollector(conns []*session.Conn) *Collector {
	c := &Collector{lengths: map[uint64]int64{}}
	c.losses = timeline.NewLosses(maxLosses, func(conn *session.Conn) bool { return c.lengths[conn.FirstFrame] != 0 })
	columns := int64(min(mostColumns, allColumns/(2*max(1, len(conns)))))
	for _, conn := range conns {
		length := int64(1) // a column a frame
		conn.Unpack()
		if int64(conn.Dir[0].Frames+conn.Dir[1].Frames) > 2*columns {
			length = max(1, (conn.LastStamp-conn.FirstStamp)/columns+1)
		}
		c.lengths[conn.FirstFrame] = length
	}
	return c
}

// Attach makes a run tell the Collector what it tracks.
func (c *Collector) Attach(r *pipeline.Run) {
	next := r.Sink
	r.Config.Links = true
	r.Config.OnSettled(c.losses.Hear)
	r.Sink = func(shard int) session.Sink {
		c.shards[shard] = timeline.NewDrawing(func(conn *session.Conn) int64 { return c.lengths[conn.FirstFrame] }, next(shard))
		return c.shards[shard]
	}
}

// Pictures are those of the connections of the run, once it is over, as far as they lie
// within a span of time.
func (c *Collector) Pictures(conns []*session.Conn, within func(at int64) bool) (all []Picture) {
	for _, conn := range conns {
		if c.lengths[conn.FirstFrame] == 0 {
			continue
		}
		conn.Unpack()
		p := Picture{Connection: conn.ID, Base: conn.FirstStamp}
		for dir := range dissect.Dirs {
			p.Sides[dir] = c.side(conn, dir, within)
			p.Sides[dir].Window = conn.Protocol.Window
		}
		conn.Rest()
		all = append(all, p)
	}
	return all
}

func (c *Collector) side(conn *session.Conn, dir dissect.Dir, within func(at int64) bool) (s Side) {
	for _, t := range c.shards {
		if !t.Follows(conn) {
			continue
		}
		for _, v := range t.Direction(conn, dir) {
			if within(v.From) {
				s.Columns = append(s.Columns, v)
			}
		}
		marks, dropped := t.Marks(conn, dir)
		for _, m := range marks {
			if within(m.Time) {
				s.Marks = append(s.Marks, m)
			}
		}
		s.Dropped = dropped
		for _, m := range t.Unacked(conn, dir) {
			if within(m.Time) {
				s.Unacked = append(s.Unacked, m)
			}
		}
	}
	claims, left := c.losses.Of(conn, dir)
	s.Dropped += int64(left)
	for i := range claims {
		if l := &claims[i]; within(l.Time) {
			s.Losses = append(s.Losses, Loss{l.Time, l.Num, l.Frame, l.Place})
		}
	}
	return s
}
