package pipeline

import (
	"crypto/sha256"
	"fmt"
	"slices"

	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/state"
	"github.com/dpdissect/dpdissect/session"
)

// A State lets a run go on where another one stood, or leaves where it stands, for a capture
// that comes in pieces.
type State struct {
	From []byte // what a run before left, nil to begin without
	Most int64  // how much memory that may take
	Gap  bool   // packets are missing in front of what is read

	// Kept gives pointers to what others keep from piece to piece, once the sinks of the run were made.
	Kept func() []any
	// Leave takes what is left once all was read, and how much memory reading that takes; nil for nobody.
	Leave func(state []byte, memory int64) error
	// Snapshot takes what Run.Snapshot leaves; nil for nobody.
	Snapshot func(state []byte, memory int64) error
	// Resumed is told that the run goes on from a state, once it was read; nil for nobody.
	Resumed func()
}

// A standing is where a run stands between two packets, beside its tables.
type standing struct {
	spread spread
	end    int64
	latest int64
	chain  *capture.Chain
	rounds rounds // of EveryCaptured
	amid   bool   // it was left by Snapshot: some packets were read and not tracked
}

// resume goes on from what a run before left.
func (r *Run) resume() error {
	if r.State == nil || r.State.From == nil && !r.State.Gap {
		return nil
	}
	s, resumed := &standing{chain: new(capture.Chain)}, r.State.From != nil
	if resumed {
		c, roots := r.codec(s)
		if err := c.Read(r.State.From, r.State.Most, roots...); err != nil {
			return err
		}
		r.State.From = nil
	}
	r.spread, r.end, r.latest = s.spread, s.end, s.latest
	if r.rounds != nil {
		r.rounds.next, r.rounds.end, r.rounds.back = s.rounds.next, s.rounds.end, s.rounds.back
	}
	r.Source.Continue(s.chain, r.State.Gap || s.amid)
	if resumed && r.State.Resumed != nil {
		r.State.Resumed()
	}
	return nil
}

// leave leaves where the run stands.
func (r *Run) leave() error {
	if r.State == nil || r.State.Leave == nil {
		return nil
	}
	return r.write(false, r.State.Leave)
}

// Snapshot leaves where the run stands within EveryCaptured, in case that it does not come to its end. Who goes
// on from that lacks some packets, and those that came after.
func (r *Run) Snapshot() error {
	if r.State == nil || r.State.Snapshot == nil {
		return nil
	}
	return r.write(true, r.State.Snapshot)
}

func (r *Run) write(amid bool, leave func(state []byte, memory int64) error) error {
	s := &standing{spread: r.spread, end: r.end, latest: r.latest, chain: r.Source.Chain(), amid: amid}
	if r.rounds != nil {
		s.rounds = *r.rounds
	}
	c, roots := r.codec(s)
	b, memory, err := c.Write(nil, roots...)
	if err != nil {
		return fmt.Errorf("the state can't be written: %w", err)
	}
	return leave(b, memory)
}

// Layout is the number of the layout of states that runs with such a configuration leave
// (state.Codec.Number), with what else is kept, and unknown what of it could not be written.
func Layout(cfg session.Config, kept ...any) (number uint64, unknown []string) {
	r := &Run{Config: cfg, State: &State{Kept: func() []any { return kept }}}
	r.tables = newTables(cfg, nil)
	c, _ := r.codec(new(standing))
	return c.Number(), c.Unknown()
}

// codec gives what writes and reads a state, which is made once, and what that is made of.
func (r *Run) codec(s *standing) (*state.Codec, []any) {
	roots := []any{s}
	for _, t := range r.tables {
		roots = append(roots, t)
	}
	if r.State.Kept != nil {
		roots = append(roots, r.State.Kept()...)
	}
	if r.coded == nil {
		r.coded = r.newCodec()
		r.coded.Begin(roots...)
	}
	return r.coded, roots
}

func (r *Run) newCodec() *state.Codec {
	types := append(session.Types(), sha256.New())
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
		c.Fix(fmt.Sprint("table ", i), t.Given())
	}
	return c
}

// protocols are those that may be followed, each once.
func (r *Run) protocols() []*session.Protocol {
	all := slices.Clone(r.Config.Protocols)
	for i := range r.Config.Force {
		if p := r.Config.Force[i].Protocol; !slices.Contains(all, p) {
			all = append(all, p)
		}
	}
	return all
}

// fixProtocol tells of what all connections of a protocol refer to.
func fixProtocol(c *state.Codec, p *session.Protocol) {
	c.Fix(p.Name, p)
	c.Fix(p.Name+" protocol", p.Protocol)
	for _, n := range p.Neighbours {
		c.Fix(n.Name+" protocol", n)
	}
	for i := range p.Rules {
		c.Also(p.Rules[i].ID)
	}
	c.Fix(p.Name+" rules", p.Rules)
	for i, x := range p.Fixed {
		c.Fix(fmt.Sprint(p.Name, " ", i), x)
	}
}
