package dp8

import "testing"

func TestSamplesAreValid(t *testing.T) {
	if n := len(Samples()); n != len(sampleHex) {
		t.Fatalf("%d of %d samples are hex", n, len(sampleHex))
	}
	seen := map[Type]int{}
	var keepAlives, coalesced, signed int
	for _, s := range Samples() {
		f, tree := mustDecode(t, s, anyParams)
		checkTiles(t, tree)
		seen[f.Type]++
		if f.Type != TypeDFrame {
			continue
		}
		if f.DFrame.KeepAlive {
			keepAlives++
		}
		if f.DFrame.Coalesced {
			coalesced++
		}
		if f.DFrame.HasSignature {
			signed++
		}
	}
	for typ := TypeConnect; typ <= TypeDFrame; typ++ {
		if seen[typ] == 0 {
			t.Errorf("no sample is a %v", typ)
		}
	}
	if keepAlives < 2 || coalesced < 4 || signed < 1 {
		t.Errorf("%d KeepAlives, %d coalesced, %d signed", keepAlives, coalesced, signed)
	}
	// Callers may change what they get.
	Samples()[0][0] = 0
	if Samples()[0][0] != 0x88 {
		t.Error("samples are shared")
	}
}
