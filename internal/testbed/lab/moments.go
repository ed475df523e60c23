package lab

import (
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/dpdissect/dpdissect/internal/explain"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen"
)

// A MomentResult is what is said of the time at which something happened in a session, of a
// quiet time of the same session, and of how long the trouble lasted.
type MomentResult struct {
	Case     string
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
	"starved":         {"unit-starved", "loss"},
}

// notMoments are events that happen at no time, or from the start, and those of which a
// capture half way shows nothing.
var notMoments = []string{"open", "idle-open", "no-answer", "port-closed-before", "refused", "version", "version-silent", "secret", "late-acks", "skew", "idle", "leftover", "gap",
	"nat-expired", "nat-resumed", "idle-cut", "client-restarts", "closed-a"}

// Moments asks of sessions, captured half way, what happened at the time at which it did, and
// at a quiet time. of each so many are played, 0 or 1 for all.
func Moments(sample int) (all []*MomentResult, err error) {
	var list []tracegen.EndCase
	for _, c := range tracegen.EndCases() {
		if !slices.Contains(notMoments, c.Event) && (sample <= 1 || endSample(EndRun{&c, "moment", 0, 1})%uint64(sample) == 0) {
			list = append(list, c)
		}
	}
	results := make([]*MomentResult, len(list))
	var mu sync.Mutex
	parallel(len(list), func(i int) {
		r, bad := moment(list[i])
		mu.Lock()
		defer mu.Unlock()
		if results[i] = r; bad != nil {
			err = bad
		}
	})
	return results, err
}

func moment(c tracegen.EndCase) (*MomentResult, error) {
	c.Later = quietFor
	s, err := c.Play("middle", 1)
	if err != nil {
		return nil, err
	}
	story, conns, err := toldOf(s)
	if err != nil {
		return nil, err
	}
	r := &MomentResult{Case: c.Name(), Want: s.Truth.Must}
	if len(r.Want) == 0 || s.Truth.Cause != "still-open" {
		r.Want = []string{s.Truth.Cause}
		for _, v := range s.Truth.Accept {
			r.Want = append(r.Want, v.Cause)
		}
	}
	r.Want = append(r.Want, alsoThen[c.Event]...)
	r.Said = string(story.At(s.When+int64(time.Second), conns).Cause)
	r.Quiet = string(story.At(s.When-int64(explain.Around)-int64(10*time.Second), conns).Cause)
	for _, cause := range s.Truth.Must {
		if truth := troubleOf(s, cause); truth[1] > truth[0] {
			r.Cause = cause
			r.Overlap, r.Windowed = overlap(story.Document(conns), cause, truth)
			break
		}
	}
	return r, nil
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
			from, to := instant(x.From), instant(x.To)
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
			if r.Overlap >= windowGoal {
				s.Covered++
			}
		}
	}
	return s
}

const windowGoal = 0.8 // of a window that is in common

// WriteMoments prints what is wrong of moments, then sums.
func WriteMoments(out io.Writer, all []*MomentResult) {
	for _, r := range all {
		if !r.Right() {
			fmt.Fprintf(out, "%-32s at its time %q, want %v\n", r.Case, r.Said, r.Want)
		}
		if r.Quiet != "" {
			fmt.Fprintf(out, "%-32s at a quiet time %q\n", r.Case, r.Quiet)
		}
		if r.Windowed && r.Overlap < windowGoal {
			fmt.Fprintf(out, "%-32s window of %s: %.0f%%\n", r.Case, r.Cause, 100*r.Overlap)
		}
	}
	s := SumMoments(all)
	fmt.Fprintf(out, "%d moments: named %s, nothing at quiet times %s, windows %s of %d\n", s.Asked, share(s.Right, s.Asked), share(s.Quiet, s.Asked), share(s.Covered, s.Windows), s.Windows)
}
