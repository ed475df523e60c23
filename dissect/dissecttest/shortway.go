package dissecttest

import (
	"math/rand/v2"
	"testing"
)

// ShortWay shows samples, edited and cut at random, to a function that compares a short way of
// decoding with the general one; before is a datagram that was decoded in front of it. The function
// reports whether the short way took the datagram: of the samples a fair share must be such.
func ShortWay(t *testing.T, samples [][]byte, same func(t *testing.T, b, before []byte) (short bool)) {
	t.Helper()
	const times = 1000
	rnd, short := rand.New(rand.NewPCG(1, 2)), 0
	for _, s := range samples {
		for range times {
			b := append([]byte(nil), s...)
			for range rnd.IntN(4) {
				b[rnd.IntN(min(len(b), 32))] = byte(rnd.IntN(256))
			}
			if same(t, b[:rnd.IntN(len(b)+1)], samples[rnd.IntN(len(samples))]) {
				short++
			}
		}
	}
	if short < times {
		t.Errorf("the short way read %d datagrams: hardly any", short)
	}
}
