package track

import (
	"reflect"
	"testing"

	"github.com/dpdissect/dpdissect/internal/testbed/sessiontest"
	"github.com/dpdissect/dpdissect/session"
)

// TestReuse: what a connection leaves to the next one is as new.
func TestReuse(t *testing.T) {
	p := New(nil)
	s := sessiontest.New(t, sessiontest.Hosts("10.0.0.1:50000", "10.0.0.2:22023"),
		session.Config{Protocols: []*session.Protocol{p}, Force: sessiontest.Force(p, "")})
	s.Raw(0, []byte{0x08, 0, 0, 0})    // Hello
	s.Raw(1, []byte{0x0a, 0, 0, 0xff}) // its acknowledgement
	x := s.Sessions[0].(*pair)
	used := x.active
	x.retire(s.Now)
	if left := x.spare.Take(); left != used || !reflect.ValueOf(left).Elem().IsZero() {
		t.Errorf("%p %+v, want %p", left, left, used)
	}
}
