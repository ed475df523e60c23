package lab

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/dpdissect/dpdissect/internal/testbed/tracegen"
	"github.com/dpdissect/dpdissect/session"
)

// SoakOptions say how long Soak works and on what.
type SoakOptions struct {
	Frames  int64         // judged in all, about
	Time    time.Duration // stop after that, 0 for no limit
	Seed    uint64        // of the first session; others follow
	Protos  []string      // none: all
	Only    string        // part of the subject's name
	Rounds  int           // edits of each session
	Workers int
	Mutants bool // edit the captures of mutants, too
}

// A Soak is what came of it.
type Soak struct {
	Frames   map[string]map[string]int64 // judged, by protocol and condition
	Sessions map[string]int
	Faults   []*Fault // false findings, one a rule, the smallest
	Elapsed  time.Duration
	Err      error
}

// A Fault is a rule that was found broken by an edit.
type Fault struct {
	Rule    string
	Count   int64  // findings
	Subject string // in which it was found first
	Ops     Ops    // minimal edit
	Finding string
}

// Run edits generated sessions and judges what is left until enough is judged.
func (o SoakOptions) Run() *Soak {
	w := &soaker{opts: o, start: time.Now(), faults: map[string]*Fault{},
		result: &Soak{Frames: map[string]map[string]int64{}, Sessions: map[string]int{}}}
	var all sync.WaitGroup
	jobs := make(chan job)
	for range max(o.Workers, 1) {
		all.Go(func() {
			for j := range jobs {
				w.work(j)
			}
		})
	}
	w.feed(jobs)
	close(jobs)
	all.Wait()
	w.result.Elapsed = time.Since(w.start)
	w.result.Faults = slices.SortedFunc(maps.Values(w.faults), func(a, b *Fault) int { return cmp.Compare(a.Rule, b.Rule) })
	return w.result
}

// A soaker is a Soak at work.
type soaker struct {
	opts   SoakOptions
	start  time.Time
	mu     sync.Mutex
	judged int64
	faults map[string]*Fault
	result *Soak
}

// A job makes a subject; its edits follow from seed.
type job struct {
	make func() (*Subject, error)
	seed uint64
}

func (w *soaker) enough() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.judged >= w.opts.Frames || w.opts.Time > 0 && time.Since(w.start) >= w.opts.Time
}

// feed gives the scenarios that are kept with the project, the mutants, and then
// random sessions without end.
func (w *soaker) feed(jobs chan<- job) {
	for _, s := range kept() {
		if w.wanted(s.Proto, s.Name) && !w.enough() {
			jobs <- job{func() (*Subject, error) { return Conforming(&s) }, s.Seed}
		}
	}
	if w.opts.Mutants {
		for i, m := range Mutants() {
			if w.wanted(m.proto(), m.Rule+" "+m.Name) && !w.enough() {
				jobs <- job{m.Subject, uint64(i)}
			}
		}
	}
	for seed := w.opts.Seed; !w.enough(); seed++ {
		for _, p := range speakers {
			if s, ok := tracegen.Wild(p.Name, seed); ok && w.wanted(s.Proto, s.Name) {
				jobs <- job{func() (*Subject, error) { return Conforming(&s) }, seed}
			}
		}
	}
}

func (w *soaker) wanted(proto, name string) bool {
	return (len(w.opts.Protos) == 0 || slices.Contains(w.opts.Protos, proto)) && strings.Contains(name, w.opts.Only)
}

// kept are the scenarios that are kept with the project in which all endpoints
// keep the rules.
func kept() []tracegen.Scenario {
	return slices.DeleteFunc(tracegen.Scenarios(), func(s tracegen.Scenario) bool {
		return slices.ContainsFunc(faulty, func(part string) bool { return strings.Contains(s.Proto+"/"+s.Name, part) })
	})
}

// faulty are parts of the names of scenarios in which datagrams are forged, or in which
// endpoints break rules on purpose.
var faulty = []string{
	"forged", "malformed", "garbage", "dp8/full-signed-lossy", "dp4/nacks-of-unreliable", "dp4/extended-data-frames", "hazel/strays",
}

// work makes a subject and judges its edits.
func (w *soaker) work(j job) {
	s, err := j.make()
	if err != nil {
		w.mu.Lock()
		w.result.Err = err
		w.mu.Unlock()
		return
	}
	if len(s.all) < 2 {
		return
	}
	r := rand.New(rand.NewPCG(j.seed, 5))
	frames := map[string]int64{}
	for round := range w.opts.Rounds {
		ops, condition := RandomOps(r, s, round)
		wrong, n := s.judge(ops)
		if s.mutant != nil {
			condition = "of mutants"
		}
		frames[condition] += int64(n)
		for i := range wrong {
			w.blame(s, ops, &wrong[i])
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	of := w.result.Frames[s.Proto]
	if of == nil {
		of = map[string]int64{}
		w.result.Frames[s.Proto] = of
	}
	w.result.Sessions[s.Proto]++
	for condition, n := range frames {
		of[condition] += n
		w.judged += n
	}
}

// RandomOps is an edit of a subject and its name: none in round 0, else one to three.
func RandomOps(r Dice, s *Subject, round int) (ops Ops, name string) {
	if round == 0 {
		return nil, "as it is"
	}
	n := 1 + r.IntN(3)
	for range n {
		e := &Edits[r.IntN(len(Edits))]
		ops, name = append(ops, e.RandomOps(r, s)...), e.Name
	}
	if n > 1 {
		name = "combined"
	}
	return ops, name
}

// blame enters a false finding; the first of a rule is made small.
func (w *soaker) blame(s *Subject, ops Ops, f *session.Finding) {
	w.mu.Lock()
	fault := w.faults[f.Rule.ID]
	first := fault == nil
	if first {
		fault = &Fault{Rule: f.Rule.ID, Subject: s.String()}
		w.faults[f.Rule.ID] = fault
	}
	fault.Count++
	w.mu.Unlock()
	if !first {
		return
	}
	small := s.shrink(ops, f.Rule.ID)
	text := s.explain(small, f.Rule.ID)
	w.mu.Lock()
	fault.Ops, fault.Finding = small, text
	w.mu.Unlock()
}

// explain says what the rule finds in an edited capture.
func (s *Subject) explain(ops Ops, rule string) string {
	wrong, n := s.judge(ops)
	for _, f := range wrong {
		if f.Rule.ID == rule {
			return fmt.Sprintf("%s, frame %d of %d: %s", f.Severity, f.Frame, n, f.Message)
		}
	}
	return "not found again"
}

// Write prints a soak.
func (s *Soak) Write(out io.Writer) {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	protos := slices.Sorted(maps.Keys(s.Frames))
	fmt.Fprintf(t, "frames judged\t%s\t\n", strings.Join(protos, "\t"))
	total := int64(0)
	row := func(name string) {
		fmt.Fprintf(t, "%s\t", name)
		for _, p := range protos {
			fmt.Fprintf(t, "%d\t", s.Frames[p][name])
			total += s.Frames[p][name]
		}
		fmt.Fprintln(t)
	}
	row("as it is")
	for _, e := range Edits {
		row(e.Name)
	}
	row("combined")
	row("of mutants")
	fmt.Fprintf(t, "sessions\t")
	for _, p := range protos {
		fmt.Fprintf(t, "%d\t", s.Sessions[p])
	}
	fmt.Fprintln(t)
	t.Flush()
	fmt.Fprintf(out, "\n%d frames in %v, %.0f a second\n", total, s.Elapsed.Round(time.Millisecond), float64(total)/s.Elapsed.Seconds())
	for _, f := range s.Faults {
		fmt.Fprintf(out, "\nFALSE %s, %d findings\n  %s\n  go run ./internal/testbed/lab/cmd/lab replay %q %q\n", f.Rule, f.Count, f.Finding, f.Subject, f.Ops.String())
	}
	if s.Err != nil {
		fmt.Fprintf(out, "\nERROR %v\n", s.Err)
	} else if len(s.Faults) == 0 {
		fmt.Fprintln(out, "no false findings")
	}
}
