package lab

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dpdissect/dpdissect/internal/explain"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen"
)

// A MomentResult is what is said of the time at which something happened in a session, of a
// quiet time of the same session, and of how long the trouble lasted.
type MomentResult struct {
	Run      EndRun
	Want     []string // causes, any of which is right at the time
	Said     string
	Quiet    string // said of the quiet time, "" for nothing
	Cause    string // of which the window is compared, "" for none
	Overlap  float64
	Windowed bool // the cause was named
}

// Right reports whether a cause that was played is named at its time.
func (r *MomentResult) Right() bool { return slices.Contains(r.Want, r.Said) }

// quietFor is how long a session of moments is quiet before anything happens.
const quietFor = 45 * time.Second

// alsoThen is what an event is rightly called besides: who is held back answers late, a longer
// way is a delay, and what a filter drops is lost.
var alsoThen = map[string][]string{
	"server-restarts": {"peer-restarted"},
	"delay":           {"late-acks"},
	"server-stalls":   {"late-acks", "peer-stalled"},
	"client-stalls":   {"late-acks", "peer-stalled"},
	"spurious":        {"delay"},
	"window-stall":    {"window-stall", "delay"},
	"starved-large":   {"unit-starved", "loss"},
	// The sender gives up long after: at the time itself one message gets no answer.
	"marked":     {"unit-starved"},
	"black-hole": {"unit-starved"},
	"starved":    {"unit-starved", "loss"},
}

// notMoments are events that happen at no time, or from the start, and those of which a
// capture half way shows nothing.
var notMoments = []string{"open", "idle-open", "no-answer", "port-closed-before", "refused", "version", "version-silent", "secret", "late-acks", "skew", "idle", "leftover", "gap",
	"nat-expired", "nat-resumed", "idle-cut", "client-restarts", "closed-a"}

// Moments asks of sessions, captured half way, what happened at the time at which it did, and
// at a quiet time.
func Moments(o EndOptions) (all []*MomentResult, err error) {
	if o.Losses == nil {
		o.Losses = []float64{0}
	}
	var plays []EndRun
	for _, c := range tracegen.EndCases() {
		for seed := range uint64(max(o.Seeds, 1)) {
			r := EndRun{&c, momentPlace, 0, max(o.First, 1) + seed}
			if !slices.Contains(notMoments, c.Event) && strings.HasPrefix(r.Name(), o.Only) && (o.Sample <= 1 || endSample(r)%uint64(o.Sample) == 0) {
				plays = append(plays, r)
			}
		}
	}
	results := make([][]*MomentResult, len(plays))
	var mu sync.Mutex
	parallel(len(plays), func(i int) {
		list, bad := plays[i].moments(o.Losses)
		mu.Lock()
		defer mu.Unlock()
		if results[i] = list; bad != nil {
			err = bad
		}
	})
	return slices.Concat(results...), err
}

// momentPlace is where sessions are captured that are asked for moments.
const momentPlace = "middle"

// Later is the run in which what happens happens after a quiet time.
func (r EndRun) Later() EndRun {
	c := *r.Case
	c.Later = quietFor
	r.Case = &c
	return r
}

// moments plays a run once and asks captures of it that miss shares of the packets.
func (r EndRun) moments(losses []float64) (all []*MomentResult, err error) {
	r = r.Later()
	s, err := r.Case.Play(r.Place, r.Seed)
	if err != nil {
		return nil, err
	}
	for _, loss := range losses {
		run := r
		run.Loss = loss
		m, err := run.moment(run.captured(s))
		if err != nil {
			return nil, err
		}
		all = append(all, m)
	}
	return all, nil
}

func (r EndRun) moment(s *tracegen.EndSession) (*MomentResult, error) {
	story, conns, err := toldOf(s)
	if err != nil {
		return nil, err
	}
	m := &MomentResult{Run: r, Want: s.Truth.Must}
	if len(m.Want) == 0 || s.Truth.Cause != "still-open" {
		m.Want = []string{s.Truth.Cause}
		for _, v := range s.Truth.Accept {
			m.Want = append(m.Want, v.Cause)
		}
	}
	m.Want = append(slices.Clone(m.Want), alsoThen[r.Case.Event]...)
	m.Said = string(story.At(s.When+int64(time.Second), conns).Cause)
	m.Quiet = string(story.At(s.When-int64(explain.Around)-int64(10*time.Second), conns).Cause)
	for _, cause := range s.Truth.Must {
		if truth := troubleOf(s, cause); truth[1] > truth[0] {
			m.Cause = cause
			m.Overlap, m.Windowed = overlap(story.Document(conns), cause, truth)
			break
		}
	}
	return m, nil
}

// troubleOf is from when to when a cause worked, by what happened to the datagrams.
func troubleOf(s *tracegen.EndSession, cause string) (span [2]int64) {
	for i := range s.Fates {
		x := &s.Fates[i]
		from, to, bad := x.Sent, x.Sent, false
		switch explain.Cause(cause) {
		case explain.Loss, explain.LossBurst:
			bad = x.Arrived == 0 && !x.Open
		case explain.Delay, explain.Bufferbloat:
			to = x.Arrived
			bad = x.Arrived > 0 && x.Arrived-x.Sent > 2*s.Trip+int64(150*time.Millisecond)
		case explain.Reordering:
			bad = x.Late
		case explain.HiddenCopies:
			bad = x.Copies > 0
		}
		if bad && (span[0] == 0 || from < span[0]) {
			span[0] = from
		}
		if bad {
			span[1] = max(span[1], to)
		}
	}
	return span
}

// overlap is how much of the time for which a cause is said to have worked, or did, both have
// in common; within one second nobody cares.
func overlap(d *explain.Document, cause string, truth [2]int64) (share float64, named bool) {
	var said [2]int64
	for i := range d.Connections {
		for k := range d.Connections[i].Contributing {
			x := &d.Connections[i].Contributing[k]
			if string(x.Cause) != cause {
				continue
			}
			from, to := x.Span()
			if named = true; said[0] == 0 || from < said[0] {
				said[0] = from
			}
			said[1] = max(said[1], to)
		}
	}
	if !named {
		return 0, false
	}
	const slack = int64(time.Second / 2)
	both := min(said[1], truth[1]) - max(said[0], truth[0]) + 2*slack
	either := max(said[1], truth[1]) - min(said[0], truth[0])
	return min(max(float64(both)/float64(max(either, 1)), 0), 1), true
}

// A MomentSum counts them.
type MomentSum struct{ Asked, Right, Quiet, Windows, Covered int }

// SumMoments counts what is right.
func SumMoments(all []*MomentResult) (s MomentSum) {
	for _, r := range all {
		s.Asked++
		if r.Right() {
			s.Right++
		}
		if r.Quiet == "" {
			s.Quiet++
		}
		if r.Windowed {
			s.Windows++
		}
		if r.Windowed && r.Overlap >= windowGoal {
			s.Covered++
		}
	}
	return s
}

const windowGoal = 0.8 // of a window that is in common

// WriteMoments prints what is wrong of moments, then which kinds of sessions are most often
// wrong, then sums.
func WriteMoments(out io.Writer, all []*MomentResult) {
	for _, r := range all {
		if !r.Right() {
			fmt.Fprintf(out, "%-34s at its time %q, want %v\n", r.Run.Name(), r.Said, r.Want)
		}
		if r.Quiet != "" {
			fmt.Fprintf(out, "%-34s at a quiet time %q\n", r.Run.Name(), r.Quiet)
		}
		if r.Windowed && r.Overlap < windowGoal {
			fmt.Fprintf(out, "%-34s window of %s: %.0f%%\n", r.Run.Name(), r.Cause, 100*r.Overlap)
		}
	}
	writeMomentKinds(out, all)
	_, byLoss := groups(all, func(r *MomentResult) string { return percent(r.Run.Loss) })
	for _, loss := range EndLosses {
		if list := byLoss[percent(loss)]; len(list) > 0 && len(byLoss) > 1 {
			fmt.Fprintf(out, "capture loss %s: %s\n", percent(loss), SumMoments(list))
		}
	}
	fmt.Fprintln(out, SumMoments(all))
}

// String says them.
func (s MomentSum) String() string {
	return fmt.Sprintf("%d moments: named %s, nothing at quiet times %s, windows %s of %d", s.Asked, share(s.Right, s.Asked), share(s.Quiet, s.Asked), share(s.Covered, s.Windows), s.Windows)
}

// wrong is in how many ways what is said of a time is wrong.
func (s MomentSum) wrong() int { return s.Asked - s.Right + s.Asked - s.Quiet + s.Windows - s.Covered }

// writeMomentKinds prints what happens, with which protocol, at which loss of the capture, that
// is most often wrong.
func writeMomentKinds(out io.Writer, all []*MomentResult) {
	names, of := groups(all, func(r *MomentResult) string {
		return fmt.Sprintf("%-18s %-6s %4s", r.Run.Case.Event, protoOf(r.Run.Case.Kind), percent(r.Run.Loss))
	})
	wrong := func(name string) int { return SumMoments(of[name]).wrong() }
	names = slices.DeleteFunc(names, func(name string) bool { return wrong(name) == 0 })
	slices.SortStableFunc(names, func(x, y string) int { return wrong(y) - wrong(x) })
	for _, name := range names {
		s := SumMoments(of[name])
		fmt.Fprintf(out, "%s  of %3d: not named %3d, something at a quiet time %3d, another window %3d\n", name, s.Asked, s.Asked-s.Right, s.Asked-s.Quiet, s.Windows-s.Covered)
	}
}
