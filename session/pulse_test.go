package session

import (
	"testing"
)

// TestStateNow follows the protocol until the connection is settled.
func TestStateNow(t *testing.T) {
	state, closer := Opening, NoSide
	c := &Conn{active: new(active)}
	if s, by := c.StateNow(); s != StateUnknown || by != NoSide || c.Over() {
		t.Errorf("at first: %v by %v", s, by)
	}
	c.Follow(&state, &closer, nil)
	for _, x := range []struct {
		state State
		by    Side
		want  Side
		over  bool
	}{{Opening, NoSide, NoSide, false}, {Established, NoSide, NoSide, false}, {Closing, SideB, NoSide, false}, {Closed, SideB, SideB, true}, {Reset, SideA, SideA, true}, {TimedOut, SideA, NoSide, true}} {
		state, closer = x.state, x.by
		if s, by := c.StateNow(); s != x.state || by != x.want || c.Over() != x.over {
			t.Errorf("%v by %v: %v by %v, over %v", x.state, x.by, s, by, c.Over())
		}
	}
}
