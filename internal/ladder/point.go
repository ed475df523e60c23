package ladder

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dissect/render"
	"github.com/dpdissect/dpdissect/internal/pipeline"
	"github.com/dpdissect/dpdissect/session"
)

// A place names a datagram of a capture: a packet may have been taken apart into several.
type place struct {
	frame uint64
	part  uint8
}

// A Point takes out of the run of one of two captures what it says of the datagrams that are
// drawn. Like a Collector it stands where a printer does, and prints nothing.
type Point struct {
	pipeline.NoMessages

	display pipeline.Display
	clock   *render.Clock
	want    map[uint64]bool
	rows    map[place]*pointRow
}

// A pointRow is what a capture says of a datagram.
type pointRow struct {
	Row
	shown bool // -Y chooses it
}

// NewPoint makes a Point that takes some frames. display is what -Y chooses, clock that of the
// capture.
func NewPoint(want map[uint64]bool, display pipeline.Display, clock *render.Clock) *Point {
	return &Point{display: display, clock: clock, want: want, rows: make(map[place]*pointRow, len(want))}
}

// Configure sets what the tracker must provide.
func (p *Point) Configure(cfg *session.Config) {
	p.display.Configure(cfg)
	cfg.Trees, cfg.Summaries, cfg.Links = true, true, true
}

// Prepare implements pipeline.Printer: the number of the frame is kept as its head.
func (p *Point) Prepare(_ int, s *pipeline.Slot, fr *dissect.Frame) {
	p.display.Prepare(s, fr)
	keepNumber(s, fr)
}

// Print implements pipeline.Printer.
func (p *Point) Print(dst []byte, s *pipeline.Slot) []byte {
	mine := s.Datagram.Kind == dissect.UDP && p.want[s.Datagram.Frame]
	shown := p.display.Decide(s)
	if mine {
		p.rows[place{s.Datagram.Frame, s.Datagram.Part}] = &pointRow{rowOf(s, p.clock), shown}
	}
	p.clock.Advance(&s.Datagram, mine && shown)
	return dst
}
