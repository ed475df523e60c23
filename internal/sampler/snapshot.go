package sampler

import (
	"cmp"
	"math"
	"strconv"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/internal/measure"
	"github.com/dpdissect/dpdissect/internal/terminal"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
)

// A Status is what the caller of a Sampler knows of the run.
type Status struct {
	Now        int64 // ns since 1970, on the clock of the capture
	Started    int64 // likewise
	Interfaces []string
	Packets    uint64 // seen
	Dropped    uint64 // lost by the capture itself
	Decoded    uint64 // datagrams of the protocols

	// Of connections that ended and are no longer in the list: how many, and the
	// findings on them.
	Ended    uint64
	Findings [3]uint64
}

// A Snapshot is the state of a run at one time. Nothing in it points into the
// tracker, and nothing in it changes any more.
type Snapshot struct {
	Time, Elapsed    int64 // ns
	Interfaces       []string
	Packets, Dropped uint64
	Decoded          uint64
	Findings         [3]uint64 // by conform.Severity, of all connections
	Live, Ended      uint64    // connections
	PacketsPerSec    float64   // since the snapshot before; 0 in the first
	DroppedLately    uint64    // since the snapshot before
	Window           int64     // ns that shares look back at least, once there are as many
	Rows             []Row     // live connections and those that ended a moment ago, in the order they were seen
}

// A Row is one connection.
type Row struct {
	Key      uint64    // of this connection in all snapshots, never that of another
	ID       int       // as in the analysis, so far
	Protocol string    // "dp8 1.6", "knet reference"
	Name     [2]string // the addresses, or their names
	End      [2]dissect.Endpoint
	Role     [2]string // "" when it is not known
	Player   [2]string // "player 7", "" where there is none
	State    session.State
	ClosedBy session.Side
	Complete bool   // its start was captured
	Over     bool   // it has ended
	Why      string // what ended it, in two or three words; "" where that is no more than State says
	Last     int64  // time of its latest frame, ns
	Duration int64  // ns, to now or to its end
	Idle     int64  // since its latest frame, ns
	Dir      [2]Dir
	Findings [3]uint64
	Notes    []Note   // the latest findings, oldest first
	Trail    []Moment // how it did in the last minutes, oldest first; empty where too many connections are open
}

// Dir is what one side sends.
type Dir struct {
	Counts measure.Values // so far
	Knows  measure.Set    // those of Counts that the capture tells

	Ping     Value                   // ms, smoothed: seq.Pulse
	Jitter   Value                   // ms
	MinPing  Value                   // ms, shortest acknowledgement
	Wait     Value                   // ms, latest wait from a first transmission to its first acknowledgement: seq.Pulse
	WaitAt   int64                   // when that was, ns
	Times    *[seq.NMeasures]seq.RTT // what was measured so far; nil while too many connections are open
	Samples  uint64
	Stale    bool  // the newest sample of Ping is older than the window
	InFlight Value // numbers sent and not acknowledged yet
	Idle     Value // ns since its latest frame

	BytesPerSec, FramesPerSec float64 // over the latest second, or since the snapshot before when that is longer

	// Loss is how much of what this side sent in the window was lost, in percent, as
	// far as it shows here: transmissions that were made again before an acknowledgement of
	// them was captured, and numbers that never came by, of all transmissions. What the
	// capture itself lost counts too.
	Loss Value
	// LostLately and SentLately are what it is a share of.
	LostLately, SentLately uint64
	// RetryShare is retries in percent of data frames, in the window.
	RetryShare Value
	// Quality is the share, in percent, of numbers of this side that arrived at the
	// first try and in order in the window: 100 less those lost, sent again or overtaken.
	// Players know it from net_graph.
	Quality Value
}

// A Value may be unknown.
type Value struct {
	V     float64
	Known bool
}

// Known is a value that is known.
func Known(v float64) Value { return Value{v, true} }

// When is a value that is known in some cases.
func When(known bool, v float64) Value {
	if !known {
		return Value{}
	}
	return Value{v, true}
}

// A Note is a finding on a connection.
type Note struct {
	Severity conform.Severity
	Rule     string
	Message  string
	Side     session.Side
	Frame    uint64
	Time     int64
	HasTime  bool
}

// LongestIPv4 is the number of columns that an IPv4 address with a port takes at most.
const LongestIPv4 = 21

// Who names a side: by its role, its player, or as much of its address as tells it
// from the other.
func (r *Row) Who(side dissect.Dir) string {
	if known := cmp.Or(r.Role[side], r.Player[side]); known != "" {
		return known
	}
	if port := r.End[side].Port; port != r.End[side.Other()].Port {
		return ":" + strconv.Itoa(int(port))
	}
	return terminal.Cut(r.End[side].Addr().String(), LongestIPv4, true)
}

// Ping is the whole round trip as far as it shows at the capture point: the times to
// both sides and back, in ms.
func (r *Row) Ping() Value {
	return join(r.Dir[0].Ping, r.Dir[1].Ping, func(a, b float64) float64 { return a + b })
}

// Jitter is that of the side where it is larger, in ms.
func (r *Row) Jitter() Value { return join(r.Dir[0].Jitter, r.Dir[1].Jitter, math.Max) }

// Loss is that of the worse side.
func (r *Row) Loss() Value { return join(r.Dir[0].Loss, r.Dir[1].Loss, math.Max) }

// RetryShare is that of the worse side.
func (r *Row) RetryShare() Value { return join(r.Dir[0].RetryShare, r.Dir[1].RetryShare, math.Max) }

// Quality is that of the worse side.
func (r *Row) Quality() Value { return join(r.Dir[0].Quality, r.Dir[1].Quality, math.Min) }

// InFlight is of both sides.
func (r *Row) InFlight() Value {
	return join(r.Dir[0].InFlight, r.Dir[1].InFlight, func(a, b float64) float64 { return a + b })
}

// Stale reports that the newest sample of every known ping is old.
func (r *Row) Stale() bool {
	return (r.Dir[0].Stale || !r.Dir[0].Ping.Known) && (r.Dir[1].Stale || !r.Dir[1].Ping.Known)
}

// Unneeded are the unneeded retries of both sides.
func (r *Row) Unneeded() Value {
	a, b := &r.Dir[0], &r.Dir[1]
	return When(a.Knows.Has(measure.UnneededRetries), float64(a.Counts[measure.UnneededRetries]+b.Counts[measure.UnneededRetries]))
}

// BytesPerSec is of both sides.
func (r *Row) BytesPerSec() float64 { return r.Dir[0].BytesPerSec + r.Dir[1].BytesPerSec }

// FramesPerSec is of both sides.
func (r *Row) FramesPerSec() float64 { return r.Dir[0].FramesPerSec + r.Dir[1].FramesPerSec }

// join makes one value of what is known of two sides.
func join(a, b Value, f func(a, b float64) float64) Value {
	switch {
	case !a.Known:
		return b
	case !b.Known:
		return a
	}
	return Known(f(a.V, b.V))
}
