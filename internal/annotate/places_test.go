package annotate

import (
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
)

// TestPlacesAreBounded: links by the numbers of the output reach back half a million packets at
// least, and what is older is forgotten.
func TestPlacesAreBounded(t *testing.T) {
	var p places
	for n := range uint64(mostPlaces + 1) {
		p.add(2*n+1, n+1)
	}
	if len(p.frames) > mostPlaces || p.of(1) != 0 {
		t.Errorf("%d are remembered, the first is %d", len(p.frames), p.of(1))
	}
	const kept = 2*(mostPlaces/2) + 1
	if got, want := p.of(kept), uint64(mostPlaces/2+1); got != want {
		t.Errorf("frame %d is %d, want %d", uint64(kept), got, want)
	}
	if p.file = 1; p.of(kept) != 0 {
		t.Error("a packet of another file is found")
	}
	p.file = 0
	fr := &dissect.Frame{RetryOf: 1, AckedIn: kept, Acks: []uint64{kept, kept + 1, kept + 2}}
	if got, want := string(p.appendLinks(nil, fr)), " here.acks=524289,524290"; got != want {
		t.Errorf("links %q, want %q", got, want)
	}
}
