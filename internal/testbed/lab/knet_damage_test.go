package lab

import (
	"bytes"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/dpdissect/dpdissect/internal/testbed/tracegen"
	"github.com/dpdissect/dpdissect/knet"
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

// TestKnetDamagedNumberBeginsNothing: a damaged PacketID that is one of the first, after a
// silence, begins no other connection when what its datagram holds goes on. A datagram that
// begins one does.
func TestKnetDamagedNumberBeginsNothing(t *testing.T) {
	for name, x := range map[string]struct {
		say   func(t *libTalk) []knet.Message
		conns int
	}{
		"acknowledges": {func(t *libTalk) []knet.Message { t.say(1, false, t.told(1, "acknowledged")); return t.owes(0) }, 1},
		"is reliable":  {func(t *libTalk) []knet.Message { return []knet.Message{t.told(0, "goes on")} }, 1},
		"replies": {func(t *libTalk) []knet.Message {
			t.pings[1]++
			t.say(1, false, libControl(knet.PingRequest, t.pings[1]))
			return []knet.Message{libControl(knet.PingReply, t.pings[1])}
		}, 1},
		"says something": {func(*libTalk) []knet.Message { return []knet.Message{knetApp("unreliable")} }, 1},
		"begins": {func(*libTalk) []knet.Message {
			return []knet.Message{libControl(knet.PingRequest, 1), libControl(knet.PingRequest, 2)}
		}, 2},
	} {
		talk := &libTalk{next: [2]uint32{1, 1}}
		talk.chat(40)
		talk.pause(2 * time.Second)
		talk.say(1, false, talk.told(1, "still here"))
		all := x.say(talk)
		next := talk.next[0]
		talk.next[0] = 9
		talk.say(0, false, all...)
		talk.next[0] = next + 1
		if x.conns == 1 {
			talk.chat(10)
		}
		m := Mutant{Rule: "KN-DG-ID-INC", As: "knet:reference", Steps: talk.steps}
		r, err := m.Run()
		must(t, err)
		if r.Conns != x.conns {
			t.Errorf("a datagram with PacketID 9 %s: %d connections, want %d", name, r.Conns, x.conns)
		}
	}
}
