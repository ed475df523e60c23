package dp4

// An arrival is what a count of bytes says of numbers an acknowledgement passes
// that were not captured.
type arrival uint8

const (
	unknown       arrival = iota
	arrivedAll            // all that arrived was captured: these did not arrive
	arrivedUnseen         // more arrived than was captured
)

// A ledger compares the bytes one side was captured sending with those its peer
// says it received (MC-DPL4R 3.1.5.4), acknowledgement by acknowledgement in the
// order of ticks. What is on its way or lost behind the capture point makes the
// peer's count lag behind; only what the capture missed, or what the network
// doubled behind it, makes it run ahead.
//
// Counts prove something only once they have matched to the byte for some time:
// implementations may count otherwise.
type ledger struct {
	captured int64 // bytes captured so far, copies included
	received int64 // the peer's latest count, unwrapped
	wire     uint32
	hasWire  bool
	back     int // counts in a row below the latest

	level     int64 // captured-received while nothing was on its way, as last seen
	least     int64 // lowest value of it
	atLeast   int   // counts that matched the lowest
	next      int64 // another value that may become the level
	nextSeen  int
	matches   int   // counts that matched the level while data went on
	surprises int   // changes of the level
	at        int64 // captured bytes at the latest match

	sizes [16]int32 // of the latest frames captured
	n     int       // frames captured
}

// A ledger is trusted after so many matches, and while they are so many times
// more than the surprises. A level is one that comes levelSeen times in a row.
const (
	ledgerTrust = 8
	ledgerRatio = 4
	levelSeen   = 3
)

// sent enters a captured data frame of so many bytes.
func (l *ledger) sent(size int) {
	l.captured += int64(size)
	l.sizes[l.n%len(l.sizes)] = int32(size)
	l.n++
}

// doubt forgets what was learned: a frame came by of which nobody knows whether
// the peer counts it.
func (l *ledger) doubt() { l.matches, l.atLeast, l.nextSeen = 0, 0, 0 }

// count enters what the peer says it has received, later than anything before.
func (l *ledger) count(wire uint32) arrival {
	step := int64(int32(wire - l.wire))
	switch {
	case !l.hasWire:
		l.begin(wire)
		return unknown
	case step < 0:
		if l.back++; l.back == levelSeen {
			l.begin(wire) // it counts anew
		}
		return unknown
	}
	l.wire, l.back = wire, 0
	l.received += step
	lag := l.captured - l.received
	switch {
	case lag < l.least:
		return l.ahead(lag)
	case l.captured == l.at:
	case lag == l.level:
		return l.match(lag)
	case l.nextSeen > 0 && lag == l.next:
		l.at = l.captured
		if l.nextSeen++; l.nextSeen == levelSeen {
			l.level, l.nextSeen = lag, 0
			l.surprises++
		}
	default:
		l.next, l.nextSeen, l.at = lag, 1, l.captured
	}
	return unknown
}

func (l *ledger) begin(wire uint32) {
	l.doubt()
	l.hasWire, l.wire, l.back, l.received = true, wire, 0, int64(wire)
	l.level = l.captured - l.received
	l.least, l.at = l.level, l.captured
}

func (l *ledger) match(lag int64) arrival {
	l.matches++
	l.at, l.nextSeen = l.captured, 0
	if lag == l.least {
		l.atLeast++
	}
	if l.matches >= ledgerTrust && l.matches >= ledgerRatio*l.surprises {
		return arrivedAll
	}
	return unknown
}

// ahead judges a count that is higher than all that was captured explains. A
// frame doubled behind the capture point has the size of one that was captured.
func (l *ledger) ahead(lag int64) arrival {
	more, sure := l.least-lag, l.atLeast >= ledgerTrust
	l.least, l.level, l.atLeast, l.nextSeen, l.at = lag, lag, 0, 0, l.captured
	l.surprises++
	for _, size := range l.sizes[:min(l.n, len(l.sizes))] {
		if int64(size) == more {
			return unknown
		}
	}
	if sure {
		return arrivedUnseen
	}
	return unknown
}
