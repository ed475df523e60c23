package session

import (
	"reflect"
	"testing"
	"unsafe"

	"github.com/dpdissect/dpdissect/session/seq"
)

// fillExported gives every exported field below v a value of its own.
func fillExported(v reflect.Value, next *uint64) {
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fillExported(v.Elem(), next)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fillExported(v.Field(i), next)
			}
		}
	case reflect.Array:
		for i := range v.Len() {
			fillExported(v.Index(i), next)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fillExported(v.Index(0), next)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.String:
		v.SetString("text")
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		*next++
		v.SetInt(int64(*next % 120))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		*next++
		v.SetUint(*next % 250)
	case reflect.Float32:
		*next++
		v.SetFloat(float64(*next) / 2)
	}
}

// TestPackEnding: every field of an ending comes back, those that are added later, too.
func TestPackEnding(t *testing.T) {
	n := uint64(0)
	var full Ending
	fillExported(reflect.ValueOf(&full).Elem(), &n)
	calm := Ending{Sides: [2]SideEnding{{Trouble: noTrouble}, {Trouble: noTrouble}}}
	for _, want := range []*Ending{&full, &calm} {
		var p seq.Packer
		packEnding(&p, want)
		var got Ending
		packEnding(seq.Unpack(p.Packed()), &got)
		if !reflect.DeepEqual(&got, want) {
			t.Errorf("%+v, want %+v", got, *want)
		}
	}
}

// TestPackedSize: what stays of a connection that is closed and packed is bounded, whatever
// it counted.
func TestPackedSize(t *testing.T) {
	if n := unsafe.Sizeof(Conn{}); n > 640 {
		t.Errorf("a connection takes %d bytes", n)
	}
	n := uint64(0)
	var e Ending
	fillExported(reflect.ValueOf(&e).Elem(), &n)
	var sides [2]seq.Direction
	fillExported(reflect.ValueOf(&sides).Elem(), &n)
	var p seq.Packer
	p.PackSides(&sides)
	packEnding(&p, &e)
	if n := len(p.Packed()); n > 1000 {
		t.Errorf("its numbers, none of them zero, take %d bytes", n)
	}
	p.Reset()
	p.PackSides(new([2]seq.Direction))
	packEnding(&p, &Ending{Sides: [2]SideEnding{{Trouble: noTrouble}, {Trouble: noTrouble}}})
	if n := len(p.Packed()); n > 40 {
		t.Errorf("numbers that are all zero take %d bytes", n)
	}
}

// TestOpenerUsesItsMemoryAgain: nothing of one connection is seen in the next, and one that is
// kept stays as it is.
func TestOpenerUsesItsMemoryAgain(t *testing.T) {
	packed := func(frames uint64, trouble *Trouble) *Conn {
		var p seq.Packer
		p.PackSides(&[2]seq.Direction{{Frames: frames}})
		packEnding(&p, &Ending{Sides: [2]SideEnding{{Trouble: trouble}, {Trouble: noTrouble}}})
		return &Conn{packed: p.Packed(), hasEnding: true}
	}
	conns := []*Conn{packed(7, &Trouble{LeadBy: 3}), packed(0, noTrouble), packed(8, &Trouble{BlackHole: true}), packed(9, noTrouble)}
	want := []struct {
		frames  uint64
		trouble Trouble
	}{{7, Trouble{LeadBy: 3}}, {0, Trouble{}}, {8, Trouble{BlackHole: true}}, {9, Trouble{}}}
	i := 0
	var first *[2]seq.Direction
	for c := range Unpacked(conns) {
		if c.Dir[0].Frames != want[i].frames || *c.Ending.Sides[0].Trouble != want[i].trouble {
			t.Errorf("connection %d: %d frames, %+v", i, c.Dir[0].Frames, c.Ending.Sides[0].Trouble)
		}
		if i == 0 {
			first = c.Dir
		} else if i == 1 && c.Dir != first {
			t.Error("the memory is not used again")
		}
		if i == 2 {
			c.Keep()
		}
		i++
	}
	if c := conns[2]; c.Dir == nil || c.Dir[0].Frames != 8 || !c.Ending.Sides[0].BlackHole {
		t.Error("what was kept has changed")
	}
	if conns[0].Dir != nil || conns[3].Dir != nil || *noTrouble != (Trouble{}) {
		t.Error("what was opened was not closed")
	}
}
