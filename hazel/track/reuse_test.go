package track

import (
	"reflect"
	"testing"
)

// What a connection leaves to the next one is as new.
func TestReuse(t *testing.T) {
	s := newScene(t, "", false)
	s.meet(current, current)
	x := s.Sessions[0].(*pair)
	used := x.active
	x.retire(s.Now)
	if left := x.spare.Take(); left != used || !reflect.ValueOf(left).Elem().IsZero() {
		t.Errorf("%p %+v, want %p", left, left, used)
	}
}
