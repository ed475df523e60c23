package track

import "github.com/dpdissect/dpdissect/session/seq"

// An arrival is what a count of bytes says of numbers an acknowledgement passes
// that were not captured.
type arrival uint8

const (
	unknown       arrival = iota
	arrivedAll            // all that arrived was captured: these did not arrive
	arrivedUnseen         // more arrived than was captured
)

// A byteCounts compares the bytes one side was captured sending with those its peer
// says it received (MC-DPL4R 3.1.5.4), acknowledgement by acknowledgement in the
// order of ticks. What is on its way, lost or late after the capture point makes
// the peer's count lag; only what the capture missed, or what the network
// doubled after it, makes it run ahead.
//
// Counts prove something only once they have matched to the byte for some time:
// implementations may count otherwise.
type byteCounts struct {
	captured int64 // bytes captured so far, copies included
	received int64 // the peer's latest count, unwrapped
	wire     uint32
	hasWire  bool
	back     int // counts in a row below the latest

	whole leveler // captured less received
	upTo  leveler // captured up to the packet an ACK answers, less received: without what is on its way
	num   seq.Num // packet of the latest such ACK
	leaky bool    // more arrived than was captured, for whatever reason
	ahead int     // how often a count was higher than all that was captured explains

	sizes [16]int32 // of the latest frames captured
	n     int       // frames captured
}

// A leveler follows a difference that stays the same while nothing is lost.
type leveler struct {
	set       bool
	level     int64
	least     int64
	atLeast   int   // values equal to the lowest
	next      int64 // another value that may become the level
	nextSeen  int
	matches   int // values equal to the level
	surprises int // changes of the level
}

// A level is trusted after so many matches, and while they are so many times more
// than the surprises. It changes when another value comes levelSeen times in a row.
const (
	levelTrust = 8
	levelRatio = 4
	levelSeen  = 3
)

// see enters the next value. It reports whether it is the level, and by how much
// it is less than ever.
func (v *leveler) see(lag int64) (matches bool, less int64) {
	switch {
	case !v.set:
		v.set, v.level, v.least = true, lag, lag
	case lag < v.least:
		less = v.least - lag
		v.least, v.level, v.atLeast, v.nextSeen = lag, lag, 0, 0
		v.surprises++
	case lag == v.level:
		v.matches++
		v.nextSeen = 0
		if lag == v.least {
			v.atLeast++
		}
		return true, 0
	case v.nextSeen > 0 && lag == v.next:
		if v.nextSeen++; v.nextSeen == levelSeen {
			v.level, v.nextSeen = lag, 0
			v.surprises++
		}
	default:
		v.next, v.nextSeen = lag, 1
	}
	return false, less
}

func (v *leveler) trusted() bool {
	return v.matches >= levelTrust && v.matches >= levelRatio*v.surprises
}

// sent enters a captured data frame of so many bytes.
func (l *byteCounts) sent(size int) {
	l.captured += int64(size)
	l.sizes[uint(l.n)%uint(len(l.sizes))] = int32(size)
	l.n++
}

// doubt forgets what was learned: a frame came by of which nobody knows whether
// the peer counts it.
func (l *byteCounts) doubt() { l.whole, l.upTo = leveler{}, leveler{} }

// count enters what the peer says it has received, later than anything before.
func (l *byteCounts) count(wire uint32) arrival {
	step := int64(int32(wire - l.wire))
	switch {
	case !l.hasWire:
		l.hasWire, l.wire, l.received = true, wire, int64(wire)
	case step >= 0:
		l.wire, l.back = wire, 0
		l.received += step
	default:
		if l.back++; l.back == levelSeen { // it counts again
			l.doubt()
			l.wire, l.back, l.received = wire, 0, int64(wire)
		}
		return unknown
	}
	before := l.whole
	if _, less := l.whole.see(l.captured - l.received); less > 0 {
		l.ahead++
		return l.surplus(less, &before)
	}
	return unknown
}

// surplus judges a count that is higher than all that was captured explains. A
// frame doubled after the capture point has the size of one that was captured.
func (l *byteCounts) surplus(more int64, before *leveler) arrival {
	l.leaky = l.leaky || before.matches >= levelSeen
	for _, size := range l.sizes[:min(l.n, len(l.sizes))] {
		if int64(size) == more {
			return unknown
		}
	}
	if before.atLeast >= levelTrust {
		return arrivedUnseen
	}
	return unknown
}

// compare judges the latest count of an ACK that answers a packet at once; sum is
// what was captured up to that packet.
func (l *byteCounts) compare(num seq.Num, sum int64) arrival {
	if l.back > 0 || l.upTo.set && num <= l.num {
		return unknown
	}
	l.num = num
	known := l.upTo.matches >= levelSeen
	matches, less := l.upTo.see(sum - l.received)
	l.leaky = l.leaky || less > 0 && known
	if matches && l.tight() {
		return arrivedAll
	}
	return unknown
}

// tight reports whether counts show that the capture holds all that arrived.
func (l *byteCounts) tight() bool { return !l.leaky && l.upTo.trusted() }
