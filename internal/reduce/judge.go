package reduce

import (
	"bytes"
	"slices"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/pipeline"
	"github.com/dpdissect/dpdissect/internal/verdict"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
)

// A Judge finds what 'dpdissect check' finds.
type Judge struct {
	Config session.Config
	Policy *verdict.Policy
	Book   *verdict.Book
	Today  string // for suppressions that expire
}

// Findings are those of a capture that count, by frame. What else decides over a check, as
// budgets do, is not asked.
func (j *Judge) Findings(src *capture.Source, workers int) ([]session.Finding, error) {
	r := pipeline.Run{Source: src, Config: j.Config, Workers: workers}
	var found pipeline.Findings
	found.Attach(&r)
	if err := r.Do(); err != nil {
		return nil, err
	}
	return j.Weigh(&r, found.All())
}

// Weigh takes those out of the findings of a run that its rules file suppresses or turns off.
func (j *Judge) Weigh(r *pipeline.Run, all []session.Finding) ([]session.Finding, error) {
	r.Conns() // a suppression may name one by its number
	p := *j.Policy
	p.Budgets, p.Certainty, p.Required = nil, verdict.Certainty{}, nil
	result, err := verdict.Decide(&p, j.Book, nil, j.Today, &verdict.Run{Findings: all})
	if err != nil {
		return nil, err
	}
	return result.Findings, nil
}

// open gives the packets of a file in memory.
func open(file []byte) (*capture.Source, error) {
	return capture.Open([]string{"-"}, capture.Options{Stdin: bytes.NewReader(file)})
}

// A Target is the finding that must stay.
type Target struct {
	Rule     string
	Severity conform.Severity
	Failed   bool
	Frame    uint64 // in the input, 0 for none
}

// TargetOf is what stays of a finding.
func TargetOf(f *session.Finding) Target {
	return Target{f.Rule.ID, f.Severity, f.Failed(), f.Frame}
}

// at is the finding in a list, nil where it is not there. frame gives the number in the input
// of a frame.
func (t *Target) at(list []session.Finding, frame func(uint64) uint64) *session.Finding {
	i := slices.IndexFunc(list, func(f session.Finding) bool {
		is := TargetOf(&f)
		if is.Frame != 0 {
			is.Frame = frame(is.Frame)
		}
		return is == *t
	})
	if i < 0 {
		return nil
	}
	return &list[i]
}

// tie looks which packets belong together: the parts of a handshake, a frame with those that
// repeat it, and with the one that acknowledges it where that carries nothing else.
func (j *Judge) tie(src *capture.Source) (groups, error) {
	cfg := j.Config
	cfg.Links = true
	s := &tieSink{handshakes: map[*session.Conn]uint64{}}
	r := pipeline.Run{Source: src, Config: cfg, Workers: 1, Sink: func(int) session.Sink { return s }}
	err := r.Do()
	for _, f := range s.frames {
		for _, of := range f.acks {
			if !f.awaits {
				s.groups.join(of, f.frame)
			}
		}
	}
	return s.groups, err
}

// A tieSink notes what the tracker says of frames.
type tieSink struct {
	groups     groups
	frames     []acking
	handshakes map[*session.Conn]uint64
}

// An acking frame acknowledges others.
type acking struct {
	frame  uint64
	acks   []uint64
	awaits bool // it is to be acknowledged itself
}

// Frame implements session.Sink.
func (s *tieSink) Frame(fr *dissect.Frame, c *session.Conn) {
	if fr.RetryOf != 0 {
		s.groups.join(fr.RetryOf, fr.Frame)
	}
	if len(fr.Acks) > 0 {
		s.frames = append(s.frames, acking{fr.Frame, slices.Clone(fr.Acks), fr.Awaits || fr.AckedIn != 0})
	}
	if c != nil && fr.Words.Has(dissect.Handshake) {
		if first, ok := s.handshakes[c]; ok {
			s.groups.join(first, fr.Frame)
		} else {
			s.handshakes[c] = fr.Frame
		}
	}
}

func (*tieSink) Acked(seq.Position, uint64) {}
func (*tieSink) Message(*session.Message)   {}
func (*tieSink) Finding(*session.Finding)   {}
