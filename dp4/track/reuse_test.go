package track

import (
	"reflect"
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp4"
	"github.com/dpdissect/dpdissect/session/seq"
)

// A listener is a judge that says nothing.
type listener struct{}

func (listener) Follow(View, *Event)                         {}
func (listener) Observe()                                    {}
func (listener) Refuted(dissect.Dir, []seq.ProvisionalFrame) {}
func (listener) End(dissect.Dir)                             {}

// What a connection leaves to the next one is as new.
func TestReuse(t *testing.T) {
	s := ofTwo(t, func() Judge { return listener{} })
	for n := range byte(12) {
		s.send(0, message(n+1, 0, "a"))
		s.send(0, message(n+1, 1, "a"))
		s.send(1, dp4.Frame{Flags: dp4.ACK, MessageID: n + 1, Sequence: n + 1})
		s.send(1, message(n+1, 0, "b"))
	}
	x := s.Sessions[0].(*pair)
	used := x.active
	x.end(used, s.Now)
	if left := x.spare.Take(); left != used || !reflect.ValueOf(left).Elem().IsZero() {
		t.Errorf("%p %+v, want %p", left, left, used)
	}
}
