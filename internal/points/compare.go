package points

import (
	"slices"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/internal/capture"
)

// Files are the two captures of a pair.
const (
	FileA = iota
	FileB
)

// mostFrames is how many frames are named of those that one file alone holds.
const mostFrames = 5

// Alone is what one of two files holds and the other does not.
type Alone struct {
	Count  uint64
	Frames []uint64 // the first ones, in the file that holds them
}

// A Flow is what two captures hold of one direction between two endpoints.
type Flow struct {
	Src, Dst dissect.Endpoint
	// First is the file whose point the datagrams passed first, -1 where nothing tells.
	First int
	Both  uint64    // datagrams that both files hold
	Alone [2]Alone  // of each file, within the time that both cover
	Moved [2]uint64 // of each file alone, whose payload the other holds between other addresses: a NAT may be between
	Edge  [2]uint64 // of each file alone, at the edges of that time: the other may have begun later or ended earlier
}

// A Comparison is what two captures of one session hold.
type Comparison struct {
	Paths [2]string
	// Twice says that nothing shows which point comes first.
	Twice bool
	Flows []*Flow
	// Other counts the datagrams of each file between addresses that the other one holds
	// nothing of.
	Other [2]uint64
	// Missed says that a capture lost datagrams itself: it says so, or what passed its point
	// before the other is there alone.
	Missed [2]bool
	// Whole says that the files were compared to their ends.
	Whole bool
}

// Compare reads both files of a pair in full, as far as memory is bounded, and counts what
// one alone holds.
func (p *Pair) Compare(opts capture.Options) *Comparison {
	whole := func(x *Prints) *Prints { return read(x.Path, opts, x.seed, x.prefix, fullPrints, -1<<63) }
	full := &Pair{A: whole(p.A), B: whole(p.B)}
	matches := shared(full.A, full.B)
	full.measure(matches)
	c := &comparer{Pair: full, slack: full.slack(matches)}
	return c.run()
}

// slack is the most by which the delay of a unique datagram differs from the median.
func (p *Pair) slack(matches []match) (most int64) {
	for _, m := range matches {
		x, y := &p.A.list[m.a], &p.B.list[m.b]
		d := y.time - x.time - p.shift[x.flow]
		most = max(most, d, -d)
	}
	return most + copyTime
}

type comparer struct {
	*Pair
	slack int64
	flows map[flow]*Flow
	moved [2]map[uint64]int // of each file, payloads between addresses that the other does not hold
	out   *Comparison
}

func (c *comparer) run() *Comparison {
	a, b := c.A, c.B
	c.out = &Comparison{
		Paths: [2]string{a.Path, b.Path}, Twice: c.Twice, Whole: a.all && b.all,
		Missed: [2]bool{a.dropped > 0, b.dropped > 0},
	}
	c.flows = map[flow]*Flow{}
	inA, inB := c.pairUp()
	c.moved = [2]map[uint64]int{c.elsewhere(a), c.elsewhere(b)}
	for i := range a.list {
		c.count(FileA, i, inA[i])
	}
	for i := range b.list {
		c.count(FileB, i, inB[i])
	}
	for _, f := range c.out.Flows {
		if f.First >= 0 && f.Alone[1-f.First].Count > 0 {
			c.out.Missed[f.First] = true
		}
	}
	return c.out
}

// elsewhere counts the payloads of a file between addresses that the other one holds
// nothing of.
func (c *comparer) elsewhere(p *Prints) map[uint64]int {
	all := map[uint64]int{}
	for i := range p.list {
		if _, _, ok := c.delay(p.flows[p.list[i].flow]); !ok {
			all[p.list[i].bare]++
		}
	}
	return all
}

// pairUp finds for each datagram whether the other file holds it. Equal ones are paired
// by the nearest time that agrees with the delay of their flow.
func (c *comparer) pairUp() (inA, inB []bool) {
	a, b := c.A.list, c.B.list
	inA, inB = make([]bool, len(a)), make([]bool, len(b))
	places := make(map[uint64][]int32, len(b))
	for i := range b {
		places[b[i].hash] = append(places[b[i].hash], int32(i))
	}
	sameID := c.keepsIDs()
	for i := range a {
		shift, _, ok := c.delay(c.A.flows[a[i].flow])
		list := places[a[i].hash]
		if !ok || len(list) == 0 {
			continue
		}
		best, off := -1, int64(0)
		for at, k := range list {
			d := b[k].time - a[i].time - shift
			if d < 0 {
				d = -d
			}
			unique := a[i].once && b[k].once
			if !unique && (d > c.slack || sameID && a[i].ipid != b[k].ipid) || best >= 0 && d >= off {
				continue
			}
			best, off = at, d
		}
		if best >= 0 {
			inA[i], inB[list[best]] = true, true
			places[a[i].hash] = slices.Delete(list, best, best+1)
		}
	}
	return inA, inB
}

// keepsIDs reports whether the identification of IP is the same at both points and tells
// datagrams apart.
func (c *comparer) keepsIDs() bool {
	same, all := 0, 0
	for _, m := range shared(c.A, c.B) {
		x, y := &c.A.list[m.a], &c.B.list[m.b]
		all++
		if x.ipid == y.ipid && x.ipid != 0 {
			same++
		}
	}
	return all > 0 && same == all
}

// delay is by how much B's times of a flow are behind A's, and which point comes first. A
// flow of which not one datagram reached the other point is measured by its way back.
func (c *comparer) delay(f flow) (shift int64, up int8, ok bool) {
	if i, has := c.A.index[f]; has && c.known[i] {
		return c.shift[i], c.up[i], true
	}
	if i, has := c.A.index[flow{f.dst, f.src}]; has && c.known[i] {
		return c.shift[i], -c.up[i], true
	}
	return 0, 0, false
}

// count counts one datagram of a file.
func (c *comparer) count(file, i int, both bool) {
	p, other := c.A, c.B
	if file == FileB {
		p, other = c.B, c.A
	}
	x := &p.list[i]
	shift, up, ok := c.delay(p.flows[x.flow])
	if !ok {
		c.out.Other[file]++
		return
	}
	f := c.flow(p.flows[x.flow], up)
	if both {
		if file == FileA {
			f.Both++
		}
		return
	}
	if c.moved[1-file][x.bare] > 0 {
		c.moved[1-file][x.bare]--
		f.Moved[file]++
		return
	}
	if file == FileB {
		shift = -shift
	}
	if at := x.time + shift; at-c.slack < other.first || at+c.slack > other.last {
		f.Edge[file]++
		return
	}
	alone := &f.Alone[file]
	if alone.Count++; len(alone.Frames) < mostFrames {
		alone.Frames = append(alone.Frames, x.frame)
	}
}

// flow gives the row of a flow.
func (c *comparer) flow(f flow, up int8) *Flow {
	row := c.flows[f]
	if row == nil {
		row = &Flow{Src: f.src, Dst: f.dst, First: -1}
		switch up {
		case 1:
			row.First = FileA
		case -1:
			row.First = FileB
		}
		c.flows[f] = row
		c.out.Flows = append(c.out.Flows, row)
	}
	return row
}
