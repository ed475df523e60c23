package dp4

import (
	"fmt"
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
)

func TestDbg(t *testing.T) {
	hist := map[int]int{}
	for _, cut := range []int{0, 200, 500} {
		for _, loss := range []float64{0, 0.005, 0.02} {
			for _, nacks := range []bool{true, false} {
				hist = map[int]int{}
				for seed := range uint64(60) {
					w := newWorld(seed, worldConfig{messages: 300, before: loss, after: loss, double: loss, jitter: 2 + 300*loss, nacks: nacks, cutStart: cut})
					var p probe
					p.Explain()
					n := 0
					for i := range w.tap {
						x := &w.tap[i]
						b := p.Observe(&dissect.Datagram{Payload: x.payload, Length: len(x.payload), Time: x.at, HasTime: true}, x.from)
						n++
						if b >= 64 {
							break
						}
					}
					hist[n/4*4]++
					if loss < 0.02 && n > 12 && cut == 0 || n > 60 {
						fmt.Println(seed, cut, loss, nacks, n, p.acks, p.wrong, p.received, p.Reasons())
					}
				}
				fmt.Println(cut, loss, nacks, hist)
			}
		}
	}
}
