package tracegen

import (
	"time"

	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/note"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/sim"
)

// An EndFate is what really happened to one datagram of a session whose end is known. Times
// are ns since 1970.
type EndFate struct {
	Side    int
	Sent    int64
	Frame   int   // captured last, 0 for not captured
	Arrived int64 // first, 0 for lost
	Copies  int   // captured beyond the first
	Number  int64 // -1 for none
	Retry   bool
	Repeats int  // units in it that were sent before
	Late    bool // captured after one that was sent later
	Open    bool // it was under way, or had just been sent, when the capture ended
}

// endFates watches what becomes of the datagrams of the two sides.
type endFates struct {
	cast *cast
	list []*EndFate
	of   map[*sim.Datagram]*EndFate
	top  [2]int // latest captured first transmission of each side, by its place in list, plus 1
}

func newEndFates(c *cast) *endFates {
	f := &endFates{cast: c, of: map[*sim.Datagram]*EndFate{}}
	next := c.Net.Sent
	c.Net.Sent = func(d *sim.Datagram) {
		f.leaves(d)
		if next != nil {
			next(d)
		}
	}
	return f
}

func (f *endFates) now() int64 { return epoch + int64(f.cast.Net.Clock.Now()) }

func (f *endFates) leaves(d *sim.Datagram) {
	r, ok := d.Note.(note.Remark)
	if !ok || d.Proto == sim.ProtoICMP || !f.cast.ours(d) {
		return
	}
	n := r.Neutral()
	x := &EndFate{Side: d.From.Side, Sent: f.now(), Number: n.Number, Retry: n.Retry, Repeats: max(len(n.Units), 1)}
	f.of[d] = x
	f.list = append(f.list, x)
}

func (f *endFates) captured(d *sim.Datagram) {
	x := f.of[d]
	if x == nil {
		return
	}
	if x.Frame > 0 {
		x.Copies++
		return
	}
	x.Frame = d.LastFrame
	place := 0
	for i := len(f.list) - 1; i >= 0; i-- {
		if f.list[i] == x {
			place = i + 1
			break
		}
	}
	x.Late = place < f.top[x.Side]
	f.top[x.Side] = max(f.top[x.Side], place)
}

func (f *endFates) delivered(d *sim.Datagram) {
	if x := f.of[d]; x != nil && x.Arrived == 0 {
		x.Arrived = f.now()
	}
}

// tell gives all of them, when the capture is over.
func (f *endFates) tell() (all []EndFate) {
	end := f.now()
	for _, x := range f.list {
		x.Open = x.Arrived == 0 && end-x.Sent < int64(2*time.Second)
		all = append(all, *x)
	}
	return all
}

// Delivered implements sim.Observer.
func (w *endWatch) Delivered(d *sim.Datagram, frame int) {
	w.truthWatch.Delivered(d, frame)
	w.fates.delivered(d)
}
