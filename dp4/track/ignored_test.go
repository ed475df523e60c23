package track_test

import (
	"fmt"
	"testing"

	"github.com/dpdissect/dpdissect/dp4"
)

// A frame that the capture cut before its sequence has none: it is counted, and it is no
// transmission of any packet.
func TestMC_DPL4R_2_2_CutBeforeItsSequence(t *testing.T) {
	s := scenes(t)
	s.send(0, data(1, 1, 0, "x"))
	s.Cut(0, []byte("\x01\x02\x39\x02\x02\x00y"), 3)
	s.send(0, data(3, 3, 0, "z"))
	d := &s.One().Dir[0]
	if got := fmt.Sprint(d.DataFrames, d.Retries, d.Duplicates, d.Missing(), s.Texts(0)); got != "3 0 0 1 [x z]" {
		t.Error(got)
	}
}

// A frame with CMD and ACK is neither a data frame nor an acknowledgement that can be relied
// on: it acknowledges nothing.
func TestMC_DPL4R_2_2_2_CMDAndACK(t *testing.T) {
	s := scenes(t)
	s.send(0, data(1, 1, 0, "x"))
	f := ack(1, 1, 0)
	f.Flags |= dp4.CMD
	s.send(1, f)
	if got := s.Words(); got != "" {
		t.Errorf("with CMD: %q", got)
	}
	s.send(1, ack(1, 1, 0))
	if got := fmt.Sprint(s.Words(), s.Last().Acks); got != "ack[1]" {
		t.Errorf("without: %s", got)
	}
}

// What names other players than those of the connection is none of its packets, and
// acknowledges none (MC-DPL4R 2.2.1).
func TestMC_DPL4R_2_2_1_OtherPlayers(t *testing.T) {
	s := scenes(t)
	s.send(0, data(1, 1, 0, "x"))
	s.send(1, data(1, 1, 0, "y"))
	f := ack(1, 1, 0)
	f.From.Value, f.To.Value = 9, 1
	s.send(1, f) // player 1 waits for that
	if got := s.Words(); got != "" {
		t.Errorf("of another player: %q", got)
	}
	s.send(1, ack(1, 1, 0))
	if got := fmt.Sprint(s.Words(), s.Last().Acks); got != "ack[1]" {
		t.Errorf("of the player: %s", got)
	}
}
