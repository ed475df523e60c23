package tracegen

import (
	"time"

	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/note"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/sim"
)

// A truthWatch watches the capture point and the fate of datagrams, and knows from
// the senders' notes what they are. It names no protocol.
type truthWatch struct {
	net     *sim.Network
	compact bool // count only; for captures that do not fit into memory
	conns   map[*note.Conn]*connWatch
	order   []*connWatch
	frames  []Frame
	unseen  []Frame
	forged  []int
	index   map[int]int // capture frame → place in frames
	extend  func(c *note.Conn) extension

	latest                                           time.Duration // of a captured packet
	packets, datagrams, fragments, notUDP, malformed int
	neighbours                                       map[string]int
}

// An extension counts what one protocol alone has.
type extension interface {
	// captured sees every captured datagram of the endpoints.
	captured(r note.Remark)
	// report adds to what is told of the connection; letters are those of the
	// sides 0 and 1.
	report(w *connWatch, out *Connection)
}

func newTruthWatch(net *sim.Network, compact bool) *truthWatch {
	return &truthWatch{net: net, compact: compact, conns: map[*note.Conn]*connWatch{}, index: map[int]int{}, neighbours: map[string]int{}}
}

func (l *truthWatch) watch(c *note.Conn) *connWatch {
	w := l.conns[c]
	if w == nil {
		w = &connWatch{conn: c}
		if l.extend != nil {
			w.extra = l.extend(c)
		}
		for i := range w.sides {
			w.sides[i] = newWatch(c, i)
			if l.extend == nil {
				w.sides[i].settle = l.settle
			}
		}
		l.conns[c] = w
		l.order = append(l.order, w)
	}
	return w
}

// packet counts a captured packet.
func (l *truthWatch) packet() {
	l.packets++
	l.latest = l.net.Clock.Now()
}

// Captured implements sim.Observer.
func (l *truthWatch) Captured(d *sim.Datagram) {
	remark := d.Note.(note.Remark)
	n := remark.Neutral()
	if d.Proto == sim.ProtoICMP {
		l.notUDP++
		if n.Conn != nil {
			l.watch(n.Conn).unreached(d.LastFrame)
		}
		return
	}
	l.datagrams++
	if d.Parts > 1 {
		l.fragments += d.Parts
	}
	copies := d.Captured/d.Parts - 1
	f := l.list(d, n, copies)
	if n.Conn == nil {
		l.neighbours[n.Neighbour]++
		return
	}
	w := l.watch(n.Conn)
	s := w.enter(d, n)
	switch {
	case n.Forged != "":
		l.forged = append(l.forged, d.LastFrame)
		s.forge(n)
		return
	case n.Malformed:
		l.malformed++
		return
	}
	w.follow(n, d.LastFrame)
	if w.extra != nil {
		w.extra.captured(remark)
	}
	g := sight{d: d, note: n, copies: copies, now: l.net.Clock.Now(), compact: l.compact}
	s.captured(&g)
	if f >= 0 && l.extend == nil {
		l.frames[f].Words, l.frames[f].RetryOf = g.words, g.retryOf
	}
	w.sides[1-n.Side].acknowledge(n, l.net.Clock.Now(), d.LastFrame)
	if l.compact {
		s.prune()
	}
}

// Delivered implements sim.Observer.
func (l *truthWatch) Delivered(d *sim.Datagram, frame int) {
	if d.Parts > 1 {
		frame = d.LastFrame
	}
	if i, ok := l.index[frame]; ok && frame > 0 {
		l.frames[i].Lost = ""
	}
}

// Settled implements sim.Observer.
func (l *truthWatch) Settled(d *sim.Datagram) {
	n := d.Note.(note.Remark).Neutral()
	if n.Conn == nil || n.Forged != "" || d.Proto == sim.ProtoICMP {
		return
	}
	s := l.watch(n.Conn).sides[n.Side]
	s.Transmissions++
	now, tap := l.net.Clock.Now(), &l.net.Tap
	running := now >= tap.Start && (tap.Stop == 0 || now < tap.Stop)
	lost := ""
	switch {
	case d.Captured >= d.Parts:
		if d.Arrived < d.Parts {
			s.Lost.After++
		}
		return
	case d.Outside > 0 || d.Passed < d.Parts && !running:
		s.Lost.Outside++
		lost = "outside"
	case d.Passed >= d.Parts:
		s.Lost.NotCaptured++
		lost = "not-captured"
	default:
		s.Lost.Before++
		lost = "before"
	}
	if !l.compact {
		f := frameOf(n)
		f.Lost = lost
		l.unseen = append(l.unseen, f)
	}
}

// list keeps a captured frame; it counts as lost until it arrives.
func (l *truthWatch) list(d *sim.Datagram, n *note.Note, copies int) int {
	if l.compact {
		return -1
	}
	f := frameOf(n)
	f.Frame, f.Copy, f.Lost = d.LastFrame, copies, "after"
	l.index[d.LastFrame] = len(l.frames)
	l.frames = append(l.frames, f)
	return len(l.frames) - 1
}

// settle notes which frame acknowledged a frame.
func (l *truthWatch) settle(frame, by int) {
	if i, ok := l.index[frame]; ok {
		l.frames[i].AckedIn = by
	}
}

func frameOf(n *note.Note) Frame {
	f := Frame{Dir: string(rune('0' + n.Side)), Type: n.Type, Seq: n.Seq(), Retry: n.Retry, Forged: n.Forged, Neighbour: n.Neighbour, Malformed: n.Malformed}
	if n.Conn != nil {
		f.Conn = n.Conn.ID
	}
	for _, p := range n.Parts {
		f.Messages = append(f.Messages, p.Message.ID)
	}
	return f
}
