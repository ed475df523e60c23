package events

import (
	"cmp"
	"slices"
	"sort"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dissect/render"
	"github.com/dpdissect/dpdissect/dissect/stable"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/seq"
)

// again is the data of a packet that was sent again.
func again(of uint64, unneeded bool) []byte {
	var o object
	if of != 0 {
		o = o.number("of", of)
	}
	return o.is("unneeded", unneeded).end()
}

// measured is the data of a round trip.
func measured(ns int64, g *glimpse) []byte {
	o := object(render.AppendMillis(object{}.key("latest_rtt_ms"), ns))
	if g.HasInFlight {
		o = o.number("in_flight", g.InFlight)
	}
	return o.end()
}

// classes are the places of losses as events name them.
var classes = map[seq.LostAt]string{seq.BeforeCapture: "before_capture", seq.AfterCapture: "after_capture", seq.NotCaptured: "not_captured"}

// Append appends all events, in the order of time, once the run is over: its connections, and
// what it found.
func (p *Printer) Append(dst []byte, conns []*session.Conn, findings []session.Finding) []byte {
	packets := packetsOf(p.all)
	for _, c := range conns {
		if p.chooses() && !p.shown[c] {
			continue
		}
		c.Unpack()
		p.life(c)
		for dir := range c.Dir {
			p.rest(c, dir)
			p.lost(packets, c, dir)
		}
		c.Rest()
	}
	for i := range findings {
		p.finding(packets, &findings[i])
	}
	inOrder(p.all)
	for i := range p.all {
		dst = p.all[i].append(dst, p.first)
	}
	return dst
}

// chooses reports whether some frames are left out.
func (p *Printer) chooses() bool { return p.display.Selects() }

// ended are the states that a connection does not leave.
var ended = []session.State{session.Closed, session.Reset, session.TimedOut, session.Refused}

// life adds how a connection began, and how it ended, if it did.
func (p *Printer) life(c *session.Conn) {
	e := event{time: p.stamp(c, c.FirstStamp), frame: c.FirstFrame, conn: int32(c.ID), kind: started}
	e.data = object{}.text("protocol", c.Protocol.Name).text("a", c.A.String()).text("b", c.B.String()).end()
	p.all = append(p.all, e)
	state, by := c.StateNow()
	if !slices.Contains(ended, state) {
		return
	}
	o := object{}.text("state", state.String())
	if by := by.String(); by != "" {
		o = o.text("closed_by", by)
	}
	p.all = append(p.all, event{time: p.stamp(c, c.LastStamp), frame: c.LastFrame, conn: int32(c.ID), kind: closed, data: o.end()})
}

// stamp is a time of a connection, if its frames have any.
func (p *Printer) stamp(c *session.Conn, ns int64) int64 {
	if !c.HasTime {
		return p.first
	}
	return ns
}

// rest adds the retries that were counted after the last frame that events tell of.
func (p *Printer) rest(c *session.Conn, dir int) {
	if p.chooses() {
		return
	}
	n := c.Dir[dir].Retries
	for i := range p.told {
		if told := p.told[i][c]; told != nil {
			n -= told[dir].retries
		}
	}
	for range n {
		p.late(c, c.LastFrame, c.LastStamp, retransmitted, dir, again(0, false))
	}
}

// late adds an event of which the run's end tells.
func (p *Printer) late(c *session.Conn, frame uint64, at int64, k kind, dir int, data []byte) {
	p.all = append(p.all, event{time: p.stamp(c, at), frame: frame, conn: int32(c.ID), kind: k, dir: "ab"[dir], data: data})
}

// lost adds the losses that the analysis counts of a direction: each at the first frame that
// has its number, or else at the frame of the connection before its time.
func (p *Printer) lost(packets *packets, c *session.Conn, dir int) {
	counted := c.Dir[dir].Lost()
	left := map[seq.LostAt]uint64{seq.BeforeCapture: counted.BeforeCapture, seq.AfterCapture: counted.AfterCapture, seq.NotCaptured: counted.NotCaptured}
	claims, _ := p.losses.Of(c, dissect.Dir(dir))
	stable.Sort(claims, func(a, b seq.Claim) int { return int(a.Num - b.Num) })
	for _, x := range claims {
		if left[x.Place] == 0 {
			continue
		}
		left[x.Place]--
		p.loss(packets, c, dir, x.Place, x.Frame, x.Time-(c.LastTime-c.LastStamp), 1)
	}
	for _, place := range []seq.LostAt{seq.BeforeCapture, seq.AfterCapture, seq.NotCaptured} {
		p.loss(packets, c, dir, place, c.LastFrame, c.LastStamp, left[place])
	}
}

// loss adds one event, of no loss none.
func (p *Printer) loss(packets *packets, c *session.Conn, dir int, place seq.LostAt, frame uint64, at int64, n uint64) {
	if n == 0 {
		return
	}
	if e := packets.find(frame); e != nil {
		at = e.time
	} else if w := p.display.Window; frame != 0 && p.chooses() || w != nil && w.Place(at, p.first) != 0 {
		return
	}
	if frame == 0 {
		frame = packets.before(c, at)
	}
	p.late(c, frame, at, lost, dir, object{}.text("class", classes[place]).number("count", n).end())
}

// packets are the events of packets, in the order of frames.
type packets struct {
	all []event
	of  map[int32][]int // places of those of a connection
}

func packetsOf(all []event) *packets {
	p := &packets{all: slices.Clip(all), of: map[int32][]int{}}
	for i := range all {
		if all[i].kind == sent || all[i].kind == received {
			p.of[all[i].conn] = append(p.of[all[i].conn], i)
		}
	}
	return p
}

// find gives the first event of a frame, nil where there is none.
func (p *packets) find(frame uint64) *event {
	at, ok := slices.BinarySearchFunc(p.all, frame, func(e event, frame uint64) int { return cmp.Compare(e.frame, frame) })
	if !ok {
		return nil
	}
	return &p.all[at]
}

// before is the latest frame of a connection that is not after a time, its first where there
// is none.
func (p *packets) before(c *session.Conn, at int64) uint64 {
	own := p.of[int32(c.ID)]
	i := sort.Search(len(own), func(i int) bool { return p.all[own[i]].time > at })
	if i == 0 {
		return c.FirstFrame
	}
	return p.all[own[i-1]].frame
}

// finding adds a broken rule. One that is about no frame stands at the last.
func (p *Printer) finding(packets *packets, f *session.Finding) {
	if !f.Failed() {
		return
	}
	e := event{time: p.last, frame: f.Frame, conn: -1, kind: finding}
	if f.HasTime {
		e.time = f.Time
	}
	if f.Conn != nil {
		e.conn = int32(f.Conn.ID)
		if f.Dir == session.SideA || f.Dir == session.SideB {
			e.dir = f.Dir.String()[0]
		}
	}
	if e.frame == 0 {
		e.frame = p.frame
	}
	if p.chooses() && (packets.find(e.frame) == nil || f.Frame == 0) {
		return
	}
	e.data = object{}.text("rule", f.Rule.ID).text("severity", f.Severity.String()).text("message", f.Message).end()
	p.all = append(p.all, e)
}
