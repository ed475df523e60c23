package rules

import (
	"fmt"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp4"
	"github.com/dpdissect/dpdissect/dp4/track"
	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
)

// What is reported missing is neglected when it was so this often, for so long,
// while its sender sent so many other frames (MC-DPL4R 3.1.5.3).
const (
	neglectTimes  = 4
	neglectTime   = 2e9 // ns
	neglectFrames = 32
	neglectTold   = 255
)

// judgeUnreported: a packet is sent again that others followed, though nobody
// reported it missing. That its receiver had a gap, and for long enough, nobody can
// tell (MC-DPL4R 3.1.5.2).
func (j *judge) judgeUnreported(dir dissect.Dir, u track.Record) {
	if top, _ := j.Top(dir); j.Packet.Flags&dp4.RLY == 0 || u.Num >= top {
		return
	}
	if look, ok := j.c.Dir[dir].Look(u.Num); ok && !look.Acked {
		j.c.Rules.Unclear(r3152NackOoo, conform.GuardClean, "a packet followed by others is sent again, although no NACK reported it missing", u.Frame())
	}
}

// judgeNeglect: what a NACK reports missing is sent again. The NACK may be lost
// after the capture point, and the retry before it.
func (j *judge) judgeNeglect(dir dissect.Dir, u track.Record) {
	rules := &j.c.Rules
	if look, ok := j.c.Dir[dir.Other()].Look(u.Num); !ok || look.Acked {
		return
	}
	d := j.denial(dir.Other(), u)
	if d.times == neglectTold || d.times > 0 && int32(j.Packet.Tick-d.tick) <= 0 {
		return
	}
	if d.times == 0 {
		rules.Pass(r3152NackOoo)
		d.at, d.sent = j.Frame.Time, rules.Frames(dir.Other())
	}
	d.tick = j.Packet.Tick
	d.times = min(d.times+1, neglectTold-1)
	if d.times < neglectTimes || j.Frame.Time-d.at < neglectTime || rules.Frames(dir.Other())-d.sent < neglectFrames {
		return
	}
	needed := j.neededNeglects(dir)
	if int(d.times) < needed && needed < neglectTold {
		return
	}
	x := conform.Case{Rule: r3153Retx, Dir: dir.Other(), Frame: u.Frame(), Time: u.Time(), HasTime: true, Proof: []uint64{j.Frame.Frame}, Since: noWindow,
		Message: fmt.Sprintf("sequence %d was reported missing %d times in %d ms but is not sent again", uint8(u.Num), d.times, (j.Frame.Time-d.at)/1e6)}
	if int(d.times) < needed {
		x.Blocked = conform.GuardOdds
	}
	d.times = neglectTold
	rules.Judge(x)
}

// neededNeglects gives the number of reports of side dir that prove a neglect: each may be lost after the
// capture point, as what the side sends itself, and the retry that it causes before it.
func (j *judge) neededNeglects(dir dissect.Dir) int {
	own, sender := &j.c.Dir[dir], &j.side[dir.Other()]
	return conform.NeededOdds(sender.missed+own.Retries, min(sender.captured, own.Quality().Distinct()))
}

// A denial is what is remembered of the reports that a packet is missing, since it was last
// sent.
type denial struct {
	of    uint64 // its first captured copy
	at    int64  // of the first report, ns
	sent  uint64 // frames its sender had sent by then
	tick  uint32 // of the latest
	times uint8
}

// denial gives the reports that a packet of a side is missing.
func (j *judge) denial(dir dissect.Dir, u track.Record) *denial {
	h := &j.side[dir].denied
	d := h.At(u.Num)
	if d == nil {
		d = h.Put(u.Num, func(num seq.Num) bool { return j.RecordOf(dir, num).IsKnown() })
	}
	if d.of != u.Frame() {
		*d = denial{of: u.Frame()}
	}
	return d
}

// comesAgain notes that a packet is sent again; it reports whether that was reported missing.
func (j *judge) comesAgain(dir dissect.Dir, u track.Record) bool {
	d := j.side[dir].denied.At(u.Num)
	if d == nil || d.of != u.Frame() || d.times == 0 {
		return false
	}
	d.times = 0
	j.c.Rules.Pass(r3153Retx)
	return true
}
