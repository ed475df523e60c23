package piecewise

import "testing"

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
