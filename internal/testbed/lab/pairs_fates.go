package lab

import (
	"fmt"
	"slices"

	"github.com/dpdissect/dpdissect/internal/testbed/pairs"
)

// What is said of a datagram's fate.
const (
	fateRight = iota
	fateOpen  // uncertain, of what one capture alone shows
	fateWrong
	nFateMarks
)

// A FateCount counts what is said of datagrams.
type FateCount struct {
	Marks    [nFateMarks]int
	Said     map[[2]string]int // by true fate and said one
	Missed   int               // that arrived, at the first point alone
	False    int               // of them, said to be lost
	Resolved int               // of them, said to be missed
	Lost     int               // truly, at the first point alone
	Doubted  int               // of them, said to be uncertain
	Copies   [3]int            // made by the way: true, said, said of datagrams that have none
	Altered  [3]int
	Late     [3]int
	Nowhere  [3]int   // in neither capture: said lost before, said missed by both, said beyond the true number
	Faults   []string // frames in no record or in two, and the like
}

// Total is how many datagrams there are.
func (c *FateCount) Total() int { return c.Marks[fateRight] + c.Marks[fateOpen] + c.Marks[fateWrong] }

func (c *FateCount) add(o *FateCount) {
	for i := range c.Marks {
		c.Marks[i] += o.Marks[i]
	}
	if c.Said == nil {
		c.Said = map[[2]string]int{}
	}
	for k, n := range o.Said {
		c.Said[k] += n
	}
	c.Missed, c.False, c.Resolved = c.Missed+o.Missed, c.False+o.False, c.Resolved+o.Resolved
	c.Lost, c.Doubted = c.Lost+o.Lost, c.Doubted+o.Doubted
	for i := range c.Copies {
		c.Copies[i] += o.Copies[i]
		c.Altered[i] += o.Altered[i]
		c.Late[i] += o.Late[i]
		c.Nowhere[i] += o.Nowhere[i]
	}
	c.Faults = append(c.Faults, o.Faults...)
}

// A fateJudge compares records with the truth.
type fateJudge struct {
	*FateCount
	pair  *pairs.Pair
	said  *Compared
	by    [2]map[int]*Passage        // records by frame, of first transmissions and copies
	owner [2]map[int]*pairs.Datagram // datagrams by frame
	exact bool
}

// judgeFates compares what is said of each datagram with what became of it. Where
// identifications are kept it is to be right of each; where they are not, datagrams that look
// alike may stand for each other.
func judgeFates(p *pairs.Pair, said *Compared, exact bool) *FateCount {
	j := &fateJudge{&FateCount{Said: map[[2]string]int{}}, p, said, [2]map[int]*Passage{{}, {}}, [2]map[int]*pairs.Datagram{{}, {}}, exact}
	j.index()
	var open []verdictOf
	for i := range p.Truth.Datagrams {
		d := &p.Truth.Datagrams[i]
		if !d.UDP || d.Whole[0] == 0 && d.Whole[1] == 0 || j.torn(d) {
			continue
		}
		r := j.record(d)
		v := verdictOf{d, r, j.mark(d, r)}
		if v.mark == fateWrong && !exact {
			open = append(open, v)
			continue
		}
		j.count(v)
	}
	for _, v := range exchanged(open) {
		j.count(v)
	}
	j.nowhere()
	return j.FateCount
}

// A verdictOf is what is said of a datagram.
type verdictOf struct {
	d    *pairs.Datagram
	r    *Passage
	mark int
}

func (j *fateJudge) fault(format string, args ...any) {
	if len(j.Faults) < 20 {
		j.Faults = append(j.Faults, fmt.Sprintf(format, args...))
	}
}

// index finds records and datagrams by frame, and frames that stand in two records or in none.
func (j *fateJudge) index() {
	for i := range j.said.Passages {
		r := &j.said.Passages[i]
		for point := range j.by {
			first, copies := r.frames(point)
			for _, f := range append([]int{first}, copies...) {
				if f == 0 {
					continue
				}
				if j.by[point][f] != nil {
					j.fault("frame %d of point %d stands in two records", f, point+1)
				}
				j.by[point][f] = r
			}
		}
	}
	for i := range j.pair.Truth.Datagrams {
		d := &j.pair.Truth.Datagrams[i]
		for point := range d.Frames {
			for _, f := range d.Frames[point] {
				j.owner[point][f] = d
			}
			if f := d.Whole[point]; f != 0 && d.UDP && !j.torn(d) && j.by[point][f] == nil {
				j.fault("frame %d of point %d stands in no record", f, point+1)
			}
		}
	}
}

// torn reports a datagram in fragments of which a capture keeps the beginnings alone: nobody
// can put them together.
func (j *fateJudge) torn(d *pairs.Datagram) bool {
	c := &j.pair.Plan.Points
	return d.Parts > 1 && c[0].Snaplen+c[1].Snaplen > 0
}

// record is what is said of a datagram.
func (j *fateJudge) record(d *pairs.Datagram) *Passage {
	for _, point := range []int{d.First, 1 - d.First} {
		if r := j.by[point][d.Whole[point]]; r != nil {
			return r
		}
	}
	return nil
}

// mark says how right a record is about a datagram.
func (j *fateJudge) mark(d *pairs.Datagram, r *Passage) int {
	if r == nil || r.Fate == pairs.Delivered && d.Fate == pairs.Delivered && !j.same(d, r) {
		return fateWrong
	}
	if j.pair.Truth.Same && r.Fate == pairs.Uncertain && d.Fate != pairs.Delivered {
		return fateRight // nothing lies between
	}
	return markFate(d, r.Fate)
}

// markFate says how right a fate is of a datagram.
func markFate(d *pairs.Datagram, said string) int {
	switch {
	case said == d.Fate, d.Edge && said == pairs.Outside:
		return fateRight
	case d.Fate == pairs.Outside && d.Edge && (said == pairs.MissedByFirst || said == pairs.MissedBySecond):
		return fateRight
	case said == pairs.Uncertain && (d.Fate == pairs.LostBetween || d.Fate == pairs.MissedBySecond || d.Fate == pairs.Outside):
		return fateOpen
	}
	return fateWrong
}

// same reports whether both frames of a record are those of a datagram, or of one that looks
// alike where nothing tells them apart.
func (j *fateJudge) same(d *pairs.Datagram, r *Passage) bool {
	for point := range d.Frames {
		f, copies := r.frames(point)
		if slices.ContainsFunc(append([]int{f}, copies...), func(f int) bool { return slices.Contains(d.Frames[point], f) }) {
			continue
		}
		o := j.owner[point][f]
		if j.exact || o == nil || o.Alike != d.Alike {
			return false
		}
	}
	return true
}

func (j *fateJudge) count(v verdictOf) {
	d, r := v.d, v.r
	said := "nothing"
	if r != nil {
		said = r.Fate
	}
	j.Marks[v.mark]++
	if v.mark != fateRight {
		j.Said[[2]string{d.Fate, said}]++
	}
	switch d.Fate {
	case pairs.MissedBySecond:
		j.Missed++
		if v.mark == fateWrong && said == pairs.LostBetween {
			j.False++
		}
		if v.mark == fateRight {
			j.Resolved++
		}
	case pairs.LostBetween:
		j.Lost++
		if v.mark == fateOpen {
			j.Doubted++
		}
	case pairs.Delivered:
		if r != nil {
			j.marks(d, r)
		}
	}
}

// marks counts what is said of a delivered datagram besides.
func (j *fateJudge) marks(d *pairs.Datagram, r *Passage) {
	copies := [2][]int{r.Copies1, r.Copies2}
	tally := func(of *[3]int, truth, said bool) {
		if truth {
			of[0]++
		}
		if said {
			of[1]++
		}
		if said && !truth {
			of[2]++
		}
	}
	tally(&j.Copies, d.Copies > 0, len(copies[1-d.First]) > len(copies[d.First]))
	tally(&j.Altered, d.Altered, r.Altered)
	tally(&j.Late, d.Late, r.Reordered)
}

// exchanged gives the verdicts about datagrams that look alike, where their fates may be
// those of each other.
func exchanged(open []verdictOf) []verdictOf {
	for i := range open {
		a := &open[i]
		if a.mark != fateWrong || a.r == nil {
			continue
		}
		for k := i + 1; k < len(open); k++ {
			b := &open[k]
			if b.mark != fateWrong || b.r == nil || a.d.Alike != b.d.Alike || a.r.Fate == b.r.Fate {
				continue
			}
			if x, y := markFate(a.d, b.r.Fate), markFate(b.d, a.r.Fate); x != fateWrong && y != fateWrong {
				a.mark, b.mark = x, y
				break
			}
		}
	}
	return open
}

// nowhere compares how many datagrams are said to be in neither capture.
func (j *fateJudge) nowhere() {
	said, real := 0, 0
	for i := range j.said.Passages {
		switch j.said.Passages[i].Fate {
		case pairs.LostBefore:
			j.Nowhere[0]++
			said++
		case pairs.MissedByBoth:
			j.Nowhere[1]++
			said++
		}
	}
	for i := range j.pair.Truth.Datagrams {
		if d := &j.pair.Truth.Datagrams[i]; d.UDP && d.Whole[0] == 0 && d.Whole[1] == 0 {
			real++
		}
	}
	j.Nowhere[2] = max(0, said-real)
}
