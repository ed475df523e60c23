package track

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/knet"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/seq"
)

// A pair follows the connections of one address pair: from one opening to the
// next. Neither dialect names its connections, so the one at hand is the newest,
// and the one before it takes what is still on its way.
type pair struct {
	flow    *session.Flow
	learned *probe
	judge   func() Judge
	params  knet.Params
	layout  dissect.Layout // of laid
	laid    knet.Params
	decided bool       // the bytes, or the user, tell the dialect
	told    [2]int     // datagrams that only Reference, only Spec reads
	loose   [2]int     // likewise, which no endpoint of it sends, until the dialect is decided
	made    [2]int     // datagrams that only senders of Reference, only those of Spec make so, until then
	forced  bool       // the user tells the dialect
	votes   int        // for ids from 1, less those for ids from 0
	voted   [2]seq.Num // of each side: the highest PacketID in what voted, plus 1
	runs    [2]idRun   // of each side, lower endpoint first
	doubt   bool       // params.IDs is that of the connection before
	conns   []*conn
	// wordFirst: a side puts the bits of its PacketAcks into the word first.
	wordFirst bool
	d         *knet.Datagram // that of the table; the one at hand while it is
	again     *knet.Datagram `state:"-"` // a provisional one while it is believed; nil before there was any
	openers   [][]byte       // contents of connect datagrams
	opener    uint32         // PacketID, plus 1, that stands in the latest datagram that may be a connect datagram, 0 for none
}

// A room is what all pairs of a table share.
type room struct {
	d knet.Datagram `state:"-"` // where the one at hand is read
}

// maxOpeners bounds the connect datagrams that are remembered.
const (
	maxOpeners = 4
	maxOpener  = 512
)

// assumed is the map of ids by which a message that is a PingRequest by one and a
// PingReply by the other is read for now.
func (p *pair) assumed() knet.IDMap {
	switch {
	case p.params.IDs != knet.IDsUnknown:
		return p.params.IDs
	case p.params.Dialect == knet.Spec:
		return knet.IDsFromZero
	}
	return knet.IDsFromOne
}

// idsOpen reports that the map of ids is not certain yet.
func (p *pair) idsOpen() bool { return p.doubt || p.params.IDs == knet.IDsUnknown }

func (p *pair) newest() *conn { return p.conns[len(p.conns)-1] }

// An idRun follows the PacketIDs of one side in both readings, which differ from
// 64 on.
type idRun struct {
	has       bool
	ref, spec uint32 // the latest
	jumps     int    // seen with Spec where Reference counts on, less the other way round
}
