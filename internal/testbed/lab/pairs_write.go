package lab

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/dpdissect/dpdissect/internal/testbed/pairs"
)

// A PairResult is what is said of one pair, compared with what is true.
type PairResult struct {
	Run    PairRun
	Kept   bool // identifications are the same at both points
	Calm   bool // half a minute over a way that jitters little
	Fates  *FateCount
	Clocks *ClockCount
	Err    error
}

// Goals of what is said of pairs.
const (
	fateGoal  = 0.997 // of each pair, where identifications are others
	falseGoal = 0.003 // losses said of what the second capture missed
	midGoal   = 0.3   // ms
	driftGoal = 5     // ppm
)

// Pairs takes pairs and tells what compare says of them.
func Pairs(o PairOptions) []*PairResult {
	runs := o.runs()
	all := make([]*PairResult, len(runs))
	parallel(len(runs), func(i int) { all[i] = runs[i].judge(o.Program) })
	return all
}

func (r PairRun) judge(program string) *PairResult {
	out := &PairResult{Run: r, Fates: &FateCount{}, Clocks: &ClockCount{}}
	p, err := r.Take()
	if err != nil {
		out.Err = err
		return out
	}
	said, err := compared(program, p)
	if out.Kept = p.Truth.Identified; err != nil {
		out.Err = err
		return out
	}
	out.Calm = r.Live != nil || r.staging().long
	out.Fates, out.Clocks = JudgePair(p, said, out.Calm)
	return out
}

// JudgePair compares what is said of a pair with what is true.
func JudgePair(p *pairs.Pair, said *Compared, calm bool) (*FateCount, *ClockCount) {
	owners := [2]map[int]*pairs.Datagram{{}, {}}
	for i := range p.Truth.Datagrams {
		d := &p.Truth.Datagrams[i]
		for point := range owners {
			for _, f := range d.Frames[point] {
				owners[point][f] = d
			}
		}
	}
	owner := func(r *Passage) *pairs.Datagram {
		if d := owners[0][r.Frame1]; d != nil {
			return d
		}
		return owners[1][r.Frame2]
	}
	return judgeFates(p, said, p.Truth.Identified), judgeClocks(p, said, calm, owner)
}

// complaint says what is not as it should be.
func (r *PairResult) complaint() string {
	if r.Err != nil {
		return r.Err.Error()
	}
	var parts []string
	f, c := r.Fates, r.Clocks
	wrong := f.Marks[fateWrong]
	if r.Kept && wrong > 0 || float64(wrong) > (1-fateGoal)*float64(f.Total()) {
		parts = append(parts, fmt.Sprintf("WRONG %d of %d fates: %s", wrong, f.Total(), f.confused()))
	}
	if f.False > 0 {
		parts = append(parts, fmt.Sprintf("LOST %d of %d that arrived", f.False, f.Missed))
	}
	if f.Nowhere[2] > 0 {
		parts = append(parts, fmt.Sprintf("%d beyond those in neither capture", f.Nowhere[2]))
	}
	for i, of := range [][3]int{f.Copies, f.Altered, f.Late} {
		if of[1] != of[0] || of[2] > 0 {
			parts = append(parts, fmt.Sprintf("%s: %d said (%d falsely) of %d", []string{"copies", "altered", "reordered"}[i], of[1], of[2], of[0]))
		}
	}
	if c.Outside > 0 {
		parts = append(parts, fmt.Sprintf("BOUND of %d of %d segments is false by up to %.3f ms", c.Outside, c.Segments, c.Beyond))
	}
	if c.Found < c.Steps || c.Invented > 0 {
		parts = append(parts, fmt.Sprintf("steps: %d of %d found, %d invented", c.Found, c.Steps, c.Invented))
	}
	if c.Middle > midGoal && !r.asymmetric() {
		parts = append(parts, fmt.Sprintf("offset off by %.3f ms", c.Middle))
	}
	if c.Drift > driftGoal {
		parts = append(parts, fmt.Sprintf("drift off by %.1f ppm", c.Drift))
	}
	if c.BeyondBound > 0 {
		parts = append(parts, fmt.Sprintf("%d of %d one-way delays are off by more than the bound", c.BeyondBound, c.Timed))
	}
	if r.Calm && (c.NearQueue < c.Directions || c.Near < c.Directions && !r.asymmetric()) {
		parts = append(parts, fmt.Sprintf("delays: %d of %d directions within %.1f ms (queue %d); off by %s, queue %s", c.Near, c.Directions, nearDelay, c.NearQueue, triple(c.OneWay), triple(c.Queue)))
	}
	for _, x := range f.Faults {
		parts = append(parts, "FAULT "+x)
	}
	return strings.Join(parts, "; ")
}

// asymmetric reports whether one direction of the way is slower, so that the offset can be
// known to its bound alone.
func (r *PairResult) asymmetric() bool { return r.Run.Scene == "slower" }

func triple(x [3]float64) string { return fmt.Sprintf("%.2f/%.2f/%.2f", x[0], x[1], x[2]) }

// confused tells which fates were taken for which.
func (c *FateCount) confused() string {
	keys := slices.SortedFunc(maps.Keys(c.Said), func(a, b [2]string) int {
		return cmp.Or(c.Said[b]-c.Said[a], cmp.Compare(a[0]+a[1], b[0]+b[1]))
	})
	var parts []string
	for _, k := range keys {
		if k[1] != pairs.Uncertain || k[0] == pairs.Delivered || k[0] == pairs.MissedByFirst {
			parts = append(parts, fmt.Sprintf("%s said to be %s %d", k[0], k[1], c.Said[k]))
		}
	}
	return strings.Join(parts, ", ")
}

// WritePairs prints what is said of pairs: a line for each that is wrong, then the sums.
func WritePairs(out io.Writer, all []*PairResult, ends []*PairedEnd) {
	for _, r := range all {
		if s := r.complaint(); s != "" {
			fmt.Fprintf(out, "%-28s %s\n", r.Run.Name(), s)
		}
	}
	for _, e := range ends {
		if s := e.complaint(); s != "" {
			fmt.Fprintf(out, "%-44s %s\n", e.Run.Name(), s)
		}
	}
	fmt.Fprintln(out)
	p := &paper{out: out, whole: true}
	p.pairs(all, ends)
}

// WritePairAccuracy writes its part of docs/accuracy.md.
func WritePairAccuracy(out io.Writer, all []*PairResult, ends []*PairedEnd) {
	p := &paper{out: out}
	p.pairs(all, ends)
}

// complaint says what both captures show worse than one, or wrongly.
func (e *PairedEnd) complaint() string {
	if e.Err != nil {
		return e.Err.Error()
	}
	r := e.Results[byBoth]
	s := r.complaint()
	if e.Worse() {
		s = fmt.Sprintf("WORSE client %s:%s, server %s:%s; ", e.Results[byClient].Cause, e.Results[byClient].Side, e.Results[byServer].Cause, e.Results[byServer].Side) + cmp.Or(s, "both say "+r.Cause+":"+r.Side)
	}
	if e.ByBoth() && !e.Decided {
		s = strings.TrimPrefix(s+"; proved by both alone, and not said by what", "; ")
	}
	return s
}

// pairs writes what compare says of two captures of generated sessions.
func (p *paper) pairs(all []*PairResult, ends []*PairedEnd) {
	p.say("## Two captures of one session")
	sum, clocks := sumPairs(all)
	p.say("What `compare` says of %s pairs of captures of generated sessions, %s datagrams, of which the fate, the delay and both\n"+
		"clocks are known: each condition with each protocol, half of the seeds with the same IP identifications at both points and half\n"+
		"with others. The way takes 10 to 60 ms; it loses 2%%, doubles 0.5%% and lets 1%% be overtaken, unless the condition says otherwise.\n"+
		"*Undecided* are datagrams said to be `uncertain`, of those at the first point alone. `lab pairs` takes them and names each\n"+
		"pair that is wrong; `lab pairs -only NAME -w PREFIX` writes its captures and what is true of them.", count(len(all)), count(sum.Total()))
	p.fates(all)
	p.resolved(all)
	p.clocks(all, clocks)
	p.pairedEnds(ends)
}

func sumPairs(all []*PairResult) (*FateCount, *ClockCount) {
	f, c := &FateCount{}, &ClockCount{}
	for _, r := range all {
		f.add(r.Fates)
		c.add(r.Clocks)
	}
	return f, c
}

// byScene are the results of each scene, in the order of the scenes.
func byScene(all []*PairResult, each func(s *scene, of []*PairResult)) {
	_, of := groups(all, func(r *PairResult) string { return r.Run.Scene })
	for i := range pairScenes {
		if list := of[pairScenes[i].name]; len(list) > 0 {
			each(&pairScenes[i], list)
		}
	}
}

func identified(all []*PairResult, yes bool) (list []*PairResult) {
	for _, r := range all {
		if r.Kept == yes {
			list = append(list, r)
		}
	}
	return list
}

// fates writes what is said of datagrams.
func (p *paper) fates(all []*PairResult) {
	p.say("### Where datagrams went")
	p.say("Wrong fates, of so many datagrams; where identifications are others, datagrams that look alike may stand for each other. *Worst* is the greatest share of wrong fates of one pair.")
	var rows [][]string
	row := func(name string, list []*PairResult) {
		cells := []string{name}
		for _, yes := range []bool{true, false} {
			part := identified(list, yes)
			s, _ := sumPairs(part)
			worst := 0.0
			for _, r := range part {
				worst = max(worst, float64(r.Fates.Marks[fateWrong])/float64(max(1, r.Fates.Total())))
			}
			cells = append(cells, fmt.Sprintf("%s of %s", count(s.Marks[fateWrong]), count(s.Total())))
			if !yes {
				cells = append(cells, fmt.Sprintf("%.2f%%", 100*worst))
			}
		}
		s, _ := sumPairs(list)
		rows = append(rows, append(cells, thirdOf(s.Copies), thirdOf(s.Altered), thirdOf(s.Late)))
	}
	byScene(all, func(s *scene, of []*PairResult) { row(s.what, of) })
	row("all", all)
	p.table([]string{"condition", "identifications kept", "others", "worst", "copies said of true (false)", "changed", "reordered"}, rows)
}

func thirdOf(x [3]int) string {
	if x == [3]int{} {
		return "-"
	}
	return fmt.Sprintf("%s of %s (%d)", count(x[1]-x[2]), count(x[0]), x[2])
}

// resolved writes what is said of datagrams that one capture alone shows.
func (p *paper) resolved(all []*PairResult) {
	p.say("### What one capture alone shows")
	p.say(`Of datagrams at the first point alone: those that arrived, and that the second capture missed, and those that were lost.
*Said to be lost* is false, per 1,000 that arrived.`)
	var rows [][]string
	row := func(name string, list []*PairResult) {
		if s, _ := sumPairs(list); s.Missed > 0 {
			open := s.Said[[2]string{pairs.MissedBySecond, pairs.Uncertain}]
			rows = append(rows, []string{name, count(s.Missed), share(s.Resolved, s.Missed), share(open, s.Missed), fmt.Sprintf("%.1f", 1000*float64(s.False)/float64(s.Missed)),
				count(s.Lost), share(s.Lost-s.Doubted, s.Lost), share(s.Doubted, s.Lost)})
		}
	}
	byScene(all, func(s *scene, of []*PairResult) { row(s.what, of) })
	row("all", all)
	p.table([]string{"condition", "arrived", "said to be missed", "uncertain", "said to be lost, per 1,000", "lost", "said to be lost", "uncertain"}, rows)
}

// clocks writes what is said of clocks and delays.
func (p *paper) clocks(all []*PairResult, _ *ClockCount) {
	p.say("### Clocks and one-way delays")
	p.say(`Segments are the times between steps of a clock. *Offset* is the greatest error in the middle of a segment, *drift* of segments
of 15 s or more, both of sessions of half a minute over a way that jitters little; others are short, and their way jitters by up to an eighth. Delays are those of directions with 20 datagrams or more: how many have their p50, p95 and greatest
within %.1f ms, and the greatest errors of the three, ms; where the way is longer in one direction the error is known to be within
the bound alone.`, nearDelay)
	var rows [][]string
	row := func(name string, list []*PairResult) {
		_, c := sumPairs(list)
		calm := func(format string, x float64) string {
			if !slices.ContainsFunc(list, func(r *PairResult) bool { return r.Calm }) {
				return "-"
			}
			return fmt.Sprintf(format, x)
		}
		rows = append(rows, []string{name, count(c.Segments), strconv.Itoa(c.Outside), calm("%.3f ms", c.Middle), calm("%.1f ppm", c.Drift), count(c.BeyondBound),
			fmt.Sprintf("%d of %d (%d)", c.Found, c.Steps, c.Invented), fmt.Sprintf("%d of %d", c.Near, c.Directions), triple(c.OneWay), fmt.Sprintf("%d of %d", c.NearQueue, c.Directions), triple(c.Queue)})
	}
	byScene(all, func(s *scene, of []*PairResult) { row(s.what, of) })
	row("all", all)
	p.table([]string{"condition", "segments", "truth beyond the bound", "offset", "drift", "delays beyond the bound", "steps found (invented)", "one-way near", "errors", "queue near", "errors"}, rows)
}

// pairedEnds writes what is said of ends by who sees one side, and who sees both.
func (p *paper) pairedEnds(ends []*PairedEnd) {
	if len(ends) == 0 {
		return
	}
	p.say("### How connections end, from one side and from both")
	p.say("Named right / undecided / wrong in percent, of what an honest observer may say there; then how often what truly happened is proved. Captured at\n" +
		"both machines; both captures miss 0, 2 and 20%% of the packets.")
	ends = slices.DeleteFunc(slices.Clone(ends), func(e *PairedEnd) bool { return e.Err != nil })
	names, of := groups(ends, func(e *PairedEnd) string { return e.Run.Case.Event })
	var rows [][]string
	for _, name := range append(names, "") {
		list, label := of[name], name
		if name == "" {
			list, label = ends, "all"
		}
		row := []string{label, count(len(list))}
		var proved []string
		for by := range nSayers {
			var results []*EndResult
			sure := 0
			for _, e := range list {
				results = append(results, e.Results[by])
				if e.Proved[by] {
					sure++
				}
			}
			s := sumEnds(results)
			row = append(row, thirds(s.Right, s.Open, s.Wrong, s.Runs))
			proved = append(proved, share(sure, len(list)))
		}
		rows = append(rows, append(row, proved...))
	}
	p.table([]string{"what happens", "sessions", "client", "server", "both", "proved: client", "server", "both"}, rows)
	worse, more := 0, 0
	only := map[string]int{}
	for _, e := range ends {
		if e.Worse() {
			worse++
		}
		if e.ByBoth() {
			more++
			only[e.Results[byBoth].Cause]++
		}
	}
	p.say("Proved by both, and by neither alone: %d of %s: %s. Told by one side alone, and not by both: %d.", more, count(len(ends)), tally(only), worse)
}

// Failures tell which goals what is said of a pair does not meet.
func (r *PairResult) Failures() (all []string) {
	fail := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	if r.Err != nil {
		fail("%v", r.Err)
		return all
	}
	f, c := r.Fates, r.Clocks
	// What is said falsely of those that arrived has a goal of its own.
	if wrong := f.Marks[fateWrong] - f.False; r.Kept && wrong > 0 || float64(wrong) > max(1, (1-fateGoal)*float64(f.Total())) {
		fail("%d of %d fates wrong: %s", wrong, f.Total(), f.confused())
	}
	if len(f.Faults) > 0 {
		fail("%s", f.Faults[0])
	}
	if c.Outside > 0 || c.BeyondBound > 0 {
		fail("the truth is beyond the bound of %d of %d segments, of %d of %d delays", c.Outside, c.Segments, c.BeyondBound, c.Timed)
	}
	if c.Found < c.Steps || c.Invented > 0 {
		fail("%d of %d steps found, %d invented", c.Found, c.Steps, c.Invented)
	}
	if c.Drift > driftGoal || c.Middle > midGoal && !r.asymmetric() {
		fail("offset off by %.3f ms, drift by %.1f ppm", c.Middle, c.Drift)
	}
	if r.Calm && (c.NearQueue < c.Directions || c.Near < c.Directions && !r.asymmetric()) {
		fail("%d of %d directions have their delays within %.1f ms, %d their queues", c.Near, c.Directions, nearDelay, c.NearQueue)
	}
	return all
}

// PairsGood tells which goals are not met.
func PairsGood(all []*PairResult, ends []*PairedEnd) error {
	bad := 0
	for _, r := range all {
		if len(r.Failures()) > 0 {
			bad++
		}
	}
	worse := 0
	for _, e := range ends {
		if e.Err != nil || e.Worse() {
			worse++
		}
	}
	s, _ := sumPairs(all)
	if untrue := float64(s.False) > falseGoal*float64(s.Missed); untrue || bad+worse > 0 {
		return fmt.Errorf("goals are not met: %d of %d pairs, %d of %d ends, %d of %d datagrams that arrived said to be lost", bad, len(all), worse, len(ends), s.False, s.Missed)
	}
	return nil
}
