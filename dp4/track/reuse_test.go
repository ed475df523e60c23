package track

import (
	"reflect"
	"testing"
)

// What a connection leaves to the next one is as new.
func TestReuse(t *testing.T) {
	s := scenes(t)
	for n := range byte(12) {
		s.send(0, data(n+1, n+1, 0, "a"))
		s.send(0, data(n+1, n+1, 1, "a"))
		s.send(1, ack(n+1, n+1, 0))
		s.send(1, data(n+1, n+1, 0, "b"))
	}
	x := s.Sessions[0].(*pair)
	used := x.active
	x.end(used, s.Now)
	if left := x.spare.Take(); left != used || !reflect.ValueOf(left).Elem().IsZero() {
		t.Errorf("%p %+v, want %p", left, left, used)
	}
}
