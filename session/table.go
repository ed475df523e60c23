package session

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session/seq"
)

// A Table follows all address pairs of a capture, or of a part of it. What is of use for the packet at
// hand alone, or to save time, is not written down with it (internal/state).
type Table struct {
	cfg            Config `state:"-"`
	flows          map[flowKey]*Flow
	cache          [256]*Flow `state:"-"`
	conns          []*Conn
	fr             dissect.Frame `state:"-"`
	tree           dissect.Tree  `state:"-"`
	inClass        [classes]int  // pairs of each class
	held           [classes]int  // bytes held back of them
	crowdedOut     crowdedOut
	leftOut        uint64
	open           int                     // connections that are followed
	forgets        bool                    // pairs that are silent for long are closed out
	shows          bool                    // frames go to the sink
	spare          Spare[active]           `state:"-"`
	spareSides     Spare[[2]seq.Direction] `state:"-"`
	spareEndings   Spare[Ending]           `state:"-"`
	spareTroubles  Spare[Trouble]          `state:"-"`
	packer         seq.Packer              `state:"-"`
	spareProbes    [][]Probe               `state:"-"` // of pairs that are recognised; nil for the one that did it
	counting       int                     // flows that were summed up
	lead           [256]uint64             `state:"-"` // by the first byte: bit i says that a neighbour of Config.Protocols[i] may begin so
	near           []NeighbourCount        // of neighbours
	leads          []leads                 // of those of each of Config.Protocols
	flowSeq        uint64
	stories        []*Story
	noRoom         int // times that there was none for a story
	storiesLeftOut uint64
	unseen         uint64 // pairs of one datagram that were given up, see crowdedPair
	tallySets      map[*Protocol]*tallySet
	quality        *tallySet
	clock          clock
	moved          dissect.Datagram `state:"-"` // the one at hand, when its time is not the capture's
	shown          dissect.Datagram `state:"-"` // it again, with the capture's time
	swept          int64            // time of the latest sweep
	end            int64            // time of the latest packet of the capture, of other tables, too
	now            int64            // until when silence is judged: time of the latest packet or Tick

	frameNow uint64            // number of the packet at hand
	flowNow  *Flow             `state:"-"` // that takes it; nil between packets
	given    *dissect.Datagram `state:"-"` // with it
	internal []InternalError   // see rescue

	other  uint64 // datagrams of no connection
	rested uint64 // … that were not looked at
	apart  uint64 // datagrams beyond the packets that stood for them
	totals totals
}

// NewTable makes an empty table.
func NewTable(cfg Config) *Table {
	t := &Table{cfg: cfg, flows: make(map[flowKey]*Flow), tallySets: make(map[*Protocol]*tallySet), quality: newTallySet(Quality, nil)}
	t.leads = make([]leads, len(cfg.Protocols))
	for i, p := range cfg.Protocols {
		t.leads[i].add(p)
		for b, may := range t.leads[i] {
			if may {
				t.lead[b] |= 1 << i
			}
		}
	}
	_, only := cfg.Sink.(FindingSink)
	t.forgets = t.patience() > 0
	t.shows = cfg.Sink != nil && !only
	return t
}

// Conns are the connections in the order in which they were recognised.
func (t *Table) Conns() []*Conn { return t.conns }

// Rested is how many datagrams were of pairs that look like no protocol and cost next to
// nothing: they were not looked at.
func (t *Table) Rested() uint64 { return t.rested }

// Totals gives the datagrams shown as one of the protocols, the decode errors
// among them, and all other datagrams.
func (t *Table) Totals() (decoded, malformed, other uint64) {
	decoded, malformed = t.totals.decoded, t.totals.malformed
	for _, c := range t.conns {
		decoded += c.decoded
		malformed += c.malformed
	}
	return decoded, malformed, t.other
}

// live reports a run without end.
func (t *Table) live() bool { return t.cfg.Idle > 0 }

// heard is until when all that was sent by a pair was captured, in ns, unless the
// capture lost it.
func (t *Table) heard() int64 { return max(t.end, t.now) }

// An InternalError is a fault of this program, met in what one address pair sent.
// The connections of the pair end there; everything else goes on.
type InternalError struct {
	Frame   uint64 // that was tracked; the last of the capture when what was held was concluded
	Message string // what went wrong, and where in the program
	Conn    *Conn  // nil when the pair had none yet
}
