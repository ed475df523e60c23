package report

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dpdissect/dpdissect/internal/compare"
	"github.com/dpdissect/dpdissect/internal/terminal"
)

// A comparer is a painter of what two captures show together.
type comparer struct {
	explainer
	d     *compare.Document
	width int
}

// WriteCompareText writes what two captures of one session show together, for people: numbers
// first. What nothing is wrong with is told in one line.
func WriteCompareText(w io.Writer, d *compare.Document, opts TextOptions) error {
	p := comparer{explainer{newPainter(&opts)}, d, min(cmp.Or(max(opts.Width, 0), 80), 80)}
	dst := p.appendHead(nil)
	dst = p.appendClocks(dst)
	var quiet []string
	for i := range d.Connections {
		if c := &d.Connections[i]; c.Quiet() && len(d.Connections) > 1 {
			quiet = append(quiet, "#"+strconv.Itoa(c.ID))
			continue
		}
		dst = p.appendConnection(dst, &d.Connections[i])
	}
	if len(quiet) > 0 {
		dst = p.lines(dst, "", "   ", strings.Join(quiet, ", ")+"  nothing was lost, copied or reordered")
	}
	return (&pieces{w: w}).end(dst)
}

// lines appends words, broken at the width.
func (p *comparer) lines(dst []byte, first, rest, text string) []byte {
	const wide = "\x1f" // two spaces, which stay together
	text = strings.ReplaceAll(terminal.Escaped(text), "  ", wide+" ")
	for i, line := range terminal.Wrap(text, p.width-max(len(first), len(rest))) {
		line = strings.ReplaceAll(line, wide, " ")
		indent := rest
		if i == 0 {
			indent = first
		}
		dst = append(append(append(dst, indent...), line...), '\n')
	}
	return dst
}

// sentence appends words that stand in.
func (p *comparer) sentence(dst []byte, text string) []byte {
	return p.lines(dst, explainIndent, explainIndent, text)
}

func (p *comparer) appendHead(dst []byte) []byte {
	for _, words := range ComparedPoints(p.d) {
		dst = p.lines(dst, "", "   ", words)
	}
	return dst
}

// ComparedPoints says which captures were compared, and what lies between them, a line each.
func ComparedPoints(d *compare.Document) []string {
	from, to := d.Common()
	what := "one session"
	if n := len(d.Connections); n != 1 {
		what += ", " + terminal.Counted(uint64(n), "connection")
	} else {
		what += ", 1 connection"
	}
	if to > from {
		what += fmt.Sprintf(", %.0f s in both", math.Ceil(float64(to-from)/1e9))
	}
	lines := []string{fmt.Sprintf("%s and %s  %s", d.Points[0].Name, d.Points[1].Name, what)}
	if d.SamePoint {
		lines = append(lines, "Nothing shows that anything lies between the two: one place, captured twice. What only one of them has, the other may have missed.")
	}
	for _, m := range d.NAT {
		lines = append(lines, fmt.Sprintf("%s is %s in %s: %s", m.Address1, m.Address2, d.Points[1].Name, terminal.Counted(m.Datagrams, "datagram")))
	}
	return lines
}

func (p *comparer) appendClocks(dst []byte) []byte {
	for _, words := range ComparedClocks(p.d) {
		dst = p.lines(dst, "", "   ", words)
	}
	return dst
}

// ComparedClocks says what the clocks of two captures differ by, and when one of them was set, a
// line each.
func ComparedClocks(d *compare.Document) (lines []string) {
	p, k := &comparer{d: d}, &d.Clock
	for i := range k.Segments {
		if s := &k.Segments[i]; k.Problem == "" || s.Offset != nil || s.AtMost != nil || s.AtLeast != nil { // else the problem says it
			lines = append(lines, p.segment(s, i))
		}
	}
	for i := range k.Steps {
		lines = append(lines, p.step(&k.Steps[i]))
	}
	if k.Problem != "" {
		lines = append(lines, "clocks: "+k.Problem)
	}
	return lines
}

// segment says what the clocks differ by.
func (p *comparer) segment(s *compare.Segment, i int) string {
	k := &p.d.Clock
	other, sign := p.d.Points[2-k.Reference], 1.0
	if k.Reference == 2 {
		sign = -1
	}
	words := "clocks: "
	if i > 0 {
		words = "from " + clockTime(s.From) + ": "
	}
	switch {
	case s.Offset == nil && s.AtMost != nil:
		return words + fmt.Sprintf("only one direction is in both: the second is at most %s ahead", signed(*s.AtMost))
	case s.Offset == nil && s.AtLeast != nil:
		return words + fmt.Sprintf("only one direction is in both: the second is at least %s ahead", signed(*s.AtLeast))
	case s.Offset == nil:
		return words + "not known"
	}
	o := int64(*s.Offset * 1e6 * sign)
	how := "ahead"
	if o < 0 {
		how = "behind"
	}
	if math.Abs(*s.Offset) < *s.Bound {
		words += fmt.Sprintf("they agree within %.1f ms", math.Abs(*s.Offset)+*s.Bound)
	} else {
		words += fmt.Sprintf("%s is %s %s, ± %.1f ms", other.Title(), compare.Length(o), how, *s.Bound)
	}
	if d := s.Drift * sign; math.Abs(d) >= leastDrift {
		words += fmt.Sprintf("; drift %.0f ppm", d)
	}
	if i == 0 && len(k.Steps) == 0 {
		words += "; no step"
	}
	return words
}

// leastDrift is told, ppm: less is noise.
const leastDrift = 5

func signed(ms float64) string {
	if ms < 0 {
		return "-" + compare.Length(int64(ms*1e6))
	}
	return compare.Length(int64(ms * 1e6))
}

// step says when a clock was set.
func (p *comparer) step(s *compare.Step) string {
	what := "one of the clocks was set, "
	if s.Point > 0 {
		what = p.d.Points[s.Point-1].Title() + " clock was set back, "
	}
	small := ""
	for _, g := range p.d.Clock.Segments {
		if g.Bound != nil && math.Abs(s.Size) < *g.Bound {
			small = "; a route that became longer one way and shorter the other looks alike"
		}
	}
	return fmt.Sprintf("step at %s: %sthe second by %s against the first (frames %d and %d of %s)%s", clockTime(s.Time), what, signed(s.Size), s.Frames[0], s.Frames[1], p.d.Points[0].Name, small)
}

// clockTime is the time of the day of a record's time.
func clockTime(at string) string {
	t, err := time.Parse(time.RFC3339Nano, at)
	if err != nil {
		return at
	}
	return t.Format("15:04:05.0")
}

func (p *comparer) appendConnection(dst []byte, c *compare.Connection) []byte {
	dst = p.lines(dst, "", explainIndent, fmt.Sprintf("#%d  %s   %s", c.ID, c.Who(), c.Headline()))
	for _, words := range p.sentences(c) {
		dst = p.sentence(dst, words)
	}
	return dst
}

// ComparedConnection says what both captures show of a connection, a paragraph each.
func ComparedConnection(d *compare.Document, c *compare.Connection) []string {
	return (&comparer{d: d}).sentences(c)
}

func (p *comparer) sentences(c *compare.Connection) []string {
	all := []string{p.losses(c) + " " + p.missed(c)}
	if c.Verdict.DecidedBy != "" || c.Grave() {
		all = append(all, c.Verdict.Sentence+p.packetsOf(c.Verdict.Sentence, c.Verdict.Frames1, c.Verdict.Frames2))
	}
	if c.Verdict.DecidedBy != "" {
		all = append(all, "Decided by: "+c.Verdict.DecidedBy+".")
	}
	all = append(all, p.other(c), p.delays(c), p.longest(c))
	for i := range c.Contributing {
		if x := &c.Contributing[i]; x.Where != "between" { // what happened between the points is told in numbers
			all = append(all, "Also: "+x.Sentence+p.packetsOf(x.Sentence, x.Frames1, x.Frames2))
		}
	}
	return slices.DeleteFunc(all, func(s string) bool { return s == "" })
}

// packetsOf says whose packets the numbers of a sentence are, where it is one capture's.
func (p *comparer) packetsOf(sentence string, frames1, frames2 []uint64) string {
	point := p.d.Points[0]
	switch {
	case !strings.Contains(sentence, "packet ") || len(frames1) > 0 == (len(frames2) > 0):
		return ""
	case len(frames2) > 0:
		point = p.d.Points[1]
	}
	return " Packet numbers are those of " + point.Name + "."
}

// losses says what was lost of both sides.
func (p *comparer) losses(c *compare.Connection) string {
	a, b := c.Directions["a"], c.Directions["b"]
	if a.Fates["lost_between"]+b.Fates["lost_between"] == 0 {
		return fmt.Sprintf("Of %s of %s and %d of %s none was lost between the two capture points%s.", terminal.Counted(a.Sent(), "datagram"), c.Side("a"), b.Sent(), c.Side("b"), p.surely(a, b))
	}
	return fmt.Sprintf("Of %s of %s %d %s lost between the two capture points, %d of %d of %s.", terminal.Counted(a.Sent(), "datagram"), c.Side("a"), a.Fates["lost_between"], wasWere(a.Fates["lost_between"]), b.Fates["lost_between"], b.Sent(), c.Side("b"))
}

func (p *comparer) surely(a, b *compare.Direction) string {
	if a.Fates["uncertain"]+b.Fates["uncertain"] > 0 {
		return " for certain"
	}
	return ""
}

func wasWere(n uint64) string {
	if n == 1 {
		return "was"
	}
	return "were"
}

// missed says what captures lack.
func (p *comparer) missed(c *compare.Connection) string {
	var words []string
	x, y := p.d.Points[0], p.d.Points[1]
	switch {
	case x.Missed+y.Missed == 0:
		words = append(words, "Neither capture missed any.")
	default:
		words = append(words, fmt.Sprintf("In all, %s missed at least %d, %s %d.", x.Name, x.Missed, y.Name, y.Missed))
	}
	if n := c.Directions["a"].Fates["uncertain"] + c.Directions["b"].Fates["uncertain"]; n > 0 {
		words = append(words, fmt.Sprintf("%d more are in one capture alone: lost, or missed by the other.", n))
	}
	if n := c.Directions["a"].Fates["lost_before"] + c.Directions["b"].Fates["lost_before"]; n > 0 {
		words = append(words, fmt.Sprintf("At least %d %s lost before the first point.", n, wasWere(n)))
	}
	return strings.Join(words, " ")
}

// other says what else happened on the way.
func (p *comparer) other(c *compare.Connection) string {
	var words []string
	for _, side := range []string{"a", "b"} {
		d, to := c.Directions[side], c.Side(map[string]string{"a": "b", "b": "a"}[side])
		for _, x := range []struct {
			n    uint64
			what string
		}{{d.Copies, "copies were made on the way"}, {d.Altered, "arrived with other bytes"}, {d.Reordered, "arrived after later ones"}} {
			if x.n > 0 {
				words = append(words, fmt.Sprintf("to %s %d %s", to, x.n, x.what))
			}
		}
	}
	var about []string
	for _, x := range c.ICMP {
		if x.Fate == "lost_between" {
			about = append(about, fmt.Sprintf("frame %d", x.FrameOf))
		}
	}
	if n := uint64(len(about)); n > 0 {
		words = append(words, fmt.Sprintf("%s %s lost on the way, about %s", terminal.Counted(n, "ICMP notice"), wasWere(n), strings.Join(about, ", ")))
	}
	if len(words) == 0 {
		return ""
	}
	text := strings.Join(words, "; ") + "."
	return strings.ToUpper(text[:1]) + text[1:]
}

// delays says how long each direction takes.
func (p *comparer) delays(c *compare.Connection) string {
	a, b := c.Directions["a"], c.Directions["b"]
	most := 0.0
	for _, d := range []*compare.Direction{a, b} {
		if d.Queue != nil {
			most = max(most, d.Queue.Max)
		}
	}
	queue := ""
	if a.Queue != nil || b.Queue != nil {
		queue = fmt.Sprintf("No queue above %.0f ms.", math.Ceil(most))
		if most > loudQueue {
			queue = p.queue(c)
		}
	}
	one := func(d *compare.Direction, named bool) string {
		if named {
			return fmt.Sprintf("%.1f ms (95%%: %.1f, longest %.1f)", d.OneWay.P50, d.OneWay.P95, d.OneWay.Max)
		}
		return fmt.Sprintf("%.1f (%.1f, %.1f)", d.OneWay.P50, d.OneWay.P95, d.OneWay.Max)
	}
	switch {
	case a.OneWay != nil && b.OneWay != nil:
		return fmt.Sprintf("One way: to %s %s, to %s %s, both ± %.1f. %s", c.Side("b"), one(a, true), c.Side("a"), one(b, false), a.OneWay.Bound, queue)
	case a.OneWay != nil:
		return fmt.Sprintf("One way: to %s %s, ± %.1f. %s", c.Side("b"), one(a, true), a.OneWay.Bound, queue)
	case b.OneWay != nil:
		return fmt.Sprintf("One way: to %s %s, ± %.1f. %s", c.Side("a"), one(b, true), b.OneWay.Bound, queue)
	}
	return queue
}

// loudQueue is a queue of which it is told where it was, ms.
const loudQueue = 50

// queue says which direction's queue was longest.
func (p *comparer) queue(c *compare.Connection) string {
	d, to := c.Directions["a"], "b"
	if b := c.Directions["b"]; d.Queue == nil || b.Queue != nil && b.Queue.Max > d.Queue.Max {
		d, to = b, "a"
	}
	return fmt.Sprintf("The longest queue, to %s: %.0f ms more than the least at %s (frames %d and %d).", c.Side(to), d.Queue.Max, clockTime(d.Queue.Time), d.Queue.Frame1, d.Queue.Frame2)
}

// longest says where the longest run of losses was.
func (p *comparer) longest(c *compare.Connection) string {
	d, to := c.Directions["a"].Longest(), "b"
	if b := c.Directions["b"].Longest(); d == nil || b != nil && b.Datagrams > d.Datagrams {
		d, to = b, "a"
	}
	if d == nil || d.Datagrams < 2 {
		return ""
	}
	frames := make([]string, len(d.Frames))
	for i, f := range d.Frames {
		frames[i] = strconv.FormatUint(uint64(f), 10)
	}
	if uint64(len(frames)) < d.Datagrams {
		frames = slices.Concat(frames, []string{"…"})
	}
	return fmt.Sprintf("longest run: %s to %s %s (frames %s)", terminal.Counted(d.Datagrams, "datagram"), c.Side(to), clockTime(d.From), strings.Join(frames, ", "))
}
