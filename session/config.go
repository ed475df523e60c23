package session

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
)

// MessageMode says how much is kept of application messages.
type MessageMode uint8

const (
	CountMessages  MessageMode = iota // sizes and numbers only
	HashMessages                      // with SHA-256, delivered to the sink
	CollectPayload                    // with their bytes, too
)

// A Force makes address pairs with a port speak a protocol (--decode-as).
type Force struct {
	Lo, Hi   uint16 // range of either port
	Protocol *Protocol
	Dialect  string
}

// Config says what a Table does.
type Config struct {
	Protocols  []*Protocol // those that compete for address pairs
	Force      []Force
	Links      bool // frames are linked to their retries and acknowledgements
	Trees      bool // frames carry their tree
	Summaries  bool // frames carry their one-line summary
	Notices    bool // ICMP notices go to the sink, as frames
	Messages   MessageMode
	Incomplete bool // messages that lack a part go to the sink, too
	Explain    bool // stories of address pairs are kept, and say why they were not recognised
	Recognised bool // stories of pairs that are recognised stay, too, where Explain is set
	Endings    bool // how connections came to their end is kept: Conn.Ending
	Pack       bool // connections that are closed are packed: who reads them calls Conn.Unpack first
	Tallies    bool // rules are counted for each connection, Conn.Tallies, and not for all

	// Idle, when not 0, is for a run without end: an address pair of which nothing
	// came for longer, in ns, is closed out, and what comes then is of another
	// connection. Memory is bounded by what is alive (Table.TakeClosed, Table.Tick).
	Idle int64

	// Silence, when not 0, closes out address pairs of which nothing came for longer, in ns, as
	// Idle does, where everything else is as in a file: what is over is handed out while the
	// capture goes on (Table.TakeClosed).
	Silence int64

	// LowMemory is for many connections at a time: of each, less is remembered of what is
	// some seconds old, so that what comes later than that is told apart less surely,
	// and percentiles of more than 256 round trips are rounded to 1/1024.
	LowMemory bool

	Inconclusive bool            // findings a guard stands against go to the sink, too
	Profile      conform.Profile // of the implementations

	// Settled, when not nil, is told what was concluded about every number.
	Settled func(c *Conn, dir dissect.Dir, x seq.Settled)

	Sink Sink // nil when only the counters matter
}

// OnSettled lets one more hear what is concluded about numbers.
func (c *Config) OnSettled(f func(c *Conn, dir dissect.Dir, x seq.Settled)) {
	first := c.Settled
	if first == nil {
		c.Settled = f
		return
	}
	c.Settled = func(c *Conn, dir dissect.Dir, x seq.Settled) {
		first(c, dir, x)
		f(c, dir, x)
	}
}
