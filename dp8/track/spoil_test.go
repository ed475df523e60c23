package track

import (
	"reflect"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session"
)

// Spoil makes sessions of a protocol find, before each frame, an Event that says all it can of a
// frame of some other connection: nothing of it may be taken for something of theirs.
func Spoil(p *session.Protocol) *session.Protocol {
	made := p.NewSession
	p.NewSession = func(f *session.Flow, x session.Probe) session.Session { return spoiled{made(f, x).(*pair)} }
	return p
}

type spoiled struct{ *pair }

func (s spoiled) Input(fr *dissect.Frame) *session.Conn {
	e := s.room.event
	spoil(reflect.ValueOf(e).Elem())
	e.ack.Hearsay = false // is never set
	return s.pair.Input(fr)
}

// spoil makes everything set, odd, or nil.
func spoil(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Field(i)
			spoil(reflect.NewAt(f.Type(), f.Addr().UnsafePointer()).Elem())
		}
	case reflect.Array:
		for i := range v.Len() {
			spoil(v.Index(i))
		}
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(1)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(3)
	default:
		v.SetZero()
	}
}
