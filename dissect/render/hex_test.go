package render

import (
	"encoding/hex"
	"math/rand/v2"
	"testing"
)

func TestHexAgreesWithTheLibrary(t *testing.T) {
	b := make([]byte, 0, 512)
	for c := range 256 {
		b = append(b, byte(c), byte(rand.Uint32()))
	}
	for n := range 20 {
		for from := 0; from+n <= len(b); from++ {
			if got, want := string(appendHex([]byte("x"), b[from:from+n])), "x"+hex.EncodeToString(b[from:from+n]); got != want {
				t.Fatalf("got %s, want %s", got, want)
			}
		}
	}
}
