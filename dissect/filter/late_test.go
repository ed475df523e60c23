package filter

import (
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
)

// TestLate: filters that ask for what is known only when a frame is printed say
// so, and match it.
func TestLate(t *testing.T) {
	set := NewSet(nil)
	fr := &dissect.Frame{
		Datagram: &dissect.Datagram{Frame: 7}, Connection: 3, RetryOf: 5, AckedIn: 9, Acks: []uint64{2, 4},
		Notes: []dissect.Note{{Rule: "DP8-SIG-FULL", Severity: "error", Message: "forged"}},
	}
	bare := &dissect.Frame{Datagram: &dissect.Datagram{Frame: 8}, Connection: -1}
	for _, c := range []struct {
		expr string
		late bool
	}{
		{"connection == 3", true},
		{"not connection == 4 and frame.number == 7", true},
		{"acked_in in {8..10}", true},
		{"note", true},
		{`note.rule contains "SIG"`, true},
		{"len(note.message) == 6", true},
		{"retry_of == 5", false},
		{"acks == 4", false},
		{"frame.number == 7", false},
	} {
		f, err := Compile(c.expr, set)
		if err != nil {
			t.Errorf("%s: %v", c.expr, err)
			continue
		}
		if f.Late() != c.late {
			t.Errorf("%s: late is %v", c.expr, f.Late())
		}
		if !f.Match(fr, Times{}) {
			t.Errorf("%s does not match", c.expr)
		}
	}
	for _, expr := range []string{"connection", "connection == 0", "acked_in", "retry_of", "acks", "note"} {
		f, err := Compile(expr, set)
		if err != nil {
			t.Errorf("%s: %v", expr, err)
		} else if f.Match(bare, Times{}) {
			t.Errorf("%s matches a frame that has none", expr)
		}
	}
}
