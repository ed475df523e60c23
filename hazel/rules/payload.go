package rules

import (
	"fmt"
	"slices"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/hazel"
	"github.com/dpdissect/dpdissect/hazel/track"
	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
)

// Payloads that must hold the library's messages before one that does not is odd.
const (
	leastPayloads = 20
	mostlyFramed  = 0.95
)

// payloads counts what a side sends to its user.
type payloads struct{ all, framed int }

func (p *payloads) mostly() bool {
	return p.all >= leastPayloads && float64(p.framed) >= mostlyFramed*float64(p.all)
}

// judgePayload judges the data of an unreliable or reliable packet: since 2018-07
// it is made of messages, where the application uses the library's own writer
// (Hazel be3f2d8 MessageWriter.cs).
func (j *judge) judgePayload(dir dissect.Dir, may hazel.DialectSet) {
	if !may.Within(hazel.WithPing) || j.Frame.Cut() || len(j.Packet.Data) == 0 {
		return
	}
	p, rules := &j.side[dir].payloads, &j.c.Rules
	p.all++
	if hazel.Tiled(j.Packet.Data) {
		p.framed++
		rules.Pass(rHdrMsgwrap)
		return
	}
	if !p.mostly() {
		return
	}
	x := rules.Here(rHdrMsgwrap, fmt.Sprintf("the payload of %d bytes does not consist of messages, as %d of %d others do", len(j.Packet.Data), p.framed, p.all-1))
	rules.Hold(x, unframed{p})
}

// An unframed is a payload that does not consist of messages.
type unframed struct{ p *payloads }

// Settle implements session.Settler.
func (h unframed) Settle() (conform.Ruling, conform.Guard) {
	if h.p.mostly() {
		return conform.Failed, conform.GuardNone
	}
	return conform.Dropped, conform.GuardNone
}

// partTime is how long after its last fragment a message is looked at, in ns.
const partTime = 6e9

// judgeParts judges fragmented messages of a side that lack a part although the
// side went on. Fragments have ids of their own, one after the other: where none of
// those is missing in the capture since the first, no part is.
func (j *judge) judgeParts(dir dissect.Dir) {
	s, open := &j.side[dir], j.Partial(dir)
	s.lacking = slices.DeleteFunc(s.lacking, func(m *track.Partial) bool { return !slices.Contains(open, m) })
	for _, m := range open {
		if m.Cut || j.Frame.Time-m.Msg.Time < partTime || slices.Contains(s.lacking, m) {
			continue
		}
		s.lacking = append(s.lacking, m)
		if !m.Has(0) || !j.unbroken(dir, m.Msg.Number) {
			continue
		}
		j.c.Rules.Judge(conform.Case{Rule: rHdrFragComplete, Dir: dir, Frame: m.Msg.FirstFrame, Time: m.Msg.Time, HasTime: true, Proof: []uint64{m.Msg.LastFrame},
			Message: fmt.Sprintf("message %d is incomplete: %d of %d parts were sent", m.Key, m.Got, m.Count), Since: m.Msg.Time})
	}
}

// unbroken reports whether no number of a side is missing in the capture, from
// one on.
func (j *judge) unbroken(dir dissect.Dir, from seq.Num) bool {
	out, top := &j.c.Dir[dir], j.side[dir].Top
	for n := from; n <= top; n++ {
		if l, ok := out.Look(n); !ok || !l.Captured {
			return false
		}
	}
	return true
}

// partsOf gives the number of parts of a message that lacks some, 0 when it is not known.
func (j *judge) partsOf(dir dissect.Dir, key uint16) int {
	for _, m := range j.Partial(dir) {
		if m.Key == key {
			return m.Count
		}
	}
	return 0
}
