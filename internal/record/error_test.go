package record

import (
	"errors"
	"testing"
)

// TestErrorText: how many packets are in the file stands after the reason, in both numbers
// of the noun.
func TestErrorText(t *testing.T) {
	why := errors.New("no space left on device")
	for want, e := range map[string]Error{
		"a.pcapng: no space left on device":                                              {Path: "a.pcapng"},
		"a.pcapng: no space left on device; 1 packet is in it":                           {Path: "a.pcapng", Packets: 1},
		"a.pcapng: no space left on device; 2 packets are in it":                         {Path: "a.pcapng", Packets: 2},
		"a.pcapng: no space left on device; 0 packets are in it, 7 in the earlier files": {Path: "a.pcapng", Before: 7},
		"standard output: no space left on device":                                       {Path: "-"},
	} {
		if e.Err = why; e.Error() != want {
			t.Errorf("%q, want %q", e.Error(), want)
		}
	}
}
