package lab

import (
	"fmt"
	"io"
	"strings"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/protocols"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
)

// readAll reads what a tracker is shown of a capture: datagrams and ICMP notices.
func readAll(r io.Reader) (all []dissect.Datagram, err error) {
	src, err := capture.Open([]string{"-"}, capture.Options{Stdin: r})
	if err != nil {
		return nil, err
	}
	defer src.Close()
	for {
		p, ok := src.Next()
		if !ok {
			return all, nil
		}
		if p.Class == capture.UDP || p.Class == capture.Unreachable {
			d := p.Datagram
			d.Payload = append([]byte(nil), d.Payload...)
			all = append(all, d)
		}
	}
}

// config is what the mutant's capture is checked with.
func (m *Mutant) config() (session.Config, error) {
	var opts protocols.Options
	if m.Secrets != "" {
		s, err := dp8.ParseSecrets("secrets", strings.NewReader(m.Secrets))
		if err != nil {
			return session.Config{}, err
		}
		opts.DP8.Secrets = s
	}
	cfg := session.Config{Protocols: protocols.All(opts), Profile: m.Profile, Inconclusive: true}
	if m.As == "" {
		return cfg, nil
	}
	name, dialect, _ := strings.Cut(m.As, ":")
	for _, p := range cfg.Protocols {
		if p.Name == name {
			cfg.Force = []session.Force{{Lo: 0, Hi: 65535, Protocol: p, Dialect: dialect}}
			return cfg, nil
		}
	}
	return cfg, fmt.Errorf("no protocol %q", name)
}

// findings is a sink that keeps findings alone.
type findings struct{ list []session.Finding }

func (*findings) Frame(*dissect.Frame, *session.Conn) {}
func (*findings) Acked(seq.Position, uint64)          {}
func (*findings) Message(*session.Message)            {}
func (s *findings) Finding(f *session.Finding)        { s.list = append(s.list, *f) }

// check judges datagrams.
func check(all []dissect.Datagram, cfg session.Config) *Result {
	var sink findings
	cfg.Sink = &sink
	t := session.NewTable(cfg)
	end := int64(0)
	for i := range all {
		t.Add(&all[i])
		end = max(end, all[i].Time)
	}
	t.Close(end)
	session.JudgeMoves(t.Conns())
	r := &Result{Findings: sink.list, Tallies: map[string]conform.Tally{}, Conns: len(t.Conns())}
	for _, p := range cfg.Protocols {
		for i, tally := range t.Tallies(p) {
			if tally.Opportunities() > 0 {
				r.Tallies[p.Rules[i].ID] = tally
			}
		}
	}
	for i, tally := range t.QualityTallies() {
		if tally.Opportunities() > 0 {
			r.Tallies[session.Quality[i].ID] = tally
		}
	}
	return r
}
