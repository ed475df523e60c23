package lab

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/protocols"
	"github.com/dpdissect/dpdissect/internal/reduce"
	weighing "github.com/dpdissect/dpdissect/internal/verdict"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/conform"
)

// A Reduced is what became of the capture of a mutant that was reduced to one finding.
type Reduced struct {
	Mutant  string
	Target  reduce.Target
	Packets int // of the whole capture
	Result  *reduce.Result
	Again   bool // a second run gave the same bytes
	Stays   bool // the capture shows the finding, check --expect passes, and no packet can be left out where that is said
	Took    time.Duration
}

// maxTries is what the command takes by default.
const maxTries = 2000

// Reduce reduces the capture of a mutant to the first finding of each rule that it has.
func (m *Mutant) Reduce() (all []Reduced, err error) {
	file, _, err := m.capture()
	if err != nil {
		return nil, err
	}
	cfg, err := m.config()
	if err != nil {
		return nil, err
	}
	cfg.Inconclusive = false
	judge := &reduce.Judge{Config: cfg, Policy: weighing.NewPolicy(), Book: book(), Today: "2024-05-01"}
	found, packets, err := judgeFile(judge, file)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for i := range found {
		if f := &found[i]; !seen[f.Rule.ID] {
			seen[f.Rule.ID] = true
			r, err := reduceTo(judge, file, f)
			if err != nil {
				return nil, fmt.Errorf("%s, %s: %w", m.Name, f.Rule.ID, err)
			}
			r.Mutant, r.Packets = m.Rule+" "+m.Name, packets
			all = append(all, *r)
		}
	}
	return all, nil
}

// book has the rules of all protocols.
func book() *weighing.Book {
	var all []conform.Rule
	for _, p := range protocols.All(protocols.Options{}) {
		all = append(all, p.Rules...)
	}
	return weighing.NewBook(all, session.Quality)
}

func judgeFile(j *reduce.Judge, file []byte) ([]session.Finding, int, error) {
	src, err := capture.Open([]string{"-"}, capture.Options{Stdin: bytes.NewReader(file)})
	if err != nil {
		return nil, 0, err
	}
	defer src.Close()
	found, err := j.Findings(src, 1)
	return found, int(src.Totals().Packets), err
}

// reduceTo reduces a capture twice, and looks whether the result is what it says.
func reduceTo(j *reduce.Judge, file []byte, f *session.Finding) (*Reduced, error) {
	o := reduce.Options{Judge: j, MaxTries: maxTries, Open: func() (*capture.Source, error) {
		return capture.Open([]string{"-"}, capture.Options{Stdin: bytes.NewReader(file)})
	}}
	r := &Reduced{Target: reduce.TargetOf(f)}
	start := time.Now()
	var err error
	if r.Result, err = reduce.Reduce(o, f); err != nil {
		return nil, err
	}
	r.Took = time.Since(start)
	again, err := reduce.Reduce(o, f)
	if err != nil {
		return nil, err
	}
	r.Again = bytes.Equal(again.File, r.Result.File)
	r.Stays, err = r.stays(j)
	return r, err
}

// stays reads the reduced capture as somebody would who was given it.
func (r *Reduced) stays(j *reduce.Judge) (bool, error) {
	has := func(file []byte, frame uint64) (bool, error) {
		found, _, err := judgeFile(j, file)
		want := r.Target
		want.Frame = frame
		return slices.ContainsFunc(found, func(f session.Finding) bool { return reduce.TargetOf(&f) == want }), err
	}
	ok, err := has(r.Result.File, r.Result.Frame)
	if ok && err == nil {
		ok, err = r.isExpected(j)
	}
	for at := range r.Result.Frames {
		if !ok || err != nil || !r.Result.Minimal {
			break
		}
		frame := r.Result.Frame
		if frame == uint64(at+1) {
			continue
		}
		if frame > uint64(at+1) {
			frame--
		}
		shorter, e := lessOne(r.Result.File, at)
		if e != nil {
			return false, e
		}
		var still bool
		still, err = has(shorter, frame)
		ok = !still
	}
	return ok, err
}

// isExpected reports whether a check finds what it is to expect.
func (r *Reduced) isExpected(j *reduce.Judge) (bool, error) {
	text := weighing.Expect(r.Result.Findings).Append(nil)
	expected, err := weighing.ReadExpectation("expect", text, j.Book)
	if err != nil {
		return false, err
	}
	found, _, err := judgeFile(j, r.Result.File)
	if err != nil {
		return false, err
	}
	result, err := weighing.Decide(j.Policy, j.Book, nil, j.Today, &weighing.Run{Findings: found, Expected: expected})
	return err == nil && result.Outcome == weighing.Pass && len(expected.Findings) > 0, err
}

// lessOne gives a capture without one of its packets.
func lessOne(file []byte, at int) ([]byte, error) {
	in, err := capture.NewReader(bytes.NewReader(file))
	if err != nil {
		return nil, err
	}
	defer in.Close()
	var out bytes.Buffer
	var w *capture.Writer
	var rec capture.Record
	for i := 0; ; i++ {
		switch err := in.Next(&rec); {
		case err == io.EOF:
			if w == nil {
				return nil, io.ErrUnexpectedEOF
			}
			return out.Bytes(), w.Flush()
		case err != nil:
			return nil, err
		}
		if w == nil {
			if w, err = capture.NewWriter(&out, capture.WriterOptions{Format: "pcapng", Nanoseconds: true, Interfaces: []capture.Interface{{Link: rec.Link}}}); err != nil {
				return nil, err
			}
		}
		if i != at {
			if err := w.Write(&rec); err != nil {
				return nil, err
			}
		}
	}
}

// WriteReduced prints what became of captures, the largest last, and whether all is well:
// half of them have 10 packets at most, 9 of 10 have 40, all are minimal and come out the same
// twice.
func WriteReduced(out io.Writer, all []Reduced) bool {
	slices.SortStableFunc(all, func(a, b Reduced) int { return len(a.Result.Frames) - len(b.Result.Frames) })
	ok, tries := len(all) > 0, 0
	var took, most time.Duration
	for _, r := range all {
		wrong := ""
		switch {
		case !r.Stays:
			wrong = "  IS NOT WHAT IT SAYS"
		case !r.Again:
			wrong = "  DIFFERS THE SECOND TIME"
		case !r.Result.Minimal:
			wrong = "  not minimal"
		}
		ok = ok && r.Stays && r.Again
		tries, took, most = tries+r.Result.Tries, took+r.Took, max(most, r.Took)
		fmt.Fprintf(out, "%4d of %4d packets, %4d tries, %6v  %s in %s%s\n", len(r.Result.Frames), r.Packets, r.Result.Tries, r.Took.Round(time.Millisecond), r.Target.Rule, r.Mutant, wrong)
	}
	if len(all) == 0 {
		return false
	}
	median, ninth := len(all[len(all)/2].Result.Frames), len(all[len(all)*9/10].Result.Frames)
	fmt.Fprintf(out, "\n%d findings: half of the captures have %d packets at most, 9 of 10 have %d; %d tries, %v of one processor each, %v at most\n",
		len(all), median, ninth, tries, (took / time.Duration(len(all))).Round(time.Millisecond), most.Round(time.Millisecond))
	return ok && median <= 10 && ninth <= 40
}
