package seq

import (
	"reflect"
	"testing"
	"unsafe"
)

// fillAll gives every field below v, exported or not, a value of its own. skip names fields that
// are left as they are.
func fillAll(v reflect.Value, next *uint64, skip map[string]bool) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if !skip[v.Type().Field(i).Name] {
				fillAll(reflect.NewAt(v.Field(i).Type(), unsafe.Pointer(v.Field(i).UnsafeAddr())).Elem(), next, skip)
			}
		}
	case reflect.Array:
		for i := range v.Len() {
			fillAll(v.Index(i), next, skip)
		}
	case reflect.Bool:
		v.SetBool(true)
	case reflect.String:
		v.SetString("text")
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		*next++
		v.SetInt(int64(*next))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		*next++
		v.SetUint(*next)
	case reflect.Float32:
		*next++
		v.SetFloat(float64(*next) / 2)
	}
}

// TestPackSides: every field of a closed direction comes back, those that are added later, too.
func TestPackSides(t *testing.T) {
	n := uint64(0)
	var sides [2]Direction
	fillAll(reflect.ValueOf(&sides).Elem(), &n, map[string]bool{"work": true, "peer": true, "part": true})
	var part Part
	fillAll(reflect.ValueOf(&part).Elem(), &n, nil)
	sides[1].part = &part
	var p Packer
	p.PackSides(&sides)
	var got [2]Direction
	Unpack(p.Packed()).PackSides(&got)
	if got[0].peer != &got[1] || got[1].peer != &got[0] {
		t.Error("the directions do not know each other")
	}
	got[0].peer, got[1].peer = nil, nil
	if !reflect.DeepEqual(got, sides) {
		t.Errorf("%+v, want %+v", got, sides)
	}
}

// TestPackRuns: the same of runs that nobody hears, and of losses that nothing proves.
func TestPackRuns(t *testing.T) {
	var n uint64
	var want, got struct {
		run    Deaf
		losses Losses
	}
	fillAll(reflect.ValueOf(&want).Elem(), &n, nil)
	var p Packer
	p.Runs(&want.run)
	p.Losses(&want.losses)
	u := Unpack(p.Packed())
	u.Runs(&got.run)
	u.Losses(&got.losses)
	if got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}
