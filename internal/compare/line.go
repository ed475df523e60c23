package compare

import "slices"

// A line is what goes back and forth between two machines, by whatever addresses each point
// knows them.
type line struct {
	pairs [2][]int32 // at each point
	dirs  [2]way     // forward: what the lower endpoint of the first pair at point 1 sends
}

// A way is one direction of a line.
type way struct {
	first    int           // the point that it passes first, none where nothing tells
	lists    [2][]int32    // datagrams at each point, in the order of the capture
	open     [2][]int32    // of them, those that the other point lacks
	anchors  []int32       // indexes at point 1 of those of which there is one payload at each point
	keepIDs  bool          // the path keeps the identification of IP
	jitter   int64         // by how much delays of neighbours differ usually, ns
	delta    int64         // median of what clock 2 shows more than clock 1 at the arrivals of anchors
	known    bool          // delta
	again    [2]int        // datagrams soon after an equal one, at each point
	alone    [2]int        // unique payloads of each point alone
	doubled  [2]int        // payloads of which a point has two, soon one after the other, and the other one has one
	late     []int64       // by how much delays of anchors are not between those around them, ascending, ns
	outliers []outlier     // likewise, until they are judged
	drops    bool          // its receiver reports some missing that arrived
	rest     []group       // payloads that several datagrams have, until they are paired
	soft     []soft        // what tells how delays go beside anchors
	maybe    [2][][2]int32 // datagrams at each point that stayed alone, and the equal one before each
}

// A lineOf says of which line a pair is, and whether its lower endpoint is the upper one there.
type lineOf struct {
	line  int32 // none for none
	swaps bool
}

// pairing is two captures on their way to being paired.
type pairing struct {
	c         [2]*Capture
	byFlow    [2][][]int32
	lines     []*line
	of        [2][]lineOf         // of each pair
	waysOf    [2][]*way           // of each flow
	counting  [2][]int8           // of each flow, see counts
	mirror    [2]int8             // see mirrored
	latest    [1 << 16]int32      // by identification, places in a list, see withID
	ids       [1 << 16]identified // see byID; empty between its calls
	nat       []mapping
	shift     int64 // median of the ways' deltas
	same      bool  // nothing shows that anything lies between the points
	canon     int   // the point by whose clock the other is told
	clocks    clocks
	poor      [2]poor
	open      [2][]int32 // datagrams that a point alone has, see findOpen
	unseen    []unseen
	rates     [2]float64      // see missRates
	changed   map[int32][]int // offsets of bytes that were changed, by index at point 1
	conns     conns
	copies    [2]map[int32][]uint32              // further frames of datagrams
	room      []entry                            // for sorting
	votes2    map[[2]uint32]int                  // datagrams that flows of both points share
	sides     [2]map[numbersOf]map[numbersOf]int // see sharing
	ofPair    [2]map[int32][]int                 // see flowsOfPair
	sizes     [2][]int                           // see datagramsOf
	needs     [2]int                             // see notMissed
	firstFlow [2]map[numbersOf]int               // see flowOf
	anchors   []int32                            // of all ways, see measures
	alones    [2]int                             // likewise
	repeats   []int64                            // times after which equal datagrams are at one point, ascending, ns
}

// A mapping says that a pair at point 1 is another one at point 2.
type mapping struct {
	pairs [2]int32
	swaps bool
}

// collectFlows lists the datagrams of each flow.
func (p *pairing) collectFlows() {
	for at, c := range p.c {
		counts := make([]int32, len(c.flows))
		for i := range c.list {
			counts[c.list[i].flow]++
		}
		all, lists := make([]int32, len(c.list)), make([][]int32, len(c.flows))
		from := int32(0)
		for f, n := range counts {
			lists[f] = all[from : from : from+n]
			from += n
		}
		for i := range c.list {
			f := c.list[i].flow
			lists[f] = append(lists[f], int32(i))
		}
		p.byFlow[at] = lists
	}
}

// findLines puts the pairs of both points together.
func (p *pairing) findLines() {
	index := map[pair]int32{}
	for i, x := range p.c[1].pairs {
		index[x] = int32(i)
	}
	p.of = [2][]lineOf{make([]lineOf, len(p.c[0].pairs)), make([]lineOf, len(p.c[1].pairs))}
	for at := range p.of {
		for i := range p.of[at] {
			p.of[at][i].line = none
		}
	}
	same := []mapping{}
	left := [2][]int32{}
	taken := make([]bool, len(p.c[1].pairs))
	for i, x := range p.c[0].pairs {
		if k, ok := index[x]; ok {
			same, taken[k] = append(same, mapping{[2]int32{int32(i), k}, false}), true
		} else {
			left[0] = append(left[0], int32(i))
		}
	}
	for k, t := range taken {
		if !t {
			left[1] = append(left[1], int32(k))
		}
	}
	if len(left[0])+len(left[1]) > 0 {
		p.nat = p.translated(same, left)
	}
	for _, m := range slices.Concat(same, p.nat) {
		p.connect(m)
	}
	for at := range p.of {
		for i := range p.of[at] {
			if p.of[at][i].line == none {
				p.put(at, int32(i), lineOf{p.newLine(), false})
			}
		}
	}
	p.listWays()
}

func (p *pairing) newLine() int32 {
	p.lines = append(p.lines, &line{dirs: [2]way{{first: none}, {first: none}}})
	return int32(len(p.lines) - 1)
}

func (p *pairing) put(at int, i int32, of lineOf) {
	p.of[at][i] = of
	l := p.lines[of.line]
	l.pairs[at] = append(l.pairs[at], i)
}

// connect makes the two pairs of a mapping belong to one line.
func (p *pairing) connect(m mapping) {
	x, y := p.of[0][m.pairs[0]], p.of[1][m.pairs[1]]
	switch {
	case x.line == none && y.line == none:
		l := p.newLine()
		p.put(0, m.pairs[0], lineOf{l, false})
		p.put(1, m.pairs[1], lineOf{l, m.swaps})
	case x.line == none:
		p.put(0, m.pairs[0], lineOf{y.line, y.swaps != m.swaps})
	case y.line == none:
		p.put(1, m.pairs[1], lineOf{x.line, x.swaps != m.swaps})
	}
}

// wayOf gives the direction of a flow in its line.
func (p *pairing) wayOf(at int, f *flow) (l int32, dir int) {
	of := p.of[at][f.pair]
	if f.back != of.swaps {
		return of.line, 1
	}
	return of.line, 0
}

// listWays lists the datagrams of each direction of each line.
func (p *pairing) listWays() {
	for at, c := range p.c {
		joined := map[*way]bool{}
		for i := range c.flows {
			l, dir := p.wayOf(at, &c.flows[i])
			w := &p.lines[l].dirs[dir]
			p.waysOf[at] = append(p.waysOf[at], w)
			if len(w.lists[at]) == 0 {
				w.lists[at] = slices.Clip(p.byFlow[at][i])
				continue
			}
			w.lists[at] = append(w.lists[at], p.byFlow[at][i]...)
			joined[w] = true
		}
		for w := range joined { // once, however many address pairs they are
			slices.Sort(w.lists[at])
		}
	}
}

// flowsOfPair are the flows of an address pair at a point, in order.
func (p *pairing) flowsOfPair(at int, pair int32) []int {
	if p.ofPair[at] == nil {
		p.ofPair[at] = map[int32][]int{}
		for i := range p.c[at].flows {
			of := p.c[at].flows[i].pair
			p.ofPair[at][of] = append(p.ofPair[at][of], i)
		}
	}
	return p.ofPair[at][pair]
}

// entries are datagrams as they are sorted.
func (p *pairing) entries(at int, list []int32) []entry {
	out := make([]entry, len(list))
	for i, k := range list {
		d := &p.c[at].list[k]
		out[i] = entry{d.hash, k, d.ipid}
	}
	out, p.room = byKey(out, p.room)
	return out
}

// ways calls f with each direction of each line.
func (p *pairing) ways(f func(l *line, dir int, w *way)) {
	for _, l := range p.lines {
		for dir := range l.dirs {
			f(l, dir, &l.dirs[dir])
		}
	}
}

// median is that of a list, 0 of none. The list has another order then.
func median(list []int64) int64 {
	if len(list) == 0 {
		return 0
	}
	return nth(list, len(list)/2)
}

func abs(x int64) int64 { return max(x, -x) }

// wayAt is the way of a datagram.
func (p *pairing) wayAt(point int, d *datagram) *way { return p.waysOf[point][d.flow] }
