package sessiontest

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/seq"
)

// A sink is the scene as the tracker sees it. What it is given is copied: the tracker
// uses it again.
type sink Scene

func (s *sink) Frame(fr *dissect.Frame, c *session.Conn) {
	d := *fr.Datagram
	d.Payload = bytes.Clone(d.Payload)
	f := *fr
	f.Datagram, f.Tree = &d, nil
	f.Acks, f.Notes, f.Summary = slices.Clone(fr.Acks), slices.Clone(fr.Notes), slices.Clone(fr.Summary)
	s.Frames, s.ConnOf = append(s.Frames, f), append(s.ConnOf, c)
}

// Acked fails the test for a frame of which it was said that it awaits no acknowledgement:
// the queue of the output may have printed it.
func (s *sink) Acked(at seq.Position, by uint64) {
	s.AckedBy[at.Frame] = by
	for i := len(s.Frames) - 1; i >= 0 && s.Frames[i].Frame >= at.Frame; i-- {
		if f := &s.Frames[i]; f.Frame == at.Frame && f.Part == at.Part && by != 0 && !f.Awaits {
			s.t.Errorf("frame %d awaited nothing and is acknowledged by %d", at.Frame, by)
		}
	}
}

func (s *sink) Message(m *session.Message) {
	c := *m
	c.Payload = slices.Clone(m.Payload)
	s.Messages = append(s.Messages, c)
}

func (s *sink) Finding(f *session.Finding) { s.Findings = append(s.Findings, *f) }

// Last is the latest frame that the tracker showed.
func (s *Scene) Last() *dissect.Frame { return &s.Frames[len(s.Frames)-1] }

// Words are the analysis words of the latest frame.
func (s *Scene) Words() string { return WordNames(s.Last().Words) }

// WordNames spells analysis words.
func WordNames(w dissect.Words) string {
	var names []string
	for i, n := range dissect.WordNames {
		if w>>i&1 != 0 {
			names = append(names, n)
		}
	}
	return strings.Join(names, " ")
}

// Texts ends the capture and gives the messages of a direction as they were delivered,
// those that lack a part in brackets.
func (s *Scene) Texts(dir dissect.Dir) (out []string) {
	s.End()
	for _, m := range s.Messages {
		if m.Dir != dir {
			continue
		}
		text := string(m.Payload)
		if !m.Complete {
			text = "[" + text + "]"
		}
		out = append(out, text)
	}
	return out
}

// Groups ends the capture and gives, for each frame, the place of its connection among
// all; -1 stands for none.
func (s *Scene) Groups() (out string) {
	conns := s.End()
	for _, c := range s.ConnOf {
		out += fmt.Sprint(slices.Index(conns, c))
	}
	return out
}

// Accusations are the findings of rules about faults of endpoints.
func (s *Scene) Accusations() (out []session.Finding) {
	for _, f := range s.Findings {
		if f.Rule.EndpointFault() {
			out = append(out, f)
		}
	}
	return out
}
