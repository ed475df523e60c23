package dp4

import (
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dissect/dissecttest"
)

func TestAppendSummary(t *testing.T) {
	for _, c := range []struct{ bytes, want string }{
		{"01 02 3d 01 01 00 68656c6c6f", "DATA 1>2 msg=1 seq=1 serial=0 len=5 reliable sak"},
		{"feff03 02 38 ff 00 07", "DATA 65534>2 msg=255 seq=0 serial=7 len=0 unreliable"},
		{"01 02 31 05 06 00 61", "DATA 1>2 msg=5 seq=6 serial=0 len=1 first part reliable"},
		{"01 02 21 05 07 01 61", "DATA 1>2 msg=5 seq=7 serial=1 len=1 part reliable"},
		{"01 02 28 05 08 02 61", "DATA 1>2 msg=5 seq=8 serial=2 len=1 last part unreliable"},
		{"02 01 38 02 02 00 706c617916000e00", "DATA 2>1 msg=2 seq=2 serial=0 len=8 PING unreliable"},
		{"01 02 78 01 01 00", "DATA 1>2 msg=1 seq=1 serial=0 len=0 unreliable big"},
		{"01 02 18 05 05 00 78", "DATA 1>2 msg=5 seq=5 serial=0 len=1 unreliable no-cmd"},
		{"01 02 b9 05 05 00 20 03 61", "DATA 1>2 msg=5 seq=5 serial=0 len=1 reliable ignored"},
		{"02 01 02 01 01 00 79000000 1eaef019", "ACK 2>1 msg=1 seq=1 serial=0 received=121 tick=435203614"},
		{"02 01 02 01 01 00 79000000 1eaef019 aabb", "ACK 2>1 msg=1 seq=1 serial=0 received=121 tick=435203614 trailing=2"},
		{"02 01 82 00 02 04 fa220000 01000000", "NACK 2>1 msg=2 seq=4 missing=4 received=8954 tick=1"},
		{"02 01 82 20 02 07 fa220000 01000000 03", "NACK 2>1 msg=2 seq=7 missing=7-9 received=8954 tick=1"},
		{"02 01 82 02 02 07 fa220000 01000000 03", "NACK 2>1 msg=2 seq=7 missing=7-9 msb-first received=8954 tick=1"},
		{"02 01 82 40 02 fe fa220000 01000000 0580", "NACK 2>1 msg=2 seq=254 missing=254,255,1,14 received=8954 tick=1"},
		{"02 01 82 60 02 00 fa220000 01000000 ffffff", "NACK 2>1 msg=2 seq=0 missing=0-24 received=8954 tick=1"},
		{"02 01 a2 00 02 04 fa220000 01000000", "NACK 2>1 msg=2 seq=4 missing=4 received=8954 tick=1 ignored"},
	} {
		f, _ := mustDecode(t, c.bytes)
		if got := string(AppendSummary([]byte("> "), f)); got != "> "+c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.bytes, got, c.want)
		}
	}
}

// Of a frame that was not decoded whole only what is certainly there is named.
func TestSummaryOfBrokenFrames(t *testing.T) {
	for _, c := range []struct{ bytes, want string }{
		{"", "not DirectPlay 4"},
		{"01", "not DirectPlay 4"},
		{"01 02", "not DirectPlay 4"},
		{"01 02 3d", "DATA 1>2"},
		{"01 02 3d 05", "DATA 1>2"},
		{"01 02 3d 05 06", "DATA 1>2 msg=5 seq=6"},
		{"02 01 82", "NACK 2>1"},
		{"02 01 82 20 02", "NACK 2>1"},
		{"02 01 82 20 02 07", "NACK 2>1 msg=2 seq=7"},
		{"02 01 02 05 06 00 79", "ACK 2>1 msg=5 seq=6"},
	} {
		payload := dissecttest.Unhex(t, c.bytes)
		var f Frame
		var err *dissect.Error
		if err = f.Decode(payload, Params{Length: len(payload)}, nil); err == nil {
			t.Errorf("%s: accepted", c.bytes)
		}
		if got := string(AppendPartialSummary(nil, &f, err)); got != c.want {
			t.Errorf("%s: %q, want %q", c.bytes, got, c.want)
		}
	}
}
