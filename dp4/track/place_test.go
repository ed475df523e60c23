package track_test

import (
	"slices"
	"testing"
)

// TestMC_DPL4R_2_2_2_MessageIDsThatJumpOnce: messageids that skip more messages than there were
// packets break the rule once: what goes on from there is right.
func TestMC_DPL4R_2_2_2_MessageIDsThatJumpOnce(t *testing.T) {
	for _, c := range []struct {
		name string
		msgs []uint8 // of sequences 3 on, after messages 1 and 2
		want []uint64
	}{
		{"none", []uint8{3, 4}, nil},
		{"a jump", []uint8{9, 10, 11}, []uint64{3}},
		{"a jump, and another one", []uint8{9, 10, 20, 21}, []uint64{3, 5}},
	} {
		s := scenes(t)
		for i, msg := range append([]uint8{1, 2}, c.msgs...) {
			s.send(0, data(msg, uint8(1+i), 0, "x"))
		}
		s.End()
		var got []uint64
		for _, f := range s.Accusations() {
			if f.Rule.ID == "DP4-2.2.2-MSGID-SEQ" && f.Failed() {
				got = append(got, f.Frame)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: frames %v, want %v", c.name, got, c.want)
		}
	}
}
