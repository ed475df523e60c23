package piecewise

import (
	"testing"

	"github.com/dpdissect/dpdissect/internal/state"
)

// TestStateTooLarge: a state beyond the bound is written, and told in one line.
func TestStateTooLarge(t *testing.T) {
	p := Pieces{To: "game.state"}
	p.left = make([]byte, 2*MaxConn)
	p.weigh(2)
	if n := p.Note(); n != "" {
		t.Error(n)
	}
	p.left = make([]byte, 2*MaxConn+1)
	p.weigh(2)
	if n := p.Note(); n != "--state-out: game.state has 524289 bytes for 2 connections, more than 256 KiB each" {
		t.Error(n)
	}
}

// TestStartWithoutStates: a command that neither reads nor writes a state does not make the layout of
// states, which takes four times as long as the rest of its start.
func TestStartWithoutStates(t *testing.T) {
	p := Pieces{Command: "analyze"}
	if body, most, err := p.Begin(Options{}); body != nil || most != 0 || err != nil {
		t.Errorf("it begins with %d bytes, %d, %v", len(body), most, err)
	}
	if p.head != (state.Head{}) {
		t.Errorf("the head is made: %+v", p.head)
	}
}
