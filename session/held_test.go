package session

import (
	"reflect"
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
)

// What is kept of a datagram is all of it, whatever fields it will have.
func TestHeldIsWhole(t *testing.T) {
	f := &Flow{key: flowKey{dissect.Endpoint{Port: 1}, dissect.Endpoint{Port: 2}}}
	for side, ends := range [][2]dissect.Endpoint{{f.key.lo, f.key.hi}, {f.key.hi, f.key.lo}} {
		want := dissect.Datagram{Payload: []byte("payload")}
		for i, v := 0, reflect.ValueOf(&want).Elem(); i < v.NumField(); i++ {
			switch x := v.Field(i); x.Kind() {
			case reflect.Bool:
				x.SetBool(true)
			case reflect.Int, reflect.Int64:
				x.SetInt(int64(100 + i))
			case reflect.Uint8, reflect.Uint16, reflect.Uint64:
				x.SetUint(uint64(100 + i))
			}
		}
		want.Src, want.Dst = ends[0], ends[1]
		h := f.heldOf(&want)
		var got dissect.Datagram
		if f.restore(&got, &h); !reflect.DeepEqual(got, want) {
			t.Errorf("side %d: %+v, want %+v", side, got, want)
		}
		want.Payload[0]++
		if string(got.Payload) != "payload" {
			t.Errorf("%q is not a copy", got.Payload)
		}
	}
}
