package lab

import (
	"bytes"
	"testing"
	"time"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen"
	"github.com/dpdissect/dpdissect/session"
)

// TestLossyRecognition: DirectPlay 4 is recognised within 12 datagrams of its start and 40
// from the middle also where a network loses a tenth, or lets a tenth overtake each other: all
// but 2% of the starts and 3% of the middles are, where up to three pairs of players share the
// datagrams.
func TestLossyRecognition(t *testing.T) {
	for name, under := range map[string]tracegen.Conditions{
		"loss":       {Loss: 0.1, Place: 0.5},
		"reordering": {Late: 0.1, LateBy: 25 * time.Millisecond, Place: 0.5},
	} {
		t.Run(name, func(t *testing.T) {
			starts, late, middles, lateMiddles := 0, 0, 0, 0
			for seed := range uint64(200) {
				s, _ := tracegen.WildUnder("dp4", seed+1, under)
				var file bytes.Buffer
				_, err := s.Fates(&file)
				must(t, err)
				all, err := readAll(&file)
				must(t, err)
				for from := 0; from+60 < len(all); from += 1 + len(all)/20 {
					if !bothWays(all[from : from+40]) {
						continue
					}
					n := lockedAfter(all[from:])
					if from == 0 {
						starts++
						if n == 0 || n > 12 {
							late++
						}
						continue
					}
					middles++
					if n == 0 || n > 40 {
						lateMiddles++
					}
				}
			}
			t.Logf("start: %d of %d late; middle: %d of %d late", late, starts, lateMiddles, middles)
			if starts == 0 || middles == 0 || late*100 > starts*2 || lateMiddles*100 > middles*3 {
				t.Error("too late")
			}
		})
	}
}

// lockedAfter gives the datagrams it takes to recognise a connection, 0 for never.
func lockedAfter(all []dissect.Datagram) int {
	tab := session.NewTable(session.Config{Protocols: speakers})
	for i := range all {
		tab.Add(&all[i])
		if len(tab.Conns()) > 0 {
			return i + 1
		}
	}
	return 0
}

// bothWays reports whether each side sent a fifth at least.
func bothWays(all []dissect.Datagram) bool {
	n := 0
	for i := range all {
		if all[i].Src == all[0].Src {
			n++
		}
	}
	return n >= len(all)/5 && n <= len(all)-len(all)/5
}
