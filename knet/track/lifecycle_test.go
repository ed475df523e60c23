package track

import (
	"testing"

	"github.com/dpdissect/dpdissect/knet"
)

// TestKNet_GivesUp: the specification's side gives up 15 s after it heard its peer last; the
// library looks only when it pings, and gives up at the first ping that is later than that.
func TestKNet_GivesUp(t *testing.T) {
	const quiet = int64(100e9)
	for _, c := range []struct {
		name    string
		dialect knet.Dialect
		pingAt  int64
		want    int64
	}{
		{"the specification", knet.Spec, quiet + 1e9, quiet + lostTime},
		{"no ping since then", knet.Reference, quiet, quiet + lostTime + pingGap},
		{"a ping just after", knet.Reference, quiet + 1, quiet + 1 + 5*pingGap},
		{"a ping at 15 s is not later", knet.Reference, quiet + lostTime, quiet + lostTime + pingGap},
		{"a ping later than 15 s", knet.Reference, quiet + lostTime + 1, quiet + lostTime + 1},
	} {
		x := &conn{pair: &pair{params: knet.Params{Dialect: c.dialect}}}
		x.life.pingAt[1] = c.pingAt
		if got := x.givesUp(1, quiet); got != c.want {
			t.Errorf("%s: %d ns after it was quiet, want %d", c.name, got-quiet, c.want-quiet)
		}
	}
}
