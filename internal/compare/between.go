package compare

import "github.com/dpdissect/dpdissect/dissect"

// A Between is what one of several commands says of two files that hold one session, with what
// they show together.
type Between struct {
	A       string    `json:"a"`
	B       string    `json:"b"`
	Twice   bool      `json:"twice"`
	Whole   bool      `json:"whole"`
	Flows   []Flow    `json:"flows"`
	Other   [2]uint64 `json:"not_compared"` // of each file, of address pairs that the other has nothing of
	Compare *Document `json:"compare,omitempty"`
}

// A Flow is what both files hold of one direction between two endpoints.
type Flow struct {
	Src   string `json:"src"`
	Dst   string `json:"dst"`
	First string `json:"first,omitempty"`
	Both  uint64 `json:"both"`
	OnlyA OnlyIn `json:"only_a"`
	OnlyB OnlyIn `json:"only_b"`
}

// OnlyIn is what one file alone holds of it.
type OnlyIn struct {
	Datagrams uint64   `json:"datagrams"`
	AtMost    bool     `json:"at_most"` // the other capture missed some
	Frames    []uint64 `json:"frames"`
	Moved     uint64   `json:"other_addresses"`
	Edge      uint64   `json:"edge"`
}

// mostFlowFrames bounds the frames that are named of what one file alone holds of a flow.
const mostFlowFrames = 5

// Between counts what both files hold, by addresses.
func (r *Comparison) Between(a, b string, d *Document) *Between {
	out := &Between{A: a, B: b, Twice: r.p.same, Whole: true, Flows: []Flow{}, Compare: d}
	index := map[[2]dissect.Endpoint]int{}
	for at, c := range r.p.c {
		missed := d.Points[1-at].Missed > 0 || d.Points[1-at].Dropped != nil && *d.Points[1-at].Dropped > 0
		for i := range c.list {
			x := &c.list[i]
			f := &c.flows[x.flow]
			w := r.p.wayAt(at, x)
			if len(w.lists[1-at]) == 0 && !r.p.inBoth(at, f.pair) {
				out.Other[at]++
				continue
			}
			if x.bits&copied != 0 {
				continue
			}
			k := [2]dissect.Endpoint{f.src, f.dst}
			n, ok := index[k]
			if !ok {
				n = len(out.Flows)
				index[k] = n
				row := Flow{Src: f.src.String(), Dst: f.dst.String(), OnlyA: OnlyIn{Frames: []uint64{}}, OnlyB: OnlyIn{Frames: []uint64{}}}
				if w.first != none {
					row.First = "ab"[w.first : w.first+1]
				}
				out.Flows = append(out.Flows, row)
			}
			only := &out.Flows[n].OnlyA
			if at == Point2 {
				only = &out.Flows[n].OnlyB
			}
			only.AtMost = missed
			switch m := c.mate[i]; {
			case m != none && r.p.sameAddresses(at, f, m):
				if at == Point1 {
					out.Flows[n].Both++
				}
			case m != none:
				only.Moved++
			case c.fate[i] == Outside:
				only.Edge++
			default:
				if only.Datagrams++; len(only.Frames) < mostFlowFrames {
					only.Frames = append(only.Frames, uint64(x.frame))
				}
			}
		}
	}
	return out
}

// inBoth reports whether the line of a pair has one at the other point, too.
func (p *pairing) inBoth(at int, pair int32) bool {
	return len(p.lines[p.of[at][pair].line].pairs[1-at]) > 0
}

func (p *pairing) sameAddresses(at int, f *flow, mate int32) bool {
	g := &p.c[1-at].flows[p.c[1-at].list[mate].flow]
	return f.src == g.src && f.dst == g.dst
}
