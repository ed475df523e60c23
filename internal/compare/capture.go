package compare

import (
	"hash/maphash"
	"maps"
	"slices"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/explain"
	"github.com/dpdissect/dpdissect/internal/pipeline"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/seq"
)

// A Capture is what one point holds: its datagrams, and its analysis.
type Capture struct {
	Name  string // of the point, for people
	Infos []capture.Info
	Conns []*session.Conn
	Story *explain.Story
	// Chosen are the connections that are shown, nil for all.
	Chosen map[*session.Conn]bool
	// Open reads it once more.
	Open func() (*capture.Source, error)

	list          []datagram // in the order of the capture
	upTo          []uint32   // by frame: how many datagrams are in the frames up to it
	mate          []int32    // of each: its index at the other point, none; of a copy that of the first frame here
	fate          []Fate     // of each that is no copy
	flows         []flow
	pairs         []pair
	acks          []link
	unproved      []link   // acknowledgements that prove no arrival
	answered      []uint32 // frames of pings
	transmissions transmissions
	notices       []notice
	drops         []dropped
	parts         []part
	numbers       map[numbersOf]*numbers
	first         int64 // of all packets that have a time
	last          int64
	hasTime       bool
	timeless      bool // packets without a time
	shortest      int  // captured payload of a datagram that the capture cut, none when it cut none
	words         *words
	window        window
	within        [2]int32               // see paired
	pairsTold     []explain.Unrecognised // see unrecognisedAt
	pieces        map[uint32]uint16      // fragments that a frame completed
}

// A Reader takes the datagrams of a capture while it is analysed.
type Reader struct {
	seed    maphash.Seed
	shards  [pipeline.Shards]shard
	numbers numbering
	c       *Capture
	broken  map[uint64]*part
	lost    uint64
}

// NewReader makes one; both captures of a pair need the same seed. Words say that types and
// summaries are kept.
func NewReader(seed maphash.Seed, words bool) *Reader {
	r := &Reader{seed: seed, c: &Capture{shortest: none}, broken: map[uint64]*part{}}
	for i := range r.shards {
		r.shards[i] = shard{seed: seed, index: map[flowKey]uint32{}, shortest: none, pieces: map[uint32]uint16{}}
		if words {
			r.shards[i].words = &words0{}
		}
	}
	return r
}

// Attach makes a run tell its datagrams. It is called when all other sinks are attached.
func (r *Reader) Attach(run *pipeline.Run) {
	run.Config.Links = true
	if r.shards[0].words != nil {
		run.Config.Summaries = true
	}
	r.numbers.of, r.numbers.window = map[numbersOf]*numbers{}, &r.c.window
	run.Config.OnSettled(r.numbers.hear)
	before := run.Before
	run.Before = func(p *capture.Packet) {
		if before != nil {
			before(p)
		}
		r.see(p)
	}
	next := run.Sink
	run.Sink = func(i int) session.Sink {
		r.shards[i].Sink, r.shards[i].window = next(i), &r.c.window
		return &r.shards[i]
	}
}

// see looks at a packet in the order of the capture.
func (r *Reader) see(p *capture.Packet) {
	c := r.c
	c.window.see(p)
	switch {
	case !p.HasTime:
		c.timeless = true
	case !c.hasTime:
		c.first, c.last, c.hasTime = p.Time, p.Time, true
	default:
		c.first, c.last = min(c.first, p.Time), max(c.last, p.Time)
	}
	if p.Dropped != r.lost {
		c.drops = append(c.drops, dropped{p.Time, p.Dropped - r.lost})
		r.lost = p.Dropped
	}
	if p.IsFragment {
		r.fragment(p)
	}
	if p.Class == capture.Unreachable {
		c.notices = append(c.notices, notice{uint32(p.Frame), p.Time, p.Src, p.Dst, p.IPID, p.Length})
	}
}

// mostParts bounds the datagrams that are remembered because some fragments are missing.
const mostParts = 1 << 16

// fragment follows datagrams that come in fragments until they are whole.
func (r *Reader) fragment(p *capture.Packet) {
	if p.Class != capture.Fragment {
		delete(r.broken, p.Assembly)
		return
	}
	x := r.broken[p.Assembly]
	if x == nil {
		if len(r.broken) >= mostParts {
			return
		}
		x = &part{time: p.Time, frame: uint32(p.Frame), ipid: fragmentID(p.Record.Data)}
		r.broken[p.Assembly] = x
	}
	x.came++
}

// A shard takes the datagrams of the address pairs of one shard.
type shard struct {
	session.Sink
	seed     maphash.Seed
	list     chunks
	keys     []flowKey
	index    map[flowKey]uint32
	recent   [recentFlows]uint32 // indexes of flows, by a hash, plus one
	acks     []link
	unproved []link
	answered []uint32
	retries  []link
	shortest int
	pieces   map[uint32]uint16 // fragments that a frame completed
	words    *words0
	window   *window

	last       uint32 // frame
	disordered bool   // datagrams come in another order than frames
}

// recentFlows is of how many flows the index is found without the map.
const recentFlows = 16

type flowKey struct {
	src, dst dissect.Endpoint
	conn     *session.Conn
	dir      dissect.Dir
}

// Frame implements session.Sink.
func (s *shard) Frame(fr *dissect.Frame, c *session.Conn) {
	s.Sink.Frame(fr, c)
	if fr.Kind != dissect.UDP || s.window.past(fr.Frame) {
		return
	}
	payload := fr.Payload
	d := s.list.next()
	*d = datagram{
		time: fr.Time, frame: uint32(fr.Frame), flow: s.flow(fr.Datagram, c), length: uint16(min(fr.Length, 1<<16-1)),
		ipid: fr.IPID, ttl: fr.TTL, part: fr.Part, hash: hashOf(s.seed, fr.Length, payload),
	}
	if d.frame < s.last {
		s.disordered = true
	}
	s.last = max(s.last, d.frame)
	if fr.HasTime {
		d.bits |= timed
	}
	if fr.Cut() {
		d.bits |= shortened
		if s.shortest == none || len(payload) < s.shortest {
			s.shortest = len(payload)
		}
	}
	if fr.Fragments > 0 {
		d.bits |= fragmented
		s.pieces[d.frame] = uint16(fr.Fragments)
	}
	if fr.Skippable {
		d.bits |= skippable | final
	}
	if fr.Words&dissect.KeepAlive != 0 && fr.Protocol != "dp8" { // which sends them again as all data
		d.bits |= final
	}
	if fr.RetryOf != 0 || fr.Words&dissect.Retry != 0 {
		d.bits |= again
	}
	if fr.Answers != 0 {
		s.answered = append(s.answered, uint32(fr.Answers))
	}
	if fr.RetryOf != 0 && fr.RetryOf != fr.Frame {
		s.retries = append(s.retries, link{uint32(fr.Frame), uint32(fr.RetryOf)})
	}
	if s.words != nil {
		s.words.add(fr)
	}
}

// Acked implements session.Sink.
func (s *shard) Acked(at seq.Position, by uint64) {
	s.Sink.Acked(at, by)
	if by == 0 || s.window.past(at.Frame) {
		return
	}
	if x := (link{uint32(at.Frame), uint32(by)}); at.Hearsay {
		s.unproved = append(s.unproved, x)
	} else {
		s.acks = append(s.acks, x)
	}
}

// hashOf is of the length and the bytes of a datagram.
func hashOf(seed maphash.Seed, length int, payload []byte) uint64 {
	return maphash.Bytes(seed, payload) ^ uint64(length)*0x9e3779b97f4a7c15
}

// flow gives the index of the flow of a datagram.
func (s *shard) flow(d *dissect.Datagram, c *session.Conn) uint32 {
	slot := &s.recent[(uint(d.Src.Port)*7+uint(d.Dst.Port)*13+uint(d.Src.IP[15]))%recentFlows] // both ports may be one
	if i := *slot; i != 0 {
		if k := &s.keys[i-1]; k.conn == c && k.src == d.Src && k.dst == d.Dst { // which tell the direction
			return i - 1
		}
	}
	var dir dissect.Dir
	if c != nil {
		dir = c.DirOf(d)
	}
	k := flowKey{d.Src, d.Dst, c, dir}
	i, ok := s.index[k]
	if !ok {
		i = uint32(len(s.keys))
		s.index[k] = i
		s.keys = append(s.keys, k)
	}
	*slot = i + 1
	return i
}

// Capture gives what was read, when the run is over. Its connections have their numbers.
func (r *Reader) Capture(conns []*session.Conn) *Capture {
	c := r.c
	c.Conns, c.pieces = conns, map[uint32]uint16{}
	index := map[*session.Conn]int32{}
	for i, x := range conns {
		index[x] = int32(i)
	}
	pairs := map[pair]int32{}
	for i := range r.shards {
		c.take(&r.shards[i], index, pairs)
	}
	c.inOrder(&r.shards)
	for i := range r.shards {
		s := &r.shards[i]
		c.acks, c.unproved = joined(c.acks, s.acks), joined(c.unproved, s.unproved)
		c.answered = append(c.answered, s.answered...)
		c.transmissions.add(s.retries)
		maps.Copy(c.pieces, s.pieces)
		s.acks, s.unproved, s.answered, s.retries, s.index, s.words = nil, nil, nil, nil, nil, nil
	}
	for _, x := range r.broken {
		c.parts = append(c.parts, *x)
	}
	slices.SortFunc(c.parts, func(a, b part) int { return int(a.frame) - int(b.frame) })
	c.numbers = r.numbers.of
	return c
}

// joined are two lists as one. Most captures have what they have in one shard.
func joined(a, b []link) []link {
	if len(a) == 0 {
		return b
	}
	return append(a, b...)
}

// take adds the flows of a shard.
func (c *Capture) take(s *shard, index map[*session.Conn]int32, pairs map[pair]int32) {
	offset := uint32(len(c.flows))
	for _, k := range s.keys {
		f := flow{src: k.src, dst: k.dst, conn: none, dir: k.dir}
		if i, ok := index[k.conn]; ok && k.conn != nil {
			f.conn = i
		}
		p, back := pairOf(k.src, k.dst)
		i, ok := pairs[p]
		if !ok {
			i = int32(len(c.pairs))
			pairs[p] = i
			c.pairs = append(c.pairs, p)
		}
		f.pair, f.back = i, back
		c.flows = append(c.flows, f)
	}
	for d := range s.list.all {
		d.flow += offset
	}
	if s.shortest != none && (c.shortest == none || s.shortest < c.shortest) {
		c.shortest = s.shortest
	}
}

// inOrder puts the datagrams of all shards in the order of the capture: by frame, and those
// of one frame as they come.
func (c *Capture) inOrder(shards *[pipeline.Shards]shard) {
	total, last := 0, uint32(0)
	var all []*shard
	for i := range shards {
		if s := &shards[i]; s.list.len() > 0 {
			all = append(all, s)
			total, last = total+s.list.len(), max(last, s.last)
		}
	}
	c.list, c.upTo = make([]datagram, total), make([]uint32, last+2)
	if shards[0].words != nil {
		c.words = newWords(total)
	}
	if len(all) == 1 && !all[0].disordered {
		c.copyOf(all[0])
	} else {
		c.merge(all)
		c.renumberFlows()
	}
	c.upTo = c.upTo[:last+1]
	c.mate = make([]int32, total)
	for i := range c.mate {
		c.mate[i] = none
	}
}

// copyOf takes the datagrams of a shard that has all of them in their order.
func (c *Capture) copyOf(s *shard) {
	n, frame := 0, uint32(0)
	for d := range s.list.all {
		for ; frame < d.frame; frame++ {
			c.upTo[frame] = uint32(n)
		}
		c.list[n] = *d
		n++
	}
	c.upTo[frame] = uint32(n)
	if c.words != nil {
		for k := range n {
			c.words.put(k, s.words, k)
		}
	}
	s.list = chunks{}
}

// merge takes those of shards, in whatever order each has them.
func (c *Capture) merge(shards []*shard) {
	place := c.upTo
	for _, s := range shards {
		for d := range s.list.all {
			place[d.frame+1]++
		}
	}
	for i := 1; i < len(place); i++ {
		place[i] += place[i-1]
	}
	for _, s := range shards {
		k := 0
		for d := range s.list.all {
			at := place[d.frame]
			place[d.frame]++
			c.list[at] = *d
			if c.words != nil {
				c.words.put(int(at), s.words, k)
			}
			k++
		}
		s.list = chunks{}
	}
}

// renumberFlows numbers flows and pairs by their first datagram, whichever shard they are of.
func (c *Capture) renumberFlows() {
	flowAt, pairAt := make([]int32, len(c.flows)), make([]int32, len(c.pairs))
	for i := range flowAt {
		flowAt[i] = none
	}
	for i := range pairAt {
		pairAt[i] = none
	}
	var flows []flow
	var pairs []pair
	for i := range c.list {
		d := &c.list[i]
		if flowAt[d.flow] == none {
			f := c.flows[d.flow]
			if pairAt[f.pair] == none {
				pairAt[f.pair] = int32(len(pairs))
				pairs = append(pairs, c.pairs[f.pair])
			}
			f.pair = pairAt[f.pair]
			flowAt[d.flow] = int32(len(flows))
			flows = append(flows, f)
		}
		d.flow = uint32(flowAt[d.flow])
	}
	c.flows, c.pairs = flows, pairs
}
