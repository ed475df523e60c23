package compare

import "github.com/dpdissect/dpdissect/dissect"

// A quote is a notice with the datagram that it is about.
type quote struct {
	at    int // point
	n     *notice
	index int32 // of the datagram, none where the capture lacks it
	line  int32
	dir   int // of the datagram in its line
	conn  int32
	mate  *quote
}

// quotes finds what the notices of both captures are about, and pairs them.
func (p *pairing) quotes() (all []*quote) {
	type key struct {
		line   int32
		dir    int
		ipid   uint16
		length int
	}
	open := map[key][]*quote{}
	for at, c := range p.c {
		flows := map[[2]dissect.Endpoint][]int{}
		for i := range c.flows {
			k := [2]dissect.Endpoint{c.flows[i].src, c.flows[i].dst}
			flows[k] = append(flows[k], i)
		}
		for i := range c.notices {
			n := &c.notices[i]
			q := &quote{at: at, n: n, index: none}
			if !p.quoted(q, flows[[2]dissect.Endpoint{n.src, n.dst}]) {
				continue
			}
			k := key{q.line, q.dir, n.ipid, n.length}
			if at == Point2 && len(open[k]) > 0 {
				q.mate, open[k][0].mate = open[k][0], q
				open[k] = open[k][1:]
				continue
			}
			if at == Point1 {
				open[k] = append(open[k], q)
			}
			all = append(all, q)
		}
	}
	return all
}

// quoted finds the datagram of a notice among the flows between its addresses.
func (p *pairing) quoted(q *quote, flows []int) bool {
	c := p.c[q.at]
	for _, f := range flows {
		q.line, q.dir = p.wayOf(q.at, &c.flows[f])
		q.conn = p.conns.byFlow[q.at][f]
		list := p.byFlow[q.at][f]
		for k := len(list) - 1; k >= 0; k-- {
			d := &c.list[list[k]]
			if d.frame < q.n.frame && d.ipid == q.n.ipid && (q.n.length == 0 || int(d.length) == q.n.length) {
				q.index = list[k]
				return true
			}
		}
	}
	return len(flows) > 0
}

// icmp are the notices about the datagrams of a connection.
func (r *Comparison) icmp(k *conn) (out []ICMP) {
	if r.quotes == nil {
		r.quotes = map[int32][]*quote{}
		for _, q := range r.p.quotes() {
			r.quotes[q.conn] = append(r.quotes[q.conn], q)
		}
	}
	for _, q := range r.quotes[int32(k.id)] {
		x := ICMP{Fate: r.p.noticeFate(q).String()}
		frames := [2]*uint32{&x.Frame1, &x.Frame2}
		of := q
		*frames[q.at] = q.n.frame
		if q.mate != nil {
			*frames[q.mate.at] = q.mate.n.frame
			if first := r.p.lines[q.line].dirs[1-q.dir].first; first == q.mate.at {
				of = q.mate
			}
		}
		if of.index != none {
			x.FrameOf = r.p.c[of.at].list[of.index].frame
		}
		out = append(out, x)
	}
	return out
}

// noticeFate is what became of a notice, which goes against the datagram it quotes.
func (p *pairing) noticeFate(q *quote) Fate {
	if q.mate != nil {
		return Delivered
	}
	first, other := p.lines[q.line].dirs[1-q.dir].first, p.c[1-q.at]
	near := int32(max(0, p.c[q.at].indexAt(q.n.time)))
	t := p.convert(q.at, near, q.n.time)
	bound := int64(max(0, p.segment(q.at, near).bound))
	switch {
	case other.hasTime && (t+bound+edge > other.ends() || t-bound-edge < other.begins()):
		return Outside
	case first == none:
		return Uncertain
	case first != q.at:
		return MissedByFirst
	case p.poor[1-q.at].has(t):
		return Uncertain
	}
	return LostBetween
}
