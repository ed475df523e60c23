package track_test

import (
	"fmt"
	"testing"

	"github.com/dpdissect/dpdissect/dp4"
)

// Whether a receiver acts on a data frame with BIG nobody knows: its numbers are compared with
// none, so that it is tracked, whatever messageid it has (MC-DPL4R 2.2.2).
func TestMC_DPL4R_2_2_2_DoubtfulFramesAreNotCompared(t *testing.T) {
	for _, c := range []struct {
		flags dp4.Flags
		want  string // frames, packets that are missing, messages
	}{
		{0, "4 1 3"},
		{dp4.BIG, "4 0 4"},
	} {
		s := scenes(t)
		for n := range uint8(4) {
			f := data(1+n, 1+n, 0, "x")
			if n == 2 {
				f.MessageID, f.Flags = 9, f.Flags|c.flags // there is no room for the messages it skips
			}
			s.send(0, f)
		}
		d := &s.One().Dir[0]
		if got := fmt.Sprint(d.DataFrames, d.Missing(), d.Messages); got != c.want {
			t.Errorf("flags %#x: %s, want %s", c.flags, got, c.want)
		}
	}
}
