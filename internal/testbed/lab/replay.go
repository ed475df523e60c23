package lab

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/seq"
)

// Find makes the subject that Soak names so.
func Find(name string) (*Subject, error) {
	proto, rest, _ := strings.Cut(name, "/")
	if n, is := strings.CutPrefix(rest, "wild-"); is {
		seed, err := strconv.ParseUint(n, 10, 64)
		if s, ok := tracegen.Wild(proto, seed); ok && err == nil {
			return Conforming(&s)
		}
	}
	for _, s := range tracegen.Scenarios() {
		if s.Proto == proto && s.Name == rest {
			return Conforming(&s)
		}
	}
	for _, m := range Mutants() {
		if m.Rule+" "+m.Name == rest {
			return m.Subject()
		}
	}
	return nil, fmt.Errorf("no session %q", name)
}

// Replay prints an edited capture, frame by frame, with all that is found in it.
func (s *Subject) Replay(out io.Writer, ops Ops) {
	s.judge(nil) // learns the habits
	all := s.edited(ops)
	cfg := s.cfg
	cfg.Summaries, cfg.Inconclusive = true, true
	cfg.Sink = printer{out}
	t := session.NewTable(cfg)
	for i := range all {
		t.Add(&all[i])
	}
	t.Close(all[len(all)-1].Time)
	wrong, _ := s.judge(ops)
	for _, f := range wrong {
		fmt.Fprintf(out, "FALSE %s %s, frame %d: %s\n", f.Severity, f.Rule.ID, f.Frame, f.Message)
	}
}

type printer struct{ out io.Writer }

func (p printer) Frame(fr *dissect.Frame, c *session.Conn) {
	fmt.Fprintf(p.out, "%5d %10.6f %v %s\n", fr.Frame, float64(fr.Time%1e12)/1e9, fr.Direction, fr.Summary)
}
func (printer) Acked(seq.Position, uint64) {}
func (printer) Message(*session.Message)   {}

func (p printer) Finding(f *session.Finding) {
	verdict := "fail"
	if !f.Failed() {
		verdict = "inconclusive for " + f.Guard.String()
	}
	fmt.Fprintf(p.out, "      %s %s %s, frame %d %v: %s\n", verdict, f.Severity, f.Rule.ID, f.Frame, f.Frames, f.Message)
}
