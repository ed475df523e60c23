package lab

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/dpdissect/dpdissect/internal/testbed/tracegen"
	"github.com/dpdissect/dpdissect/session"
)

// TestKnetDamagedNumbers changes one bit of the PacketID in every twentieth datagram, the same
// ones again and again, where no checksum tells: numbers that can't be believed do not count.
func TestKnetDamagedNumbers(t *testing.T) {
	for seed := range uint64(40) {
		s, _ := tracegen.WildUnder("knet", seed, tracegen.Conditions{Place: 0.5})
		file, _, err := s.Generate()
		must(t, err)
		all, err := readAll(bytes.NewReader(file))
		must(t, err)
		r := rand.New(rand.NewPCG(seed, 80))
		bits := [2]int{r.IntN(24), r.IntN(24)}
		damaged := 0
		for i := range all {
			d := &all[i]
			d.Sum = 0
			if i < 10 || len(d.Payload) < 3 || r.IntN(20) > 0 {
				continue
			}
			bit := bits[r.IntN(2)]
			d.Payload = bytes.Clone(d.Payload)
			d.Payload[bit/8] ^= 1 << (bit % 8)
			damaged++
		}
		for _, c := range connectionsOf(all, session.Config{Protocols: speakers}) {
			for dir := range c.Dir {
				if missing := c.Dir[dir].Missing(); missing > uint64(2*damaged+10) {
					t.Errorf("%s: %d missing of side %d, %d of %d datagrams are damaged, in bits %v", s.Name, missing, dir, damaged, len(all), bits)
				}
			}
		}
	}
}
