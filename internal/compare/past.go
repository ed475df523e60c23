package compare

import (
	"cmp"
	"math"
	"sync/atomic"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dissect/stable"
	"github.com/dpdissect/dpdissect/internal/capture"
)

// MostDatagrams is how many datagrams of a capture are compared: each takes some 100 bytes. What is past them
// is read again when it is told, and is uncertain.
var MostDatagrams = 1 << 22

// A window is the packets of a capture whose datagrams are compared.
type window struct {
	end  atomic.Uint32 // the first frame past it, 0 for none yet
	udp  int
	last int64 // time of the latest packet in it
}

// see counts a packet, in the order of the capture, before anything else looks at it.
func (w *window) see(p *capture.Packet) {
	if w.end.Load() != 0 || p.Class != capture.UDP {
		return
	}
	if w.udp++; w.udp > MostDatagrams {
		w.end.Store(uint32(p.Frame))
	} else if p.HasTime {
		w.last = max(w.last, p.Time)
	}
}

// past reports whether a frame lies past it.
func (w *window) past(frame uint64) bool {
	end := w.end.Load()
	return end != 0 && frame >= uint64(end)
}

// cut reports whether some datagrams of the capture are past those that are compared.
func (c *Capture) cut() bool { return c.window.end.Load() != 0 }

// windowed reports whether not all datagrams of both captures are compared.
func (p *pairing) windowed() bool { return p.c[0].cut() || p.c[1].cut() }

// A beyond is a datagram past those that are compared.
type beyond struct {
	point  int
	frame  uint32
	length uint16
	timed  bool
	at     int64 // as captured
}

// eachBeyond calls f with the passages past those that are compared, in the order of the axis.
func (r *Comparison) eachBeyond(f func(x *passage)) {
	var src [2]*capture.Source
	var head [2]*capture.Packet
	for at, c := range r.p.c {
		if !c.cut() {
			continue
		}
		s, err := c.Open()
		if err != nil {
			continue // it was read twice: readers before this one have told
		}
		defer s.Close()
		src[at] = s
		head[at] = c.nextBeyond(s)
	}
	flows := [2]map[[2]dissect.Endpoint]int{r.p.c[0].byAddresses(), r.p.c[1].byAddresses()}
	var times [2]int64
	tell := func(at int) {
		times[at] = math.MaxInt64
		if p := head[at]; p != nil {
			times[at] = r.axis(at, int32(len(r.p.c[at].list)-1), p.Time)
		}
	}
	tell(0)
	tell(1)
	for head[0] != nil || head[1] != nil {
		at := 0
		if head[0] == nil || head[1] != nil && times[1] < times[0] {
			at = 1
		}
		p := head[at]
		x := passage{at: [2]int32{none, none}, fate: Uncertain, time: times[at],
			beyond: &beyond{at, uint32(p.Frame), uint16(min(p.Length, math.MaxUint16)), p.HasTime, p.Time}}
		if i, ok := flows[at][[2]dissect.Endpoint{p.Src, p.Dst}]; ok {
			x.dir, x.way = int(r.p.conns.dirs[at][i]), r.p.waysOf[at][i]
			if k := r.p.conns.byFlow[at][i]; k != none {
				x.conn = r.p.conns.all[k]
			}
		}
		f(&x)
		head[at] = r.p.c[at].nextBeyond(src[at])
		tell(at)
	}
}

// nextBeyond is the next datagram past those that are compared, nil for none.
func (c *Capture) nextBeyond(s *capture.Source) *capture.Packet {
	for {
		p, ok := s.Next()
		if !ok {
			return nil
		}
		if p != nil && p.Class == capture.UDP && c.window.past(p.Frame) {
			return p
		}
	}
}

// byAddresses finds flows by their addresses; the latest counts.
func (c *Capture) byAddresses() map[[2]dissect.Endpoint]int {
	index := map[[2]dissect.Endpoint]int{}
	for i := range c.flows {
		index[[2]dissect.Endpoint{c.flows[i].src, c.flows[i].dst}] = i
	}
	return index
}

// merged calls f with passages that are in the order of the axis, and between them with those
// past what is compared.
func (r *Comparison) merged(all []place, get func(x *passage, at place), f func(x *passage)) {
	var x passage
	next := 0
	until := func(t int64) {
		for ; next < len(all) && all[next].time <= t; next++ {
			get(&x, all[next])
			f(&x)
		}
	}
	if r.p.windowed() {
		r.eachBeyond(func(b *passage) {
			until(b.time)
			f(b)
		})
	}
	until(math.MaxInt64)
}

// inOrder calls f with every passage in the order of the axis.
func (r *Comparison) inOrder(f func(x *passage)) {
	var all []place
	var n int32
	r.eachCompared(func(x *passage) {
		switch {
		case x.lost != nil:
			all = append(all, place{x.time, 2, n})
			n++
		case x.at[0] != none:
			all = append(all, place{x.time, 0, x.at[0]})
		default:
			all = append(all, place{x.time, 1, x.at[1]})
		}
	})
	stable.Sort(all, func(a, b place) int { return cmp.Compare(a.time, b.time) })
	r.merged(all, func(x *passage, at place) {
		if at.point == 2 {
			r.unseen(x, &r.p.unseen[at.at])
		} else {
			r.fill(x, int(at.point), at.at)
		}
	}, f)
}
