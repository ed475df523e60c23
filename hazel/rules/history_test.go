package rules

import (
	"strings"
	"testing"
)

// TestClaimsNameTheirLibrary: a finding about false bits of a history says which library does
// that. A user who reads another name looks for the fault in the wrong program.
func TestClaimsNameTheirLibrary(t *testing.T) {
	for _, c := range []struct {
		recent []uint8
		other  bool // false bits apart from those after a gap
		want   string
	}{
		{[]uint8{0xfe, 0xfe}, true, "always FE"},
		{[]uint8{0xff, 0xff}, true, "always FF"},
		{[]uint8{0xfe, 0xff}, true, "always FF"},
		{[]uint8{0xff, 0xfb}, false, "first acknowledgement after a gap"},
		{[]uint8{0xfe, 0xfb}, false, "first acknowledgement after a gap"},
	} {
		cs := claims{other: c.other}
		for _, r := range c.recent {
			cs.heard(r)
		}
		if got := cs.release(); !strings.Contains(got, c.want) {
			t.Errorf("%x: %q, want %q", c.recent, got, c.want)
		}
	}
	if got := (&claims{varied: true, other: true}).release(); got != "" {
		t.Errorf("no known library does that: %q", got)
	}
}
