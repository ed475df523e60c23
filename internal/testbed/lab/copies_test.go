package lab

import (
	"math/rand/v2"
	"testing"
)

// TestRelaysCauseNoFinding: whoever is reached through a relay that sends datagrams on twice broke
// no rule (guard DUP).
func TestRelaysCauseNoFinding(t *testing.T) {
	for _, s := range conforming(1) {
		t.Run(s.Proto+"/"+s.Name, func(t *testing.T) {
			t.Parallel()
			sub, err := Conforming(&s)
			must(t, err)
			if len(sub.all) < 2 || !sub.marksRetries() {
				return
			}
			sub.judge(nil)
			r := rand.New(rand.NewPCG(s.Seed, 7))
			told := map[string]bool{}
			for range 3 {
				ops := relay(r, sub)
				wrong, _ := sub.judge(ops)
				for _, f := range wrong {
					if !told[f.Rule.ID] {
						told[f.Rule.ID] = true
						small := sub.shrink(ops, f.Rule.ID)
						t.Errorf("replay %q %q: %s %s", sub, small, f.Rule.ID, sub.explain(small, f.Rule.ID))
					}
				}
			}
		})
	}
}
