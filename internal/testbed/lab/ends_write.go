package lab

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// WriteEnds prints what is said of sessions whose end is known: a line for each that is
// wrong, left open though it could be told, or says something false beside it, then sums.
func WriteEnds(out io.Writer, all []*EndResult) {
	for _, r := range all {
		if s := r.complaint(); s != "" {
			fmt.Fprintf(out, "%-44s %s\n", r.Run.Name(), s)
		}
	}
	s := sumEnds(all)
	fmt.Fprintf(out, "\n%d runs: %s\n", len(all), s)
	if !s.Good() {
		fmt.Fprintf(out, "goals: named right %.0f%%, named of the decidable %.0f%%, nobody blamed\n", 100*endsRightGoal, 100*endsNamedGoal)
	}
}

// complaint says what is not as it should be.
func (r *EndResult) complaint() string {
	var parts []string
	said := cmp.Or(r.Cause, "nothing")
	if r.Side != "" {
		said += ":" + r.Side
	}
	if r.Sure {
		said += " (proved)"
	}
	switch {
	case r.Mark == endWrong:
		parts = append(parts, "WRONG says "+said+", want "+r.want())
	case r.Mark == endOpen && r.Truth.Decidable:
		parts = append(parts, "open says "+said+", want "+r.want())
	case r.Run.Loss == 0 && r.Mark == endRight && !r.First():
		parts = append(parts, "second-best says "+said+", want "+r.want())
	}
	if r.Other != "" {
		parts = append(parts, "and says "+r.Other+" of the next connection")
	}
	if r.Blamed {
		parts = append(parts, "BLAMED")
	}
	if len(r.Lacking) > 0 && r.Run.Loss == 0 {
		parts = append(parts, "lacks "+strings.Join(r.Lacking, " "))
	}
	if len(r.False) > 0 {
		parts = append(parts, "FALSE "+strings.Join(r.False, " "))
	}
	for _, x := range r.Untrue {
		parts = append(parts, "UNTRUE "+x)
	}
	for _, x := range r.Unknown {
		parts = append(parts, "UNKNOWN "+x)
	}
	if len(r.Doubt) > 0 {
		parts = append(parts, "doubtful "+strings.Join(r.Doubt, " "))
	}
	return strings.Join(parts, "; ")
}

func (r *EndResult) want() string {
	var all []string
	for _, v := range r.Truth.Accept {
		all = append(all, v.Cause+":"+strings.Join(v.Sides, ","))
	}
	return strings.Join(all, " ")
}

// An EndSum counts runs.
type EndSum struct {
	Runs, Decidable     int
	Right, Open, Wrong  int // of all
	Named               int // right, of the decidable
	Blamed              int
	Must, Found, Untrue int // contributing causes: to be named, named of them, false ones that are said to be proved
	Sentences, Lies     int // said, and not true of what happened to each datagram, or not known
}

// Goals of what is said of ends.
const (
	endsRightGoal = 0.99 // of those named
	endsNamedGoal = 0.90 // of the decidable
)

// Good reports whether the goals are met.
func (s EndSum) Good() bool {
	return float64(s.Right) >= endsRightGoal*float64(s.Right+s.Wrong) && float64(s.Named) >= endsNamedGoal*float64(s.Decidable) && s.Blamed == 0
}

func sumEnds(all []*EndResult) (s EndSum) {
	for _, r := range all {
		s.Runs++
		switch r.Mark {
		case endRight:
			s.Right++
		case endOpen:
			s.Open++
		default:
			s.Wrong++
		}
		if r.Truth.Decidable {
			s.Decidable++
			if r.Mark == endRight {
				s.Named++
			}
		}
		if r.Blamed {
			s.Blamed++
		}
		s.Must += len(r.Truth.Must)
		s.Found += len(r.Truth.Must) - len(r.Lacking)
		s.Untrue += len(r.False)
		s.Sentences += r.Sentences
		s.Lies += len(r.Untrue) + len(r.Unknown)
	}
	return s
}

func (s EndSum) String() string {
	return fmt.Sprintf("named right %s of those named (%d wrong), named %s of %d decidable, %d undecided; blamed wrongly %d; contributing: %d of %d named, %d false; sentences: %d of %d untrue",
		share(s.Right, s.Right+s.Wrong), s.Wrong, share(s.Named, s.Decidable), s.Decidable, s.Open, s.Blamed, s.Found, s.Must, s.Untrue, s.Lies, s.Sentences)
}

// groups splits results by a key.
func groups[R any](all []R, key func(R) string) (names []string, of map[string][]R) {
	of = map[string][]R{}
	for _, r := range all {
		of[key(r)] = append(of[key(r)], r)
	}
	return slices.Sorted(maps.Keys(of)), of
}
