package protocols

import "testing"

// TestFollowsNothing: no frame follows itself, and none follows nothing.
func TestFollowsNothing(t *testing.T) {
	for _, p := range All(Options{}) {
		if p.Follows == nil {
			continue
		}
		frames := p.Samples()
		if len(frames) == 0 {
			t.Fatalf("%s has no samples", p.Name)
		}
		for _, b := range frames {
			if p.Follows(b, b) || p.Follows(b, nil) || p.Follows(nil, b) || len(b) > 0 && p.Follows(b, b[:1]) {
				t.Errorf("%s: % x follows what it can't", p.Name, b[:min(len(b), 16)])
			}
		}
	}
}

// FuzzFollows: nothing panics, and what is too short for a number follows nothing.
func FuzzFollows(f *testing.F) {
	all := All(Options{})
	for _, p := range all {
		for _, b := range p.Samples() {
			f.Add(b, b)
		}
	}
	f.Add([]byte{1, 0, 1, 5}, []byte{1, 0, 2, 6})
	f.Add([]byte{0x37, 0, 4, 9, 1}, []byte{0x37, 0, 5, 9, 1})
	f.Fuzz(func(t *testing.T, a, b []byte) {
		for _, p := range all {
			if p.Follows != nil && p.Follows(a, b) && min(len(a), len(b)) < 3 {
				t.Errorf("%s: % x and % x", p.Name, a, b)
			}
		}
	})
}
