package session

import (
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
)

// A server that starts again on the same addresses keeps its name; a peer that opens a
// connection of its own, of a protocol without servers, is a.
func TestSuccessorKeepsSides(t *testing.T) {
	for _, tt := range []struct {
		roles    [2]string
		complete bool
		want     bool
	}{
		{[2]string{"client", "server"}, true, true},
		{[2]string{"client", "server"}, false, false},
		{[2]string{"connector", "listener"}, true, false},
		{[2]string{"", ""}, true, false},
	} {
		c := newCourt(0)
		old := c.c
		old.Roles, old.Complete = tt.roles, tt.complete
		old.flow.at = old
		fr := &dissect.Frame{Datagram: &dissect.Datagram{Frame: 99, Src: old.B, Dst: old.A}}
		next := old.flow.Open(fr)
		if got := next.A == old.A; got != tt.want {
			t.Errorf("%v, start captured: %v: a stays a: %v, want %v", tt.roles, tt.complete, got, tt.want)
		}
		if next.DirOf(fr.Datagram) != map[bool]dissect.Dir{true: 1, false: 0}[tt.want] {
			t.Errorf("%v: the server's frame is of side %d", tt.roles, next.DirOf(fr.Datagram))
		}
	}
}
