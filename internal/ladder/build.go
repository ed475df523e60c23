package ladder

import (
	"cmp"
	"slices"

	"github.com/dpdissect/dpdissect/dissect/stable"
	"github.com/dpdissect/dpdissect/internal/explain"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/seq"
)

// Ladder makes the rows, once the run is over, with the findings of the run and what explain
// says. It is nil when no frame of the connection came.
func (c *Collector) Ladder(findings []session.Finding, story *explain.Story) *Ladder {
	if c.conn == nil {
		return nil
	}
	l := &Ladder{Conn: c.conn, Filtered: c.o.Filtered}
	if x, ok := story.Of(c.conn); ok {
		l.Story = &x
	}
	b := &builder{rows: c.rows, at: make(map[uint64]int, len(c.rows))}
	for i := range c.rows {
		b.at[c.rows[i].Frame()] = i
		l.Frames += len(c.rows[i].Frames)
	}
	b.putFindings(findings, c.conn)
	b.putProof(l.Story)
	c.conn.Unpack()
	defer c.conn.Rest()
	b.weave(b.putLosses(c.losses.rows(c.conn)), c.o.All, l.Filtered)
	if l.Rows = b.woven; !c.o.All {
		l.Rows = collapse(b.woven)
	}
	for i := range l.Rows {
		l.Rows[i].name()
	}
	return l
}

// A builder puts to the rows of frames what became known later.
type builder struct {
	rows  []Row
	at    map[uint64]int // places of frames in rows
	woven []Row          // with losses and pauses
}

// putFindings tells broken rules at their frames.
func (b *builder) putFindings(all []session.Finding, conn *session.Conn) {
	for i := range all {
		f := &all[i]
		if at, ok := b.at[f.Frame]; ok && f.Conn == conn && f.Failed() {
			b.rows[at].Findings = append(b.rows[at].Findings, Finding{f.Rule.ID, f.Severity.String(), f.Message})
		}
	}
}

// putProof marks the frames that explain takes as proof.
func (b *builder) putProof(story *explain.Connection) {
	if story == nil {
		return
	}
	v := &story.Verdict
	b.prove(string(v.Cause), append(slices.Clone(v.Frames), v.Frame))
	for i := range story.Contributing {
		b.prove(string(story.Contributing[i].Cause), story.Contributing[i].Frames)
	}
}

func (b *builder) prove(what string, frames []uint64) {
	for _, f := range frames {
		if at, ok := b.at[f]; ok {
			b.rows[at].Proof = once(b.rows[at].Proof, what)
		}
	}
	for i := range b.rows {
		for k := range b.rows[i].Notices {
			if n := &b.rows[i].Notices[k]; slices.Contains(frames, n.Frame) {
				n.Proof = once(n.Proof, what)
			}
		}
	}
}

// once adds a word that is not there yet.
func once(list []string, word string) []string {
	if slices.Contains(list, word) {
		return list
	}
	return append(list, word)
}

// putLosses makes the frames that were lost after the capture point losses, and gives the
// rows of the others by the places in front of which they stand.
func (b *builder) putLosses(all []Row) map[int][]Row {
	beside := map[int][]Row{}
	stable.Sort(all, func(x, y Row) int { return cmp.Or(cmp.Compare(x.From, y.From), cmp.Compare(x.Num, y.Num)) })
	for _, x := range all {
		at, ok := b.at[x.Before]
		if !ok {
			continue
		}
		r := &b.rows[at]
		if x.Lost == seq.AfterCapture && r.From == x.From && r.Datagrams == 1 && r.Kind == Frame {
			r.Kind, r.Lost, r.Num = Loss, x.Lost, x.Num
			continue
		}
		x.Time, x.Until, x.HasTime = r.Time, r.Time, r.HasTime
		beside[at] = append(beside[at], x)
	}
	return beside
}

// weave puts losses and pauses between the frames.
func (b *builder) weave(losses map[int][]Row, all, filtered bool) {
	b.woven = make([]Row, 0, len(b.rows))
	var p pauses
	for i := range b.rows {
		r := &b.rows[i]
		if from, ok := p.next(r, all); ok {
			b.woven = append(b.woven, Row{Kind: Pause, Time: from, Until: r.Time, HasTime: true, Label: pauseLabel(r.Time-from, filtered)})
		}
		b.woven = append(append(b.woven, losses[i]...), *r)
	}
}

// pauseLeast is how long a time without a frame must be to be told, in ns.
const pauseLeast = 1e9

// rhythm is among how many gaps before a pause one half as long makes it usual: frames that
// come at long intervals are no news.
const rhythm = 4

// pauses find the times without a frame that are told.
type pauses struct {
	last   int64 // latest time
	some   bool
	recent [rhythm]int64
	n      int
}

// next takes the next frame, and gives since when there was none.
func (p *pauses) next(r *Row, all bool) (from int64, told bool) {
	if !r.HasTime {
		return 0, false
	}
	if !p.some {
		p.last, p.some = r.Time, true
		return 0, false
	}
	from = p.last
	gap := max(0, r.Time-from)
	told = gap >= pauseLeast && (all || gap > 2*slices.Max(p.recent[:]))
	p.recent[p.n%rhythm] = gap
	p.n++
	p.last = max(p.last, r.Time)
	return from, told
}
