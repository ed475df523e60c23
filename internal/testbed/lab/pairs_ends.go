package lab

import (
	"slices"
	"strings"
	"sync"

	"github.com/dpdissect/dpdissect/internal/explain"
	"github.com/dpdissect/dpdissect/internal/testbed/pairs"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/sim"
)

// Who says how a session ended.
const (
	byClient = iota
	byServer
	byBoth
	nSayers
)

// A PairedEnd is what is said of a session whose end is known by who captures at the client,
// at the server, and at both.
type PairedEnd struct {
	Run     EndRun // its place is nothing here
	Results [nSayers]*EndResult
	Proved  [nSayers]bool // the true cause is proved
	Decided bool          // it is said what the other capture decided
	Err     error
}

// ByBoth reports whether what happened is proved by both captures alone.
func (e *PairedEnd) ByBoth() bool {
	return e.Proved[byBoth] && !e.Proved[byClient] && !e.Proved[byServer]
}

// Worse reports whether one side alone had it right, and both have not.
func (e *PairedEnd) Worse() bool {
	r := &e.Results
	return r[byBoth].Mark != endRight && (r[byClient].Mark == endRight && e.names(byClient) || r[byServer].Mark == endRight && e.names(byServer))
}

// names reports whether what is said by somebody is what is true.
func (e *PairedEnd) names(by int) bool {
	return accepts(e.Results[byBoth].Truth.Accept, e.Results[by].Cause, e.Results[by].Side)
}

// PairEndLosses are the shares of packets that both captures miss.
var PairEndLosses = []float64{0, 0.02, 0.2}

// pairedEvents are those that are no matter of one capture.
func pairedEvents() []tracegen.EndCase {
	return slices.DeleteFunc(tracegen.EndCases(), func(c tracegen.EndCase) bool { return c.Event == "gap" || c.Event == "skew" })
}

// PairedEnds plays sessions whose end is known and tells what is said of them.
func PairedEnds(o PairOptions, losses []float64) (all []*PairedEnd) {
	var runs []EndRun
	for i, c := range pairedEvents() {
		if i%max(1, o.Sample) != 0 {
			continue
		}
		for seed := range uint64(o.Seeds) {
			for _, loss := range losses {
				r := EndRun{&c, "both", loss, max(o.First, 1) + seed}
				if strings.HasPrefix(r.Name(), o.Only) || strings.HasPrefix(o.Only, r.Name()) {
					runs = append(runs, r)
				}
			}
		}
	}
	all = make([]*PairedEnd, len(runs))
	var mu sync.Mutex
	parallel(len(runs), func(i int) {
		e := pairedEnd(o.Program, runs[i])
		mu.Lock()
		defer mu.Unlock()
		all[i] = e
	})
	return all
}

// TakeEnd plays a session whose end is known, captured at both machines.
func (r EndRun) TakeEnd() (*pairs.Pair, [nSayers]tracegen.EndTruth, error) {
	log, truths, err := r.Case.Wires(r.Seed, tracegen.Way{})
	if err != nil {
		return nil, truths, err
	}
	plan := pairs.Plan{At: [2]sim.Place{0, 1}, Hops: 4}
	for i := range plan.Points {
		plan.Points[i].Miss = r.Loss
	}
	plan.Points[1].Clock.Offset = -1234567890
	p := pairs.Take(log, plan, r.Seed)
	for by := range truths {
		t := &truths[by]
		for i := range p.Truth.Datagrams {
			d := &p.Truth.Datagrams[i]
			t.Decidable = t.Decidable || d.Tells && (by != byServer && d.Whole[0] > 0 || by != byClient && d.Whole[1] > 0)
		}
		if !t.Decidable {
			t.Accept = slices.Concat(t.Accept, r.Case.Missed())
		}
	}
	return p, truths, nil
}

func pairedEnd(program string, r EndRun) *PairedEnd {
	e := &PairedEnd{Run: r}
	p, truths, err := r.TakeEnd()
	if err == nil {
		var said *Compared
		if said, err = compared(program, p); err == nil {
			err = e.judge(p, truths, said)
		}
	}
	e.Err = err
	return e
}

// judge compares what is said of each capture, and of both, with what may be said.
func (e *PairedEnd) judge(p *pairs.Pair, truths [nSayers]tracegen.EndTruth, said *Compared) error {
	e.Results[byBoth] = &EndResult{Run: e.Run, Truth: truths[byBoth]}
	e.Decided = e.Results[byBoth].hearBoth(said)
	if err := e.alone(p, truths); err != nil {
		return err
	}
	for by, x := range e.Results {
		x.mark()
		e.Proved[by] = x.Sure && e.names(by)
	}
	return nil
}

// alone takes what is said of each capture alone.
func (e *PairedEnd) alone(p *pairs.Pair, truths [nSayers]tracegen.EndTruth) error {
	for by := range p.Packets {
		e.Results[by] = &EndResult{Run: e.Run, Truth: truths[by]}
		d, err := Explained(&tracegen.EndSession{Truth: truths[by], Packets: p.Packets[by]})
		if err != nil {
			return err
		}
		e.Results[by].hear(d)
	}
	return nil
}

// hearBoth takes from a comparison what it says of the connection of the two sides, and
// whether it says what the other capture decided.
func (r *EndResult) hearBoth(c *Compared) (decided bool) {
	found := false
	for i := range c.Connections {
		conn := &c.Connections[i]
		ours, swapped := false, false
		for _, at := range conn.At {
			if at != nil && !ours {
				swapped = at.A == r.Truth.B && (at.B == r.Truth.A || hostOf(at.B) == hostOf(r.Truth.A))
				ours = swapped || at.B == r.Truth.B && hostOf(at.A) == hostOf(r.Truth.A)
			}
		}
		if !ours {
			continue
		}
		v := &conn.Verdict
		if found {
			r.hearOther(&explain.Verdict{Cause: explain.Cause(v.Cause), Side: v.Side}, swapped)
			continue
		}
		found, decided = true, v.DecidedBy != ""
		r.say(v.Cause, v.Side, swapped, v.Certainty == string(explain.Proved))
		for _, x := range conn.Contributing {
			if x.Certainty != string(explain.Unsettled) {
				r.add(x.Cause, x.Certainty == string(explain.Proved))
				if x.Where == "before" || x.Where == "after" { // at machines there is nothing else
					r.False = append(r.False, x.Cause+" "+x.Where)
				}
			}
		}
	}
	return decided
}
