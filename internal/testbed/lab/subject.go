package lab

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp8"
	dp8track "github.com/dpdissect/dpdissect/dp8/track"
	"github.com/dpdissect/dpdissect/internal/protocols"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/conform"
)

// A Subject is a capture whose every edit is judged, and what may be found in it.
type Subject struct {
	Proto, Name string

	all    []dissect.Datagram
	side   []uint8 // of the sender, 1 or 2
	ends   map[dissect.Endpoint]uint8
	cfg    session.Config
	habits map[string]bool // notes on the capture as it is
	mutant *Mutant         // who broke a rule, or nearly did
	guilty [3]bool         // sides that broke it
	faults []int           // by what: places, in order
}

// Conforming makes a subject of endpoints that keep all rules.
func Conforming(s *tracegen.Scenario) (*Subject, error) {
	file, truth, err := s.Generate()
	if err != nil {
		return nil, err
	}
	sub := &Subject{Proto: s.Proto, Name: s.Name, habits: map[string]bool{}, cfg: session.Config{Protocols: speakers}}
	if known := secrets(truth); known != nil && s.Seed%2 == 0 {
		sub.cfg.Protocols = protocols.All(protocols.Options{DP8: dp8track.Options{Secrets: known}})
	}
	return sub, sub.read(file)
}

// secrets are those of a capture that does not show them.
func secrets(truth *tracegen.Truth) (all []dp8.SuppliedSecrets) {
	for _, c := range truth.Connections {
		if c.Secrets != nil && c.Secrets.Needed {
			s, err := dp8.ParseSecret(strings.Join([]string{strings.TrimPrefix(c.SessionID, "0x"), c.Secrets.InForceConnector, c.Secrets.InForceListener, "full", "current"}, ":"))
			if err != nil {
				panic(err) // the generator wrote it
			}
			all = append(all, s)
		}
	}
	return all
}

// speakers are all protocols; tables share them.
var speakers = protocols.All(protocols.Options{})

func (s *Subject) read(file []byte) (err error) {
	if s.all, err = readAll(bytes.NewReader(file)); err != nil {
		return fmt.Errorf("%s: %w", s, err)
	}
	s.sides()
	return nil
}

// Subject makes one of the mutant.
func (m *Mutant) Subject() (*Subject, error) {
	file, faults, err := m.capture()
	if err != nil {
		return nil, err
	}
	s := &Subject{Proto: m.proto(), Name: m.Rule + " " + m.Name, mutant: m}
	if s.cfg, err = m.config(); err != nil {
		return nil, err
	}
	s.cfg.Inconclusive = false
	err = s.read(file)
	s.convict(faults)
	return s, err
}

// convict finds out who is to blame: the senders of the faults, or who did not regard
// them; both sides of a mutant that marks none. A near miss marks what it can't do
// without: a fault that somebody comes near to regarding.
func (s *Subject) convict(faults []int) {
	both := len(faults) == 0 && !s.mutant.Near
	s.guilty = [3]bool{false, both, both}
	unheeded := map[uint64]uint8{}
	for _, f := range findingsOf(s.all, s.cfg) {
		if f.Failed() && f.Rule.ID == s.mutant.Rule {
			unheeded[f.Frame] = s.faultySide(&f)
		}
	}
	for i := range s.all {
		frame := s.all[i].Frame
		if !slices.Contains(faults, int(frame)) {
			continue
		}
		s.faults = append(s.faults, i)
		if by, is := unheeded[frame]; is {
			s.guilty[by] = true
		} else {
			s.guilty[s.side[i]] = true
		}
	}
}

func (s *Subject) String() string { return s.Proto + "/" + s.Name }

// sides tells the senders apart: who answers is on the other side.
func (s *Subject) sides() {
	s.side = make([]uint8, len(s.all))
	of := map[dissect.Endpoint]uint8{}
	s.ends = of
	for i := range s.all {
		d := &s.all[i]
		if of[d.Src] == 0 {
			of[d.Src] = 1
			if other := of[d.Dst]; other != 0 {
				of[d.Src] = 3 - other
			}
		}
		if of[d.Dst] == 0 {
			of[d.Dst] = 3 - of[d.Src]
		}
		s.side[i] = of[d.Src]
	}
}

// judge gives the findings that should not be in an edited capture of the
// subject, and how many datagrams it has.
func (s *Subject) judge(ops Ops) (wrong []session.Finding, datagrams int) {
	all := s.edited(ops)
	found := findingsOf(all, s.cfg)
	if len(ops) == 0 && s.mutant == nil {
		s.learn(found)
		s.learn(findingsOf(s.all, s.forced()))
	}
	return slices.DeleteFunc(found, func(f session.Finding) bool { return s.excused(&f) }), len(all)
}

// excused reports whether a finding is no false positive. A mutant may be
// faultySide of more than it did, its peer of nothing.
func (s *Subject) excused(f *session.Finding) bool {
	if !f.Failed() || !f.Rule.EndpointFault() {
		return true
	}
	if m := s.mutant; m != nil {
		if f.Severity == conform.Note || slices.Contains(m.Also, f.Rule.ID) || slices.Contains(actedRules, f.Rule.ID) {
			return true
		}
		return s.guilty[s.faultySide(f)] && !(m.Near && f.Rule.ID == m.Rule)
	}
	return f.Severity == conform.Note && s.habits[f.Rule.ID]
}

// learn learns the habits of endpoints from the capture as it is. What a frame of which no
// signature can be verified looks like is one, too: nobody forges.
func (s *Subject) learn(found []session.Finding) {
	for i := range found {
		if f := &found[i]; f.Severity == conform.Note && (f.Failed() || f.Guard == conform.GuardAuth) {
			s.habits[f.Rule.ID] = true
		}
	}
}

// forced is how the capture is read where it does not show by itself, or late, which protocol its
// endpoints speak.
func (s *Subject) forced() session.Config {
	cfg := s.cfg
	i := slices.IndexFunc(cfg.Protocols, func(p *session.Protocol) bool { return p.Name == s.Proto })
	cfg.Force, cfg.Inconclusive = []session.Force{{Lo: 0, Hi: 65535, Protocol: cfg.Protocols[i]}}, true
	return cfg
}

// actedRules are rules against acting on a frame that must be ignored. The capture may
// have missed the frame that was acted on instead, and nothing in it can show that;
// where all endpoints keep the rules, there are no such frames.
var actedRules = []string{
	"DP8-2.2.2-KA-ACTED", "DP8-SIG-ACTED", "DP8-SIG-UNSIGNED-ACTED", "DP4-2.2.2-CMDEXT-ACTED", "DP4-3.1.5.2-RANGE",
}

// faultySide is the side that a finding is about; of both, one that is guilty.
func (s *Subject) faultySide(f *session.Finding) uint8 {
	switch {
	case f.Dir == session.SideA:
		return s.ends[f.Conn.A]
	case f.Dir == session.SideB:
		return s.ends[f.Conn.B]
	case s.guilty[1]:
		return 1
	}
	return 2
}

// findingsOf judges datagrams and gives findings alone.
func findingsOf(all []dissect.Datagram, cfg session.Config) []session.Finding {
	var sink findings
	cfg.Sink = &sink
	t := session.NewTable(cfg)
	end := int64(0)
	for i := range all {
		t.Add(&all[i])
		end = max(end, all[i].Time)
	}
	t.Close(end)
	return sink.list
}

// marksRetries reports whether the bytes of a datagram show that it is sent again.
func (s *Subject) marksRetries() bool {
	switch s.Proto {
	case "dp4", "dp8":
		return true
	case "knet":
		conns := connectionsOf(s.all, s.cfg)
		return len(conns) > 0 && !slices.ContainsFunc(conns, func(c *session.Conn) bool { return c.Dialect != "reference" })
	}
	return false
}

// connectionsOf are the connections of a capture.
func connectionsOf(all []dissect.Datagram, cfg session.Config) []*session.Conn {
	t := session.NewTable(cfg)
	for i := range all {
		t.Add(&all[i])
	}
	t.Close(all[len(all)-1].Time)
	return t.Conns()
}

// GoString keeps reports of failed properties short.
func (s *Subject) GoString() string { return s.String() }
