package rules

import (
	"fmt"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp4"
	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
)

// A count compares how bytes received grows from one ACK to the next with the
// packets in between, where all that the ACK covers is reliable, was sent once, and
// after the ACK before: then just these arrived meanwhile.
type count struct {
	n      int // comparisons
	fits   [numModels]int
	told   bool
	over   bool // the latest ACK counts more than the one before, which named the same packet: what arrived after it
	gap    bool // an ACK covers a packet that did not arrive
	num    seq.Num
	epoch  uint32
	frame  uint64 // that ACK
	time   int64
	prior  uint64 // the one before
	gapSeq uint8
}

// Models are ways to count (AMB-DP4-19).
const (
	modelText    = iota // whole frames without the player indexes
	modelIndexes        // with them
	modelPayload        // the data alone
	numModels
)

var modelNames = [...]string{"", "the player indexes as well", "the data alone"}

const (
	leastCounts = 20 // guard SAMPLE
	trustCounts = 8  // comparisons that fit before one that does not proves something
)

// judgeCount looks at the ACK at hand, y, after another one, x.
func (j *judge) judgeCount(dir dissect.Dir, x, y *heard) {
	k := &j.side[dir].count
	if !y.follows(x) {
		k.over = k.over || x.hasNum && y.hasNum && x.epoch == y.epoch && y.num == x.num && y.bytes > x.bytes
		return
	}
	over := k.over
	k.over = false
	var sum, frames, data int64
	missing, widths := seq.Num(-1), int64(j.Packet.From.Width+j.Packet.To.Width)
	for n := x.num + 1; n <= y.num; n++ {
		u := j.RecordOf(dir.Other(), n)
		switch {
		case !u.IsKnown() && missing >= 0:
			return
		case !u.IsKnown():
			missing = n
			continue
		case u.Flags&dp4.RLY == 0 || u.Last() != u.Time() || u.Low != u.High() || u.Time() <= x.time:
			return
		}
		sum += int64(u.Size)
		data += int64(u.Size) - dp4.HeaderSize
		frames++
	}
	grew := int64(y.bytes - x.bytes)
	if missing >= 0 {
		if grew == sum && !over && k.n >= trustCounts && k.fits[modelText] == k.n {
			k.gap, k.num, k.epoch, k.frame, k.time, k.prior, k.gapSeq = true, missing, y.epoch, y.frame, y.time, x.frame, uint8(y.num)
		}
		return
	}
	k.n++
	for i, want := range [...]int64{sum, sum + widths*frames, data} {
		if grew == want {
			k.fits[i]++
		}
	}
	j.c.Rules.Pass(r224CumGap)
	j.judgeModel(dir, k)
}

// judgeModel: the count is of whole data frames without player indexes (MC-DPL4R
// 3.1.5.4). Which way of counting fits is reported once.
func (j *judge) judgeModel(dir dissect.Dir, k *count) {
	if k.n < leastCounts || k.told {
		return
	}
	if k.n == leastCounts && k.fits[modelText] > 0 {
		j.c.Rules.Pass(r3154BytesBase)
	}
	for i := modelIndexes; i < numModels; i++ {
		if k.fits[i] == k.n && k.fits[modelText] == 0 {
			k.told = true
			j.broken(r3154BytesBase, fmt.Sprintf("bytes received counts %s, in all of %d comparisons", modelNames[i], k.n))
		}
	}
}

// judgeCovered: a reliable packet comes after an ACK that covered it and whose count
// of bytes left it out: the ACK was of what had not arrived (MC-DPL4R 2.2.4, 3.1.5.2).
func (j *judge) judgeCovered(dir dissect.Dir, num seq.Num) {
	k := &j.side[dir.Other()].count
	if !k.gap || k.epoch != j.Epoch(dir) || k.num != num {
		return
	}
	k.gap = false
	if j.Packet.Flags&dp4.RLY == 0 {
		j.c.Rules.Pass(r224CumGap)
		return
	}
	j.c.Rules.Judge(conform.Case{Rule: r224CumGap, Dir: dir.Other(), Frame: k.frame, Time: k.time, HasTime: true, Proof: []uint64{k.prior, j.Frame.Frame}, Since: noWindow,
		Message: fmt.Sprintf("the ACK of sequence %d covers reliable sequence %d, which had not arrived: its byte count includes all others", k.gapSeq, j.Packet.Sequence)})
}
