package pipeline

import (
	"testing"

	"github.com/dpdissect/dpdissect/internal/protocols"
	"github.com/dpdissect/dpdissect/session"
)

// TestStateTypes: all that tables reach can be written down.
func TestStateTypes(t *testing.T) {
	r := &Run{Config: session.Config{Protocols: protocols.All(protocols.Options{})}, State: &State{Kept: func() []any { return []any{new(Findings)} }}}
	r.tables = newTables(r.Config, nil)
	c, _ := r.codec(new(standing))
	for _, u := range c.Unknown() {
		t.Error(u)
	}
}
