package seq_test

import (
	"fmt"
	"strings"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session/seq"
)

// Any protocol with numbers and acknowledgements can be judged: here 1 to 4 were sent, 3
// was never captured, and 2 came twice.
func Example() {
	var d, peer seq.Direction
	d.Open(new(seq.Work), &peer, seq.Options{Links: true, Listener: deaf{}})
	d.Begin(1)
	for i, s := range []seq.Sending{{Num: 1}, {Num: 2}, {Num: 2, Mark: seq.MarkRetry}, {Num: 4}} {
		s.Frame, s.Time, s.HasTime = uint64(i+1), int64(i)*50e6, true
		v := d.Send(&s)
		fmt.Printf("frame %d: number %d %q\n", s.Frame, s.Num, words(v.Words))
	}
	d.Acknowledge(&seq.Acknowledgement{Next: 5, Frame: 5, Time: 250e6, HasTime: true}, func(at seq.Position) {
		fmt.Println("frame 5 acknowledges frame", at.Frame)
	})
	d.Close()
	fmt.Println("not captured:", d.Lost().NotCaptured)
	// Output:
	// frame 1: number 1 ""
	// frame 2: number 2 ""
	// frame 3: number 2 "retry"
	// frame 4: number 4 "gap"
	// frame 5 acknowledges frame 1
	// frame 5 acknowledges frame 2
	// frame 5 acknowledges frame 3
	// frame 5 acknowledges frame 4
	// not captured: 1
}

// A deaf listens to nothing.
type deaf struct{}

func (deaf) Never(seq.Position)                      {}
func (deaf) Settled(seq.Settled)                     {}
func (deaf) Tripped(of seq.MeasureSet, at, ns int64) {}

// words names what was said of a frame.
func words(w dissect.Words) string {
	var names []string
	for i, name := range dissect.WordNames {
		if w>>i&1 != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, " ")
}
