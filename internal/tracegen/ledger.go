package tracegen

import (
	"time"

	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/internal/tracegen/dp8peer"
	"github.com/dpdissect/dpdissect/internal/tracegen/sim"
)

// A ledger watches the capture point and the fate of datagrams, and knows from
// the senders' notes what they are.
type ledger struct {
	net    *sim.Network
	lean   bool // count only; for captures that do not fit into memory
	conns  map[*dp8peer.Conn]*connWatch
	order  []*connWatch
	frames []Frame
	unseen []Frame
	forged []int
	index  map[int]int // capture frame → place in frames

	packets, datagrams, fragments, notUDP int
}

// A connWatch is what the ledger holds on one connection.
type connWatch struct {
	conn        *dp8peer.Conn
	first, last int
	a           int // the side that sent the first captured frame
	opened      bool
	answered    bool // the listener was heard
	secrets     bool // captured
	unreachable bool
	sides       [2]*watch
}

// A watch is what the ledger holds on one direction.
type watch struct {
	Direction
	have           bool
	first, lowest  int64
	highest        int64
	distinct       int
	units          map[int64]*unit
	pending        []*unit // captured, not acknowledged since
	ackedBelow     int64   // by the other side's captured frames
	sacked         map[int64]bool
	touched, whole int
	messages       []*dp8peer.Message
	epochs         map[int64]int // captured signed frames
	firstEpoch     int64
	ended, hard    int // frame of the first END_STREAM, HARD_DISCONNECT
}

// A unit is a data frame's number and what the capture has of it.
type unit struct {
	seq      int64
	at       time.Duration // first captured
	captures int
	rtt      time.Duration
	acked    bool // after at
	masked   bool
}

func newLedger(net *sim.Network, lean bool) *ledger {
	return &ledger{net: net, lean: lean, conns: map[*dp8peer.Conn]*connWatch{}, index: map[int]int{}}
}

func (l *ledger) watch(c *dp8peer.Conn) *connWatch {
	w := l.conns[c]
	if w == nil {
		w = &connWatch{conn: c}
		for i := range w.sides {
			w.sides[i] = &watch{units: map[int64]*unit{}, sacked: map[int64]bool{}, epochs: map[int64]int{}, firstEpoch: -1}
		}
		l.conns[c] = w
		l.order = append(l.order, w)
	}
	return w
}

// packet counts a captured packet.
func (l *ledger) packet() { l.packets++ }

// Captured implements sim.Observer.
func (l *ledger) Captured(d *sim.Datagram) {
	n := d.Note.(*dp8peer.Note)
	w := l.watch(n.Conn)
	if d.Proto == sim.ProtoICMP {
		l.notUDP++
		w.unreachable = true
		return
	}
	l.datagrams++
	if d.Parts > 1 {
		l.fragments += d.Parts
	}
	copies := d.Captured/d.Parts - 1
	l.list(d, n, copies)
	if w.first == 0 {
		w.first, w.a = d.LastFrame, n.Side
	}
	w.last = d.LastFrame
	s := w.sides[n.Side]
	s.Frames++
	s.Bytes += len(d.Payload)
	if n.Forged != "" {
		l.forged = append(l.forged, d.LastFrame)
		s.forge(n)
		return
	}
	w.note(n)
	s.count(n)
	if copies > 0 {
		s.duplicate(d, n)
	} else if n.Retry {
		s.Retries++
		if s.acknowledged(n.Seq) {
			s.UnneededRetries++
		}
	}
	if n.IsData() {
		s.number(n, l.net.Clock.Now())
		s.parts(n, l.lean)
		if n.EndStream && s.ended == 0 {
			s.ended = d.LastFrame
		}
	}
	if n.Type == dp8.TypeHardDisconnect && s.hard == 0 {
		s.hard = d.LastFrame
	}
	if n.NRcv >= 0 {
		w.sides[1-n.Side].acknowledge(n, l.net.Clock.Now())
	}
	s.mask(n)
	if l.lean {
		s.prune()
	}
}

// Delivered implements sim.Observer.
func (l *ledger) Delivered(d *sim.Datagram, frame int) {
	if d.Parts > 1 {
		frame = d.LastFrame
	}
	if i, ok := l.index[frame]; ok && frame > 0 {
		l.frames[i].Lost = ""
	}
}

// Settled implements sim.Observer.
func (l *ledger) Settled(d *sim.Datagram) {
	n := d.Note.(*dp8peer.Note)
	if n.Forged != "" || d.Proto == sim.ProtoICMP {
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
	if !l.lean {
		f := frameOf(n)
		f.Lost = lost
		l.unseen = append(l.unseen, f)
	}
}

// list keeps a captured frame; it counts as lost until it arrives.
func (l *ledger) list(d *sim.Datagram, n *dp8peer.Note, copies int) {
	if l.lean {
		return
	}
	f := frameOf(n)
	f.Frame, f.Copy, f.Lost = d.LastFrame, copies, "after"
	l.index[d.LastFrame] = len(l.frames)
	l.frames = append(l.frames, f)
}

func frameOf(n *dp8peer.Note) Frame {
	f := Frame{Conn: n.Conn.ID, Dir: string(rune('0' + n.Side)), Type: n.Type.String(), Seq: n.Seq, Retry: n.Retry, Forged: n.Forged}
	for _, p := range n.Parts {
		f.Messages = append(f.Messages, p.Message.ID)
	}
	return f
}

// note follows the connection as a whole.
func (w *connWatch) note(n *dp8peer.Note) {
	w.opened = w.opened || n.Type == dp8.TypeConnect
	w.answered = w.answered || n.Side == 1
	w.secrets = w.secrets || n.Secrets
}
