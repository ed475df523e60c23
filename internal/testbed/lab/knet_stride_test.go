package lab

import (
	"bytes"
	"testing"

	"github.com/dpdissect/dpdissect/internal/protocols"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/knetpeer"
	"github.com/dpdissect/dpdissect/session"
)

// TestKnetStride: endpoints that count their PacketIDs by two or three all along are
// found, whichever side does it, and nothing else is found.
func TestKnetStride(t *testing.T) {
	for name, config := range map[string]func() knetpeer.Config{"page": knetpeer.Page, "page of 2011": knetpeer.PageLate, "library": knetpeer.Library, "library of 2010": knetpeer.Library2010} {
		for _, steps := range [][2]int64{{2, 1}, {1, 2}, {2, 2}, {3, 1}, {1, 3}, {3, 3}} {
			for _, lossy := range []bool{false, true} {
				a, b := config(), config()
				a.Stride, b.Stride = steps[0], steps[1]
				file, _, err := tracegen.KnetStride(a, b, lossy).Generate()
				must(t, err)
				all, err := readAll(bytes.NewReader(file))
				must(t, err)
				var found [3]int
				for _, f := range check(all, session.Config{Protocols: protocols.All(protocols.Options{}), Inconclusive: true}).Findings {
					switch {
					case f.Rule.ID == "KN-DG-ID-INC" && f.Failed():
						found[f.Dir]++
					case f.Failed() && f.Rule.EndpointFault():
						t.Errorf("%s by %d, lossy %v: found too: %s frame %d: %s", name, steps, lossy, f.Rule.ID, f.Frame, f.Message)
					case f.Rule.ID == "KN-DG-ID-INC":
						t.Logf("%s by %d, lossy %v: %s", name, steps, lossy, f.Guard)
					}
				}
				for side, step := range steps {
					if (found[side+1] == 1) != (step > 1) {
						t.Errorf("%s by %d, lossy %v: side %d found %d times", name, steps, lossy, side, found[side+1])
					}
				}
			}
		}
	}
}
