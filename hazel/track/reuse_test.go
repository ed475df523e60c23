package track

import (
	"reflect"
	"testing"
)

// What a connection leaves to the next one is as new.
func TestReuse(t *testing.T) {
	s := newScene(t, "", false)
	s.meet(current, current)
	used := s.pairs[0].active
	s.end()
	if left := s.pairs[0].spare.Take(); left != used || !reflect.ValueOf(left).Elem().IsZero() {
		t.Errorf("%p %+v, want %p", left, left, used)
	}
}
