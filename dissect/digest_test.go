package dissect

import "testing"

// TestDigest: what differs in one bit, or in its length alone, has another digest, whatever its
// length, and that of the same bytes is the same in every run.
func TestDigest(t *testing.T) {
	seen := map[uint64]bool{}
	count := 0
	for n := range 200 {
		b := make([]byte, n)
		for bit := -1; bit < 8*n; bit++ {
			if bit >= 0 {
				b[bit/8] ^= 1 << (bit % 8)
			}
			seen[Digest(b)] = true
			count++
			if bit >= 0 {
				b[bit/8] ^= 1 << (bit % 8)
			}
		}
	}
	if len(seen) != count {
		t.Errorf("%d digests of %d texts", len(seen), count)
	}
	if got := Digest([]byte("what is remembered of a capture may be read by another run, in another process")); got != 0xc66f2ceb0cea86af {
		t.Errorf("%#x", got)
	}
}
