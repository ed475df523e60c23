package compare

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dissect/stable"
	"github.com/dpdissect/dpdissect/internal/explain"
)

// byFates are the causes that fates tell: what one capture concludes of them counts no more.
var byFates = map[explain.Cause]bool{explain.Loss: true, explain.Reordering: true, explain.HiddenCopies: true}

// slowQueue is a queue between the points that is told of, ns.
const slowQueue = 100e6

// contributing is what made the connection slow or endangered it, by both captures.
func (j *joint) contributing() []Contribution {
	out := []Contribution{}
	for dir := range dissect.Dirs {
		d := j.x.Directions["ab"[dir:dir+1]]
		for _, x := range []struct {
			cause explain.Cause
			n     uint64
			what  string
		}{
			{explain.Loss, d.Fates["lost_between"], "%d of %s of %s were lost between the two capture points."},
			{explain.Reordering, d.Reordered, "%d of %s of %s arrived after later ones."},
			{explain.HiddenCopies, d.Copies, "%d copies of the %s of %s were made between the two capture points."},
		} {
			if x.n > 0 {
				out = append(out, j.between(dir, d, x.cause, x.n, x.what))
			}
		}
		if n := d.Fates["lost_before"]; n > 0 {
			c := j.between(dir, d, explain.Loss, n, "At least %d of %s of %s were lost before the first capture point.")
			c.Where = "before"
			out = append(out, c)
		}
		if q := d.Queue; q != nil && q.Max*1e6 > slowQueue {
			c := j.between(dir, d, j.queueCause(), 0, "")
			c.From, c.To = q.Time, q.Time
			c.Sentence = fmt.Sprintf("What %s sent waited up to %.0f ms on the way between the capture points, at %s.", j.who(dir), q.Max, q.Time[len("2006-01-02T"):len("2006-01-02T15:04:05")])
			c.Numbers = map[string]float64{"queue_ms": q.Max, "queue_p95_ms": q.P95}
			c.Frames1, c.Frames2 = []uint64{uint64(q.Frame1)}, []uint64{uint64(q.Frame2)}
			out = append(out, c)
		}
	}
	return append(out, j.carried(out)...)
}

// queueCause is bufferbloat where a capture sees that delay grows with what is in flight.
func (j *joint) queueCause() explain.Cause {
	for _, e := range j.told {
		if e != nil && slices.ContainsFunc(e.Contributing, func(c explain.Contribution) bool { return c.Cause == explain.Bufferbloat }) {
			return explain.Bufferbloat
		}
	}
	return explain.Delay
}

// between is a contribution of one direction between the points.
func (j *joint) between(dir dissect.Dir, d *Direction, cause explain.Cause, n uint64, what string) Contribution {
	c := Contribution{Cause: cause, Side: "path", Certainty: explain.Proved, Where: "between", Directions: []string{"ab"[dir : dir+1]}, Frames1: []uint64{}, Frames2: []uint64{}}
	if n == 0 {
		return c
	}
	sent := d.Sent()
	c.Sentence = fmt.Sprintf(what, n, datagrams(int(sent)), j.who(dir))
	c.Numbers = map[string]float64{"datagrams": float64(n), "sent": float64(sent), "rate": float64(n) / float64(sent)}
	if cause != explain.Loss || len(d.Losses) == 0 {
		return c
	}
	c.From, c.To = d.Losses[0].From, d.Losses[len(d.Losses)-1].To
	var frames []uint64
	for _, l := range d.Losses {
		for _, f := range l.Frames {
			if len(frames) < mostTailFrames {
				frames = append(frames, uint64(f))
			}
		}
	}
	if d.First == Point2+1 {
		c.Frames2 = frames
	} else {
		c.Frames1 = frames
	}
	return c
}

// carried are the contributions that one capture alone tells of, each cause and direction once.
func (j *joint) carried(have []Contribution) (out []Contribution) {
	type key struct {
		cause     explain.Cause
		direction string
	}
	known := map[key]bool{}
	for i := range have {
		for _, d := range have[i].Directions {
			known[key{have[i].Cause, d}] = true
			if have[i].Cause == explain.Bufferbloat {
				known[key{explain.Delay, d}] = true
			}
		}
	}
	for at, e := range j.told {
		if e == nil {
			continue
		}
		for i := range e.Contributing {
			x := &e.Contributing[i]
			dir := j.r.sideOf(j.x, at, e.A, x.Direction)
			k := key{x.Cause, dir}
			if byFates[x.Cause] || known[k] || x.Cause == explain.Bufferbloat && j.cleared(dir) {
				continue
			}
			known[k] = true
			c := Contribution{Cause: x.Cause, Side: j.r.sideOf(j.x, at, e.A, x.Side), Certainty: x.Certainty, Directions: []string{}, From: x.From.String(), To: x.To.String(),
				Sentence: x.Sentence, Numbers: x.Numbers, Frames1: []uint64{}, Frames2: []uint64{}}
			if dir != "" {
				c.Directions = []string{dir}
			}
			if at == Point1 {
				c.Frames1 = x.Frames
			} else {
				c.Frames2 = x.Frames
			}
			if x.Cause == explain.SpuriousRetries && dir != "" && !j.needlessly(&c, dissect.Dir(strings.Index("ab", dir))) {
				continue
			}
			out = append(out, c)
		}
	}
	stable.Sort(out, func(a, b Contribution) int {
		return cmp.Compare(certainties[b.Certainty], certainties[a.Certainty])
	})
	return out
}

// cleared reports whether both captures show that no queue is between the points in a direction.
func (j *joint) cleared(dir string) bool {
	d := j.x.Directions[dir]
	return d != nil && d.Queue != nil && d.Queue.Max*1e6 < slowQueue
}
