package track_test

import (
	"fmt"
	"testing"
)

// A copy that comes when its number went round is one of the packet that it was, not another
// packet with that number (MC-DPL4R 2.2.2).
func TestMC_DPL4R_2_2_2_CopyACycleLate(t *testing.T) {
	s := scenes(t)
	for n := range 300 {
		s.send(0, data(uint8(1+n), uint8(1+n), 0, fmt.Sprint(n)))
		s.send(1, ack(uint8(1+n), uint8(1+n), 0))
	}
	s.Copy(s.Sent[2*60]) // of message 60, whose number is that of message 316
	if got := s.Words(); got != "duplicate" {
		t.Errorf("%q", got)
	}
	d := &s.One().Dir[0]
	if got := fmt.Sprint(d.DataFrames, d.Messages, d.Missing(), d.Duplicates); got != "301 300 0 1" {
		t.Error(got)
	}
}
