package rules

import (
	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
)

// asking are the PingRequests of a side.
type asking struct {
	asked  *[16]*[16]asked // by id
	last   uint8           // id of the latest
	odd    uint8           // id of one that did not follow
	has    bool
	isOdd  bool
	at     int64   // of the latest
	num    seq.Num // PacketID that carried it
	runAt  int64   // since when each id captured was the one after that before
	open   int     // not answered, since the latest answer
	openAt int64
	openIn uint64
	acks   int // datagrams of the side acknowledged since openAt
	told   bool
	rare   bool
	lostAt int64 // when a request came of which the id can't be told, plus 1 ns; 0 for never
	alone  alone
}

// An asked id was that of a PingRequest.
type asked struct {
	at      int64 // of the latest, plus 1 ns; 0 for none
	replies uint8
}

// alone is the first datagram with data that a side sent although it had not heard
// its peer for too long.
type alone struct {
	frame uint64
	time  int64
	after seq.Num // PacketID of the peer's latest
}

// acking is what is held against what a side acknowledges.
type acking struct {
	ahead  []*aheadAck // names PacketIDs that the peer has not sent
	aheads int         // how many did
	plain  int         // unreliable datagrams it acknowledged
	told   bool
	cursor seq.Num // of its own datagrams: all below were looked at
	noAcks noAcks
}

// An aheadAck is an acknowledgement of a PacketID above all that was captured: the
// capture may have missed that, or nobody sent it. It is the latter when the peer
// comes to lower ones only later.
type aheadAck struct {
	num, top seq.Num
	at       int64
	later    int // datagrams that the peer sent later, below num
	proof    uint64
	proven   bool
	far      bool // … by datagrams that are far below
	single   bool // the peer sent a lower one later, once
	near     bool // … and then the one acknowledged
	moot     bool // the peer may have begun again since
}

// A farewell is a Disconnect or DisconnectAck that was captured.
type farewell struct {
	set   bool
	num   seq.Num
	time  int64
	frame uint64
}

// ending is how a side ends the connection.
type ending struct {
	disc   farewell // first Disconnect
	ack    farewell // first DisconnectAck that answers one
	heard  bool     // a Disconnect was captured, be it one with a fault
	discs  int
	last   int64 // time of the latest Disconnect
	told   int
	silent bool // an unanswered Disconnect was told
	moot   bool // the side has begun again since: what follows is of another connection
	refs   [refusals]int64
	nrefs  int
}

// order is what is held against the PacketIDs of a side.
type order struct {
	odd     oddNumber
	step    seq.Num // latest step between PacketIDs that is not one
	frame   uint64
	steps   [3]int  // of one, as the one before that was not one, others
	divisor seq.Num // what all steps so far are multiples of
	all     int     // steps so far, while divisor is not one
	known   int     // acknowledgements so far
	acks    int     // PacketIDs of the side acknowledged meanwhile
	told    bool
}

// An oddNumber is a PacketID that can't be, unless a new series begins: what comes
// next tells.
type oddNumber struct {
	set  bool
	top  seq.Num
	runs int   // in a row
	from mark  // how far the peer had come when they began
	last int64 // when the side was heard before that
	soon bool  // … and not long before
	same bool  // they are proven to be of this connection
	conform.Case
}

// pace is how fast a side of Spec sends, and how fast its peer wants it to.
type pace struct {
	times  []int64 // of the latest datagrams: few before a rate is asked for
	n      int
	asked  bool    // a FlowControlRequest of the peer was captured
	rate   int     // it asks for
	num    seq.Num // PacketID that carried it
	frame  uint64
	known  bool // the side has acknowledged it
	since  int64
	told   bool
	opened bool // told of the opening's rate
}

// shaking is what the rules remember of the page's handshake.
type shaking struct {
	syn       bool
	synAt     int64 // latest ConnectSyn
	ackAt     int64 // latest ConnectSynAck, 0 for none
	lowest    [2]seq.Num
	greeted   [2]bool
	spoke     [2]bool  // something besides the handshake was captured
	spokeAt   [2]int64 // … first
	spokeNo   [2]seq.Num
	premature premature
}

// premature is the first datagram that the server sent after its ConnectSynAck while
// nothing had come from the client but ConnectSyns.
type premature struct {
	frame uint64
	time  int64
}

// sentTransfers are the fragmented transfers of a side, by TransferID.
type sentTransfers [256]*sentTransfer

// A sentTransfer is the latest transfer of an id.
type sentTransfer struct {
	begun  bool
	doubt  bool // it may not be whole, or another
	faulty bool // a fragment of it has a fault
	count  int
	got    int
	packet seq.Num // PacketID of the start
	last   seq.Num // highest PacketID of a fragment
	number seq.Num // Reference: reliable number of the start
	frame  uint64
	time   int64
	since  int64  // when its first fragment can have been sent
	parts  []part // by fragment number
	early  []earlyPart
	open   []*foreignFragment
	former *sentTransfer // the one before, as it was
	reused bool          // the id was not free
}

// A foreignFragment is one that fits no transfer so far.
type foreignFragment struct {
	count int // fragments of the transfer that began next, 0 while none did
	doubt bool
}

// A part is one fragment.
type part struct {
	hash   uint64 // 0 when it was not captured
	packet seq.Num
	frame  uint64
}

// An earlyPart was captured when its transfer had not begun.
type earlyPart struct {
	index int
	start seq.Num // Reference: reliable number of its start
	time  int64
	part
}
