package pipeline

import (
	"fmt"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/internal/state"
	"github.com/dpdissect/dpdissect/session"
)

// standing is what a run knows between two packets, beside its tables.
type standing struct {
	spread spread
	end    int64
	latest int64
}

// codec makes what writes and reads what the run has come to, with values that others keep.
func (r *Run) codec(others []any) (*state.Codec, []any) {
	types := session.Types()
	protocols := r.protocols()
	for _, p := range protocols {
		types = append(types, p.Types...)
	}
	c := state.New(types...)
	for i, x := range session.Fixed() {
		c.Share(fmt.Sprint("session ", i), x)
	}
	c.Fix("quality", session.Quality)
	for _, p := range protocols {
		fixProtocol(c, p)
	}
	c.Fix("force", r.Config.Force)
	for i, t := range r.tables {
		for k, x := range t.Fixed() {
			c.Fix(fmt.Sprint("table ", i, " ", k), x)
		}
	}
	roots := []any{&standing{}}
	for _, t := range r.tables {
		roots = append(roots, t)
	}
	roots = append(roots, others...)
	c.Begin(roots...)
	return c, roots
}

// protocols are those that may be followed.
func (r *Run) protocols() []*session.Protocol {
	all := append([]*session.Protocol(nil), r.Config.Protocols...)
	for i := range r.Config.Force {
		all = append(all, r.Config.Force[i].Protocol)
	}
	return all
}

func fixProtocol(c *state.Codec, p *session.Protocol) {
	c.Fix(p.Name, p)
	c.Fix(p.Name+" protocol", p.Protocol)
	for _, n := range p.Neighbours {
		c.Fix(n.Name+" protocol", n)
	}
	c.Fix(p.Name+" rules", p.Rules)
	for i, x := range p.Fixed {
		c.Fix(fmt.Sprint(p.Name, " ", i), x)
	}
}

var _ = dissect.Dirs
