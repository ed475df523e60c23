package rules

import (
	"fmt"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/hazel"
	"github.com/dpdissect/dpdissect/hazel/track"
	"github.com/dpdissect/dpdissect/session/conform"
)

// lastWords is how long after its Disconnect a side may acknowledge, in ns.
const lastWords = 1e9

// mostLate is by how much a datagram is overtaken at most, in ns: what comes later
// than others of Hazel is nearly always a resend.
const mostLate = 200e6

// lastSeen is how long ago the other side must have been captured to be sure that it
// still would be, in ns.
const lastSeen = 2.5e9

// judgeAfter judges a datagram of a side after its own Disconnect.
func (j *judge) judgeAfter(dir dissect.Dir) {
	bye, rules, s := j.Bye(dir), &j.c.Rules, &j.side[dir]
	late := j.Frame.Time - bye.At
	switch {
	case j.Frame.Words.Has(dissect.Duplicate) || !j.Frame.HasTime || j.Packet.Type == hazel.Disconnect:
		return
	case j.Packet.Type == hazel.Acknowledgement && late <= lastWords, late <= min(rules.Horizon(), mostLate):
		rules.Pass(rSesDiscLast)
		return
	case s.toldAfter:
		return
	}
	after, sure := j.sentAfter(dir)
	if sure && !after {
		rules.Pass(rSesDiscLast) // the path delayed it
		return
	}
	x := rules.Here(rSesDiscLast, fmt.Sprintf("%s %d ms after the side's Disconnect in frame %d", j.Packet.Type, late/1e6, bye.Frame), bye.Frame)
	if !sure && late <= track.FullLife {
		x.Blocked = conform.GuardReord
		rules.Judge(x)
		return
	}
	if j.Packet.HasID && j.Packet.Type != hazel.Acknowledgement && s.Sent {
		ahead := j.Ahead(dir, j.Packet.ID, bye.Top)
		old := ahead > -16 && ahead <= 16 && bye.Top-s.Low.Engine >= 2*renewedWithin
		if old {
			s.toldAfter = true
			rules.Judge(x)
			return
		}
	}
	if j.Packet.Type == hazel.Acknowledgement {
		n := j.Near(dir.Other(), j.Packet.ID)
		if l, ok := j.c.Dir[dir.Other()].Look(n); !ok || !l.Captured || j.Frame.Time-l.Time > lastWords {
			return // of another connection, perhaps
		}
	}
	s.toldAfter = true
	if rules.Now()-rules.LastOf(dir.Other()) > lastSeen {
		x.Blocked = conform.GuardBidir // a new connection may have begun unseen
		rules.Judge(x)
		return
	}
	rules.Hold(x, afterwards{j, dir.Other(), j.Frame.Time, rules.Frames(dir.Other()), j.c.Dir[dir.Other()].Acks})
}

// An afterwards is what a side sent after its Disconnect.
type afterwards struct {
	j             *judge
	peer          dissect.Dir
	at            int64
	frames, acked uint64 // of the peer, until then
}

// Settle implements session.Settler.
func (h afterwards) Settle() (conform.Ruling, conform.Guard) {
	j := h.j
	if j.Replaced() != 0 && j.Replaced()-h.at < track.StrayTime || j.c.Rules.Frames(h.peer)-h.frames > 1 || j.c.Dir[h.peer].Acks != h.acked {
		return conform.Doubtful, conform.GuardLife // a connection whose Hello was not captured
	}
	return conform.Failed, conform.GuardNone
}

// countedIDs is how many packets of a side must show that its IPv4 identifications rise.
const countedIDs = 3

// sentAfter tells whether a side sent the datagram at hand after its Disconnect, by their
// IPv4 identifications. That is certain where those of its packets rise with their numbers:
// no time tells, for the path may delay a datagram as long as it likes.
func (j *judge) sentAfter(dir dissect.Dir) (after, sure bool) {
	id, bye := j.Frame.IPID, j.Bye(dir)
	if id == 0 || bye.IPID == 0 || id == bye.IPID {
		return false, false
	}
	known, next := 0, uint16(0)
	for n := bye.Top; known <= countedIDs && n > bye.Top-track.RecordLimit; n-- {
		l, ok := j.c.Dir[dir].Look(n)
		if !ok {
			break
		}
		if !l.Captured || !l.First || l.IPID == 0 {
			continue
		}
		if known > 0 && int16(next-l.IPID) <= 0 {
			return false, false
		}
		next = l.IPID
		known++
	}
	return int16(id-bye.IPID) > 0, known > countedIDs
}
